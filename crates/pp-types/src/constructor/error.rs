//! The errors of conversions.

use crate::error::{Error, ErrorKind};
use crate::infer::{generalize, infer};
use crate::value::Value;

/// The error of a value that cannot be converted.
pub(super) fn conversion_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Conversion, message)
}

/// The error of a value of a kind that the constructor does not accept.
pub(super) fn not_convertible(prefix: &str, value: &Value, target: &str) -> Error {
    let ty = generalize(&infer(value));
    conversion_error(format!("{prefix}Value of type {ty} cannot be converted to {target}"))
}
