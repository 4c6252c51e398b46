//! What sets parameters, and who may change them (spec 07 §5.8 "permission").

use std::sync::Arc;

use cranelift_entity::PrimaryMap;

use crate::id::SourceId;

/// A class, define or node whose body sets parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// The name in lower case; empty for the main class.
    pub name: Arc<str>,
    /// The class that it inherits from.
    pub parent: Option<SourceId>,
}

/// The kind of a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SourceKind {
    /// A class; the main class has an empty name.
    Class,
    Define,
    Node,
}

/// All sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(PrimaryMap<SourceId, Source>);

impl Sources {
    pub(crate) fn add(&mut self, source: Source) -> SourceId {
        self.0.push(source)
    }

    pub(crate) fn get(&self, id: SourceId) -> &Source {
        &self.0[id]
    }

    /// Sets the parent, once it is known. A parent that inherits from `child` itself is not accepted.
    pub(crate) fn set_parent(&mut self, child: SourceId, parent: SourceId) {
        if child != parent && !self.inherits(parent, child) {
            self.0[child].parent = Some(parent);
        }
    }

    /// Returns whether `child` inherits from `ancestor`, directly or not.
    pub(crate) fn inherits(&self, child: SourceId, ancestor: SourceId) -> bool {
        let mut at = child;
        while let Some(parent) = self.0[at].parent {
            if parent == ancestor {
                return true;
            }
            at = parent;
        }
        false
    }
}
