//! Events of a run for people and logs.

use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::Program;
use mcl_diagnostics::Diagnostic;
use resource_engine::Status;
use resource_graph::{Resource, ResourceId};
use resources::{Change, Failure};

/// Something that happened in a run.
#[derive(Clone, Copy)]
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
        /// The number of failures since the last success, this one included.
        attempt: u32,
        /// The time since the first of them.
        failing_for: Duration,
        /// The time until the next attempt; `None` if there is none.
        next_attempt: Option<Duration>,
    },
    /// A resource that was reported as failed is in its declared state again.
    Recovered {
        /// The resource.
        resource: &'a Resource,
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
    /// Nothing changed for the configured time, or a second.
    Converged(&'a Status),
    /// Something changed after that.
    Diverged,
    /// A problem that belongs to no resource.
    Problem(&'a Diagnostic),
    /// SIGHUP asked for the program to be loaded again.
    Reloading,
    /// It was loaded; graphs of a new program refer to its files.
    Reloaded(Option<&'a Arc<Program>>),
    /// SIGUSR1 asked for the state.
    Status(&'a StatusReport),
    /// A signal, or time passed after one, raised the shutdown level.
    Stopping(&'a str),
}

/// The state of a run.
pub struct StatusReport {
    /// The numbers of resources.
    pub status: Status,
    /// The resources that are failing, each with its failure.
    pub failing: Vec<(ResourceId, String)>,
    /// The resources that wait, each with the one that it waits for.
    pub waiting: Vec<(ResourceId, ResourceId)>,
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
