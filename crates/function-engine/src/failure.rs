//! How failures become diagnostics.

use mcl_diagnostics::{Code, Diagnostic, Stage};

use crate::node::{Failure, FailureSort};

impl Failure {
    /// Whether two failures tell people the same.
    pub(crate) fn same(&self, other: &Failure) -> bool {
        self.origin == other.origin
            && self.catchable == other.catchable
            && self.span == other.span
            && self.message == other.message
    }

    /// What a person reads when nothing caught it.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let code = match self.sort {
            FailureSort::Panic => Code::R0103,
            FailureSort::Engine => Code::R0105,
            FailureSort::Function if self.catchable => Code::R0101,
            FailureSort::Function => Code::R0102,
        };
        let mut diagnostic = Diagnostic::error(code, Stage::Stream, self.message.clone());
        if let Some(span) = self.span {
            diagnostic = diagnostic.at(span);
        }
        if self.catchable {
            diagnostic = diagnostic.help("give a value to use instead: `… <|> fallback`");
        }
        diagnostic
    }
}
