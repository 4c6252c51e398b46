//! The events that the engine handles and the commands that it returns.

use std::sync::Arc;
use std::time::Duration;

use mcl_value::Value;
use resource_graph::ResourceId;

use crate::failure::Failure;
use crate::graph::{EngineGraph, Group};
use crate::graph_patch::GraphPatch;
use crate::key::VertexKey;

/// Time since the engine started.
pub type Time = Duration;

/// An event for the engine.
#[derive(Debug)]
pub enum Event {
    /// A new graph replaces the running one.
    Swap(Box<EngineGraph>),
    /// Parts of the running graph are replaced, removed and added. All else of it stays.
    Patch(GraphPatch),
    /// All watches of the vertex are in place; `epoch` is that of the [`Command::Watch`].
    Watching(VertexKey, u32),
    /// A source that the vertex watches reported a change.
    Fired(VertexKey),
    /// Watching ended with an error.
    WatchFailed(VertexKey, u32, Failure),
    /// A check ended.
    Finished(VertexKey, Finished),
    /// Time passed.
    Tick,
    /// No checks are to start until [`Event::Resume`].
    Pause,
    /// Checks may start again.
    Resume,
    /// The engine is to stop. A later request may raise the level.
    Stop(StopLevel),
}

/// The result of a check.
#[derive(Debug)]
pub struct Finished {
    /// Whether changes were announced; in noop, found necessary.
    pub changed: bool,
    /// The values that it sent.
    pub sent: Vec<Sent>,
    /// Whether it succeeded.
    pub result: Result<(), Failure>,
}

/// A value that a resource sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The index of the sender in its group; 0 is the leader.
    pub member: usize,
    /// The key.
    pub key: &'static str,
    /// The value; `None` for one that is not set.
    pub value: Option<Value>,
    /// Whether the value must not be shown.
    pub sensitive: bool,
}

/// How urgently to stop (spec 06 §3.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Running checks may finish.
    Finish,
    /// Running checks are cancelled.
    Cancel,
    /// Running checks are killed.
    Kill,
}

/// A value that a vertex received since its last check started.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The index of the receiver in its group; 0 is the leader.
    pub member: usize,
    /// The parameter.
    pub key: Arc<str>,
    /// The new value.
    pub value: Value,
    /// Whether the parameter must not be shown: because of the value, or because it is declared with a sensitive one.
    pub sensitive: bool,
}

/// A command for the agent.
#[derive(Debug)]
pub enum Command {
    /// Make the implementation of a new vertex: leader and members. Precedes every other command for the vertex.
    Create(VertexKey, Group),
    /// Watch the vertex, and answer with [`Event::Watching`] or [`Event::WatchFailed`] with the same epoch.
    Watch(VertexKey, u32),
    /// End the watches of the vertex.
    Unwatch(VertexKey),
    /// Check the vertex, and answer with [`Event::Finished`].
    Run {
        /// The vertex.
        key: VertexKey,
        /// Whether it may make changes.
        apply: bool,
        /// Whether a notification is pending.
        refresh: bool,
        /// Received values to set first.
        updates: Vec<Received>,
        /// Parameters changed by reception since the last successful check.
        changed: Vec<(usize, Arc<str>)>,
        /// The dependents to refresh if anything changes; to be recorded before the first change.
        notifies: Vec<ResourceId>,
    },
    /// Ask the running check to end.
    Cancel(VertexKey),
    /// Kill the running check.
    Kill(VertexKey),
    /// The vertex left the graph, and no check of it runs.
    Remove(VertexKey),
    /// Record a notification, before the next command is executed.
    Record {
        /// The resource that changed.
        from: ResourceId,
        /// The resource to refresh.
        to: ResourceId,
    },
    /// Delete the record of a notification: it was handled, or its edge no longer exists.
    Delivered {
        /// The resource that changed.
        from: ResourceId,
        /// The resource to refresh.
        to: ResourceId,
    },
    /// Report to the user.
    Report(Report),
}

/// A report for the user.
#[derive(Debug)]
pub enum Report {
    /// A check failed.
    Failed {
        /// The vertex.
        key: VertexKey,
        /// The cause.
        failure: Failure,
        /// The delay before the next attempt and the number of attempts left after it (-1 for no limit) according to
        /// `Meta:retry`; `None` if these are used up.
        retry: Option<(Duration, i32)>,
        /// The number of failures since the last success, this one included.
        attempt: u32,
        /// When the first of them ended.
        since: Time,
        /// When the next attempt starts at the latest, unless the vertex has to wait for others; `None` if there is none,
        /// which occurs only in an engine that checks everything once.
        next_attempt: Option<Time>,
        /// Whether watching failed rather than a check.
        watch: bool,
    },
    /// In noop, and in a plan: the value that the vertex would receive is known only after its sender made its changes.
    Unknown {
        /// The vertex.
        key: VertexKey,
        /// The cause.
        failure: Failure,
    },
    /// A new graph is in force.
    Swapped {
        /// The number of vertices.
        vertices: usize,
        /// The number of vertices that were kept because they did not change.
        kept: usize,
        /// The number of edges.
        edges: usize,
    },
    /// Nothing changed and nothing was left to do for [`crate::Config::converged_timeout`].
    Converged,
    /// Something changed or failed after that.
    Diverged,
    /// The last check ended after a request to stop.
    Stopped,
}
