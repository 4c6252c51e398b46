//! The consequences of a finished check.

use crate::backoff::FailureSeries;
use crate::engine::Engine;
use crate::event::{Command, Finished, Report, Sent, Time};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::vertex::Phase;

impl Engine {
    pub(super) fn finished(&mut self, key: VertexKey, finished: Finished) {
        let stopping = self.stopping.is_some();
        let Some(vertex) = self.get_mut(key) else { return };
        let Phase::Running { timed_out, interrupted, .. } = vertex.phase else { return };
        vertex.phase = Phase::Idle;
        let semaphores = vertex.semaphores.clone();
        match finished.result {
            Ok(()) => self.succeeded(key, finished.changed, finished.sent),
            Err(failure) => {
                let cancelled = interrupted || (stopping && matches!(failure, Failure::Cancelled));
                let failure = if timed_out { Failure::Timeout(vertex.meta().timeout as f64 / 1000.0) } else { failure };
                self.failed(key, failure, finished.changed, cancelled);
            }
        }
        self.running -= 1;
        self.release(&semaphores);
        self.schedule(key);
        self.touch(key);
        self.end_retirement(key);
    }

    /// Whether checks of the vertex only find out what would change.
    fn is_noop(&self, key: VertexKey) -> bool {
        self.config.noop || self.get(key).is_some_and(|vertex| vertex.meta().noop)
    }

    fn succeeded(&mut self, key: VertexKey, announced: bool, sent: Vec<Sent>) {
        let noop = self.is_noop(key);
        if announced && !noop {
            self.mark_targets_recorded(key);
        }
        let Some(vertex) = self.get_mut(key) else { return };
        let unreported_change = std::mem::take(&mut vertex.unreported_change);
        let changed = !noop && (announced || unreported_change);
        if vertex.retiring {
            if changed {
                self.notify_for_removed(key);
            }
            return self.release_targets(key);
        }
        vertex.failures = None;
        vertex.succeeded = true;
        vertex.set_sent(sent);
        let refilled = vertex.meta().retryreset;
        let id = vertex.id().clone();
        let taken = vertex.taken_notifications.take();
        // The start or end of a Puppet container and a merge point change nothing themselves.
        let propagates = !noop && !taken.is_empty() && vertex.group[0].propagates_refresh;
        if refilled && !self.retry_counts.is_empty() {
            self.retry_counts.remove(&id);
        }
        if announced || changed {
            self.note_activity();
        }
        // First the new notifications: the old ones may be their only trace after a crash.
        if changed || propagates {
            self.notify_from(key);
        }
        self.release_targets(key);
        for from in taken {
            self.release_record(&(from, id.clone()));
        }
        self.wake_receivers(key);
    }

    fn failed(&mut self, key: VertexKey, failure: Failure, announced: bool, cancelled: bool) {
        let (now, once) = (self.now, self.config.once);
        let announced = announced && !self.is_noop(key);
        if announced {
            self.mark_targets_recorded(key);
        }
        let Some(vertex) = self.get_mut(key) else { return };
        vertex.unreported_change |= announced;
        let unreported_change = vertex.unreported_change;
        vertex.dirty = true;
        let id = vertex.id().clone();
        let mut twice = Vec::new();
        for from in vertex.taken_notifications.take() {
            if !vertex.pending_notifications.get_mut().insert(from.clone()) {
                twice.push((from, id.clone()));
            }
        }
        let retiring = vertex.retiring;
        for record in twice {
            self.release_record(&record);
        }
        if retiring && unreported_change {
            self.notify_for_removed(key);
        }
        if !unreported_change {
            self.release_targets(key);
        }
        // A check that was cancelled because the watches are being restarted or the agent stops did not fail.
        if retiring || cancelled {
            return;
        }
        let Some(vertex) = self.get_mut(key) else { return };
        vertex.succeeded = false;
        let budget = i64::from(vertex.meta().retry);
        let delay = Time::from_millis(vertex.meta().delay);
        let used = self.retry_counts.entry(id).or_default();
        let left = budget - i64::from(*used);
        *used = used.saturating_add(1);
        let Some(vertex) = self.get_mut(key) else { return };
        let failures = vertex.failures.get_or_insert_with(|| Box::new(FailureSeries::new(now)));
        let (retry, next_attempt) = if budget < 0 || left > 0 {
            failures.count(now);
            vertex.phase = Phase::RetryDelay(now + delay);
            (Some((delay, if budget < 0 { -1 } else { left as i32 - 1 })), Some(now + delay))
        } else if once {
            failures.count(now);
            vertex.given_up = true;
            (None, None)
        } else {
            let at = failures.count_beyond_budget(now);
            vertex.phase = Phase::BackOff(at);
            (None, Some(at))
        };
        // Endless attempts must not prevent the host from converging.
        let is_news = budget >= 0 && (!failures.is_exhausted() || failures.is_first_beyond_budget());
        let (attempt, since) = (failures.attempts, failures.since);
        let report = Report::Failed { key, failure, retry, attempt, since, next_attempt, watch: false };
        self.commands.push(Command::Report(report));
        if is_news {
            self.note_activity();
        }
    }
}
