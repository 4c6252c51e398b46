//! When a changed input is reported: once its writer is done.
//!
//! A shell that writes a file truncates it first. A program that followed each of these steps would see an empty file, and
//! remove what a line of it describes. So a change is reported when the file was closed, moved into place or removed, and
//! left alone for [`SETTLE_TIME`]. A process that keeps the file open delays that by [`MAX_OPEN_TIME`] at most, and for code and
//! data of a catalog by [`MAX_EMPTY_TIME`].

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::watcher::WritePhase;

/// How long a file has to be left alone.
const SETTLE_TIME: Duration = Duration::from_millis(20);
/// How long a file may change without a pause before it is reported.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(1);
/// How long a process may keep open what it writes before it is reported.
const MAX_OPEN_TIME: Duration = Duration::from_secs(1);
/// How long that is for a file that is still empty, and for code and data of a catalog.
const MAX_EMPTY_TIME: Duration = Duration::from_secs(10);

/// The changed inputs that are not reported yet, by their tokens.
#[derive(Default)]
pub(super) struct SettleTimers(FxHashMap<u64, SettleTimer>);

/// One changed input.
#[derive(Clone, Copy)]
pub(super) struct SettleTimer {
    first: Instant,
    due: Instant,
    /// The first change since the file was last closed, if it was not closed since.
    opened: Option<Instant>,
}

impl SettleTimer {
    /// Whether a process is writing to the file.
    pub(super) fn is_writing(&self) -> bool {
        self.opened.is_some()
    }

    /// Whether a file that is to be complete is reported although its writer has not closed it.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.opened.is_none_or(|opened| now >= opened + MAX_EMPTY_TIME)
    }
}

impl SettleTimers {
    /// Registers a change.
    pub(super) fn change(&mut self, token: u64, phase: WritePhase, now: Instant) {
        let timer = self.0.entry(token).or_insert(SettleTimer { first: now, due: now, opened: None });
        match phase {
            WritePhase::Writing => timer.opened = timer.opened.or(Some(now)),
            WritePhase::Done => timer.opened = None,
            WritePhase::Unknown => {}
        }
        timer.due = match timer.opened {
            Some(opened) => opened + MAX_OPEN_TIME,
            None => (timer.first + MAX_SETTLE_TIME).min(now + SETTLE_TIME),
        };
    }

    pub(super) fn remove(&mut self, token: u64) {
        self.0.remove(&token);
    }

    /// Whether there is such a timer.
    pub(super) fn any(&self, mut is_wanted: impl FnMut(u64, &SettleTimer) -> bool) -> bool {
        self.0.iter().any(|(token, timer)| is_wanted(*token, timer))
    }

    /// Returns when [`SettleTimers::take_due`] has to be called.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.0.values().map(|timer| timer.due).min()
    }

    /// Takes the tokens that are due, sorted. Those for which `is_ready` returns false are asked for again later.
    pub(super) fn take_due(&mut self, now: Instant, mut is_ready: impl FnMut(u64, &SettleTimer) -> bool) -> Vec<u64> {
        let mut due = Vec::new();
        self.0.retain(|token, timer| {
            if timer.due > now {
                return true;
            }
            if !is_ready(*token, timer) {
                timer.due = now + MAX_OPEN_TIME;
                return true;
            }
            due.push(*token);
            false
        });
        due.sort_unstable();
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns when a token is reported after these changes, each given in milliseconds since the first, in milliseconds.
    fn reported_after(changes: &[(u64, WritePhase)]) -> u128 {
        let start = Instant::now();
        let mut timers = SettleTimers::default();
        for (at, phase) in changes {
            timers.change(1, *phase, start + Duration::from_millis(*at));
        }
        let due = timers.deadline().expect("a change");
        assert_eq!(timers.take_due(due, |_, _| true), [1]);
        assert_eq!(timers.deadline(), None);
        (due - start).as_millis()
    }

    #[test]
    fn closed_file_is_reported_when_it_was_left_alone() {
        use WritePhase::{Done, Unknown, Writing};
        assert_eq!(reported_after(&[(0, Done)]), 20);
        assert_eq!(reported_after(&[(0, Writing), (300, Writing), (310, Done)]), 330);
        assert_eq!(reported_after(&[(0, Writing), (5, Done), (10, Writing), (15, Done), (18, Unknown)]), 38);
    }

    #[test]
    fn file_that_is_never_closed_or_never_left_alone_is_reported_after_a_second() {
        use WritePhase::{Done, Unknown, Writing};
        assert_eq!(reported_after(&[(0, Writing), (900, Unknown)]), 1000);
        assert_eq!(reported_after(&[(0, Done), (500, Done), (990, Done)]), 1000);
        assert_eq!(reported_after(&[(0, Writing), (500, Done), (510, Writing)]), 1510);
    }

    #[test]
    fn truncated_file_is_asked_for_until_it_is_ready() {
        let start = Instant::now();
        let mut timers = SettleTimers::default();
        timers.change(1, WritePhase::Writing, start);
        let first = timers.deadline().expect("a change");
        let is_ready = |now: Instant| move |_: u64, timer: &SettleTimer| timer.is_overdue(now);
        assert_eq!(timers.take_due(first, is_ready(first)), [0u64; 0]);
        let end = start + MAX_EMPTY_TIME;
        assert_eq!(timers.take_due(end, is_ready(end)), [1]);
    }
}
