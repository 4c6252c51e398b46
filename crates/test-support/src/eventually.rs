//! Waiting for another process or thread.

use std::time::{Duration, Instant};

/// Long enough for a busy machine.
const DEADLINE: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Waits until `condition` is true; `event` describes it: "the agent exits".
///
/// # Panics
/// If the condition is still false after 30 seconds.
#[track_caller]
pub fn eventually(event: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < end, "timed out after {DEADLINE:?} waiting for: {event}");
        std::thread::park_timeout(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_once_the_condition_is_true() {
        let mut calls = 0;
        eventually("the third call", || {
            calls += 1;
            calls == 3
        });
        assert_eq!(calls, 3);
    }
}
