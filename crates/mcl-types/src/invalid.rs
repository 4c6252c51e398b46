//! The error of validation.

use std::fmt;

/// A program that was read from a file violates an invariant of the stage that should have written it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidProgram {
    reason: &'static str,
}

impl InvalidProgram {
    pub(crate) const fn new(reason: &'static str) -> InvalidProgram {
        InvalidProgram { reason }
    }
}

impl fmt::Display for InvalidProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)
    }
}

impl std::error::Error for InvalidProgram {}
