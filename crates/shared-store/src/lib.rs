//! The state that the hosts of a fleet share: strings, schedules and exported resources (spec 03 §5.22, §3.8).
//!
//! Resources write to the [`SharedStore`], functions read it, and both know it only through this crate. This one is for a
//! single host: everything is a file below the state directory, so it outlives the program, and changes are noticed as
//! changes of files.

mod files;
mod store;

pub use files::{create_private_dir, write_atomically};
pub use store::{Candidacy, Export, Exported, SharedStore};
