//! How the log describes the attempts of a resource that fails.

use std::time::Duration;

/// The attempts of a resource since it worked last.
#[derive(Clone, Copy, Debug)]
pub struct Attempts {
    /// The number of failures.
    pub failed: u32,
    /// The time since the first of them.
    pub failing_for: Duration,
    /// The time until the next attempt; `None` if there is none.
    pub next: Option<Duration>,
    /// The number of attempts left after the next one; `None` without a limit.
    pub left: Option<u32>,
}

impl Attempts {
    /// Returns a text to append to the failure; empty if the only attempt failed.
    pub fn text(&self) -> String {
        let Attempts { failed, failing_for, next, left } = *self;
        if failed <= 1 && next.is_none() {
            return String::new();
        }
        let mut text = format!(" (attempt {failed}");
        if failing_for >= Duration::from_secs(1) {
            text += &format!(", failing for {}", words(failing_for));
        }
        match next {
            Some(next) => text += &format!(", the next in {}", words(next)),
            None => text += ", the last",
        }
        if let (Some(left), Some(_)) = (left, next) {
            text += &format!(", {left} left after that");
        }
        text + ")"
    }
}

/// Returns a duration in at most two units, such as `250 ms`, `7 s`, `2 min 5 s` or `3 h`. It is rounded to 10 ms.
fn words(time: Duration) -> String {
    let time = Duration::from_millis((time.as_millis() as u64).saturating_add(5) / 10 * 10);
    let seconds = time.as_secs();
    let two = |large: u64, large_unit: &str, small: u64, small_unit: &str| match small {
        0 => format!("{large} {large_unit}"),
        _ => format!("{large} {large_unit} {small} {small_unit}"),
    };
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => two(seconds / 60, "min", seconds % 60, "s"),
        3600..86_400 => two(seconds / 3600, "h", seconds % 3600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(failed: u32, failing_for: u64, next: Option<u64>, left: Option<u32>) -> String {
        let next = next.map(Duration::from_millis);
        Attempts { failed, failing_for: Duration::from_secs(failing_for), next, left }.text()
    }

    #[test]
    fn attempts_are_numbered_and_dated() {
        assert_eq!(text(1, 0, None, None), "");
        assert_eq!(text(1, 0, Some(250), None), " (attempt 1, the next in 250 ms)");
        assert_eq!(
            text(2, 7, Some(3996), Some(3)),
            " (attempt 2, failing for 7 s, the next in 4 s, 3 left after that)"
        );
        assert_eq!(text(9, 90_000, Some(3_660_000), None), " (attempt 9, failing for 1 d 1 h, the next in 1 h 1 min)");
        assert_eq!(text(3, 125, None, Some(0)), " (attempt 3, failing for 2 min 5 s, the last)");
    }
}
