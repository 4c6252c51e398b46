//! The compilation of a catalog (spec 07 §5.17).

use mcl_diagnostics::{Code, Diagnostic, FileId, SourceFile, Span, Stage};
use pp_ast::Tree;
use pp_catalog::Catalog;
use pp_types::{ErrorKind, Value};

use crate::definitions::Definitions;
use crate::environment::{Environment, Origin};
use crate::evaluator::Evaluator;
use crate::fact_reads::FactReads;
use crate::frame::Frame;
use crate::log::LogEntry;
use crate::node::duplicate_nodes;
use crate::options::Options;
use crate::scope::TOP;
use crate::secrets::Secrets;
use crate::services::Services;
use crate::stop::{Eval, Fault, Stop, illegal_jump};
use crate::trees::Trees;

/// What a compilation yields.
#[derive(Debug)]
pub struct Compilation {
    /// The catalog; `None` if there are errors.
    pub catalog: Option<Catalog>,
    /// The value of the last expression of the main manifests.
    pub value: Value,
    /// The messages of the program and the warnings of the evaluation, in order.
    pub log: Vec<LogEntry>,
    /// The errors, none if there is a catalog, and warnings about the catalog.
    pub diagnostics: Vec<Diagnostic>,
    /// The templates and files of modules that were parsed: spans refer to them by ids that follow those of the environment's
    /// files.
    pub loaded: Vec<SourceFile>,
    /// The facts that were read.
    pub fact_reads: FactReads,
}

impl Default for Compilation {
    fn default() -> Compilation {
        Compilation {
            catalog: None,
            value: Value::Undef,
            log: Vec::new(),
            diagnostics: Vec::new(),
            loaded: Vec::new(),
            fact_reads: FactReads::default(),
        }
    }
}

/// Compiles the catalog of a node.
#[must_use]
pub fn compile(environment: &Environment, options: &Options, services: &dyn Services) -> Compilation {
    let definitions = Definitions::new(environment);
    let files = &environment.files;
    let place = |span: Span| place(files.get(span.file), span);
    let redefined = definitions.errors.iter().map(|error| error.diagnostic(&place(error.first)));
    let mut errors: Vec<Diagnostic> = redefined.collect();
    errors.extend(duplicate_nodes(&definitions.nodes));
    errors.extend(definitions.redefined_types(&options.resource_types));
    if !errors.is_empty() {
        return Compilation { diagnostics: errors, ..Compilation::default() };
    }
    let (trees, start) = (Trees::default(), Tree::new(FileId::MAIN));
    let mut evaluator = Evaluator::new(environment, options, services, definitions, (&trees, &start));
    let result = evaluator.compile();
    let finished = match result {
        Ok(value) if evaluator.errors.is_empty() => evaluator.finish().map(|()| value),
        Ok(_) => Err(evaluator.failed()),
        Err(stop) => {
            evaluator.end_with(stop.into_fault());
            Err(evaluator.failed())
        }
    };
    let secrets = Secrets::new(evaluator.hiera.secrets());
    let Evaluator { mut catalog, mut log, loaded, mut diagnostics, fact_recorder, .. } = evaluator;
    let fact_reads = fact_recorder.finish();
    let finished = finished.map_err(|errors| {
        diagnostics.splice(0..0, errors);
    });
    secrets.hide(&mut catalog, &mut log, &mut diagnostics);
    match finished {
        Ok(value) => Compilation { catalog: Some(catalog), value, log, diagnostics, loaded, fact_reads },
        Err(()) => Compilation { log, diagnostics, loaded, fact_reads, ..Compilation::default() },
    }
}

impl Evaluator<'_> {
    pub(crate) fn compile(&mut self) -> Eval {
        let mut value = Value::Undef;
        self.check_main_definitions()?;
        self.set_top_variables();
        let classes = self.options.classification.classes.iter();
        self.catalog.add_first_class_names(classes.map(|(name, _)| name.clone()).collect());
        self.evaluate_settings()?;
        let environment = self.environment;
        for source in environment.sources.iter().filter(|source| source.origin == Origin::Main) {
            let Some(root) = source.tree.root else { continue };
            let frame = Frame { tree: &source.tree, scope: TOP, local: None };
            value = match self.within(frame, |this| this.eval_body(root)) {
                Err(Stop::Jump(jump)) => return Err(illegal_jump(&jump)),
                other => other?,
            };
        }
        if let Err(stop) = self.evaluate_node() {
            self.recover(stop)?;
        }
        self.add_classified()?;
        self.generate()?;
        Ok(value)
    }

    /// Returns the errors of the evaluation, and those of single resources, which do not depend on what is missing.
    pub(crate) fn failed(&mut self) -> Vec<Diagnostic> {
        let problems = self.define_problems().unwrap_or_default();
        let faults = std::mem::take(&mut self.errors).into_faults();
        let mut broken = std::mem::take(&mut self.broken);
        let mut errors: Vec<Diagnostic> = Vec::with_capacity(faults.len());
        for error in faults.into_iter().map(diagnostic) {
            let is_of_file = |file: &Vec<Diagnostic>| file.first().is_some_and(|first| first.span == error.span);
            match broken.iter().position(is_of_file) {
                Some(file) => {
                    let mut of_file = broken.swap_remove(file);
                    // Where the file was needed.
                    of_file[0].labels.extend(error.labels);
                    errors.append(&mut of_file);
                }
                None => errors.push(error),
            }
        }
        errors.extend(self.catalog.parameter_errors(problems).iter().map(|error| error.diagnostic(&self.catalog)));
        errors
    }

    fn finish(&mut self) -> Result<(), Vec<Diagnostic>> {
        self.replace_strings_of_resources();
        let problems = self.define_problems().map_err(|stop| vec![diagnostic(stop.into_fault())])?;
        let warnings = self.catalog.finish(problems).map_err(|errors| -> Vec<Diagnostic> {
            errors.iter().map(|error| error.diagnostic(&self.catalog)).collect()
        })?;
        for warning in warnings {
            self.catalog_warning(&warning).map_err(|stop| vec![diagnostic(stop.into_fault())])?;
        }
        Ok(())
    }

    /// Facts, `$facts`, `$trusted` and so on.
    pub(crate) fn set_top_variables(&mut self) {
        let options = self.options;
        let variables = &mut self.scopes[TOP].variables;
        let mut set = |name: &str, value: Value| {
            variables.insert(name.into(), value);
        };
        for hash in [&options.server_facts, &options.facts, &options.classification.parameters] {
            for (name, value) in hash {
                if let Value::String(name) = name {
                    set(name, value.clone());
                }
            }
        }
        set("facts", Value::hash(options.facts.clone()));
        set("trusted", Value::hash(options.trusted.clone()));
        set("server_facts", Value::hash(options.server_facts.clone()));
        set("environment", Value::String(options.environment.clone()));
        set("title", Value::from("main"));
        set("name", Value::from("main"));
        set("module_name", Value::from(""));
        set("caller_module_name", Value::from(""));
    }
}

/// Returns a location as Puppet writes it.
pub(crate) fn place(file: Option<&SourceFile>, span: Span) -> String {
    let (name, line) = file.map_or(("", 1), |file| (&*file.name, file.line_col(span.start).line));
    format!("(file: {name}, line: {line})")
}

/// Makes a diagnostic of an error.
pub(crate) fn diagnostic(fault: Fault) -> Diagnostic {
    let Fault { error, code, span, trace, is_consequence: _ } = fault;
    let code = code.unwrap_or(match error.kind {
        ErrorKind::Mismatch | ErrorKind::Arguments => Code::P0502,
        ErrorKind::Unknown => Code::P0503,
        ErrorKind::Limit => Code::P0506,
        ErrorKind::Fail => Code::P0507,
        ErrorKind::Operator | ErrorKind::Arithmetic | ErrorKind::Conversion => Code::P0508,
        ErrorKind::Unavailable => Code::P0513,
        ErrorKind::TypeParameters | ErrorKind::Syntax | ErrorKind::Regexp | ErrorKind::Evaluation => Code::P0501,
    });
    let mut diagnostic = Diagnostic::error(code, Stage::Puppet, error.message).maybe_at(span);
    diagnostic.help = error.help;
    for (place, text) in trace {
        if Some(place) != span {
            diagnostic = diagnostic.label(place, text);
        }
    }
    diagnostic
}
