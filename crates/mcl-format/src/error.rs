//! Why a text is not formatted.

use std::fmt;

use mcl_diagnostics::Diagnostic;

/// Why a text is not formatted.
#[derive(Debug)]
pub enum FormatError {
    /// The text has syntax errors, in source order.
    Syntax(Vec<Diagnostic>),
    /// The result would not be the same program, and why: a defect of this crate.
    Differs(&'static str),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Syntax(_) => write!(f, "the program has syntax errors"),
            FormatError::Differs(why) => write!(f, "the formatted program would differ: {why}"),
        }
    }
}

impl std::error::Error for FormatError {}
