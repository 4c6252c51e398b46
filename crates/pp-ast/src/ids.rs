//! The indices of the tables of a tree.

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(u32);
        entity_impl!($name);
    )*};
}

ids! {
    /// The index of an expression in [`Tree::exprs`](crate::Tree::exprs).
    ExprId;
    /// The index of a string in [`Tree::strings`](crate::Tree::strings).
    StrId;
    /// The index of a call in [`Tree::calls`](crate::Tree::calls).
    CallId;
    /// The index of a method call in [`Tree::method_calls`](crate::Tree::method_calls).
    MethodCallId;
    /// The index of a lambda in [`Tree::lambdas`](crate::Tree::lambdas).
    LambdaId;
    /// The index of a resource expression in [`Tree::resources`](crate::Tree::resources).
    ResourceId;
    /// The index of a collector in [`Tree::collectors`](crate::Tree::collectors).
    CollectorId;
    /// The index of a definition in [`Tree::definitions`](crate::Tree::definitions).
    DefinitionId;
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub struct $name {
            pub(crate) start: u32,
            pub(crate) len: u32,
        }

        impl $name {
            /// Returns the number of elements.
            #[must_use]
            pub fn len(self) -> usize {
                self.len as usize
            }

            /// Returns whether there is no element.
            #[must_use]
            pub fn is_empty(self) -> bool {
                self.len == 0
            }

            /// Returns the range in the table, unless it is not one, as in a hostile artifact.
            pub(crate) fn checked_range(self) -> Option<std::ops::Range<usize>> {
                let end = self.start.checked_add(self.len)?;
                Some(self.start as usize..end as usize)
            }

            /// Returns the range in the table.
            pub(crate) fn range(self) -> std::ops::Range<usize> {
                self.start as usize..(self.start + self.len) as usize
            }
        }
    )*};
}

lists! {
    /// A range of [`Tree::expr_lists`](crate::Tree::expr_lists).
    ExprList;
    /// A range of [`Tree::attributes`](crate::Tree::attributes).
    AttributeList;
    /// A range of [`Tree::bodies`](crate::Tree::bodies).
    BodyList;
    /// A range of [`Tree::parameters`](crate::Tree::parameters).
    ParameterList;
}

/// A half-open range of bytes in the file of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextRange {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}
