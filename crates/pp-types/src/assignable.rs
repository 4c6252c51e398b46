//! Whether every instance of one type is an instance of another.

use crate::types::Type;

/// Returns whether every instance of `from` is an instance of `to`.
#[must_use]
pub fn is_assignable(_to: &Type, _from: &Type) -> bool {
    todo!()
}
