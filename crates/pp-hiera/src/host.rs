//! What a lookup needs from the evaluator.

use std::sync::Arc;

use pp_types::{Error, Value};

/// The call of a backend that is a function of the language.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BackendCall {
    /// The name of the function.
    pub function: Arc<str>,
    /// The module whose `hiera.yaml` names it.
    pub module: Option<Arc<str>>,
    /// The level of the hierarchy with its location: calls with equal ones share their cache.
    pub location: Arc<str>,
}

/// The evaluator, seen from a lookup.
pub trait Host {
    /// Returns the value of a variable of the calling scope, without its dollar sign. `None` if it is unknown, which the host
    /// reports in its own way.
    ///
    /// # Errors
    /// An unknown variable, if that is an error.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, Error>;

    /// Reports a warning.
    fn warn(&mut self, message: &str);

    /// Reports that something is deprecated.
    fn deprecate(&mut self, message: &str);

    /// Calls a function: `new`.
    ///
    /// # Errors
    /// Those of the function.
    fn call(&mut self, function: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// Calls a function of the program as a backend, with its context as the last argument. `None` if it says `not_found`.
    ///
    /// # Errors
    /// Those of the function, and an unknown function.
    fn call_backend(&mut self, call: &BackendCall, arguments: &[Value]) -> Result<Option<Value>, Error>;

    /// Returns the type that a text stands for, such as `Array[String]`; a name that no type has is a type, too.
    ///
    /// # Errors
    /// A text that is not a type.
    fn parse_type(&mut self, text: &str) -> Result<Value, Error>;
}
