//! Automatic relations of a type that was read.

use serde::{Deserialize, Serialize};

use crate::program::Program;

/// A rule that makes resources of a type come before or after others, unless an explicit relationship connects them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// What kind of relationship it is.
    pub kind: RelationKind,
    /// The type of the others, in lower case.
    pub type_name: String,
    /// What computes the titles of the others; `None` if the source could not be read.
    pub titles: Option<Program>,
}

/// The kinds of automatic relations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RelationKind {
    /// The others come before.
    Require,
    /// The others come before, and refresh the resource.
    Subscribe,
    /// The others come after.
    Before,
    /// The others come after, and are refreshed.
    Notify,
}

impl RelationKind {
    /// Returns the kind of a declaration such as `autorequire`.
    #[must_use]
    pub fn of_declaration(name: &str) -> Option<RelationKind> {
        Some(match name {
            "autorequire" => RelationKind::Require,
            "autosubscribe" => RelationKind::Subscribe,
            "autobefore" => RelationKind::Before,
            "autonotify" => RelationKind::Notify,
            _ => return None,
        })
    }
}
