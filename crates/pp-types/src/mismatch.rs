//! Why a value does not match a type, in words.

use crate::types::Type;
use crate::value::Value;

/// Describes why a value does not match, as Puppet does; `subject` is how the message begins, e.g. `parameter 'x'`. One line
/// for each problem.
#[must_use]
pub fn describe_mismatch(_subject: &str, _expected: &Type, _value: &Value) -> String {
    todo!()
}
