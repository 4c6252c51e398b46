//! The I/O around the engine's core: one thread for the core, a few workers, one inotify instance, one timer queue.
//!
//! [`Agent`] owns the loop. It waits for file events ([`Watcher`]), results of workers, messages from other threads
//! ([`Handle`]: new graphs, requests to stop), signals and timers, turns each into an event of the core, and carries out
//! the commands that come back. Kinds run on worker threads only; the loop itself never blocks on anything else.

mod agent;
mod job;
mod mailbox;
mod observer;
mod pool;
mod published;
mod signals;
mod slot;
mod watcher;

#[cfg(test)]
mod tests;

pub use agent::{Agent, Options, Summary};
pub use mailbox::{Handle, Message};
pub use observer::{Event, Observer};
pub use signals::Signals;
pub use watcher::{Subscription, Watcher};
