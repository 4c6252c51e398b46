//! What a template sees of the compilation.

use std::sync::Arc;

use pp_types::{Error, Value};

/// A value that a template has stored in a variable: an object that later templates can change.
#[derive(Clone, Debug)]
pub struct Object(pub(crate) crate::value::Value);

/// The scope in which a template is rendered.
pub trait Scope {
    /// Returns a variable that is visible without a qualified name; `None` if there is none: `@name`.
    fn variable(&mut self, name: &str) -> Option<Value>;

    /// Looks a variable up as the language does: `scope['name']`, `scope.lookupvar('a::name')`. An unknown one is undef.
    ///
    /// # Errors
    /// An unknown variable, if the settings make it an error.
    fn lookup(&mut self, name: &str) -> Result<Value, Error>;

    /// Returns all variables that are visible without a qualified name: `scope.to_hash`.
    fn variables(&mut self) -> Vec<(Arc<str>, Value)>;

    /// Sets a variable: `scope.setvar`.
    ///
    /// # Errors
    /// A variable that is set already.
    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error>;

    /// Keeps the object that was stored in a variable for the templates that read it.
    fn keep_object(&mut self, name: &str, object: Object);

    /// Returns the object that a template has stored in a variable that is visible; `None` if no template has.
    fn object(&mut self, name: &str) -> Option<Object>;

    /// Calls a function: `scope.call_function('name', [arguments])`.
    ///
    /// # Errors
    /// Those of the function, and an unknown name.
    fn call_function(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// Converts a value with a function that does what a method of Ruby does, such as `to_yaml`, whether or not the module that
    /// has it is there.
    ///
    /// # Errors
    /// Those of the function.
    fn convert(&mut self, function: &str, value: &Value) -> Result<Value, Error>;

    /// Returns whether a function has the older interface: `scope.function_name([arguments])`.
    fn has_legacy_function(&mut self, name: &str) -> bool;

    /// How the scope is named in messages: `Class[main]`.
    fn resource(&mut self) -> String;

    /// Counts work that was done against the budget of the compilation.
    ///
    /// # Errors
    /// A budget that is used up.
    fn charge(&mut self, steps: u64, bytes: u64) -> Result<(), Error>;
}
