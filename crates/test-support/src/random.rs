//! Randomised tests: every run has a seed, a failing run prints it, and `SEED=17 cargo test NAME` repeats that run alone.
//!
//! `RUNS_FACTOR=20` multiplies the number of runs of every randomised test, and `FROM=1000` starts with that seed.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub use fastrand::Rng;

/// Choices that [`Rng`] lacks.
pub trait RandomChoice {
    /// Returns one of the items.
    ///
    /// # Panics
    /// If there are none.
    fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T;

    /// Returns true once in `n` calls on average.
    fn one_in(&mut self, n: usize) -> bool;
}

impl RandomChoice for Rng {
    #[track_caller]
    fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.usize(..items.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.usize(..n.max(1)) == 0
    }
}

/// Returns the seeds of a randomised test: the one of the environment variable `SEED`, or else `runs` seeds, multiplied by
/// `RUNS_FACTOR`, from `FROM` or 0 on.
pub fn seeds(runs: u64) -> Range<u64> {
    seeds_of(runs, number("SEED"), number("RUNS_FACTOR"), number("FROM"))
}

fn seeds_of(runs: u64, seed: Option<u64>, factor: Option<u64>, from: Option<u64>) -> Range<u64> {
    let from = from.unwrap_or(0);
    match seed {
        Some(seed) => seed..seed + 1,
        None => from..from + runs * factor.unwrap_or(1),
    }
}

/// Returns the value of an environment variable that holds a number.
#[track_caller]
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("expected a number in {variable}, found {text:?}")))
}

/// Runs a test once for each of the [`seeds`], with a source of random numbers that depends on the seed only.
/// The seed of a run that panics is printed.
pub fn for_each_seed(runs: u64, mut test: impl FnMut(&mut Rng)) {
    for seed in seeds(runs) {
        let _report = SeedReport(seed);
        test(&mut Rng::with_seed(seed));
    }
}

/// Does the same as [`for_each_seed`], with a thread for each processor.
pub fn for_each_seed_in_parallel(runs: u64, test: impl Fn(&mut Rng) + Sync) {
    let seeds = seeds(runs);
    let next = AtomicU64::new(seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if !seeds.contains(&seed) {
                        break;
                    }
                    let _report = SeedReport(seed);
                    test(&mut Rng::with_seed(seed));
                }
            });
        }
    });
}

/// Runs a test as [`for_each_seed_in_parallel`] does. Returns the mean of what its runs count.
pub fn mean_for_each_seed(runs: u64, count: impl Fn(&mut Rng) -> usize + Sync) -> f64 {
    let (total, seeds) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_seed_in_parallel(runs, |random| {
        total.fetch_add(count(random), Ordering::Relaxed);
        seeds.fetch_add(1, Ordering::Relaxed);
    });
    total.into_inner() as f64 / seeds.into_inner() as f64
}

/// Prints the seed if it is dropped by a panic.
pub struct SeedReport(pub u64);

impl Drop for SeedReport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to repeat the run that failed: SEED={}", self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_is_run_alone() {
        assert_eq!(seeds_of(500, Some(17), Some(4), None), 17..18);
    }

    #[test]
    fn runs_are_multiplied() {
        assert_eq!(seeds_of(500, None, None, None), 0..500);
        assert_eq!(seeds_of(500, None, Some(4), None), 0..2000);
        assert_eq!(seeds_of(500, None, None, Some(1000)), 1000..1500);
    }

    #[test]
    fn a_seed_gives_the_same_numbers_on_every_machine() {
        let mut rng = Rng::with_seed(17);
        assert_eq!([(); 4].map(|()| rng.usize(..100)), [92, 79, 88, 1]);
    }

    #[test]
    fn every_item_is_picked() {
        let mut rng = Rng::with_seed(0);
        let mut picked = [0; 3];
        (0..300).for_each(|_| picked[*rng.pick(&[0, 1, 2])] += 1);
        assert!(picked.iter().all(|count| *count > 50), "{picked:?}");
    }

    #[test]
    fn every_seed_runs_once_in_parallel() {
        let sum = AtomicU64::new(0);
        let count = AtomicU64::new(0);
        for_each_seed_in_parallel(100, |rng| {
            sum.fetch_add(rng.get_seed(), Ordering::Relaxed);
            count.fetch_add(1, Ordering::Relaxed);
        });
        let all = seeds(100);
        assert_eq!(count.into_inner(), all.end - all.start);
        assert_eq!(sum.into_inner(), all.sum::<u64>());
    }
}
