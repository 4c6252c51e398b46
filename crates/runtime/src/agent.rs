//! The agent: the I/O around the resource engine. One thread runs the event loop, a few workers run checks.
//!
//! [`Agent`] owns the loop. It waits for file events, finished checks, messages from other threads ([`AgentHandle`]: new
//! graphs, requests to stop), signals and timers, turns each into an event of the resource engine, and executes the
//! commands that the engine returns. Checks run on worker threads only; the loop itself never blocks on anything else.

mod claims;
mod commands;
mod damping;
mod event_loop;
mod exports;
mod foresight;
mod graphs;
mod housekeeping;
mod job;
mod mailbox;
mod memory;
mod observer;
mod planned;
mod pool;
mod progress;
mod shutdown;
mod signals;
mod slot;
mod summary;
mod unseen;
mod watching;

#[cfg(test)]
mod tests;

pub use event_loop::{Agent, AgentOptions};
pub use mailbox::{AgentHandle, Message};
pub use observer::{Event, Observer, StatusReport};
pub use planned::{PlanDifference, PlanRecorder, PlannedChanges};
pub use signals::Signals;
pub use summary::Summary;
