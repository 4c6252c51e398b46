//! The consequences of a finished check.

use crate::engine::Engine;
use crate::event::{Command, Finished, Report, Sent, Time};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::vertex::{Phase, WatchState};

impl Engine {
    pub(super) fn finished(&mut self, key: VertexKey, finished: Finished) {
        let stopping = self.stopping.is_some();
        let Some(vertex) = self.get_mut(key) else { return };
        let Phase::Running { deadline, timed_out, interrupted } = vertex.phase else { return };
        vertex.phase = Phase::Idle;
        let semaphores = vertex.semaphores.clone();
        match finished.result {
            Ok(()) => self.succeeded(key, finished.changed, finished.sent),
            Err(failure) => {
                vertex.unreported_change |= finished.changed;
                let cancelled = interrupted || (stopping && matches!(failure, Failure::Cancelled));
                let failure = match (timed_out, deadline) {
                    (true, Some(_)) => Failure::Timeout(vertex.meta().timeout as f64 / 1000.0),
                    _ => failure,
                };
                self.failed(key, failure, cancelled);
            }
        }
        self.running -= 1;
        self.release(&semaphores);
        self.touch(key);
        self.end_retirement(key);
    }

    fn succeeded(&mut self, key: VertexKey, announced: bool, sent: Vec<Sent>) {
        let noop = self.config.noop;
        let Some(vertex) = self.get_mut(key) else { return };
        let noop = noop || vertex.meta().noop;
        let changed = !noop && (announced || std::mem::take(&mut vertex.unreported_change));
        if vertex.retiring {
            if changed {
                self.notify_by_name(key);
            }
            return;
        }
        vertex.failing = false;
        vertex.succeeded = true;
        vertex.changed.clear();
        vertex.sent = sent;
        let refilled = vertex.meta().retryreset;
        let id = vertex.id().clone();
        let delivered = std::mem::take(&mut vertex.taken_notifications);
        // The start or end of a Puppet container and a merge point change nothing themselves.
        let propagates = !noop && !delivered.is_empty() && vertex.group[0].propagates_refresh;
        // A resource that changed again while the check ran stays pending, also in the journal.
        let delivered: Vec<_> =
            delivered.into_iter().filter(|from| !vertex.pending_notifications.contains(from)).collect();
        if refilled && !self.retry_counts.is_empty() {
            self.retry_counts.remove(&id);
        }
        for from in delivered {
            self.commands.push(Command::Delivered { from, to: id.clone() });
        }
        if announced || changed {
            self.note_activity();
        }
        if changed || propagates {
            self.notify_from(key);
            self.forget_lost_targets(key);
        } else if let Some(vertex) = self.get_mut(key) {
            vertex.recorded_targets.clear();
        }
        self.wake_receivers(key);
    }

    fn notify_from(&mut self, key: VertexKey) {
        let Some(vertex) = self.get(key) else { return };
        let id = vertex.id().clone();
        let targets: Vec<VertexKey> = vertex.successors.iter().filter(|(_, n)| *n).map(|(to, _)| *to).collect();
        for to in targets {
            let Some(target) = self.get_mut(to) else { continue };
            if target.listens() {
                target.pending_notifications.insert(id.clone());
                target.dirty |= !target.exhausted;
                self.touch(to);
            }
        }
    }

    /// Deletes the records of dependents that lost their edge while the check ran.
    fn forget_lost_targets(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let targets = std::mem::take(&mut vertex.recorded_targets);
        let from = vertex.id().clone();
        for to in targets {
            let reached = self.by_id.get(&to).into_iter().flatten();
            let mut reached = reached.filter_map(|key| self.get(*key));
            if !reached.any(|target| {
                target.pending_notifications.contains(&from) || target.taken_notifications.contains(&from)
            }) {
                self.commands.push(Command::Delivered { from: from.clone(), to });
            }
        }
    }

    /// Notifies in the new graph on behalf of a removed vertex that changed something.
    fn notify_by_name(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let from = vertex.id().clone();
        let targets = std::mem::take(&mut vertex.recorded_targets);
        self.restore_notifications(targets.into_iter().map(|to| (from.clone(), to)).collect());
    }

    fn failed(&mut self, key: VertexKey, failure: Failure, cancelled: bool) {
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        let taken = std::mem::take(&mut vertex.taken_notifications);
        vertex.pending_notifications.extend(taken);
        vertex.dirty = true;
        if vertex.retiring {
            if vertex.unreported_change {
                self.notify_by_name(key);
            }
            return;
        }
        if cancelled {
            // The watches are being restarted, or the agent stops: the resource did not fail.
            if let WatchState::Retry(at) = vertex.watch {
                self.set_timer(at.max(now), key);
            }
            return;
        }
        vertex.failing = true;
        vertex.succeeded = false;
        let budget = i64::from(vertex.meta().retry);
        let delay = Time::from_millis(vertex.meta().delay);
        let id = vertex.id().clone();
        let used = self.retry_counts.entry(id).or_default();
        let left = budget - i64::from(*used);
        *used = used.saturating_add(1);
        let retry = if budget < 0 || left > 0 {
            let vertex = self.get_mut(key).expect("looked up above");
            vertex.phase = Phase::RetryDelay(now + delay);
            self.set_timer(now + delay, key);
            Some((delay, if budget < 0 { -1 } else { left as i32 - 1 }))
        } else {
            let vertex = self.get_mut(key).expect("looked up above");
            vertex.exhausted = true;
            vertex.poll_at = None;
            self.commands.push(Command::Unwatch(key));
            None
        };
        self.commands.push(Command::Report(Report::Failed { key, failure, retry, watch: false }));
        // Unlimited attempts must not prevent the host from converging.
        if budget >= 0 {
            self.note_activity();
        }
    }
}
