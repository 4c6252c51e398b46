//! Event sources of a resource.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::{Cancel, Failure};

/// An event source of one resource.
pub enum Watch {
    /// Changes at this path.
    Path(PathBuf, Scope),
    /// A clock with this interval.
    Every(Duration),
    /// A task with its own thread, for sources that are neither paths nor clocks, such as the output of a command. An error
    /// counts as a failed watch; returning `Ok` before a cancellation ends the source silently.
    Task(Task),
    /// A source that resources share and that already has a thread, such as a message bus.
    Listen(Listen),
}

/// Starts a [`Watch::Listen`], which calls its argument for each event. The source ends when the result is dropped.
pub type Listen = Box<dyn FnOnce(Wake) -> Box<dyn Send> + Send>;

/// Reports an event to the engine.
pub type Wake = Box<dyn Fn() + Send + Sync>;

/// The body of a [`Watch::Task`].
pub type Task = Box<dyn FnOnce(&TaskHandle) -> Result<(), Failure> + Send>;

/// Which entries below a path are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The object itself, not what it leads to if it is a symbolic link.
    Name,
    /// The object itself: its appearance, disappearance, content and attributes. For a symbolic link, also those of what it
    /// leads to.
    Entry,
    /// The object and the entries of a directory.
    Children,
    /// The object and everything below a directory.
    Recursive,
}

impl Scope {
    /// Returns whether the entries of a directory are watched.
    #[must_use]
    pub fn has_entries(self) -> bool {
        matches!(self, Scope::Children | Scope::Recursive)
    }
}

/// The interface of a [`Watch::Task`] to the engine.
pub struct TaskHandle {
    /// Requests the end of the task.
    pub cancel: Arc<Cancel>,
    /// Must be called for each event.
    pub wake: Wake,
}
