//! Edges that the types of resources add.

use crate::catalog::ResourceIndex;

/// An edge that the rules of a type add unless an explicit edge connects the same pair.
pub(crate) struct Automatic {
    pub(crate) source: ResourceIndex,
    pub(crate) target: ResourceIndex,
    /// The resource whose type has the rule.
    pub(crate) resource: ResourceIndex,
    /// The rule, as the predicate of a sentence about the resource.
    pub(crate) why: &'static str,
    /// A change of the source refreshes the target.
    pub(crate) refreshes: bool,
}
