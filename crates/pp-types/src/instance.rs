//! Whether a value is an instance of a type.

use crate::types::Type;
use crate::value::Value;

/// Returns whether a value is an instance of a type (`value =~ Type`).
#[must_use]
pub fn is_instance(_ty: &Type, _value: &Value) -> bool {
    todo!()
}
