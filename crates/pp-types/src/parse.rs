//! Types from their text form.

use crate::error::Error;
use crate::types::Type;

/// Parses a type as it is written, e.g. `Array[Integer[1, 5]]`. Names that are not built in go to `resolve`.
///
/// # Errors
/// A text that is not a type.
pub fn parse_type(_text: &str, _resolve: &dyn Fn(&str) -> Option<Type>) -> Result<Type, Error> {
    todo!()
}
