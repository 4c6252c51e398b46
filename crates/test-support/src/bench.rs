//! Benchmarks print how long some work takes as a ratio to a baseline measured in the same run, so that their results
//! can be compared between machines.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Returns the shortest time that `work` takes in `runs` runs. Longer times are due to what else the machine does.
pub fn min_time<R>(runs: usize, mut work: impl FnMut() -> R) -> Duration {
    min_of(runs, || {
        let start = Instant::now();
        let result = black_box(work());
        let time = start.elapsed();
        // Dropping the result is not part of the work.
        drop(result);
        time
    })
}

/// Returns the shortest of `runs` times, for work that measures its own time.
pub fn min_of(runs: usize, timed: impl FnMut() -> Duration) -> Duration {
    std::iter::repeat_with(timed).take(runs).min().unwrap_or_default()
}

/// Returns how many times as long as the baseline something took.
pub fn ratio(time: Duration, baseline: Duration) -> f64 {
    time.as_secs_f64() / baseline.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_counts() {
        let mut times = [3, 1, 2].map(Duration::from_secs).into_iter();
        assert_eq!(min_of(3, || times.next().expect("three runs")), Duration::from_secs(1));
    }

    #[test]
    fn ratio_is_relative_to_the_baseline() {
        assert_eq!(ratio(Duration::from_secs(3), Duration::from_secs(2)), 1.5);
    }
}
