//! Starting watches and checks.

use std::sync::Arc;

use resource_graph::ResourceId;

use crate::engine::Engine;
use crate::event::{Command, Finished, Report, Time};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::vertex::{Phase, Vertex, WatchState};

impl Engine {
    /// Requests the watches of the vertex, or marks them as active if it needs none.
    pub(super) fn start_watching(&mut self, key: VertexKey) {
        let (now, once) = (self.now, self.config.once);
        self.last_epoch += 1;
        let epoch = self.last_epoch;
        let Some(vertex) = self.get_mut(key) else { return };
        vertex.watch_epoch = epoch;
        let poll = vertex.meta().poll;
        if vertex.meta().hidden {
            vertex.watch = WatchState::Active;
            vertex.dirty = vertex.runs();
        } else if once || poll != 0 {
            vertex.watch = WatchState::Active;
            vertex.dirty = true;
            if poll > 0 && !once {
                let at = now + Time::from_secs(poll.unsigned_abs().into());
                vertex.poll_at = Some(at);
                self.set_timer(at, key);
            }
        } else {
            vertex.watch = WatchState::Starting;
            self.create(key);
            self.commands.push(Command::Watch(key, epoch));
        }
        self.touch(key);
    }

    /// Tells the agent of the vertex before the first other command for it.
    fn create(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key).filter(|v| !v.created) else { return };
        vertex.created = true;
        let group = vertex.group.clone();
        self.commands.push(Command::Create(key, group));
    }

    pub(super) fn watching(&mut self, key: VertexKey, epoch: u32) {
        let Some(vertex) = self.get_mut(key) else { return };
        if vertex.watch == WatchState::Starting && vertex.watch_epoch == epoch {
            vertex.watch = WatchState::Active;
            vertex.dirty = true;
            self.touch(key);
        }
    }

    pub(super) fn watch_failed(&mut self, key: VertexKey, epoch: u32, failure: Failure) {
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        if vertex.watch_epoch != epoch || vertex.retiring || vertex.exhausted {
            return;
        }
        let budget = i64::from(vertex.meta().retry);
        let left = budget - i64::from(vertex.watch_failures);
        let delay = Time::from_millis(vertex.meta().delay);
        vertex.watch_failures += 1;
        vertex.failing = true;
        let running = vertex.is_running();
        if let Phase::Running { interrupted, .. } = &mut vertex.phase {
            *interrupted = true;
        }
        let retry = if budget < 0 || left > 0 {
            vertex.watch = WatchState::Retry(now + delay);
            vertex.dirty = true;
            Some((delay, if budget < 0 { -1 } else { left as i32 - 1 }))
        } else {
            vertex.exhausted = true;
            vertex.poll_at = None;
            None
        };
        if running {
            self.commands.push(Command::Cancel(key));
        }
        self.commands.push(Command::Unwatch(key));
        self.commands.push(Command::Report(Report::Failed { key, failure, retry, watch: true }));
        self.release_semaphores_of_waiting(key);
        self.set_timer(now + delay, key);
        self.note_activity();
        self.touch(key);
    }

    /// Starts the check if nothing prevents it.
    pub(super) fn try_start(&mut self, key: VertexKey) {
        if self.paused || self.stopping.is_some() {
            return;
        }
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        if !vertex.dirty
            || vertex.exhausted
            || vertex.phase != Phase::Idle
            || vertex.watch != WatchState::Active
            || vertex.unsettled_predecessors > 0
        {
            return;
        }
        if vertex.event
            && let Some(limiter) = &mut vertex.limiter
        {
            let at = limiter.reserve(now);
            vertex.event = false;
            if at > now {
                vertex.phase = Phase::Limited(at);
                self.set_timer(at, key);
                return;
            }
        }
        self.acquire_from(key, 0);
    }

    /// Acquires the semaphores after the first `held`, and starts the check once it has all.
    fn acquire_from(&mut self, key: VertexKey, mut held: usize) {
        loop {
            let Some(vertex) = self.get_mut(key) else { return };
            let Some(id) = vertex.semaphores.get(held).cloned() else { break };
            vertex.phase = Phase::Acquiring { held };
            if !self.semaphores.acquire(&id, key) {
                return;
            }
            held += 1;
        }
        self.start(key);
    }

    /// Continues after a semaphore that the vertex waited for was acquired. Its situation may have changed meanwhile.
    fn acquired(&mut self, key: VertexKey) {
        let must_not_start = self.paused || self.swapping || self.stopping.is_some();
        let Some(vertex) = self.get(key) else { return };
        let Phase::Acquiring { held } = vertex.phase else { return };
        let held = held + 1;
        let ready = !must_not_start
            && !vertex.exhausted
            && vertex.dirty
            && vertex.watch == WatchState::Active
            && vertex.unsettled_predecessors == 0;
        if ready {
            self.acquire_from(key, held);
        } else {
            let ids: Vec<Arc<str>> = vertex.semaphores[..held].to_vec();
            self.get_mut(key).expect("looked up above").phase = Phase::Idle;
            self.release(&ids);
        }
        self.touch(key);
    }

    pub(super) fn release(&mut self, ids: &[Arc<str>]) {
        for id in ids {
            if let Some(next) = self.semaphores.release(id) {
                self.acquired(next);
            }
        }
    }

    /// Stops waiting for a semaphore, and releases those that the vertex holds.
    pub(super) fn release_semaphores_of_waiting(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let Phase::Acquiring { held } = vertex.phase else { return };
        vertex.phase = Phase::Idle;
        let ids = vertex.semaphores.clone();
        if let Some(waiting_for) = ids.get(held) {
            self.semaphores.forget(waiting_for, key);
        }
        self.release(&ids[..held]);
    }

    fn start(&mut self, key: VertexKey) {
        let now = self.now;
        let noop = self.config.noop;
        self.running += 1;
        self.create(key);
        let received = self.receive(key);
        let Some(vertex) = self.get_mut(key) else { return };
        let timeout = vertex.meta().timeout;
        let deadline = (timeout > 0).then(|| now + Time::from_millis(timeout));
        vertex.phase = Phase::Running { deadline, timed_out: false, interrupted: false };
        vertex.dirty = false;
        vertex.event = false;
        let apply = !(noop || vertex.meta().noop);
        let updates = match received {
            Ok(updates) => updates,
            Err(failure) if !apply => {
                self.commands.push(Command::Report(Report::Unknown { key, failure }));
                return self.finished(key, Finished { changed: true, sent: Vec::new(), result: Ok(()) });
            }
            Err(failure) => {
                let finished = Finished { changed: false, sent: Vec::new(), result: Err(failure) };
                return self.finished(key, finished);
            }
        };
        let refresh = vertex.refreshable && !vertex.pending_notifications.is_empty();
        if apply {
            vertex.taken_notifications = std::mem::take(&mut vertex.pending_notifications);
        }
        let changed = vertex.changed.clone();
        let targets: Vec<VertexKey> = vertex.successors.iter().filter(|(_, n)| *n).map(|(to, _)| *to).collect();
        let notifies: Vec<ResourceId> = if apply {
            let listening = targets.iter().filter_map(|to| self.get(*to)).filter(|v| v.listens());
            listening.map(|v| v.id().clone()).collect()
        } else {
            Vec::new()
        };
        if !notifies.is_empty() {
            let vertex = self.get_mut(key).expect("looked up above");
            let new: Vec<ResourceId> =
                notifies.iter().filter(|to| !vertex.recorded_targets.contains(to)).cloned().collect();
            vertex.recorded_targets.extend(new);
        }
        self.commands.push(Command::Run { key, apply, refresh, updates, changed, notifies });
        if let Some(at) = deadline {
            self.set_timer(at, key);
        }
    }
}

impl Vertex {
    /// Whether a notification has an effect on it.
    pub(super) fn listens(&self) -> bool {
        self.refreshable && !self.meta().hidden && !self.retiring
    }
}
