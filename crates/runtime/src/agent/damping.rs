//! Resources that change again and again: two resources, or a resource and another program, undo each other's changes.
//!
//! Such a fight has no end, and would fill the log and use a processor. A resource that changes more than
//! [`MAX_REPAIRS`] times in [`WINDOW`] is reported and then checked at growing intervals, until it was left alone for a while. A
//! slower fight, more than [`MAX_SLOW_REPAIRS`] changes in [`SLOW_WINDOW`], is reported only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use resource_engine::VertexKey;

/// Maximum number of repairs in [`WINDOW`] before a resource is damped.
const MAX_REPAIRS: u32 = 30;
/// The same for a resource that makes a change whenever it is checked, such as a command: it is checked as often as it should be.
const MAX_RUNS: u32 = 300;
/// The time over which changes are counted.
const WINDOW: Duration = Duration::from_secs(10);
/// Maximum number of repairs in [`SLOW_WINDOW`] before a resource is reported.
const MAX_SLOW_REPAIRS: u32 = 12;
/// The time over which changes of a slow fight are counted.
const SLOW_WINDOW: Duration = Duration::from_secs(3600);
/// The first pause of a damped resource. It doubles with each change.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Maximum pause.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// Why a change was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Somebody else had changed what the resource declares.
    Repair,
    /// The resource makes a change whenever it is checked.
    Run,
}

/// How often a resource has changed lately.
#[derive(Debug)]
pub(super) struct Changes {
    fast: Counter,
    slow: Counter,
    /// The pause after the last change; zero if the resource is not damped.
    pause: Duration,
    last: Instant,
    /// Whether an event waits for the end of the pause.
    is_held: bool,
    /// Whether it was reported in this slow window.
    is_reported: bool,
}

/// The number of changes since the start of a window.
#[derive(Debug)]
struct Counter {
    start: Instant,
    count: u32,
}

impl Counter {
    fn new(start: Instant) -> Counter {
        Counter { start, count: 0 }
    }

    /// Counts a change. Returns whether a new window starts with it.
    fn count(&mut self, now: Instant, window: Duration) -> bool {
        let is_new = now.saturating_duration_since(self.start) > window;
        if is_new {
            *self = Counter::new(now);
        }
        self.count += 1;
        is_new
    }
}

/// A fight to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fight {
    /// The number of changes.
    pub(super) changes: u32,
    /// The time in which they were made.
    pub(super) time: Duration,
}

impl Changes {
    pub(super) fn new(now: Instant) -> Changes {
        let (fast, slow) = (Counter::new(now), Counter::new(now));
        Changes { fast, slow, pause: Duration::ZERO, last: now, is_held: false, is_reported: false }
    }

    /// Counts a change. Returns a fight that is to be reported.
    pub(super) fn count(&mut self, now: Instant, cause: Cause) -> Option<Fight> {
        let since_last = now.saturating_duration_since(self.last);
        self.last = now;
        if !self.pause.is_zero() {
            if since_last < self.pause * 2 + WINDOW {
                self.pause = (self.pause * 2).min(MAX_PAUSE);
                return None;
            }
            self.pause = Duration::ZERO;
            self.fast = Counter::new(now);
        }
        self.fast.count(now, WINDOW);
        if self.slow.count(now, SLOW_WINDOW) {
            self.is_reported = false;
        }
        let (max, is_slow) = match cause {
            Cause::Repair => (MAX_REPAIRS, self.slow.count > MAX_SLOW_REPAIRS),
            Cause::Run => (MAX_RUNS, false),
        };
        let is_damped = self.fast.count > max;
        if is_damped {
            self.pause = FIRST_PAUSE;
        }
        let is_new = (is_damped || is_slow) && !self.is_reported;
        self.is_reported |= is_new;
        let Counter { start, count: changes } = self.slow;
        is_new.then(|| Fight { changes, time: now.saturating_duration_since(start) })
    }

    /// Returns the end of the pause, if it is not over.
    fn paused_until(&self, now: Instant) -> Option<Instant> {
        let end = self.last + self.pause;
        (end > now).then_some(end)
    }
}

/// Events of damped resources that wait.
#[derive(Default)]
pub(super) struct HeldEvents(BinaryHeap<Reverse<(Instant, VertexKey)>>);

impl HeldEvents {
    /// Returns whether an event of this resource has to wait, and keeps it if so.
    pub(super) fn hold(&mut self, key: VertexKey, changes: &mut Changes, now: Instant) -> bool {
        let Some(end) = changes.paused_until(now) else { return false };
        if !std::mem::replace(&mut changes.is_held, true) {
            self.0.push(Reverse((end, key)));
        }
        true
    }

    /// Returns the end of the first pause.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.0.peek().map(|Reverse((end, _))| *end)
    }

    /// Takes a resource whose pause is over. `changes` returns its changes, unless it is gone.
    pub(super) fn take_due<'c>(
        &mut self,
        now: Instant,
        changes: impl FnOnce(VertexKey) -> Option<&'c mut Changes>,
    ) -> Option<VertexKey> {
        let Reverse((_, key)) = *self.0.peek().filter(|Reverse((end, _))| *end <= now)?;
        self.0.pop();
        if let Some(changes) = changes(key) {
            changes.is_held = false;
        }
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts changes until the resource is damped, and returns the fights that are reported.
    fn damp(changes: &mut Changes, start: Instant, cause: Cause) -> Vec<Fight> {
        let mut fights = Vec::new();
        for i in 0.. {
            let now = start + Duration::from_millis(i);
            fights.extend(changes.count(now, cause));
            if changes.paused_until(now).is_some() {
                break;
            }
        }
        fights
    }

    #[test]
    fn fight_is_reported_once_and_damped_with_growing_pauses() {
        for (cause, max) in [(Cause::Repair, MAX_REPAIRS), (Cause::Run, MAX_RUNS)] {
            let start = Instant::now();
            let mut changes = Changes::new(start);
            assert_eq!(damp(&mut changes, start, cause).len(), 1, "{cause:?}");
            assert_eq!(changes.fast.count, max + 1);
            let mut now = changes.last;
            let mut pauses = Vec::new();
            for _ in 0..8 {
                let end = changes.paused_until(now).expect("a pause");
                pauses.push((end - now).as_secs());
                now = end;
                assert_eq!(changes.count(now, cause), None, "it is reported once");
            }
            assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        }
    }

    #[test]
    fn resource_that_is_left_alone_is_normal_again() {
        let start = Instant::now();
        let mut changes = Changes::new(start);
        damp(&mut changes, start, Cause::Repair);
        let later = start + SLOW_WINDOW * 2;
        assert_eq!(changes.count(later, Cause::Repair), None);
        assert_eq!(changes.paused_until(later), None);
        assert_eq!(damp(&mut changes, later, Cause::Repair).len(), 1, "the next fight is reported again");
    }

    #[test]
    fn slow_fight_is_reported_every_hour_and_not_damped() {
        let start = Instant::now();
        let mut changes = Changes::new(start);
        let mut reported = Vec::new();
        for minute in 0..240 {
            let now = start + Duration::from_secs(minute * 60);
            if let Some(fight) = changes.count(now, Cause::Repair) {
                assert_eq!(fight.changes, MAX_SLOW_REPAIRS + 1);
                reported.push(minute);
            }
            assert_eq!(changes.paused_until(now), None);
        }
        assert_eq!(reported.len(), 4, "{reported:?}");
    }

    #[test]
    fn command_that_runs_often_is_left_alone() {
        let start = Instant::now();
        let mut changes = Changes::new(start);
        for i in 0..2000u64 {
            assert_eq!(changes.count(start + Duration::from_millis(i * 100), Cause::Run), None);
        }
    }

    #[test]
    fn events_of_a_damped_resource_wait_and_count_once() {
        let start = Instant::now();
        let (mut changes, mut held) = (Changes::new(start), HeldEvents::default());
        assert!(!held.hold(VertexKey(1), &mut changes, start));
        damp(&mut changes, start, Cause::Repair);
        assert!(held.hold(VertexKey(1), &mut changes, start) && held.hold(VertexKey(1), &mut changes, start));
        let due = held.deadline().expect("a pause");
        assert_eq!(held.take_due(start, |_| None), None);
        assert_eq!(held.take_due(due, |_| Some(&mut changes)), Some(VertexKey(1)));
        assert_eq!(held.deadline(), None);
        assert!(!held.hold(VertexKey(1), &mut changes, due));
    }
}
