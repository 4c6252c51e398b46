//! What the observer learns of the engine's state, and how a run ends.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use resource_engine::{Report, StopLevel};
use resource_graph::ResourceId;
use resources::CancelLevel;

use crate::agent::event_loop::{Agent, RunMode};
use crate::agent::observer::{self, StatusReport};
use crate::agent::shutdown::KILL_TIMEOUT;
use crate::agent::summary::Summary;

/// A check that runs for less than this is not shown.
const SLOW_CHECK_THRESHOLD: Duration = Duration::from_secs(1);
/// Time between two looks whether the threads of tasks have ended.
const TASK_POLL_INTERVAL: Duration = Duration::from_millis(1);

impl Agent<'_> {
    pub(super) fn report(&mut self, report: Report) {
        match report {
            Report::Failed { key, failure, retry, attempt, since, next_attempt, .. } => {
                let now = self.engine_time();
                let Some(slot) = self.slots.get_mut(key) else { return };
                let is_endless = next_attempt.is_some() && retry.is_none_or(|(_, left)| left < 0);
                if !slot.should_report(&failure, Instant::now()) && is_endless {
                    return;
                }
                let next_attempt = next_attempt.map(|at| at.saturating_sub(now));
                let resource = &slot.resources[0];
                let failing_for = now.saturating_sub(since);
                let failure = &failure;
                let event = observer::Event::Failed { resource, failure, retry, attempt, failing_for, next_attempt };
                self.observer.event(event);
            }
            Report::Unknown { key, failure } => {
                self.report_unknown(key, format!("known only when it is applied: {failure}"));
            }
            Report::Swapped { vertices, kept, edges } => {
                self.observer.event(observer::Event::Swapped { vertices, edges, kept });
            }
            Report::Converged => {
                self.observer.event(observer::Event::Converged(&self.engine.status()));
                if self.mode == RunMode::UntilConverged {
                    self.stop(StopLevel::Finish);
                }
            }
            Report::Diverged => self.observer.event(observer::Event::Diverged),
            Report::Stopped => self.stopped = true,
        }
    }

    pub(super) fn show_status(&mut self) {
        let id = |key| self.engine.id(key).cloned();
        let failing =
            self.slots.iter().filter_map(|slot| Some((slot.resources[0].id.clone(), slot.failure()?.to_owned())));
        let waiting = self.engine.blocked().filter_map(|(key, on)| Some((id(key)?, id(on)?)));
        let status = self.engine.status();
        let report = StatusReport { status, failing: failing.collect(), waiting: waiting.collect() };
        self.observer.event(observer::Event::Status(&report));
    }

    pub(super) fn show_progress(&mut self, now: Instant) {
        let status = self.engine.status();
        let mut slow: Vec<(&ResourceId, Duration)> = self
            .slots
            .iter()
            .filter_map(|slot| {
                let (_, started) = slot.running.as_ref()?;
                Some((&slot.resources[0].id, now.saturating_duration_since(*started)))
            })
            .filter(|(_, time)| *time >= SLOW_CHECK_THRESHOLD)
            .collect();
        slow.sort_by_key(|(_, time)| Reverse(*time));
        self.observer.progress(&status, &slow);
    }

    /// Ends the tasks and returns the summary.
    pub(super) fn finish(&mut self) -> Summary {
        let tasks: Vec<_> = self.slots.iter_mut().flat_map(|slot| slot.watches.take_tasks()).collect();
        for level in [CancelLevel::Cancel, CancelLevel::Kill] {
            for (cancel, _) in &tasks {
                cancel.request(level);
            }
            // Each thread has to pass the request on to its command before the process may exit.
            let end = Instant::now() + KILL_TIMEOUT / 2;
            while Instant::now() < end && tasks.iter().any(|(_, thread)| !thread.is_finished()) {
                std::thread::sleep(TASK_POLL_INTERVAL);
            }
        }
        self.remove_unused_state(Instant::now());
        self.context.syncs.flush();
        let id = |key| self.engine.id(key).cloned();
        let blocked = self.engine.blocked().filter_map(|(key, on)| Some((id(key)?, id(on)?)));
        self.summary.blocked = blocked.collect();
        self.summary.total = self.engine.status().total;
        self.summary.done = self.engine.applied();
        self.summary.failed = self.engine.failing().cloned().collect();
        std::mem::take(&mut self.summary)
    }
}
