//! The errors of type parameters.

use crate::error::{Error, ErrorKind};
use crate::infer::{generalize, infer};
use crate::value::Value;

/// The error of a parameter that is not what the type takes.
pub(super) fn bad_argument(ty: &str, found: &Value, expected: &str) -> Error {
    let found = generalize(&infer(found)).to_string();
    error(format!("Error creating type specialization of {ty}, Cannot use {found} where {expected} is expected"))
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
