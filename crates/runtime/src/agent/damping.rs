//! Resources that change again and again: two resources, or a resource and another program, undo each other's changes.
//!
//! Such a fight has no end, and would fill the log and use a processor. After [`MAX_CHANGES`] changes in [`WINDOW`], a
//! resource is checked at growing intervals, until it was left alone for a while.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use resource_engine::VertexKey;

/// Maximum number of changes in [`WINDOW`] before a resource is damped.
const MAX_CHANGES: u32 = 300;
/// The time over which changes are counted.
const WINDOW: Duration = Duration::from_secs(10);
/// The first pause of a damped resource. It doubles with each change.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Maximum pause.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// How often a resource has changed lately.
#[derive(Debug)]
pub(super) struct Changes {
    window_start: Instant,
    count: u32,
    /// The pause after the last change; zero if the resource is not damped.
    pause: Duration,
    last: Instant,
    /// Whether an event waits for the end of the pause.
    is_held: bool,
}

impl Changes {
    pub(super) fn new(now: Instant) -> Changes {
        Changes { window_start: now, count: 0, pause: Duration::ZERO, last: now, is_held: false }
    }

    /// Counts a change. Returns whether damping starts with it.
    pub(super) fn count(&mut self, now: Instant) -> bool {
        let since_last = now.saturating_duration_since(self.last);
        self.last = now;
        if !self.pause.is_zero() {
            if since_last < self.pause * 2 + WINDOW {
                self.pause = (self.pause * 2).min(MAX_PAUSE);
                return false;
            }
            *self = Changes { is_held: self.is_held, ..Changes::new(now) };
        }
        if now.saturating_duration_since(self.window_start) > WINDOW {
            (self.window_start, self.count) = (now, 0);
        }
        self.count += 1;
        let starts = self.count > MAX_CHANGES;
        if starts {
            self.pause = FIRST_PAUSE;
        }
        starts
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

    #[test]
    fn fight_is_damped_with_growing_pauses() {
        let start = Instant::now();
        let mut changes = Changes::new(start);
        let started = (0..=MAX_CHANGES).filter(|i| changes.count(start + Duration::from_millis((*i).into()))).count();
        assert_eq!(started, 1);
        let mut now = changes.last;
        let mut pauses = Vec::new();
        for _ in 0..8 {
            let end = changes.paused_until(now).expect("a pause");
            pauses.push((end - now).as_secs());
            now = end;
            assert!(!changes.count(now), "it is reported once");
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
    }

    #[test]
    fn resource_that_is_left_alone_is_normal_again() {
        let start = Instant::now();
        let mut changes = Changes::new(start);
        assert!((0..=MAX_CHANGES).any(|_| changes.count(start)));
        let later = start + FIRST_PAUSE * 2 + WINDOW;
        assert!(!changes.count(later));
        assert_eq!(changes.paused_until(later), None);
    }

    #[test]
    fn slow_changes_are_not_damped() {
        let start = Instant::now();
        let mut changes = Changes::new(start);
        for i in 0..2000u64 {
            assert!(!changes.count(start + Duration::from_millis(i * 100)));
        }
    }

    #[test]
    fn events_of_a_damped_resource_wait_and_count_once() {
        let start = Instant::now();
        let (mut changes, mut held) = (Changes::new(start), HeldEvents::default());
        assert!(!held.hold(VertexKey(1), &mut changes, start));
        assert!((0..=MAX_CHANGES).any(|_| changes.count(start)));
        assert!(held.hold(VertexKey(1), &mut changes, start) && held.hold(VertexKey(1), &mut changes, start));
        let due = held.deadline().expect("a pause");
        assert_eq!(held.take_due(start, |_| None), None);
        assert_eq!(held.take_due(due, |_| Some(&mut changes)), Some(VertexKey(1)));
        assert_eq!(held.deadline(), None);
        assert!(!held.hold(VertexKey(1), &mut changes, due));
    }
}
