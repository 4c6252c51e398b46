//! The errors of templates, with the messages of Go.

use std::fmt;

/// Why a template cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    line: usize,
    message: String,
}

impl ParseError {
    pub(crate) fn new(line: usize, message: impl fmt::Display) -> ParseError {
        ParseError { line, message: message.to_string() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template:{}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Why the execution of a template failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteError<E> {
    /// Go's message, which contains that of the cause.
    pub(crate) message: String,
    /// The error of a function, if a function failed.
    pub cause: Option<E>,
}

impl<E> fmt::Display for ExecuteError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: fmt::Debug> std::error::Error for ExecuteError<E> {}
