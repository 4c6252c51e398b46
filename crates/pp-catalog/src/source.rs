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

/// A source, and what it may change.
#[derive(Clone, Debug)]
struct Entry {
    source: Source,
    /// A collector in its body has overridden something.
    has_overridden: bool,
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
pub(crate) struct Sources(PrimaryMap<SourceId, Entry>);

impl Sources {
    pub(crate) fn add(&mut self, source: Source) -> SourceId {
        self.0.push(Entry { source, has_overridden: false })
    }

    pub(crate) fn get(&self, id: SourceId) -> &Source {
        &self.0[id].source
    }

    /// Records that a collector in the body of a source overrides what it has collected. From then on, everything in that body, and
    /// in those of classes that inherit from it, may override any resource, as in Puppet.
    pub(crate) fn allow_overrides(&mut self, id: SourceId) {
        self.0[id].has_overridden = true;
    }

    /// Returns whether a source may change what `of` has set: it is a class that inherits from it, directly or not, or a collector
    /// in its body, or in that of a class from which it inherits, has overridden something.
    pub(crate) fn may_change(&self, id: SourceId, of: SourceId) -> bool {
        let inherits = self.lineage(id).skip(1).any(|ancestor| ancestor == of);
        inherits || self.lineage(id).any(|ancestor| self.0[ancestor].has_overridden)
    }

    /// Returns a source, the class from which it inherits, and so on.
    fn lineage(&self, id: SourceId) -> impl Iterator<Item = SourceId> {
        std::iter::successors(Some(id), |at| self.0[*at].source.parent)
    }
}
