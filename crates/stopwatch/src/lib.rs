//! What the benchmarks measure time with. The fastest of several runs is what the code costs; the others are what else the
//! machine was doing.

use std::time::{Duration, Instant};

/// How long the work took.
pub fn time<R>(work: impl FnOnce() -> R) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}

/// How long the work took in the fastest of several runs.
pub fn best<R>(runs: usize, mut work: impl FnMut() -> R) -> Duration {
    fastest(runs, || time(&mut work))
}

/// The shortest of several times, for work that takes its own.
pub fn fastest(runs: usize, timed: impl FnMut() -> Duration) -> Duration {
    std::iter::repeat_with(timed).take(runs).min().unwrap_or_default()
}
