//! When time alone changes the state of a vertex.

use crate::engine::Engine;
use crate::event::Time;
use crate::key::VertexKey;
use crate::vertex::{Phase, Vertex, WatchState};

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
        self.timers.replace(key, old, next);
    }

    /// Returns a vertex whose deadline has come, and forgets the deadline.
    pub(super) fn take_due(&mut self) -> Option<VertexKey> {
        let key = self.timers.take_due(self.now)?;
        if let Some(vertex) = self.get_mut(key) {
            vertex.timer = None;
        }
        Some(key)
    }

    pub(super) fn forget_timer(&mut self, key: VertexKey) {
        let old = self.get_mut(key).and_then(|vertex| vertex.timer.take());
        self.timers.replace(key, old, None);
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
