//! The state of a compilation.

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, FileId, SourceFile, Span};
use pp_ast::{ExprId, ParameterList, TextRange, Tree};
use pp_catalog::{Catalog, ResourceId, ResourceKind, SourceId};
use pp_functions::LogLevel;
use pp_hiera::{BackendCall, Hiera};
use pp_types::{Aliases, Error, ErrorKind, Hash, HashValue, Regexp, Signature, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abandoned::Errors;
use crate::definitions::{Definitions, FunctionRef};
use crate::environment::{Environment, Origin};
use crate::erb_template::ErbTemplate;
use crate::fact_reads::FactRecorder;
use crate::frame::{BlockData, Frame, Output, ParameterTypes, Pending, RunningBackend};
use crate::log::LogEntry;
use crate::options::Options;
use crate::scope::{ScopeId, Scopes, TOP};
use crate::services::{RubyFunction, Services};
use crate::set_scope::SetScope;
use crate::stack::{STACK_RESERVE, STACK_SEGMENT};
use crate::stop::{Eval, Fault, Stop};
use crate::template_state::TemplateState;
use crate::trees::Trees;

/// Evaluates the manifests of an environment for one node. Its methods are in the files of the constructs that they evaluate.
pub(crate) struct Evaluator<'e> {
    pub environment: &'e Environment,
    pub options: &'e Options,
    pub services: &'e dyn Services,
    /// The data of the environment, as far as it was read.
    pub hiera: Rc<Hiera<'e>>,
    /// The backends of lookups that run, innermost last, and what they have cached.
    pub backends: Vec<RunningBackend>,
    pub backend_cache: FxHashMap<BackendCall, Hash>,
    pub definitions: Definitions<'e>,
    /// Manifests of modules that were parsed before the compilation, by module and path.
    pub parsed: FxHashMap<(&'e str, &'e str), usize>,
    /// The functions of modules in Ruby, as far as they were asked for.
    pub ruby_functions: FxHashMap<String, Option<RubyFunction>>,
    /// Whether there is a module of a name, as far as that was asked.
    pub modules: FxHashMap<String, bool>,
    /// The files of modules that were looked for, and whether they have errors.
    pub asked: FxHashMap<String, bool>,
    /// The errors of the files of modules.
    pub broken: Vec<Vec<Diagnostic>>,
    pub trees: &'e Trees,
    pub fact_recorder: FactRecorder,
    /// Where the running code is.
    pub frame: Frame<'e>,
    /// Where the code is that waits for the running code.
    pub outer_frames: Vec<Frame<'e>>,
    pub scopes: Scopes,
    /// The scopes of the evaluated classes, by name.
    pub class_scopes: FxHashMap<Arc<str>, ScopeId>,
    /// The scope of the node block.
    pub node_scope: Option<ScopeId>,
    pub catalog: Catalog,
    /// Where classes and instances of defines that wait for their evaluation were declared.
    pub declared_in: FxHashMap<ResourceId, ScopeId>,
    /// What sets the parameters in the bodies of defines.
    pub define_sources: FxHashMap<Arc<str>, SourceId>,
    /// Resource types by their name in the program.
    pub resource_types: FxHashMap<Arc<str>, (Arc<str>, ResourceKind)>,
    /// The types of the parameters of classes and defines.
    pub resource_signatures: FxHashMap<(FileId, ParameterList), ParameterTypes>,
    /// The variables with similar names of unknown ones, as they were found first.
    pub similar_variables: FxHashMap<(ScopeId, Arc<str>), Option<String>>,
    /// The blocks of the running calls.
    pub blocks: Vec<BlockData<'e>>,
    /// Parameters whose defaults are being evaluated.
    pub pending: Vec<Pending>,
    /// The error that a function is passing on, with its location.
    pub passing: Option<Fault>,
    /// The location of the running call of a built-in function.
    pub call_span: Option<Span>,
    /// The call of the jump that a function is passing on.
    pub jump_span: Option<Span>,
    /// The last key that a hash did not have: where, the hash, the key.
    pub missing_key: Option<(Span, Arc<HashValue>, Value)>,
    /// The definition of an alias is being evaluated: unknown names are types that nothing matches.
    pub in_alias: bool,
    /// The set of types whose types are being resolved.
    pub set: Option<Rc<SetScope<'e>>>,
    /// The types of sets, by the name of the set and theirs in it.
    pub set_types: FxHashMap<(Arc<str>, Arc<str>), Type>,
    /// The text of the running template.
    pub output: Option<Output>,
    /// Deprecations that were reported.
    pub deprecated: FxHashSet<String>,
    /// The type aliases.
    pub aliases: Arc<Aliases>,
    /// Names of types that were looked up.
    pub types: FxHashMap<Arc<str>, Option<Type>>,
    pub signatures: FxHashMap<FunctionRef, Rc<Signature>>,
    pub regexps: FxHashMap<Arc<str>, Regexp>,
    pub log: Vec<LogEntry>,
    /// The errors of abandoned statements.
    pub errors: Errors,
    /// Warnings about the catalog.
    pub diagnostics: Vec<Diagnostic>,
    /// The templates and files of modules that were parsed, and templates by their text.
    pub loaded: Vec<SourceFile>,
    pub template_trees: FxHashMap<Arc<str>, &'e Tree>,
    /// What templates in ERB share with each other.
    pub templates: TemplateState,
    /// The templates in ERB: files by their paths, texts by themselves.
    pub erb_templates: FxHashMap<(bool, Arc<str>), ErbTemplate>,
    pub steps: u64,
    pub bytes: u64,
    pub depth: u32,
}

impl<'e> Evaluator<'e> {
    /// Creates the state before anything was evaluated.
    pub(crate) fn new(
        environment: &'e Environment,
        options: &'e Options,
        services: &'e dyn Services,
        definitions: Definitions<'e>,
        (trees, start): (&'e Trees, &'e Tree),
    ) -> Evaluator<'e> {
        Evaluator {
            environment,
            options,
            services,
            hiera: Rc::new(Hiera::new(services.data())),
            backends: Vec::new(),
            backend_cache: FxHashMap::default(),
            definitions,
            parsed: parsed_manifests(environment),
            ruby_functions: FxHashMap::default(),
            modules: FxHashMap::default(),
            asked: FxHashMap::default(),
            broken: Vec::new(),
            trees,
            frame: Frame { tree: start, scope: TOP, local: None },
            outer_frames: Vec::new(),
            scopes: Scopes::new(),
            class_scopes: FxHashMap::default(),
            node_scope: None,
            catalog: Catalog::new(pp_catalog::Options {
                node: options.node.clone(),
                environment: options.environment.clone(),
                types: options.resource_types.clone(),
            }),
            declared_in: FxHashMap::default(),
            define_sources: FxHashMap::default(),
            resource_types: FxHashMap::default(),
            resource_signatures: FxHashMap::default(),
            similar_variables: FxHashMap::default(),
            blocks: Vec::new(),
            pending: Vec::new(),
            passing: None,
            call_span: None,
            jump_span: None,
            missing_key: None,
            in_alias: false,
            set: None,
            set_types: FxHashMap::default(),
            output: None,
            deprecated: FxHashSet::default(),
            aliases: Aliases::new(),
            types: FxHashMap::default(),
            signatures: FxHashMap::default(),
            regexps: FxHashMap::default(),
            log: Vec::new(),
            errors: Errors::default(),
            diagnostics: Vec::new(),
            loaded: Vec::new(),
            template_trees: FxHashMap::default(),
            templates: TemplateState::default(),
            erb_templates: FxHashMap::default(),
            steps: 0,
            bytes: 0,
            fact_recorder: FactRecorder::new(&options.facts),
            depth: 0,
        }
    }

    /// Returns the location of an expression of the running code.
    pub(crate) fn span(&self, id: ExprId) -> Span {
        self.frame.tree.span(id)
    }

    /// Returns a range of the running code as a span.
    pub(crate) fn range_span(&self, range: TextRange) -> Span {
        self.frame.tree.range_span(range)
    }

    /// Creates an error at an expression of the running code.
    pub(crate) fn fault(&self, id: ExprId, error: Error) -> Stop {
        Stop::at(self.span(id), error)
    }

    /// Creates an error of the general kind at an expression of the running code.
    pub(crate) fn error(&self, id: ExprId, message: impl Into<String>) -> Stop {
        Stop::message(self.span(id), message)
    }

    /// Returns the source text of the file of a span.
    pub(crate) fn source(&self, span: Span) -> Option<&SourceFile> {
        let files = &self.environment.files.files;
        let loaded = || self.loaded.get((span.file.as_u32() as usize).checked_sub(files.len())?);
        files.get(span.file).or_else(loaded)
    }

    /// Returns the id of the next file that is parsed.
    pub(crate) fn next_file(&self) -> FileId {
        let index = self.environment.files.files.len() + self.loaded.len();
        FileId::from_u32(u32::try_from(index).unwrap_or(u32::MAX - 1))
    }

    /// Evaluates code in another place, and returns to the present one.
    pub(crate) fn within<T>(&mut self, frame: Frame<'e>, work: impl FnOnce(&mut Self) -> T) -> T {
        self.outer_frames.push(std::mem::replace(&mut self.frame, frame));
        let result = work(self);
        if let Some(outer) = self.outer_frames.pop() {
            self.frame = outer;
        }
        result
    }

    /// Enters a nested call, block or body, with stack for it.
    pub(crate) fn nested<T>(&mut self, span: Option<Span>, work: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        if self.depth >= self.options.budget.depth {
            let error = Error::new(ErrorKind::Limit, format!("calls are nested more than {} deep", self.depth));
            let error =
                error.help("probably a function calls itself, or a class or define declares itself, without end");
            return Err(Stop::Fault(Box::new(Fault::new(error, span))));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || work(self));
        self.depth -= 1;
        result
    }

    /// Counts work against the budget.
    pub(crate) fn spend(&mut self, steps: u64, bytes: u64) -> Result<(), Error> {
        self.steps += steps;
        self.bytes = self.bytes.saturating_add(bytes);
        let budget = &self.options.budget;
        if self.steps > budget.steps {
            return Err(Error::new(ErrorKind::Limit, format!("evaluation takes more than {} steps", budget.steps)));
        }
        if self.bytes > budget.bytes {
            return Err(Error::new(
                ErrorKind::Limit,
                format!("evaluation makes values of more than {} bytes", budget.bytes),
            ));
        }
        Ok(())
    }

    /// Adds a warning of the evaluation to the log.
    pub(crate) fn warn_at(&mut self, span: Option<Span>, message: impl Into<String>) {
        self.add_log(LogEntry { level: LogLevel::Warning, scope: None, message: message.into(), span, help: None });
    }

    /// Adds a message to the log, which ends with the first error.
    pub(crate) fn add_log(&mut self, entry: LogEntry) {
        if self.errors.is_empty() {
            self.log.push(entry);
        }
    }
}

/// Returns the indices of the manifests of modules, by module and path.
fn parsed_manifests(environment: &Environment) -> FxHashMap<(&str, &str), usize> {
    let sources = environment.sources.iter().enumerate();
    let of_modules = sources.filter_map(|(index, source)| match &source.origin {
        Origin::Module { name, path } => Some(((&**name, &**path), index)),
        Origin::Main => None,
    });
    of_modules.collect()
}
