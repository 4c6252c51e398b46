//! The errors of constraints.

use crate::solver::constraint::Constraint;
use crate::solver::types::{Mismatch, Ty};

/// A constraint that does not hold.
#[derive(Clone, Debug)]
pub(crate) struct TypeError {
    pub(crate) constraint: Constraint,
    pub(crate) violation: Violation,
}

/// The reason why a constraint does not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Violation {
    /// The type is not of one of the kinds that the operation takes.
    WrongKind,
    /// The type contains this function, so its values cannot be compared.
    NotComparable { function: Ty },
    /// The type contains this part, so it cannot be the key of a map.
    NotHashable { part: Ty },
    /// Only lists and maps can be indexed.
    NotIndexable,
    /// Only structs have fields.
    NoFields,
    /// The struct has no such field.
    UnknownField,
    /// The index is of another type than the container requires.
    Index(Mismatch),
    /// The element of the container is used as another type.
    Element(Mismatch),
    /// The field of the struct is used as another type, or has a default of another type.
    Field(Mismatch),
    /// Two uses of one container or field require different types.
    ConflictingUses(Mismatch),
}
