//! The runtime: it loads artifacts, computes their values, and keeps a machine in the state they describe.
//!
//! * [`function_engine`]: the values of a program, recomputed only where something changed.
//! * [`interpret`]: from those values to the graph of resources.
//! * [`frontend`]: an mcl program and a Puppet catalog as one stream of graphs.
//! * [`resource_engine`]: *when* each resource is checked: a deterministic state machine without I/O.
//! * [`shell`]: the I/O around it: one thread for the core, workers, one inotify instance, signals.
//! * [`kinds`]: *what* each kind of resource checks and repairs.
//! * [`state`]: what is kept under the prefix.
//!
//! It knows nothing of source text: no lexer, parser or type checker is linked.

mod first_graph;
pub mod frontend;
pub mod function_engine;
pub mod interpret;
pub mod kinds;
pub mod resource_engine;
pub mod shell;
pub mod state;

pub use first_graph::{Patience, add_automatic_edges, first_graph, hostname};
