//! Failed evaluations, and their diagnostics.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};

use crate::ids::NodeId;

/// A failed evaluation. It propagates along the edges in place of a value.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Whether `<|>` catches it.
    pub(crate) catchable: bool,
    pub(crate) message: String,
    /// The call that is reported in the diagnostic.
    pub(crate) span: Option<Span>,
    /// The node that failed, or the call of the function whose whole body it is.
    pub(crate) origin: NodeId,
    pub(crate) kind: FailureKind,
}

/// The cause of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// A function returned an error.
    Function,
    /// `panic`.
    Panic,
    /// A test does not say what a function of the machine returns; what it has to say.
    Unanswered(Arc<str>),
    /// The artifact is inconsistent, or a limit of the engine was reached.
    Engine,
}

impl Failure {
    /// Returns whether two failures give the same diagnostic and behave alike.
    pub(crate) fn same(&self, other: &Failure) -> bool {
        self.origin == other.origin
            && self.catchable == other.catchable
            && self.span == other.span
            && self.message == other.message
    }

    /// Returns the diagnostic for a failure that nothing caught.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let code = match &self.kind {
            FailureKind::Unanswered(directive) => {
                return unanswered(self.message.clone(), directive).maybe_at(self.span);
            }
            FailureKind::Panic => Code::R0103,
            FailureKind::Engine => Code::R0105,
            FailureKind::Function if self.catchable => Code::R0101,
            FailureKind::Function => Code::R0102,
        };
        let diagnostic = Diagnostic::error(code, Stage::Stream, self.message.clone()).maybe_at(self.span);
        if self.catchable { diagnostic.help("provide a fallback value: `… <|> fallback`") } else { diagnostic }
    }
}

/// Returns the error about a value that a test does not give; `directive` is what it has to say.
pub(crate) fn unanswered(message: String, directive: &str) -> Diagnostic {
    Diagnostic::error(Code::R0108, Stage::Stream, message).help(format!("give its value in the test: `{directive}`"))
}
