//! The errors of type parameters.

use crate::error::{Error, ErrorKind, Operand};
use crate::infer::{generalize, infer};
use crate::value::Value;

/// The error of the parameter number `at`, which is not what the type takes.
pub(super) fn bad_argument(ty: &str, found: &Value, expected: &str, at: usize) -> Error {
    let found = generalize(&infer(found)).to_string();
    let message =
        format!("Error creating type specialization of {ty}, Cannot use {found} where {expected} is expected");
    error_at(at, message)
}

/// The error of the parameter number `at`, which should be a type.
pub(super) fn expected_types(ty: &str, found: &Value, at: usize) -> Error {
    error_at(at, format!("{ty}[] arguments must be types. Got {}", crate::describe::class_name(found)))
}

/// The error of the parameter number `at`.
pub(super) fn error_at(at: usize, message: impl Into<String>) -> Error {
    error(message).of(Operand::Argument(at))
}

/// An error that Puppet reports from within the access.
pub(super) fn in_access(e: Error) -> Error {
    Error { message: format!("Error while evaluating a '[]' expression, {}", e.message), operand: None, ..e }
}

/// The error of type parameters.
pub(super) fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::TypeParameters, message)
}

/// Checks the number of parameters.
pub(super) fn expect_count(ty: &str, arguments: &[Value], min: usize, max: usize) -> Result<(), Error> {
    if (min..=max).contains(&arguments.len()) {
        return Ok(());
    }
    let expected = match (min, max) {
        (1, 1) => "1 argument".to_owned(),
        (min, usize::MAX) => format!("{min} or more arguments"),
        (min, max) if min == max => format!("{min} arguments"),
        (min, max) => format!("{min} to {max} arguments"),
    };
    Err(error(format!("{ty}[] accepts {expected}. Got {}", arguments.len())))
}
