//! The next deadline of each vertex: one entry per vertex, so that memory does not depend on how many were set before.

use std::collections::BTreeSet;

use crate::event::Time;
use crate::key::VertexKey;

/// The deadlines of all vertices, the earliest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Timers(BTreeSet<(Time, VertexKey)>);

impl Timers {
    pub(super) fn next(&self) -> Option<Time> {
        self.0.first().map(|(at, _)| *at)
    }

    /// Replaces the deadline of a vertex.
    pub(super) fn replace(&mut self, key: VertexKey, old: Option<Time>, new: Option<Time>) {
        if let Some(at) = old {
            self.0.remove(&(at, key));
        }
        if let Some(at) = new {
            self.0.insert((at, key));
        }
    }

    /// Removes and returns the vertex with the earliest deadline, if that has come.
    pub(super) fn take_due(&mut self, now: Time) -> Option<VertexKey> {
        let (_, key) = self.0.first().copied().filter(|(at, _)| *at <= now)?;
        self.0.pop_first();
        Some(key)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
