//! What the caller of a template provides.

use std::fmt;

use crate::data::{Data, GoType};

/// The functions that a template can call in addition to the built-in ones: Go's `FuncMap`.
pub trait Functions {
    /// The error of a call.
    type Error: fmt::Display;

    /// Returns the types of the parameters of a function; `None` if there is none of that name.
    fn parameters(&self, name: &str) -> Option<&[GoType]>;

    /// Calls a function. The number and types of the arguments match its parameters.
    ///
    /// # Errors
    /// The function fails.
    fn call(&self, name: &str, args: &[Data]) -> Result<Data, Self::Error>;
}

/// The limits of one execution.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of evaluated pipelines and iterations.
    pub steps: u64,
    /// Maximum length of the output in bytes.
    pub output: usize,
}
