//! What follows from the end of a check.

use crate::Failure;
use crate::vertex::Phase;
use crate::{Command, Engine, Finished, Report, Time, VertexKey};

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
                vertex.owed_change |= finished.changed;
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

    fn succeeded(&mut self, key: VertexKey, announced: bool, sent: Vec<crate::Sent>) {
        let noop = self.config.noop;
        let Some(vertex) = self.get_mut(key) else { return };
        let noop = noop || vertex.meta().noop;
        let changed = !noop && (announced || std::mem::take(&mut vertex.owed_change));
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
        let delivered = std::mem::take(&mut vertex.taken);
        // The start or end of a Puppet container and a merge point change nothing themselves, but propagate refreshes.
        let propagated = !noop && !delivered.is_empty() && vertex.group[0].propagates_refresh;
        // One that changed again while the check ran stays pending, here and in what was written down.
        let delivered: Vec<_> = delivered.into_iter().filter(|from| !vertex.pending.contains(from)).collect();
        if refilled && !self.spent.is_empty() {
            self.spent.remove(&id);
        }
        for from in delivered {
            self.commands.push(Command::Delivered { from, to: id.clone() });
        }
        if announced || changed {
            self.note_activity();
        }
        if changed || propagated {
            self.notify_from(key);
            self.forget_lost_targets(key);
        } else if let Some(vertex) = self.get_mut(key) {
            vertex.told.clear();
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
                target.pending.insert(id.clone());
                target.dirty |= !target.dead;
                self.touch(to);
            }
        }
    }

    /// Targets that were written down when the check started, but lost their edge while it ran.
    fn forget_lost_targets(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let told = std::mem::take(&mut vertex.told);
        let from = vertex.id().clone();
        for to in told {
            let reached = self.by_id.get(&to).into_iter().flatten();
            let mut reached = reached.filter_map(|key| self.get(*key));
            if !reached.any(|target| target.pending.contains(&from) || target.taken.contains(&from)) {
                self.commands.push(Command::Delivered { from: from.clone(), to });
            }
        }
    }

    /// A removed vertex changed something: its twin in the new graph notifies in its place.
    fn notify_by_name(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let from = vertex.id().clone();
        let targets = std::mem::take(&mut vertex.told);
        self.restore_notifications(targets.into_iter().map(|to| (from.clone(), to)).collect());
    }

    fn failed(&mut self, key: VertexKey, failure: Failure, cancelled: bool) {
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        let taken = std::mem::take(&mut vertex.taken);
        vertex.pending.extend(taken);
        vertex.dirty = true;
        if vertex.retiring {
            if vertex.owed_change {
                self.notify_by_name(key);
            }
            return;
        }
        if cancelled {
            // Watching is on its way to be restarted, or the agent stops: neither is the vertex's fault.
            if let crate::vertex::WatchState::Retry(at) = vertex.watch {
                self.set_timer(at.max(now), key);
            }
            return;
        }
        vertex.failing = true;
        vertex.succeeded = false;
        let budget = i64::from(vertex.meta().retry);
        let delay = Time::from_millis(vertex.meta().delay);
        let id = vertex.id().clone();
        let spent = self.spent.entry(id).or_default();
        let left = budget - i64::from(*spent);
        *spent = spent.saturating_add(1);
        let retry = if budget < 0 || left > 0 {
            let vertex = self.get_mut(key).expect("looked up above");
            vertex.phase = Phase::RetryDelay(now + delay);
            self.set_timer(now + delay, key);
            Some((delay, if budget < 0 { -1 } else { left as i32 - 1 }))
        } else {
            let vertex = self.get_mut(key).expect("looked up above");
            vertex.dead = true;
            vertex.poll_at = None;
            self.commands.push(Command::Unwatch(key));
            None
        };
        self.commands.push(Command::Report(Report::Failed { key, failure, retry, watch: false }));
        // An endless series of failures must not keep the host from converging.
        if budget >= 0 {
            self.note_activity();
        }
    }
}
