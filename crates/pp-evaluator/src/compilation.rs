//! The compilation of a catalog.

use std::sync::Arc;

use mcl_diagnostics::{Diagnostic, SourceFile, Span};
use pp_functions::LogLevel;

use crate::environment::Environment;
use crate::options::Options;
use crate::services::Services;

/// What a compilation yields.
#[derive(Debug, Default)]
pub struct Compilation {
    /// The messages of the program and the warnings of the evaluation, in order.
    pub log: Vec<LogEntry>,
    /// The errors; none if there is a catalog.
    pub diagnostics: Vec<Diagnostic>,
    /// The templates that were evaluated: spans may refer to them by ids that follow those of the environment's files.
    pub templates: Vec<SourceFile>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The level.
    pub level: LogLevel,
    /// The resource whose code sent it, e.g. `Class[main]`; `None` for warnings of the evaluation.
    pub scope: Option<Arc<str>>,
    /// The text.
    pub message: String,
    /// Where it was sent.
    pub span: Option<Span>,
}

/// Compiles the catalog of a node.
#[must_use]
pub fn compile(_environment: &Environment, _options: &Options, _services: &dyn Services) -> Compilation {
    Compilation::default()
}
