//! Errors of templates.

use std::fmt;

/// What is wrong with a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// It is not Ruby.
    Syntax,
    /// It uses Ruby that templates must not use.
    Refused,
    /// It fails while it is rendered.
    Failure,
    /// It takes more than the budget.
    Limit,
}

/// An error of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The message, which says what Ruby's says.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Where, as an offset in the template.
    pub offset: Option<u32>,
    /// The error of a function of Puppet that the template called.
    pub puppet: Option<pp_types::Error>,
}

impl Error {
    /// Creates an error.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>, offset: Option<u32>) -> Error {
        Error { kind, message: message.into(), help: None, offset, puppet: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
