//! Types from a name and parameters.

use crate::error::Error;
use crate::types::Type;
use crate::value::Value;

/// Returns the built-in data type with this name, e.g. `Integer`; `None` for the names of resource types and aliases.
#[must_use]
pub fn named(_name: &str) -> Option<Type> {
    todo!()
}

/// Returns the type `base[arguments]`. References to several resources are the evaluator's: it calls this once a title.
///
/// # Errors
/// Parameters that the type does not take, with Puppet's text.
pub fn parametrize(_base: &Type, _arguments: &[Value]) -> Result<Type, Error> {
    todo!()
}
