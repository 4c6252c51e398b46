//! What the core knows of one vertex.

use std::collections::BTreeSet;
use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Meta, ResourceId};

use crate::Sent;
use crate::limiter::Limiter;
use crate::{Group, Time};

/// A vertex over its whole life; reused only after [`crate::Command::Remove`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VertexKey(pub u32);

impl VertexKey {
    /// For tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Whether events reach the vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchState {
    /// Added, but removed vertices still run.
    Gated,
    /// Asked for; not in place yet.
    Arming,
    /// In place (or not wanted: polling, once).
    On,
    /// Failed; to be asked for again at that time. The running check, if any, was cancelled.
    Retry(Time),
}

/// Where the vertex is in its cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing under way.
    Idle,
    /// Holds the first `held` of its semaphores and waits for the next.
    Acquiring {
        /// How many.
        held: usize,
    },
    /// A check runs.
    Running {
        /// When it has to be cancelled.
        deadline: Option<Time>,
        /// Whether it was.
        timed_out: bool,
        /// Whether it was cancelled because watching failed or the agent stops: not a failure then.
        interrupted: bool,
    },
    /// The last check failed; the next attempt is due at that time.
    RetryDelay(Time),
    /// Out of tokens until that time.
    Limited(Time),
}

/// A mapping into one of the vertex's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Incoming {
    pub(super) from: VertexKey,
    pub(super) from_member: usize,
    pub(super) from_key: Arc<str>,
    pub(super) member: usize,
    pub(super) key: Arc<str>,
}

#[derive(Debug)]
pub(super) struct Vertex {
    pub(super) group: Group,
    /// The shell knows it: [`crate::Command::Create`] went out.
    pub(super) created: bool,
    /// Whether a notification makes it run.
    pub(super) refreshable: bool,
    /// Sorted, without repetitions.
    pub(super) semaphores: Vec<Arc<str>>,
    /// Direct dependents, and whether a change refreshes them.
    pub(super) successors: Vec<(VertexKey, bool)>,
    pub(super) predecessors: Vec<VertexKey>,
    pub(super) incoming: Vec<Incoming>,

    pub(super) watch: WatchState,
    pub(super) watch_epoch: u32,
    pub(super) watch_failures: u32,
    pub(super) phase: Phase,
    /// Needs a check.
    pub(super) dirty: bool,
    /// An event came since the last check started: the limiter has a say.
    pub(super) event: bool,
    pub(super) limiter: Option<Box<Limiter>>,
    /// No attempts are left.
    pub(super) dead: bool,
    /// The last check failed (cleared by a success).
    pub(super) failing: bool,
    /// The last check that ended by itself ended well.
    pub(super) succeeded: bool,
    /// A failed check had announced changes: the next success counts as a change.
    pub(super) owed_change: bool,
    /// Who changed since our last successful check.
    pub(super) pending: BTreeSet<ResourceId>,
    /// The part of `pending` that the running check will have taken.
    pub(super) taken: BTreeSet<ResourceId>,
    pub(super) unsettled_predecessors: u32,
    /// Caches of what `Engine::touch` computes.
    pub(super) settled: bool,
    pub(super) active: bool,
    /// In the queue of vertices to look at.
    pub(super) queued: bool,

    /// What it published last.
    pub(super) sent: Vec<Sent>,
    /// Received values that override the declared parameters.
    pub(super) received: Vec<(usize, Arc<str>, Value)>,
    /// Which of them changed since the last successful check.
    pub(super) changed: Vec<(usize, Arc<str>)>,
    /// Left the graph; ends with its running check.
    pub(super) retiring: bool,
    /// Who has to be notified of its changes, as told when the checks since the last success started. It may have been
    /// written down for each of them.
    pub(super) told: Vec<ResourceId>,
    /// When polling is due.
    pub(super) poll_at: Option<Time>,
}

impl Vertex {
    pub(super) fn new(group: Group, refreshable: bool, now: Time) -> Vertex {
        let mut semaphores: Vec<Arc<str>> =
            group.iter().flat_map(|r| &r.meta.sema).map(|s| Arc::from(s.as_str())).collect();
        semaphores.sort();
        semaphores.dedup();
        let limiter = Limiter::new(group[0].meta.limit, group[0].meta.burst, now).map(Box::new);
        Vertex {
            group,
            created: false,
            refreshable,
            semaphores,
            successors: Vec::new(),
            predecessors: Vec::new(),
            incoming: Vec::new(),
            watch: WatchState::Gated,
            watch_epoch: 0,
            watch_failures: 0,
            phase: Phase::Idle,
            dirty: true,
            event: false,
            limiter,
            dead: false,
            failing: false,
            succeeded: false,
            owed_change: false,
            pending: BTreeSet::new(),
            taken: BTreeSet::new(),
            unsettled_predecessors: 0,
            settled: false,
            active: true,
            queued: false,
            sent: Vec::new(),
            received: Vec::new(),
            changed: Vec::new(),
            retiring: false,
            told: Vec::new(),
            poll_at: None,
        }
    }

    pub(super) fn id(&self) -> &ResourceId {
        &self.group[0].id
    }

    pub(super) fn meta(&self) -> &Meta {
        &self.group[0].meta
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running { .. })
    }

    /// Whether it is ever checked: a hidden one is there for others, unless it has to be exported.
    pub(super) fn runs(&self) -> bool {
        !self.meta().hidden || !self.meta().export.is_empty()
    }

    /// Good in itself: nothing to do, nothing under way, nothing wrong.
    pub(super) fn is_good(&self) -> bool {
        !self.dirty && !self.dead && self.phase == Phase::Idle && self.watch == WatchState::On
    }

    /// Whether something is under way or due that will end. A vertex that fails with attempts without limit does not
    /// count (spec 06 §6.4: it would keep the host from ever converging), nor one that waits for others.
    pub(super) fn is_active(&self) -> bool {
        if self.dead || (self.failing && self.meta().retry < 0) {
            return false;
        }
        match self.phase {
            Phase::Running { .. } | Phase::RetryDelay(_) => true,
            Phase::Idle | Phase::Acquiring { .. } | Phase::Limited(_) => {
                self.watch != WatchState::On || (self.dirty && self.unsettled_predecessors == 0)
            }
        }
    }
}
