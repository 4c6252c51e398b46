//! The type of a value.

use crate::types::Type;
use crate::value::Value;

/// Returns the most specific type of a value, in detail: `Integer[5, 5]`, `Tuple[…]`, `Struct[…]`.
#[must_use]
pub fn infer_detailed(_value: &Value) -> Type {
    todo!()
}

/// Returns the type of a value with its elements reduced to one type: `Array[Integer[1, 5], 2, 2]`.
#[must_use]
pub fn infer(_value: &Value) -> Type {
    todo!()
}

/// Returns the type without bounds and sizes.
#[must_use]
pub fn generalize(_ty: &Type) -> Type {
    todo!()
}
