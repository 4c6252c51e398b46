//! The resource engine's core: *when* each resource is checked (spec 06 §3), as a state machine without I/O.
//!
//! The shell feeds [`Event`]s and the time into [`Engine::step`] and carries out the [`Command`]s that come back. The
//! core owns no thread, clock or descriptor, so every interleaving can be replayed: the simulator in this crate's tests
//! drives it with random graphs, timings, failures and swaps, and prints the seed that breaks an invariant.
//!
//! **Order.** Each vertex is *good* when it is not dirty, not running and has not failed, and *settled* when it is good
//! and all its prerequisites are settled. It keeps the number of its unsettled prerequisites; a check starts only when
//! that number is 0. A flip of "settled" travels along the edges only as far as it changes something, so an event costs
//! what it affects. Dependents of a failed vertex wait without being failures themselves, and go on by themselves as soon
//! as it succeeds.
//!
//! **Notifications.** A change of `a` adds `a` to the pending senders of each refreshable `b` with `a => b`; a successful
//! check of `b` takes exactly those it saw when it started. The shell writes the pair down before `a` changes anything
//! and forgets it when the core says [`Command::Delivered`], so no crash loses one.
//!
//! **Graph swap.** Vertices equal in old and new graph keep running untouched; removed ones end their check first; added
//! ones start when all removed ones have ended.

mod engine;
mod event;
mod failure;
mod finish;
mod graph;
mod limiter;
mod receive;
mod run;
mod semaphores;
mod swap;
mod vertex;

#[cfg(test)]
mod behaviour_tests;
#[cfg(test)]
mod simulator;

pub use engine::{Config, Engine, Status};
pub use event::{Command, Event, Finished, Received, Report, Sent, StopLevel, Time};
pub use failure::Failure;
pub use graph::{EngineGraph, Group, GroupCycle, GroupEdge, Transfer};
pub use vertex::VertexKey;
