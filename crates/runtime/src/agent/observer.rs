//! Events of a run for people and logs.

use std::time::Duration;

use mcl_diagnostics::Diagnostic;
use resource_engine::Status;
use resource_graph::{Resource, ResourceId};
use resources::{Change, Failure};

/// Something that happened in a run.
pub enum Event<'a> {
    /// A change was made, or with `noop` would have been.
    Changed {
        /// The resource (of a group: its leader).
        resource: &'a Resource,
        /// The change.
        change: &'a Change,
        /// Whether it was only found necessary.
        noop: bool,
    },
    /// A resource printed a message.
    Message {
        /// The resource.
        id: &'a ResourceId,
        /// The message.
        text: &'a str,
    },
    /// A check or a watch failed.
    Failed {
        /// The resource.
        resource: &'a Resource,
        /// The cause.
        failure: &'a Failure,
        /// The delay before the next attempt and the number of attempts left after it (-1 for no limit); `None` if there is
        /// no further attempt.
        retry: Option<(Duration, i32)>,
    },
    /// A new graph is in force.
    Swapped {
        /// The number of vertices.
        vertices: usize,
        /// The number of edges.
        edges: usize,
        /// The number of vertices that were kept because they did not change.
        kept: usize,
    },
    /// Nothing changed for the configured time.
    Converged,
    /// Something changed after that.
    Diverged,
    /// A problem that belongs to no resource.
    Problem(&'a Diagnostic),
    /// A signal, or time passed after one, raised the shutdown level.
    Stopping(&'a str),
}

/// Receives the events of a run, in order.
pub trait Observer {
    /// Called for each event.
    fn event(&mut self, event: Event<'_>);

    /// The time between two calls of [`Observer::progress`]; `None` for no calls.
    fn interval(&self) -> Option<Duration> {
        None
    }

    /// Called periodically with the state of the run and the slow checks, the slowest first.
    fn progress(&mut self, _status: &Status, _slow: &[(&ResourceId, Duration)]) {}
}
