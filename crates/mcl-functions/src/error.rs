//! Failures of functions.

use std::fmt;

/// Why a call failed, with the message (spec 03 §1.11).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionError {
    /// `<|>` replaces the call by its right operand; without one, the program fails.
    Catchable(String),
    /// The function engine stops.
    Fatal(String),
    /// A test does not say what the function returns.
    Unanswered {
        /// What is missing.
        message: String,
        /// What the test has to say.
        directive: String,
    },
}

impl FunctionError {
    /// Makes an error that `<|>` catches.
    pub fn catchable(message: impl Into<String>) -> FunctionError {
        FunctionError::Catchable(message.into())
    }

    /// Makes an error that stops the engine.
    pub fn fatal(message: impl Into<String>) -> FunctionError {
        FunctionError::Fatal(message.into())
    }

    /// Whether `<|>` catches the error.
    #[must_use]
    pub fn is_catchable(&self) -> bool {
        matches!(self, FunctionError::Catchable(_))
    }

    /// Returns the message.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            FunctionError::Catchable(message)
            | FunctionError::Fatal(message)
            | FunctionError::Unanswered { message, .. } => message,
        }
    }
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for FunctionError {}
