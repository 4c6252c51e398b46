//! The resource engine: *when* each resource is checked (spec 06 §3), as a state machine without I/O.
//!
//! The agent feeds [`Event`]s and the time into [`Engine::step`] and executes the [`Command`]s that it returns. The engine
//! owns no thread, clock or descriptor, so every interleaving can be replayed: the simulator in this crate's tests drives
//! it with random graphs, timings, failures and swaps, and prints the seed that breaks an invariant.
//!
//! **Order.** Each vertex is *good* when it is not dirty, not running and has not failed, and *settled* when it is good
//! and all its prerequisites are settled. It keeps the number of its unsettled prerequisites; a check starts only when
//! that number is 0. A change of "settled" propagates along the edges only as far as it has an effect, so the cost of an
//! event is proportional to what it affects. Dependents of a failed vertex wait without failing themselves, and continue
//! as soon as it succeeds. Vertices that have something for themselves while they are checked, such as a file that several edit,
//! run one after the other (`exclusive.rs`).
//!
//! **Failures.** After the attempts of `Meta:retry` a running agent tries again at growing intervals, and soon after an event
//! (`backoff.rs`). An engine that checks everything once does not.
//!
//! **Notifications.** A change of `a` adds `a` to the pending senders of each refreshable `b` with `a => b`; a successful
//! check of `b` removes exactly those that were pending when it started. The agent records the pair before `a` changes
//! anything and deletes the record on [`Command::Delivered`], so no crash loses a notification (`records.rs`).
//!
//! **Graph swap.** Vertices that are equal in the old and the new graph are kept with their state. Removed ones finish their
//! running check; an added one waits for those that touch the same thing (`removal.rs`). If it is known what
//! changes, a patch does the same without looking at the other vertices (`patch.rs`).

mod ancestors;
mod backoff;
mod claims;
mod deadlines;
mod engine;
mod event;
mod exclusive;
mod failure;
mod finish;
mod graph;
mod graph_patch;
mod key;
mod leader_index;
mod limiter;
mod notify;
mod patch;
mod patch_edges;
mod rare;
mod receive;
mod records;
mod removal;
mod run;
mod semaphores;
mod swap;
mod timers;
mod vertex;

#[cfg(test)]
mod behaviour_tests;
#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod notification_tests;
#[cfg(test)]
mod patch_tests;
#[cfg(test)]
mod simulator;
#[cfg(test)]
mod swap_tests;
#[cfg(test)]
mod test_agent;

pub use engine::{Config, Engine, Status};
pub use event::{Command, Event, Finished, Received, Report, Sent, StopLevel, Time};
pub use failure::Failure;
pub use graph::{EngineGraph, Group, GroupCycle, GroupEdge, Transfer};
pub use graph_patch::{GraphPatch, PatchEdge};
pub use key::VertexKey;
