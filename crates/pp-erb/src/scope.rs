//! What a template sees of the compilation.

use std::sync::Arc;

use pp_types::{Error, Value};

use crate::objects::{Change, Found};

/// What changing a value of the manifest does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutability {
    /// It is an error.
    Frozen,
    /// The manifest sees the change.
    Shared,
    /// Only the template sees the change: a literal, which is one value wherever it is written.
    Literal,
}

/// The scope in which a template is rendered.
pub trait Scope {
    /// Returns a variable that is visible without a qualified name; `None` if there is none: `@name`.
    fn variable(&mut self, name: &str) -> Option<Found>;

    /// Looks a variable up as the language does: `scope['name']`, `scope.lookupvar('a::name')`. An unknown one is undef.
    ///
    /// # Errors
    /// An unknown variable, if the settings make it an error.
    fn lookup(&mut self, name: &str) -> Result<Found, Error>;

    /// Returns all variables that are visible without a qualified name: `scope.to_hash`.
    fn variables(&mut self) -> Vec<(Arc<str>, Found)>;

    /// Sets a variable: `scope.setvar`.
    ///
    /// # Errors
    /// A variable that is set already.
    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error>;

    /// Returns what changing a value of the manifest does. The value is not the copy of a parameter.
    fn mutability(&mut self, value: &Value) -> Mutability;

    /// Puts new values in the places of those that the template has changed.
    ///
    /// # Errors
    /// A budget that is used up.
    fn change(&mut self, changes: &[Change]) -> Result<(), Error>;

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
