//! What the tests and benchmarks of several crates share: reproducible random numbers, scratch directories, waiting with
//! a deadline, measuring time against a baseline, and the layout of what is stored.
//!
//! A dev-dependency only: `dependencies.rs` of the end-to-end tests checks that no tool links this crate.

mod bench;
mod cases;
mod eventually;
mod layout;
mod random;
mod scratch;
mod skip;

pub use bench::{min_of, min_time, ratio};
pub use cases::{for_each_case, shorter};
pub use eventually::eventually;
pub use layout::check_layout;
pub use random::{RandomChoice, Rng, SeedReport, for_each_seed, for_each_seed_in_parallel, mean_for_each_seed, seeds};
pub use scratch::Scratch;
pub use skip::{skip, skip_without};
