//! The ids of types.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// Index into [`crate::TypeTable`]. Equal types have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TypeId(pub(super) u32);
entity_impl!(TypeId);

impl TypeId {
    /// The code is not used, or has an error that was reported.
    pub const UNTYPED: TypeId = TypeId(0);
    /// `bool`.
    pub const BOOL: TypeId = TypeId(1);
    /// `str`.
    pub const STR: TypeId = TypeId(2);
    /// `int`.
    pub const INT: TypeId = TypeId(3);
    /// `float`.
    pub const FLOAT: TypeId = TypeId(4);

    /// Returns the position in the table.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
