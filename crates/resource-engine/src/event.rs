//! What goes into the core and what comes out.

use std::sync::Arc;
use std::time::Duration;

use mcl_value::Value;
use resource_graph::ResourceId;

use crate::{EngineGraph, Failure, Group, VertexKey};

/// Time since the engine started.
pub type Time = Duration;

/// Something happened.
#[derive(Debug)]
pub enum Event {
    /// A new graph, complete.
    Swap(Box<EngineGraph>),
    /// All watches of the vertex are in place; `epoch` is that of the [`Command::Watch`].
    Watching(VertexKey, u32),
    /// Something that the vertex watches changed.
    Fired(VertexKey),
    /// Watching ended with an error.
    WatchFailed(VertexKey, u32, Failure),
    /// A check ended.
    Finished(VertexKey, Finished),
    /// Time passed.
    Tick,
    /// Start no checks until resumed.
    Pause,
    /// Start checks again.
    Resume,
    /// End, as urgently as said; repeated requests become more urgent.
    Stop(StopLevel),
}

/// The result of a check.
#[derive(Debug)]
pub struct Finished {
    /// Whether changes were announced (in noop: would have been made).
    pub changed: bool,
    /// What was published.
    pub sent: Vec<Sent>,
    /// How it ended.
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
}

/// How urgently to stop (spec 06 §3.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopLevel {
    /// Finish the checks that run.
    Finish,
    /// Cancel them.
    Cancel,
    /// Kill them.
    Kill,
}

/// A value that a vertex received since its last check started.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// Which of the group.
    pub member: usize,
    /// The parameter.
    pub key: Arc<str>,
    /// Its new value.
    pub value: Value,
}

/// Something to do.
#[derive(Debug)]
pub enum Command {
    /// Make the implementation of a new vertex: leader and members. Comes before everything else about the vertex.
    Create(VertexKey, Group),
    /// Watch it and answer with [`Event::Watching`] or [`Event::WatchFailed`].
    Watch(VertexKey, u32),
    /// Watch it no more.
    Unwatch(VertexKey),
    /// Check it, and answer with [`Event::Finished`].
    Run {
        /// Which.
        key: VertexKey,
        /// Whether it may change anything.
        apply: bool,
        /// Whether a notification is pending.
        refresh: bool,
        /// Values to take over first.
        updates: Vec<Received>,
        /// Parameters changed by reception since the last successful check.
        changed: Vec<(usize, Arc<str>)>,
        /// The dependents that must be refreshed if anything changes: to be written down before the first change.
        notifies: Vec<ResourceId>,
    },
    /// Ask the running check to end.
    Cancel(VertexKey),
    /// End the running check at once.
    Kill(VertexKey),
    /// The vertex left the graph and runs no more.
    Remove(VertexKey),
    /// The notification of `from` reached `to` (or the edge is gone): forget it.
    Delivered {
        /// Who changed.
        from: ResourceId,
        /// Who was refreshed.
        to: ResourceId,
    },
    /// Tell people.
    Report(Report),
}

/// Something worth telling.
#[derive(Debug)]
pub enum Report {
    /// A check failed.
    Failed {
        /// Which.
        key: VertexKey,
        /// Why.
        failure: Failure,
        /// How it goes on: the delay before the next attempt and how many are left after it (-1: no limit); `None` when
        /// it was the last.
        retry: Option<(Duration, i32)>,
        /// Whether watching failed rather than a check.
        watch: bool,
    },
    /// In noop: what the vertex would receive is not known before its sender really ran.
    Unknown {
        /// Which.
        key: VertexKey,
        /// Why.
        failure: Failure,
    },
    /// A new graph is in force: how many vertices it has, and how many were kept.
    Swapped {
        /// Vertices.
        vertices: usize,
        /// Of these, unchanged ones.
        kept: usize,
        /// Edges.
        edges: usize,
    },
    /// Nothing changed and nothing is left to do for the time asked for.
    Converged,
    /// Work came up after that.
    Diverged,
    /// The last check ended after a request to stop.
    Stopped,
}
