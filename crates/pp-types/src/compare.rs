//! The comparisons of the language.

use std::cmp::Ordering;

use crate::error::Error;
use crate::value::Value;

/// `left == right`: numbers across kinds, strings without regard to ASCII case.
#[must_use]
pub fn equal(_left: &Value, _right: &Value) -> bool {
    todo!()
}

/// `left < right` and so on: numbers, strings, times, versions. Types are compared with [`is_assignable`](crate::is_assignable).
///
/// # Errors
/// Values that have no order.
pub fn compare(_left: &Value, _right: &Value) -> Result<Ordering, Error> {
    todo!()
}

/// Returns whether an option of `case` or a selector matches a value. Captures of a regexp are in the second field.
///
/// # Errors
/// An invalid regexp.
pub fn matches_option(_option: &Value, _value: &Value) -> Result<(bool, Option<Vec<Option<String>>>), Error> {
    todo!()
}

/// `left in right`, with the captures of a regexp on the left.
///
/// # Errors
/// An invalid regexp.
pub fn is_in(_left: &Value, _right: &Value) -> Result<(bool, Option<Vec<Option<String>>>), Error> {
    todo!()
}
