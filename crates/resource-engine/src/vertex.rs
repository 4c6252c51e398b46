//! The state of one vertex.

use std::collections::BTreeSet;
use std::sync::Arc;

use resource_graph::{Meta, ResourceId};
use smallvec::SmallVec;

use crate::backoff::FailureSeries;
use crate::event::{Received, Sent, Time};
use crate::graph::Group;
use crate::key::VertexKey;
use crate::limiter::Limiter;
use crate::rare::Rare;
use crate::semaphores::Ticket;

/// Whether events reach the vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchState {
    /// Not started yet, perhaps because the check of a removed vertex still touches the same thing.
    WaitingForRemovals,
    /// Requested; not in place yet.
    Starting,
    /// In place, or not needed because the vertex polls or runs once.
    Active,
    /// Failed; requested again at that time. The running check, if any, was cancelled.
    Retry(Time),
    /// Failed more often than `Meta:retry` allows; requested again at that time.
    BackOff(Time),
}

/// What happens next to a check that does not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escalation {
    /// `Meta:timeout` ends: it is cancelled.
    Timeout,
    /// It is cancelled, because its vertex left the graph.
    Cancel,
    /// It is killed, because it was cancelled some time ago.
    Kill,
}

/// The progress of a vertex from idle to a running check and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No check runs or is about to run.
    Idle,
    /// Waits for a semaphore, or has just acquired one and is about to continue.
    Acquiring {
        /// The number of semaphores that it holds: the first ones.
        held: usize,
        /// Its place in the queue of the next semaphore, while it waits.
        ticket: Option<Ticket>,
    },
    /// A check runs.
    Running {
        /// What happens next if it does not end.
        escalation: Option<(Time, Escalation)>,
        /// Whether it has timed out.
        timed_out: bool,
        /// Whether it was cancelled because watching failed or the agent stops, which does not count as a failure.
        interrupted: bool,
    },
    /// The last check failed; the next attempt starts at that time.
    RetryDelay(Time),
    /// As [`Phase::RetryDelay`], after the attempts of `Meta:retry`. An event may bring the time forward.
    BackOff(Time),
    /// The rate limit allows no check before that time.
    Limited(Time),
}

/// A transfer into a parameter of the vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Incoming {
    pub(super) from: VertexKey,
    pub(super) from_member: usize,
    pub(super) from_key: Arc<str>,
    pub(super) member: usize,
    pub(super) key: Arc<str>,
}

/// What a vertex sends and receives.
#[derive(Clone, Debug, Default)]
pub(super) struct DataFlow {
    pub(super) incoming: Vec<Incoming>,
    /// The values that it sent last.
    pub(super) sent: Vec<Sent>,
    /// Received values that override the declared parameters.
    pub(super) received: Vec<Received>,
    /// The received parameters that changed since the last successful check.
    pub(super) changed: Vec<(usize, Arc<str>)>,
}

/// The flow of a vertex that neither sends nor receives.
static NO_FLOW: DataFlow =
    DataFlow { incoming: Vec::new(), sent: Vec::new(), received: Vec::new(), changed: Vec::new() };

/// Vertices with an edge to or from another one, and whether it notifies. Most have one or two.
pub(super) type Neighbours = SmallVec<[(VertexKey, bool); 2]>;

/// The state of a vertex as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Waiting,
    Running,
    Done,
    Failed,
}

#[derive(Clone, Debug)]
pub(super) struct Vertex {
    pub(super) group: Group,
    /// Its place among the groups of the graph.
    pub(super) position: u32,
    /// Whether [`crate::Command::Create`] was returned.
    pub(super) created: bool,
    /// Whether a notification makes it run a check.
    pub(super) refreshable: bool,
    /// Without duplicates, in an order that is the same for all vertices: by id, but the one that all have comes last.
    pub(super) semaphores: Box<[Arc<str>]>,
    /// The direct dependents, and whether a change refreshes them.
    pub(super) successors: Neighbours,
    /// The direct prerequisites, likewise.
    pub(super) predecessors: Neighbours,
    /// `None` for the many vertices that neither send nor receive.
    flow: Option<Box<DataFlow>>,

    pub(super) watch: WatchState,
    pub(super) watch_epoch: u32,
    pub(super) watch_failures: u32,
    /// The number of watches that failed in a row after those that `Meta:retry` covers.
    pub(super) watch_failures_in_a_row: u16,
    /// When its watches were last in place.
    pub(super) watch_since: Option<Time>,
    pub(super) phase: Phase,
    /// Whether it needs a check.
    pub(super) dirty: bool,
    /// Whether an event came since the last check started; only then the rate limit applies.
    pub(super) event: bool,
    pub(super) limiter: Option<Box<Limiter>>,
    /// Whether no further attempt follows: only in an engine that checks everything once.
    pub(super) given_up: bool,
    /// The failures since the last success.
    pub(super) failures: Option<Box<FailureSeries>>,
    /// Whether the last check that was not interrupted succeeded.
    pub(super) succeeded: bool,
    /// Whether a failed check announced changes. The next success then counts as a change.
    pub(super) unreported_change: bool,
    /// The resources with a notifying edge to this one that changed since its last successful check.
    pub(super) pending_notifications: Rare<BTreeSet<ResourceId>>,
    /// The notifications that the running check handles.
    pub(super) taken_notifications: Rare<BTreeSet<ResourceId>>,
    pub(super) unsettled_predecessors: u32,
    /// Whether it and all its prerequisites are good; updated by `Engine::update_caches`.
    pub(super) settled: bool,
    /// The cached result of [`Vertex::is_active`].
    pub(super) active: bool,
    /// The cached result of [`Vertex::condition`].
    pub(super) counted_as: Condition,
    /// Whether it is in the queue of touched vertices.
    pub(super) queued: bool,
    /// Whether it is in the queue of vertices to start.
    pub(super) ready: bool,
    /// Its entry in the timers of the engine.
    pub(super) timer: Option<Time>,

    /// Whether it left the graph. It is removed when its running check ends.
    pub(super) retiring: bool,
    /// The dependents that the agent may have recorded as to be notified, in the checks since the last success. It holds
    /// each of these records.
    pub(super) recorded_targets: Rare<Vec<ResourceId>>,
    /// When it polls next.
    pub(super) poll_at: Option<Time>,
}

impl Vertex {
    /// Creates a vertex that has these semaphores besides those that its resources declare.
    pub(super) fn new(
        group: Group,
        refreshable: bool,
        mut semaphores: Vec<Arc<str>>,
        common_semaphore: Option<&Arc<str>>,
        now: Time,
    ) -> Vertex {
        semaphores.extend(group.iter().flat_map(|r| &r.meta.sema).map(|s| Arc::from(s.as_str())));
        semaphores.sort();
        semaphores.dedup();
        if let Some(common) = common_semaphore {
            semaphores.retain(|id| id != common);
            semaphores.push(common.clone());
        }
        let limiter = Limiter::new(group[0].meta.limit, group[0].meta.burst, now).map(Box::new);
        Vertex {
            group,
            position: 0,
            created: false,
            refreshable,
            semaphores: semaphores.into(),
            successors: Neighbours::new(),
            predecessors: Neighbours::new(),
            flow: None,
            watch: WatchState::WaitingForRemovals,
            watch_epoch: 0,
            watch_failures: 0,
            watch_failures_in_a_row: 0,
            watch_since: None,
            phase: Phase::Idle,
            dirty: true,
            event: false,
            limiter,
            given_up: false,
            failures: None,
            succeeded: false,
            unreported_change: false,
            pending_notifications: Rare::default(),
            taken_notifications: Rare::default(),
            unsettled_predecessors: 0,
            settled: false,
            active: true,
            counted_as: Condition::Waiting,
            queued: false,
            ready: false,
            timer: None,
            retiring: false,
            recorded_targets: Rare::default(),
            poll_at: None,
        }
    }

    /// Returns what it sends and receives.
    pub(super) fn flow(&self) -> &DataFlow {
        self.flow.as_deref().unwrap_or(&NO_FLOW)
    }

    /// Returns what it sends and receives, to add to it.
    pub(super) fn flow_mut(&mut self) -> &mut DataFlow {
        self.flow.get_or_insert_default()
    }

    /// Forgets from where it receives.
    pub(super) fn disconnect(&mut self) {
        if let Some(flow) = &mut self.flow {
            flow.incoming.clear();
        }
    }

    /// Forgets from where it receives, and returns it.
    pub(super) fn take_incoming(&mut self) -> Vec<Incoming> {
        self.flow.as_mut().map_or_else(Vec::new, |flow| std::mem::take(&mut flow.incoming))
    }

    /// Receives from another vertex what it received from `old`.
    pub(super) fn rename_sender(&mut self, old: VertexKey, new: VertexKey) {
        let incoming = self.flow.iter_mut().flat_map(|flow| &mut flow.incoming);
        incoming.filter(|incoming| incoming.from == old).for_each(|incoming| incoming.from = new);
    }

    /// Replaces the values that it sent last, after a check that used all that it had received.
    pub(super) fn set_sent(&mut self, sent: Vec<Sent>) {
        if self.flow.is_some() || !sent.is_empty() {
            let flow = self.flow_mut();
            flow.changed.clear();
            flow.sent = sent;
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

    /// Whether it is ever checked. A hidden resource only orders others, unless it is exported.
    pub(super) fn runs(&self) -> bool {
        !self.meta().hidden || !self.meta().export.is_empty()
    }

    /// Whether it needs no check, runs none, and has not failed.
    pub(super) fn is_good(&self) -> bool {
        !self.dirty && !self.given_up && self.phase == Phase::Idle && self.watch == WatchState::Active
    }

    /// Whether a check can start as far as the vertex itself is concerned.
    pub(super) fn may_start(&self) -> bool {
        self.dirty
            && !self.given_up
            && self.phase == Phase::Idle
            && self.watch == WatchState::Active
            && self.unsettled_predecessors == 0
    }

    /// Returns the state that is shown.
    pub(super) fn condition(&self) -> Condition {
        if self.given_up || self.is_failing() {
            Condition::Failed
        } else if self.is_running() {
            Condition::Running
        } else if self.is_good() {
            Condition::Done
        } else {
            Condition::Waiting
        }
    }

    /// Whether its last check or its watches failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failures.is_some() || matches!(self.watch, WatchState::Retry(_) | WatchState::BackOff(_))
    }

    /// Whether it is failing and the attempts of `Meta:retry` are used up.
    pub(super) fn is_exhausted(&self) -> bool {
        self.given_up
            || self.failures.as_ref().is_some_and(|failures| failures.is_exhausted())
            || matches!(self.watch, WatchState::BackOff(_))
    }

    /// Whether something runs or is due that will end. A failing vertex with unlimited attempts, or with those of
    /// `Meta:retry` used up, does not count, because the host would never converge (spec 06 §6.4); nor does one that waits
    /// for others.
    pub(super) fn is_active(&self) -> bool {
        if self.is_exhausted() || (self.is_failing() && self.meta().retry < 0) {
            return false;
        }
        match self.phase {
            Phase::Running { .. } | Phase::RetryDelay(_) => true,
            Phase::Idle | Phase::Acquiring { .. } | Phase::BackOff(_) | Phase::Limited(_) => {
                self.watch != WatchState::Active || (self.dirty && self.unsettled_predecessors == 0)
            }
        }
    }

    /// Marks it as in need of a check, and brings the next attempt forward if it backs off.
    pub(super) fn request_check(&mut self, now: Time) {
        if self.given_up {
            return;
        }
        self.dirty = true;
        if let (Phase::BackOff(at), Some(failures)) = (self.phase, &self.failures) {
            self.phase = Phase::BackOff(at.min(failures.earliest_after_event().max(now)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertex_without_data_flow_needs_little_memory() {
        // There is one for each resource, up to hundreds of thousands.
        assert!(size_of::<Vertex>() <= 264, "{} bytes", size_of::<Vertex>());
    }
}
