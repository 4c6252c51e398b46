//! Arrows (spec 07 §2.3).

use crate::id::{CollectorId, RelationshipId};
use crate::location::Location;
use crate::reference::Reference;

/// `sources -> targets` or `sources ~> targets`; arrows to the left are written the other way round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// The arrow.
    pub kind: RelationshipKind,
    /// What comes first.
    pub sources: Vec<Operand>,
    /// What comes after it.
    pub targets: Vec<Operand>,
    /// The arrow points to the left: the targets are written first.
    pub reversed: bool,
    /// The arrow to the left in a chain such as `A -> B -> C`. If the left operand of this one is its source, and collects
    /// nothing, that of the previous one takes its place.
    pub previous: Option<RelationshipId>,
    /// Where the arrow is.
    pub location: Location,
}

/// The kind of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipKind {
    /// `->`
    Before,
    /// `~>`
    Notify,
}

/// An operand of an arrow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A resource that may be declared later.
    Reference(Reference),
    /// All that a collector collects.
    Collector(CollectorId),
}

impl Relationship {
    /// Returns the operands on the left of the arrow.
    pub(crate) fn left(&self) -> &[Operand] {
        if self.reversed { &self.targets } else { &self.sources }
    }
}

impl RelationshipKind {
    /// Returns the parameter of the source that stands for the relationship.
    #[must_use]
    pub fn parameter(self) -> &'static str {
        match self {
            RelationshipKind::Before => "before",
            RelationshipKind::Notify => "notify",
        }
    }
}
