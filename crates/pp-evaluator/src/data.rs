//! The data of the environment: what Hiera needs of the evaluator, and the context that its backends get (spec 07 §10.4).
//!
//! A backend is a function of the program. The last argument of its call is a context, which it passes to functions such as
//! `not_found`. The context is the type `Puppet::LookupContext` as a value: what it stands for is the innermost backend that
//! runs, so that there is nothing in it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pp_functions::{Block, Interrupt, Strict};
use pp_hiera::BackendCall;
use pp_types::{Error, ErrorKind, Hash, Type, Value};

use crate::evaluator::Evaluator;
use crate::frame::RunningBackend;
use crate::stop::{Eval, Jump, JumpKind, Stop, unlocated};

/// The name of the type of contexts.
const CONTEXT: &str = "Puppet::LookupContext";

/// The functions of a context.
const CONTEXT_FUNCTIONS: [&str; 11] = [
    "not_found",
    "explain",
    "interpolate",
    "cache",
    "cache_all",
    "cache_has_key",
    "cached_value",
    "cached_entries",
    "cached_file_data",
    "environment_name",
    "module_name",
];

/// Returns the context that backends get.
fn context() -> Value {
    Value::Type(Type::Object(CONTEXT.into()))
}

/// Returns the type that `Puppet::LookupContext` names: what the context is an instance of.
pub(crate) fn context_type(name: &str) -> Option<Type> {
    name.eq_ignore_ascii_case(CONTEXT).then(|| Type::Type(Some(Type::Object(CONTEXT.into()).into())))
}

impl Evaluator<'_> {
    /// Looks a key up in the data of the environment.
    pub(crate) fn data_of_key(&mut self, key: &str, merge: Option<&Value>) -> Result<Option<Value>, Error> {
        let hiera = Rc::clone(&self.hiera);
        self.spend(100, 0)?;
        hiera.lookup(self, key, merge)
    }

    /// Whether a call is one of a function of a context.
    pub(crate) fn is_context_call(&self, name: &str, arguments: &[Value]) -> bool {
        matches!(arguments.first(), Some(Value::Type(Type::Object(object))) if **object == *CONTEXT)
            && CONTEXT_FUNCTIONS.contains(&name)
            && !self.backends.is_empty()
    }

    /// Calls a function of a context.
    pub(crate) fn call_context(&mut self, name: &str, arguments: &[Value], block: Option<&Block>) -> Eval {
        let arguments = &arguments[1..];
        let expected = match name {
            "cache" => 2,
            "interpolate" | "cache_all" | "cache_has_key" | "cached_value" | "cached_file_data" => 1,
            _ => 0,
        };
        if arguments.len() != expected {
            let message = format!("'{name}' expects {expected} arguments, got {}", arguments.len());
            return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
        }
        let hiera = Rc::clone(&self.hiera);
        let Some(call) = self.backends.last().map(|running| running.call.clone()) else { return Ok(Value::Undef) };
        let first = arguments.first().cloned().unwrap_or(Value::Undef);
        Ok(match name {
            "not_found" => {
                if let Some(running) = self.backends.last_mut() {
                    running.is_not_found = true;
                }
                let span = self.call_span;
                return Err(Stop::Jump(Box::new(Jump { kind: JumpKind::Return, value: Value::Undef, span })));
            }
            "explain" => {
                if let (true, Some(block)) = (hiera.is_explaining(), block) {
                    let text = self.run_block(block.id, &[])?;
                    hiera.remark(&pp_types::interpolate(&text));
                }
                Value::Undef
            }
            "interpolate" => hiera.interpolate(self, &first).map_err(|error| self.stop(error.into()))?,
            "cache" => {
                let value = arguments[1].clone();
                self.backend_cache.entry(call).or_default().insert(first, value.clone());
                value
            }
            "cache_all" => {
                let Value::Hash(entries) = first else {
                    let got = pp_types::generalize(&pp_types::infer(&first));
                    let message = format!("'cache_all' parameter 'hash' expects a Hash value, got {got}");
                    return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
                };
                let entries = entries.iter().map(|(key, value)| (key.clone(), value.clone()));
                self.backend_cache.entry(call).or_default().extend(entries);
                Value::Undef
            }
            "cache_has_key" => Value::Boolean(self.cached(&call, &first).is_some()),
            "cached_value" => self.cached(&call, &first).unwrap_or(Value::Undef),
            "cached_entries" => self.cached_entries(&call, block)?,
            "cached_file_data" => self.cached_file_data(&call, first, block)?,
            "environment_name" => Value::String(Arc::clone(&self.options.environment)),
            _ => call.module.map_or(Value::Undef, Value::String),
        })
    }

    fn cached(&self, call: &BackendCall, key: &Value) -> Option<Value> {
        self.backend_cache.get(call)?.get(key).cloned()
    }

    /// Calls the block with each entry, or returns all.
    fn cached_entries(&mut self, call: &BackendCall, block: Option<&Block>) -> Eval {
        let entries: Hash = self.backend_cache.get(call).cloned().unwrap_or_default();
        let Some(block) = block else { return Ok(Value::hash(entries)) };
        for (key, value) in entries {
            let arguments = match block.parameter_count {
                1 => vec![Value::array(vec![key, value])],
                _ => vec![key, value],
            };
            self.run_block(block.id, &arguments)?;
        }
        Ok(Value::Undef)
    }

    /// Returns the content of a file, or what the block makes of it, once per path.
    fn cached_file_data(&mut self, call: &BackendCall, path: Value, block: Option<&Block>) -> Eval {
        let Value::String(path) = path else {
            let got = pp_types::generalize(&pp_types::infer(&path));
            let message = format!("'cached_file_data' parameter 'path' expects a String value, got {got}");
            return Err(unlocated(Error::new(ErrorKind::Arguments, message)));
        };
        let file = BackendCall { location: format!("file {path}").into(), ..call.clone() };
        if let Some(known) = self.cached(&file, &Value::Undef) {
            return Ok(known);
        }
        let text = self.hiera.read_text(&path).map_err(unlocated)?;
        self.spend(0, text.len() as u64).map_err(unlocated)?;
        let value = match block {
            Some(block) => self.run_block(block.id, &[Value::from(text)])?,
            None => Value::from(text),
        };
        self.backend_cache.entry(file).or_default().insert(Value::Undef, value.clone());
        Ok(value)
    }

    /// Makes an error for Hiera of what stopped the evaluation, whose location is kept for later.
    fn data_error(&mut self, stop: Stop) -> Error {
        match self.interrupt(stop) {
            Interrupt::Error(error) => *error,
            Interrupt::Break | Interrupt::Next(_) | Interrupt::Return(_) => {
                Error::new(ErrorKind::Evaluation, "a backend cannot leave the block around the lookup")
            }
        }
    }
}

impl pp_hiera::Host for Evaluator<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, Error> {
        if let Some(value) = self.lookup_variable(name) {
            return Ok(Some(value));
        }
        if matches!(name, "title" | "name" | "module_name" | "caller_module_name") {
            return Ok(None);
        }
        let message = self.undefined_variable_text(name);
        match self.options.strict {
            _ if self.options.strict_variables => Err(Error::new(ErrorKind::Unknown, message)),
            Strict::Error => Err(Error::new(ErrorKind::Unknown, message)),
            Strict::Warning => {
                pp_hiera::Host::deprecate(self, &message);
                Ok(None)
            }
            Strict::Off => Ok(None),
        }
    }

    fn warn(&mut self, message: &str) {
        self.warn_at(self.call_span, message);
    }

    fn deprecate(&mut self, message: &str) {
        if self.deprecated.insert(message.to_owned()) {
            self.warn_at(self.call_span, message);
        }
    }

    fn call(&mut self, function: &str, arguments: &[Value]) -> Result<Value, Error> {
        let result = self.call_function_at(function, arguments, None, self.call_span);
        result.map_err(|stop| self.data_error(stop))
    }

    fn call_backend(&mut self, call: &BackendCall, arguments: &[Value]) -> Result<Option<Value>, Error> {
        let mut arguments = arguments.to_vec();
        arguments.push(context());
        self.backends.push(RunningBackend { call: call.clone(), is_not_found: false });
        let result = self.call_function_at(&call.function, &arguments, None, self.call_span);
        let is_not_found = self.backends.pop().is_some_and(|running| running.is_not_found);
        match result {
            Ok(_) if is_not_found => Ok(None),
            Ok(value) => Ok(Some(value)),
            Err(stop) => Err(self.data_error(stop)),
        }
    }

    fn parse_type(&mut self, text: &str) -> Result<Value, Error> {
        let failed = RefCell::new(None);
        let ty = {
            let this = RefCell::new(&mut *self);
            let resolve = |name: &str| match this.borrow_mut().find_type(name) {
                Ok(found) => found.or_else(|| Some(Type::Reference(name.into()))),
                Err(stop) => {
                    *failed.borrow_mut() = Some(stop);
                    None
                }
            };
            pp_types::parse_type(text, &resolve)
        };
        match failed.into_inner() {
            Some(stop) => Err(self.data_error(stop)),
            None => ty.map(Value::Type),
        }
    }
}
