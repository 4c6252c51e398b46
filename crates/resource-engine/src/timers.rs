//! The next deadline of each vertex: one entry per vertex, so that memory does not depend on how many were set before.

use std::collections::BTreeSet;

use crate::engine::Engine;
use crate::event::Time;
use crate::key::VertexKey;
use crate::vertex::{Phase, Vertex, WatchState};

/// The deadlines of all vertices, the earliest first.
#[derive(Debug, Default)]
pub(super) struct Timers(BTreeSet<(Time, VertexKey)>);

impl Timers {
    pub(super) fn next(&self) -> Option<Time> {
        self.0.first().map(|(at, _)| *at)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Engine {
    /// Makes the timer of the vertex agree with its state. To be called after each change of what
    /// [`Vertex::next_deadline`] depends on.
    pub(super) fn schedule(&mut self, key: VertexKey) {
        let Some(vertex) = self.vertices.get_mut(key.index()).and_then(Option::as_mut) else { return };
        let next = vertex.next_deadline();
        if next == vertex.timer {
            return;
        }
        let old = std::mem::replace(&mut vertex.timer, next);
        if let Some(at) = old {
            self.timers.0.remove(&(at, key));
        }
        if let Some(at) = next {
            self.timers.0.insert((at, key));
        }
    }

    /// Returns a vertex whose deadline has come, and forgets the deadline.
    pub(super) fn take_due(&mut self) -> Option<VertexKey> {
        let (at, key) = *self.timers.0.first()?;
        if at > self.now {
            return None;
        }
        self.timers.0.pop_first();
        if let Some(vertex) = self.get_mut(key) {
            vertex.timer = None;
        }
        Some(key)
    }

    pub(super) fn forget_timer(&mut self, key: VertexKey) {
        if let Some(at) = self.get_mut(key).and_then(|vertex| vertex.timer.take()) {
            self.timers.0.remove(&(at, key));
        }
    }
}

impl Vertex {
    /// Returns when time alone changes the state of the vertex.
    pub(super) fn next_deadline(&self) -> Option<Time> {
        let phase = match self.phase {
            Phase::RetryDelay(at) | Phase::BackOff(at) | Phase::Limited(at) => Some(at),
            Phase::Running { escalation, .. } => escalation.map(|(at, _)| at),
            Phase::Idle | Phase::Acquiring { .. } => None,
        };
        if self.retiring {
            return phase.filter(|_| self.is_running());
        }
        let watch = match self.watch {
            WatchState::Retry(at) | WatchState::BackOff(at) if !self.is_running() => Some(at),
            WatchState::WaitingForRemovals
            | WatchState::Starting
            | WatchState::Active
            | WatchState::Retry(_)
            | WatchState::BackOff(_) => None,
        };
        [phase, watch, self.poll_at].into_iter().flatten().min()
    }
}
