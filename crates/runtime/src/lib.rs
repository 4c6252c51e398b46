//! The agent: it loads artifacts, computes their values, and keeps a machine in the state they describe. This crate ties
//! together the crates that do the work:
//!
//! * `function-engine`: the values of a program, recomputed only where something changed, and the resource graph of them.
//! * [`frontend`]: an mcl program and a Puppet catalog as one stream of graphs.
//! * `resource-engine`: *when* each resource is checked: a deterministic state machine without I/O.
//! * [`shell`]: the I/O around it: one thread for the core, workers, one inotify instance, signals.
//! * `resources`: *what* each kind of resource checks and repairs, and what is kept under the prefix.
//!
//! It knows nothing of source text: no lexer, parser or type checker is linked.

mod finalize;
mod first_graph;
pub mod frontend;
pub mod shell;

pub use finalize::{Finalized, finalize, local_host};
pub use first_graph::{Patience, first_graph};
pub use resource_engine::Status;
pub use resources::{Change, Diff, StateDir, default_prefix, functions_dir, hostname};
