//! `sprintf`, and the formats of `String.new`.

use crate::error::Error;
use crate::value::Value;

/// Formats as Ruby's `format` does: `%d`, `%-5s`, `%<key>s`, `%{key}`.
///
/// # Errors
/// A malformed format, or an argument that is missing or of the wrong kind.
pub fn sprintf(_format: &str, _arguments: &[Value]) -> Result<String, Error> {
    todo!()
}
