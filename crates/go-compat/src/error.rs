//! Errors as Go's standard library reports them.

use std::fmt;

/// An error with the text that Go gives it. Programs can see the text, so it is part of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    /// Makes an error with this text.
    pub(crate) fn new(text: impl Into<String>) -> Error {
        Error(text.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
