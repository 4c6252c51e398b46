//! The agent: it loads artifacts, computes their values, and keeps a machine in the state that they describe. This crate
//! connects the crates that do the work:
//!
//! * `function-engine`: the values of a program, recomputed only where an input changed, and the resource graph of them.
//! * [`sources`]: an mcl program and a Puppet catalog as one stream of graphs.
//! * [`finalize`](finalize()): from a resource graph to the graph that runs, for `graph`, `plan` and `apply` alike.
//! * `patcher`: the same for values that changed since, without the rest of the graph.
//! * `resource-engine`: *when* each resource is checked: a deterministic state machine without I/O.
//! * [`agent`]: the I/O around it: the event loop, workers, watches, signals.
//! * `resources`: *what* each kind of resource checks and repairs, and what is kept under the prefix.
//!
//! It knows nothing of source text: no lexer, parser or type checker is linked.

pub mod agent;
mod answered_program;
mod conflicts;
mod fact_programs;
mod finalize;
mod first_graph;
mod patcher;
mod protection;
pub mod sources;
mod watcher;

pub use answered_program::{AnsweredProgram, answered_host};
pub use fact_programs::{run_fact_program, why_unprotected};
pub use finalize::{Finalized, finalize, local_host};
pub use first_graph::{Commands, WaitLimit, first_graph, first_known_graph};
pub use function_engine::Answers;
pub use patcher::Patcher;
pub use protection::unprotected;
pub use resource_engine::{EngineGraph, Status};
pub use resources::{
    Change, Diff, DigestSalt, PlanSettings, StateDir, StateError, default_prefix, functions_dir, hostname,
};
