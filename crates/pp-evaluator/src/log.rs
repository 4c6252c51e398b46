//! The messages of a compilation.

use std::sync::Arc;

use mcl_diagnostics::Span;
use pp_functions::LogLevel;

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
    /// How to avoid it.
    pub help: Option<String>,
}
