//! Sources of events for a resource.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{Cancel, Failure};

/// A source of events for one resource.
pub enum Watch {
    /// Something at this path changed.
    Path(PathBuf, Scope),
    /// Time passed.
    Every(Duration),
    /// A task with a thread of its own, for sources that are neither paths nor clocks (a command's output, a bus).
    /// Returning an error counts as a failed watch; returning `Ok` before it was cancelled ends the source silently.
    Task(Task),
    /// A source that many resources share, with a thread of its own already (a message bus).
    Listen(Listen),
}

/// See [`Watch::Listen`]: called with what has to be called for each event; the source ends when the result is dropped.
pub type Listen = Box<dyn FnOnce(Wake) -> Box<dyn Send> + Send>;

/// Tells the engine of an event.
pub type Wake = Box<dyn Fn() + Send + Sync>;

/// See [`Watch::Task`].
pub type Task = Box<dyn FnOnce(&TaskHandle) -> Result<(), Failure> + Send>;

/// How much below a path is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The object itself: its appearance, disappearance, content and attributes.
    Entry,
    /// Also the entries of a directory.
    Children,
    /// Also everything below a directory.
    Recursive,
}

/// What a [`Watch::Task`] holds of the engine.
pub struct TaskHandle {
    /// Set when the task has to end.
    pub cancel: Arc<Cancel>,
    /// Called for each event.
    pub wake: Wake,
}
