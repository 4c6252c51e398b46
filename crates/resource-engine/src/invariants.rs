//! What must hold between two steps of the engine: everything that it keeps up to date agrees with a naive recount, and its
//! memory is bounded by the graph.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::{Engine, Status};
use crate::key::VertexKey;
use crate::vertex::{Phase, Vertex, WatchState};

impl Engine {
    /// Panics if an invariant does not hold.
    pub(super) fn assert_invariants(&self) {
        self.assert_counts();
        self.assert_order();
        self.assert_progress();
        self.assert_records();
        self.assert_semaphores();
        self.assert_memory();
    }

    fn all(&self) -> impl Iterator<Item = (VertexKey, &Vertex)> {
        let numbered = self.vertices.iter().enumerate();
        numbered.filter_map(|(i, v)| Some((VertexKey(i as u32), v.as_ref()?)))
    }

    fn assert_counts(&self) {
        let active = self.live().filter(|(_, v)| v.is_active()).count();
        let running = self.all().filter(|(_, v)| v.is_running()).count();
        let retiring = self.all().filter(|(_, v)| v.retiring).count();
        assert_eq!((self.active, self.running, self.removals.running), (active, running, retiring));
        assert_eq!(self.total, self.live().count());
        let to_revive: Vec<VertexKey> =
            self.live().filter(|(_, v)| v.meta().rewatch && v.is_exhausted()).map(|(key, _)| key).collect();
        assert_eq!(self.to_revive.iter().copied().collect::<Vec<_>>(), to_revive);
        let mut status = Status { total: self.total, quiet: self.is_quiet(), ..Status::default() };
        for (_, v) in self.live() {
            let is_failed =
                v.given_up || v.failures.is_some() || matches!(v.watch, WatchState::Retry(_) | WatchState::BackOff(_));
            let is_done = !v.dirty && v.phase == Phase::Idle && v.watch == WatchState::Active;
            match (is_failed, v.is_running(), is_done) {
                (true, ..) => status.failed += 1,
                (false, true, _) => status.running += 1,
                (false, false, true) => status.done += 1,
                (false, false, false) => status.waiting += 1,
            }
        }
        assert_eq!(self.status(), status);
        assert_eq!(self.failing().count(), status.failed);
        if let Some(at) = self.deadline() {
            assert!(at >= self.now || self.timers.next() == Some(at), "only a timer may be overdue");
        }
    }

    fn assert_order(&self) {
        assert!(self.queue.is_empty(), "every touched vertex was examined");
        for (key, v) in self.live() {
            let unsettled = v.predecessors.iter().filter(|(p, _)| !self.vertices[p.index()].as_ref().unwrap().settled);
            assert_eq!(v.unsettled_predecessors as usize, unsettled.count(), "{}", v.id());
            assert_eq!(v.settled, v.is_good() && v.unsettled_predecessors == 0, "{}", v.id());
            assert_eq!(v.active, v.is_active(), "{}", v.id());
            assert!(self.by_id.find(v.id(), &self.vertices).any(|found| found == key));
            for (to, notify) in &v.successors {
                assert!(self.vertices[to.index()].as_ref().unwrap().predecessors.contains(&(key, *notify)));
            }
        }
    }

    /// What can start has started, or starts in the next step.
    fn assert_progress(&self) {
        let may_start = !self.paused && self.stopping.is_none();
        let is_next_step_due = self.deadline() == Some(self.now);
        for (key, v) in self.live() {
            let can_start = v.dirty
                && !v.given_up
                && v.phase == Phase::Idle
                && v.watch == WatchState::Active
                && v.unsettled_predecessors == 0;
            let is_deferred = v.ready && self.ready.contains(&key) && is_next_step_due;
            assert!(!may_start || !can_start || is_deferred, "{} does not start", v.id());
            let is_granted = matches!(v.phase, Phase::Acquiring { ticket: None, .. });
            assert!(!is_granted || (self.granted.contains(&key) && is_next_step_due), "{} does not go on", v.id());
            if v.watch == WatchState::WaitingForRemovals && self.stopping.is_none() {
                assert!(self.is_added_vertex_remembered(key), "{} never begins", v.id());
            }
        }
    }

    fn is_added_vertex_remembered(&self, key: VertexKey) -> bool {
        let is_due = self.removals.added.contains(&key) && self.deadline() == Some(self.now);
        is_due || (self.removals.running > 0 && self.removals.waits(key))
    }

    fn assert_records(&self) {
        let mut counts = BTreeMap::new();
        for (_, v) in self.all() {
            let received = v.pending_notifications.iter().chain(v.taken_notifications.iter());
            let received = received.map(|from| (from.clone(), v.id().clone()));
            for record in received.chain(v.recorded_targets.iter().map(|to| (v.id().clone(), to.clone()))) {
                *counts.entry(record).or_insert(0) += 1;
            }
            assert!(v.is_running() || v.taken_notifications.is_empty(), "{} handles nothing", v.id());
            assert!(v.is_running() || v.unreported_change || v.recorded_targets.is_empty(), "{} owes nothing", v.id());
        }
        assert_eq!(self.records.counts(), counts, "the holders of the records");
    }

    fn assert_semaphores(&self) {
        let mut held = BTreeMap::new();
        for (_, v) in self.all() {
            let count = match v.phase {
                Phase::Running { .. } => v.semaphores.len(),
                Phase::Acquiring { held, .. } => held,
                Phase::Idle | Phase::RetryDelay(_) | Phase::BackOff(_) | Phase::Limited(_) => 0,
            };
            for id in &v.semaphores[..count] {
                *held.entry(id.clone()).or_insert(0) += 1;
            }
        }
        assert_eq!(self.semaphores.held(), held, "the holders of the semaphores");
        assert!(self.semaphores.are_used(), "nobody waits for a semaphore that is free");
    }

    /// Nothing grows with the number of events and graphs.
    fn assert_memory(&self) {
        let vertices = self.all().count();
        assert!(self.timers.len() <= vertices);
        assert!(self.ready.len() <= self.vertices.len() && self.granted.len() <= self.vertices.len());
        assert!(self.removals.waiting_count() <= vertices);
        assert!(self.retry_counts.keys().all(|id| self.by_id.find(id, &self.vertices).next().is_some()));
        assert_eq!(self.vertices.len(), vertices + self.free.len());
        let free: BTreeSet<VertexKey> = self.free.iter().copied().collect();
        assert_eq!(free.len(), self.free.len(), "no key is free twice");
        for (_, v) in self.all() {
            assert_eq!(v.timer, v.next_deadline(), "the timer of {}", v.id());
        }
    }
}
