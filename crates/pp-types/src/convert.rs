//! Conversions: `Type.new(…)`.

use crate::error::Error;
use crate::types::Type;
use crate::value::Value;

/// Creates an instance of a type: `new(Type, arguments)`, the block excepted.
///
/// # Errors
/// Arguments that the constructor does not take, or that cannot be converted.
pub fn new_instance(_ty: &Type, _arguments: &[Value]) -> Result<Value, Error> {
    todo!()
}

/// Reads a number as the operators and `Numeric` do: decimal, hexadecimal, octal, binary, with a sign.
#[must_use]
pub fn parse_number(_text: &str) -> Option<Value> {
    todo!()
}
