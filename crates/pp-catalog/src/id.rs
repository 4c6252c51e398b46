//! Indices of the tables of a catalog.

use cranelift_entity::entity_impl;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);
        entity_impl!($name);
    )*};
}

ids! {
    /// The index of a resource, in catalog order.
    ResourceId;
    /// The index of what sets parameters: a class, a define, a node.
    SourceId;
    /// The index of a collector.
    CollectorId;
    /// The index of an arrow.
    RelationshipId;
}
