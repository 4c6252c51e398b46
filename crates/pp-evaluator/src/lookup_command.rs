//! Looking keys up without a call in a manifest, as `puppet lookup` does (spec 07 §10.4).

use std::rc::Rc;

use mcl_diagnostics::{Diagnostic, FileId, SourceFile};
use pp_ast::Tree;
use pp_hiera::{Explanation, Host as _};
use pp_types::{Error, ErrorKind, Type, Value, describe_mismatch, is_instance};

use crate::compilation::diagnostic;
use crate::definitions::Definitions;
use crate::environment::Environment;
use crate::evaluator::Evaluator;
use crate::log::LogEntry;
use crate::lookup::not_found_error;
use crate::options::Options;
use crate::services::Services;
use crate::trees::Trees;

/// What is looked up, and how.
#[derive(Clone, Debug, Default)]
pub struct LookupRequest {
    /// The keys; the first that has a value counts.
    pub keys: Vec<String>,
    /// The name of a merge strategy, or a hash of it and its options.
    pub merge: Option<Value>,
    /// The type that the value must have.
    pub value_type: Option<String>,
    /// The value if there is none.
    pub default: Option<Value>,
    /// What to explain.
    pub explain: Option<Explained>,
    /// Evaluate the manifests first, for their variables. Otherwise only facts and the like are set.
    pub compile: bool,
}

/// What an explanation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    /// How a value is found.
    Value,
    /// Only the `lookup_options`.
    Options,
}

/// What a lookup yields.
#[derive(Debug, Default)]
pub struct Lookup {
    /// The value; `None` if there is none.
    pub value: Option<Value>,
    /// Why there is none.
    pub error: Option<LookupError>,
    /// How it was found.
    pub explanation: Option<Explanation>,
    /// The messages of the manifests, and warnings.
    pub log: Vec<LogEntry>,
    /// The templates and files of modules that were parsed.
    pub loaded: Vec<SourceFile>,
}

/// Why a lookup has no value.
#[derive(Debug)]
pub enum LookupError {
    /// No key has one.
    NotFound(Diagnostic),
    /// The data is wrong, which an explanation shows, too.
    Data(Diagnostic),
    /// The value, or what was asked for, is wrong.
    Request(Diagnostic),
    /// The errors of the manifests.
    Manifests(Vec<Diagnostic>),
}

/// Looks keys up with the top scope of a node.
#[must_use]
pub fn lookup(
    environment: &Environment,
    options: &Options,
    services: &dyn Services,
    request: &LookupRequest,
) -> Lookup {
    let definitions = Definitions::new(environment);
    let (trees, start) = (Trees::default(), Tree::new(FileId::MAIN));
    let mut evaluator = Evaluator::new(environment, options, services, definitions, (&trees, &start));
    let mut lookup = Lookup::default();
    match evaluator.prepare(request) {
        Ok(ty) => {
            let hiera = Rc::clone(&evaluator.hiera);
            if request.explain.is_some() {
                hiera.start_explanation();
            }
            match evaluator.answer(request, ty.as_ref()) {
                Ok(value) => lookup.value = value,
                Err(error) => lookup.error = Some(error),
            }
            lookup.explanation = request.explain.map(|_| hiera.end_explanation());
        }
        Err(error) => lookup.error = Some(error),
    }
    let Evaluator { log, loaded, .. } = evaluator;
    Lookup { log, loaded, ..lookup }
}

impl Evaluator<'_> {
    /// Sets the variables that the data may use, and reads the type.
    fn prepare(&mut self, request: &LookupRequest) -> Result<Option<Type>, LookupError> {
        if request.compile {
            match self.compile() {
                Ok(_) if self.errors.is_empty() => {}
                Ok(_) => return Err(LookupError::Manifests(self.failed())),
                Err(stop) => {
                    self.end_with(stop.into_fault());
                    return Err(LookupError::Manifests(self.failed()));
                }
            }
        } else {
            self.set_top_variables();
        }
        let Some(text) = &request.value_type else { return Ok(None) };
        match self.parse_type(text) {
            Ok(Value::Type(ty)) => Ok(Some(ty)),
            Ok(_) => Ok(None),
            Err(error) => Err(LookupError::Request(self.lookup_diagnostic(error))),
        }
    }

    fn answer(&mut self, request: &LookupRequest, ty: Option<&Type>) -> Result<Option<Value>, LookupError> {
        let hiera = Rc::clone(&self.hiera);
        if request.explain == Some(Explained::Options) {
            for key in &request.keys {
                let options = hiera.lookup_options(self, key);
                options.map_err(|error| LookupError::Data(self.lookup_diagnostic(error)))?;
            }
            return Ok(None);
        }
        for key in &request.keys {
            let found = hiera.lookup(self, key, request.merge.as_ref());
            if let Some(value) = found.map_err(|error| LookupError::Data(self.lookup_diagnostic(error)))? {
                return self.checked(value, ty, "Found value").map(Some);
            }
        }
        match &request.default {
            Some(default) => self.checked(default.clone(), ty, "Default value").map(Some),
            None => {
                let names: Vec<Value> = request.keys.iter().map(|key| Value::from(key.as_str())).collect();
                let error = not_found_error(&names, names.len() > 1);
                Err(LookupError::NotFound(self.lookup_diagnostic(error)))
            }
        }
    }

    fn checked(&mut self, value: Value, ty: Option<&Type>, subject: &str) -> Result<Value, LookupError> {
        match ty {
            Some(ty) if !is_instance(ty, &value) => {
                let text = describe_mismatch(&format!("{subject} has wrong type,"), ty, &value);
                let error = Error::new(ErrorKind::Mismatch, text);
                Err(LookupError::Request(self.lookup_diagnostic(error)))
            }
            _ => Ok(value),
        }
    }

    fn lookup_diagnostic(&mut self, error: Error) -> Diagnostic {
        let stop = self.stop(error.into());
        diagnostic(stop.into_fault())
    }
}
