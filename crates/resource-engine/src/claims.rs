//! What removed vertices whose check still runs touch, and the added vertices that wait for them.

use std::collections::VecDeque;

use resource_graph::ResourceId;
use rustc_hash::FxHashMap;

use crate::key::VertexKey;

/// Something that at most one vertex may touch at a time, across graph swaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Claim {
    Resource(ResourceId),
    Name(String),
}

/// The claims of removed vertices whose check still runs, and the vertices that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Removals {
    pub(super) claims: FxHashMap<Claim, Claimed>,
    /// The removed vertices.
    pub(super) running: usize,
    /// Added vertices to begin.
    pub(super) added: VecDeque<VertexKey>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Claimed {
    /// The number of removed vertices with this claim.
    pub(super) holders: usize,
    /// The added vertices that wait for them.
    pub(super) waiting: Vec<VertexKey>,
}

#[cfg(test)]
impl Removals {
    /// Whether the vertex waits for a claim that is held.
    pub(super) fn waits(&self, key: VertexKey) -> bool {
        self.claims.values().any(|claimed| claimed.holders > 0 && claimed.waiting.contains(&key))
    }

    /// Returns the number of added vertices that have not begun.
    pub(super) fn waiting_count(&self) -> usize {
        self.added.len() + self.claims.values().map(|claimed| claimed.waiting.len()).sum::<usize>()
    }
}
