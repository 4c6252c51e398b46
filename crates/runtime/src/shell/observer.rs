//! What the agent tells its surroundings.

use std::time::Duration;

use mcl_diagnostics::Diagnostic;
use resource_engine::Status;
use resource_graph::{Resource, ResourceId};
use resources::{Change, Failure};

/// Something a person may want to see.
pub enum Event<'a> {
    /// A change was made, or with `noop` would have been.
    Changed {
        /// The resource (of a group: its leader).
        resource: &'a Resource,
        /// What.
        change: &'a Change,
        /// Whether it was only found.
        noop: bool,
    },
    /// A resource has something to say.
    Said {
        /// Which.
        id: &'a ResourceId,
        /// What.
        text: &'a str,
    },
    /// A check or a watch failed.
    Failed {
        /// The resource.
        resource: &'a Resource,
        /// Why.
        failure: &'a Failure,
        /// The delay before the next attempt and how many are left (-1: no limit); `None` when it was the last.
        retry: Option<(Duration, i32)>,
    },
    /// A new graph is in force.
    Swapped {
        /// Vertices.
        vertices: usize,
        /// Edges.
        edges: usize,
        /// Unchanged vertices.
        kept: usize,
    },
    /// Nothing changed for the time asked for.
    Converged,
    /// Work came up after that.
    Diverged,
    /// A problem that belongs to no resource.
    Problem(&'a Diagnostic),
    /// A signal was received: how urgently to stop now.
    Stopping(&'a str),
}

/// Takes the events, in order.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, event: Event<'_>);

    /// How often [`Observer::progress`] is wanted; `None` for never.
    fn interval(&self) -> Option<Duration> {
        None
    }

    /// Where things stand, with the checks that run longest.
    fn progress(&mut self, _status: &Status, _slow: &[(&ResourceId, Duration)]) {}
}
