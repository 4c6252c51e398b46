//! The state that the hosts of a fleet share: strings, schedules and exported resources (spec 03 §5.22, §3.8).
//!
//! Resources write to the [`SharedStore`] and functions read it; they meet nowhere else. This implementation is for a single
//! host: every record is a file below the state directory, so it outlives the program, and watching files is enough to
//! notice changes.

mod files;
mod store;

pub use files::{create_private_dir, write_atomically};
pub use store::{Candidacy, Export, Exported, SharedStore};
