//! Starting watches and checks.

use std::sync::Arc;

use crate::backoff;
use crate::engine::Engine;
use crate::event::{Command, Finished, Report, Time};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::receive::NotReceived;
use crate::vertex::{Escalation, Phase, Vertex, WatchState};

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
                vertex.poll_at = Some(now + Time::from_secs(poll.unsigned_abs().into()));
            }
        } else {
            vertex.watch = WatchState::Starting;
            self.create(key);
            self.commands.push(Command::Watch(key, epoch));
        }
        self.schedule(key);
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
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        if vertex.watch == WatchState::Starting && vertex.watch_epoch == epoch && !vertex.retiring {
            vertex.watch = WatchState::Active;
            vertex.watch_since = Some(now);
            self.request_check(key);
        }
    }

    pub(super) fn watch_failed(&mut self, key: VertexKey, epoch: u32, failure: Failure) {
        let now = self.now;
        let kill_at = now + self.config.cancel_timeout;
        let Some(vertex) = self.get_mut(key) else { return };
        let is_current = matches!(vertex.watch, WatchState::Starting | WatchState::Active);
        if vertex.watch_epoch != epoch || vertex.retiring || vertex.given_up || !is_current {
            return;
        }
        let budget = i64::from(vertex.meta().retry);
        let left = budget - i64::from(vertex.watch_failures);
        let delay = Time::from_millis(vertex.meta().delay);
        let since = vertex.watch_since.take();
        vertex.watch_failures = vertex.watch_failures.saturating_add(1);
        vertex.dirty = true;
        let running = vertex.is_running();
        if let Phase::Running { interrupted, escalation, .. } = &mut vertex.phase {
            *interrupted = true;
            if escalation.is_none_or(|(_, next)| next != Escalation::Kill) {
                *escalation = Some((kill_at, Escalation::Kill));
            }
        }
        let (retry, next_attempt) = if budget < 0 || left > 0 {
            vertex.watch = WatchState::Retry(now + delay);
            (Some((delay, if budget < 0 { -1 } else { left as i32 - 1 })), now + delay)
        } else {
            let in_a_row = backoff::failures_in_a_row(vertex.watch_failures_in_a_row.into(), since, now);
            vertex.watch_failures_in_a_row = u16::try_from(in_a_row).unwrap_or(u16::MAX);
            let at = now + backoff::delay(in_a_row);
            vertex.watch = WatchState::BackOff(at);
            (None, at)
        };
        let is_news = retry.is_some() || vertex.watch_failures_in_a_row == 1;
        let attempt = vertex.watch_failures;
        if running {
            self.commands.push(Command::Cancel(key));
        }
        self.commands.push(Command::Unwatch(key));
        let next_attempt = Some(next_attempt);
        let since = now;
        let report = Report::Failed { key, failure, retry, attempt, since, next_attempt, watch: true };
        self.commands.push(Command::Report(report));
        self.release_semaphores_of_waiting(key);
        self.schedule(key);
        // Endless attempts must not prevent the host from converging.
        if is_news {
            self.note_activity();
        }
        self.touch(key);
    }

    /// Starts the check if nothing prevents it.
    pub(super) fn try_start(&mut self, key: VertexKey) {
        if self.paused || self.stopping.is_some() {
            return;
        }
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        if !vertex.may_start() {
            return;
        }
        if vertex.event
            && let Some(limiter) = &mut vertex.limiter
        {
            let at = limiter.reserve(now);
            vertex.event = false;
            if at > now {
                vertex.phase = Phase::Limited(at);
                self.schedule(key);
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
            let ticket = self.semaphores.acquire(&id, key).err();
            let Some(vertex) = self.get_mut(key) else { return };
            vertex.phase = Phase::Acquiring { held, ticket };
            if ticket.is_some() {
                return;
            }
            held += 1;
        }
        self.start(key);
    }

    /// Continues after a semaphore that the vertex waited for was acquired. Its situation may have changed meanwhile.
    pub(super) fn granted(&mut self, key: VertexKey) {
        let may_start = !self.paused && self.stopping.is_none();
        let Some(vertex) = self.get(key) else { return };
        let Phase::Acquiring { held, ticket: None } = vertex.phase else { return };
        let is_ready = may_start
            && !vertex.given_up
            && vertex.dirty
            && vertex.watch == WatchState::Active
            && vertex.unsettled_predecessors == 0;
        if is_ready {
            self.acquire_from(key, held);
        } else {
            self.release_semaphores_of_waiting(key);
        }
        self.touch(key);
    }

    /// Releases semaphores. The vertices that acquire them go on before the step ends.
    pub(super) fn release(&mut self, ids: &[Arc<str>]) {
        for id in ids {
            let Some(next) = self.semaphores.release(id) else { continue };
            let Some(vertex) = self.get_mut(next) else { continue };
            if let Phase::Acquiring { held, ticket } = &mut vertex.phase {
                (*held, *ticket) = (*held + 1, None);
                self.granted.push_back(next);
            }
        }
    }

    /// Stops waiting for a semaphore, and releases those that the vertex holds.
    pub(super) fn release_semaphores_of_waiting(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let Phase::Acquiring { held, ticket } = vertex.phase else { return };
        vertex.phase = Phase::Idle;
        let ids = vertex.semaphores.clone();
        if let (Some(waiting_for), Some(ticket)) = (ids.get(held), ticket) {
            self.semaphores.forget(waiting_for, ticket);
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
        let escalation = (timeout > 0).then(|| (now + Time::from_millis(timeout), Escalation::Timeout));
        vertex.phase = Phase::Running { escalation, timed_out: false, interrupted: false };
        vertex.dirty = false;
        vertex.event = false;
        let apply = !(noop || vertex.meta().noop);
        let updates = match received {
            Ok(updates) => updates,
            Err(NotReceived { failure, is_unknown }) if !apply || is_unknown => {
                self.commands.push(Command::Report(Report::Unknown { key, failure }));
                return self.finished(key, Finished { changed: true, sent: Vec::new(), result: Ok(()) });
            }
            Err(NotReceived { failure, .. }) => {
                let finished = Finished { changed: false, sent: Vec::new(), result: Err(failure) };
                return self.finished(key, finished);
            }
        };
        let refresh = vertex.refreshable && !vertex.pending_notifications.is_empty();
        if apply {
            vertex.taken_notifications = std::mem::take(&mut vertex.pending_notifications);
        }
        let changed = vertex.flow().changed.clone();
        let notifies = if apply { self.listening_dependents(key) } else { Vec::new() };
        self.hold_targets(key, &notifies);
        self.commands.push(Command::Run { key, apply, refresh, updates, changed, notifies });
        self.schedule(key);
    }
}

impl Vertex {
    /// Whether a notification has an effect on it.
    pub(super) fn listens(&self) -> bool {
        self.refreshable && !self.meta().hidden && !self.retiring
    }
}
