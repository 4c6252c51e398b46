//! How failures space out further attempts.
//!
//! `Meta:retry` and `Meta:delay` come first. When the attempts that they allow are used up, a running agent does not give
//! the resource up: it tries again after [`FIRST_DELAY`], doubled up to [`MAX_DELAY`]. An event brings the next attempt
//! forward, but at most to [`MAX_EVENT_DELAY`] or the current delay after the last one, whichever is shorter. So a cause that
//! went away is noticed soon, and a source that never stops firing does not make a loop without pause.

use std::time::Duration;

use crate::event::Time;

/// The delay before the first attempt after those of `Meta:retry`.
const FIRST_DELAY: Duration = Duration::from_secs(1);
/// The delay between attempts, at most.
const MAX_DELAY: Duration = Duration::from_secs(300);
/// The delay between the last attempt and one that an event asks for, at most.
const MAX_EVENT_DELAY: Duration = Duration::from_secs(10);
/// The number of doublings after which the delay is [`MAX_DELAY`].
const MAX_DOUBLINGS: u32 = 9;

/// Returns the delay after the `n`th failure, from 1, of those that `Meta:retry` does not cover.
pub(super) fn delay(n: u32) -> Duration {
    (FIRST_DELAY * 2u32.pow(n.saturating_sub(1).min(MAX_DOUBLINGS))).min(MAX_DELAY)
}

/// Returns how long after the `n`th failure an event may ask for an attempt.
fn event_delay(n: u32) -> Duration {
    delay(n).min(MAX_EVENT_DELAY)
}

/// Returns the number of watches that failed in a row, this one included. One that was in place for long enough, since
/// `active_since`, starts a new row.
pub(super) fn failures_in_a_row(before: u32, active_since: Option<Time>, now: Time) -> u32 {
    match active_since {
        Some(since) if now.saturating_sub(since) >= MAX_DELAY => 1,
        Some(_) | None => before.saturating_add(1),
    }
}

/// The failures of a resource since its last success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FailureSeries {
    /// When the first of them ended.
    pub(super) since: Time,
    /// When the last of them ended.
    last: Time,
    /// Their number.
    pub(super) attempts: u32,
    /// The number of those that `Meta:retry` did not cover.
    beyond_budget: u32,
}

impl FailureSeries {
    pub(super) fn new(now: Time) -> FailureSeries {
        FailureSeries { since: now, last: now, attempts: 0, beyond_budget: 0 }
    }

    /// Counts a failure after which `Meta:retry` allows another attempt.
    pub(super) fn count(&mut self, now: Time) {
        self.last = now;
        self.attempts = self.attempts.saturating_add(1);
    }

    /// Counts a failure after the last attempt of `Meta:retry`; returns when to try again.
    pub(super) fn count_beyond_budget(&mut self, now: Time) -> Time {
        self.count(now);
        self.beyond_budget = self.beyond_budget.saturating_add(1);
        now + delay(self.beyond_budget)
    }

    /// Whether the attempts of `Meta:retry` are used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.beyond_budget > 0
    }

    /// Whether this is the failure that used up the attempts of `Meta:retry`.
    pub(super) fn is_first_beyond_budget(&self) -> bool {
        self.beyond_budget == 1
    }

    /// Returns the earliest time of an attempt that an event asks for.
    pub(super) fn earliest_after_event(&self) -> Time {
        self.last + event_delay(self.beyond_budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_doubles_up_to_a_maximum() {
        let seconds: Vec<u64> = (1..=11).map(|n| delay(n).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(delay(u32::MAX), MAX_DELAY);
    }

    #[test]
    fn watch_that_held_for_long_starts_a_new_row() {
        let at = Duration::from_secs;
        assert_eq!(failures_in_a_row(4, Some(at(10)), at(11)), 5);
        assert_eq!(failures_in_a_row(4, None, at(1000)), 5);
        assert_eq!(failures_in_a_row(4, Some(at(10)), at(310)), 1);
    }
}
