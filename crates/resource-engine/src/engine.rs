//! The state machine: events, timers, and the queue of vertices to start.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexSet;
use resource_graph::{Resource, ResourceId};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::claims::Removals;
use crate::event::{Command, Event, Report, StopLevel, Time};
use crate::key::VertexKey;
use crate::leader_index::LeaderIndex;
use crate::records::Records;
use crate::semaphores::Semaphores;
use crate::timers::Timers;
use crate::vertex::{Escalation, Phase, Vertex, WatchState};

/// How long a cancelled check may run before it is killed, and a removed one before it is cancelled, unless
/// [`Config::cancel_timeout`] says otherwise.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(30);

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct Config {
    /// Change nothing, whatever the meta parameters say.
    pub noop: bool,
    /// Check everything once and watch nothing.
    pub once: bool,
    /// Report convergence after this long without a change.
    pub converged_timeout: Option<Time>,
    /// Whether a notification has an effect on a resource.
    pub refreshable: Option<fn(&Resource) -> bool>,
    /// Returns names of what a resource touches besides its id, such as the path that it writes. An added vertex waits for
    /// the running check of a removed one if they have a name in common.
    pub claims: Option<fn(&Resource) -> Vec<String>>,
    /// Returns names of what a check of a resource must have for itself, such as the file that several resources edit. Checks
    /// with a name in common run one after the other, in the order in which they become ready; if everything is checked once,
    /// in the order of the graph, as far as none fails.
    pub exclusive: Option<fn(&Resource) -> Vec<String>>,
    /// How long a check may run after it was cancelled, before it is killed, and after its vertex left the graph, before it
    /// is cancelled. 30 seconds by default.
    pub cancel_timeout: Duration,
    /// Maximum number of checks that run in parallel (`--sema`).
    pub max_parallel: Option<u32>,
    /// Maximum number of checks and watches that one step starts; `None` for no limit. The next step is then due at once.
    /// So the first checks run while others are still being started.
    pub max_starts_per_step: Option<usize>,
    /// The notifications that an earlier run did not deliver, each from the first resource to the second.
    pub undelivered: Vec<(ResourceId, ResourceId)>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            noop: false,
            once: false,
            converged_timeout: None,
            refreshable: None,
            claims: None,
            exclusive: None,
            cancel_timeout: CANCEL_TIMEOUT,
            max_parallel: None,
            max_starts_per_step: None,
            undelivered: Vec::new(),
        }
    }
}

/// Counts of vertices, to show progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// All vertices of the graph.
    pub total: usize,
    /// Those in their desired state.
    pub done: usize,
    /// Those being checked.
    pub running: usize,
    /// Those that failed, whether or not another attempt follows.
    pub failed: usize,
    /// All others.
    pub waiting: usize,
    /// The result of [`Engine::is_quiet`].
    pub quiet: bool,
}

/// The state machine. The documentation of the crate lists its rules.
pub struct Engine {
    pub(super) config: Config,
    pub(super) vertices: Vec<Option<Vertex>>,
    pub(super) free: Vec<VertexKey>,
    /// The vertices of the graph by the id of their leader.
    pub(super) by_id: LeaderIndex,
    /// The vertices of the graph by the ids of their other members.
    pub(super) by_member: FxHashMap<ResourceId, Vec<VertexKey>>,
    /// The vertices of a plan whose results are known only when it is applied ([`Engine::mark_unknown`]).
    pub(super) unknown: FxHashSet<VertexKey>,
    /// The attempts used by resources that ever failed. The counts survive graph swaps (spec 06 §3.7).
    pub(super) retry_counts: FxHashMap<ResourceId, u32>,
    pub(super) semaphores: Semaphores,
    /// The semaphore that all vertices have, because of [`Config::max_parallel`].
    pub(super) common_semaphore: Option<Arc<str>>,
    /// Vertices that acquired a semaphore that they waited for, to go on before the step ends.
    pub(super) granted: VecDeque<VertexKey>,
    pub(super) records: Records,
    pub(super) timers: Timers,
    /// Touched vertices, to be examined before the step ends.
    pub(super) queue: VecDeque<VertexKey>,
    /// Examined vertices, to be started if possible.
    pub(super) ready: VecDeque<VertexKey>,
    /// Whether an added vertex begins before the next one of `ready` starts. They take turns, so that neither waits forever.
    pub(super) is_turn_of_added: bool,
    pub(super) commands: Vec<Command>,
    pub(super) now: Time,
    pub(super) paused: bool,
    /// Epochs are unique over all vertices, because keys are reused.
    pub(super) last_epoch: u32,
    pub(super) stopping: Option<StopLevel>,
    pub(super) stopped: bool,
    pub(super) running: usize,
    pub(super) active: usize,
    pub(super) total: usize,
    /// The number of vertices of the graph in each condition.
    pub(super) conditions: [usize; 4],
    /// The number of edges between vertices.
    pub(super) edge_count: usize,
    /// The edges that order vertices with an exclusive name in common.
    pub(super) order_edges: IndexSet<(VertexKey, VertexKey), FxBuildHasher>,
    /// The vertices that start again with the next graph, even if they do not change (`Meta:rewatch`).
    pub(super) to_revive: BTreeSet<VertexKey>,
    pub(super) removals: Removals,
    pub(super) has_graph: bool,
    pub(super) last_activity: Time,
    pub(super) converged: bool,
    /// The number of vertices that were looked at.
    #[cfg(test)]
    pub(super) visited: std::cell::Cell<usize>,
}

impl Engine {
    /// Makes an engine without a graph.
    #[must_use]
    pub fn new(config: Config) -> Engine {
        let common_semaphore = config.max_parallel.map(|limit| format!(":{limit}").into());
        Engine {
            config,
            vertices: Vec::new(),
            free: Vec::new(),
            by_id: LeaderIndex::default(),
            by_member: FxHashMap::default(),
            unknown: FxHashSet::default(),
            retry_counts: FxHashMap::default(),
            semaphores: Semaphores::default(),
            common_semaphore,
            granted: VecDeque::new(),
            records: Records::default(),
            timers: Timers::default(),
            queue: VecDeque::new(),
            ready: VecDeque::new(),
            is_turn_of_added: false,
            commands: Vec::new(),
            now: Time::ZERO,
            paused: false,
            last_epoch: 0,
            stopping: None,
            stopped: false,
            running: 0,
            active: 0,
            total: 0,
            conditions: [0; 4],
            edge_count: 0,
            order_edges: IndexSet::default(),
            to_revive: BTreeSet::new(),
            removals: Removals::default(),
            has_graph: false,
            last_activity: Time::ZERO,
            converged: false,
            #[cfg(test)]
            visited: std::cell::Cell::default(),
        }
    }

    /// Handles one event and returns the commands that follow. Time must not decrease.
    pub fn step(&mut self, event: Event, now: Time) -> Vec<Command> {
        self.now = self.now.max(now);
        match event {
            Event::Swap(graph) => self.swap(*graph),
            Event::Patch(groups) => self.patch(groups),
            Event::Watching(key, epoch) => self.watching(key, epoch),
            Event::Fired(key) => self.fired(key),
            Event::WatchFailed(key, epoch, failure) => self.watch_failed(key, epoch, failure),
            Event::Finished(key, finished) => self.finished(key, finished),
            Event::Tick => {}
            Event::Pause => self.paused = true,
            Event::Resume => self.resume(),
            Event::Stop(level) => self.stop(level),
        }
        self.run_timers();
        self.run_queue();
        self.end_order();
        self.update_convergence();
        if self.stopping.is_some() && self.running == 0 && !self.stopped {
            self.stopped = true;
            self.commands.push(Command::Report(Report::Stopped));
        }
        std::mem::take(&mut self.commands)
    }

    /// Returns when [`Event::Tick`] is due at the latest; `None` for never.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        if self.has_deferred_starts() {
            return Some(self.now);
        }
        let timer = self.timers.next();
        let converge = (!self.converged && self.is_quiet())
            .then(|| self.config.converged_timeout.map(|t| self.last_activity + t))
            .flatten();
        [timer, converge].into_iter().flatten().min()
    }

    /// Whether a graph is in force and nothing runs or is due that will end by itself. Vertices that wait for a failed one,
    /// and failing ones with unlimited attempts or after those of `Meta:retry`, are quiet.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.has_graph && self.active == 0 && self.removals.running == 0
    }

    /// Returns the numbers of vertices by state.
    #[must_use]
    pub fn status(&self) -> Status {
        let [waiting, running, done, failed] = self.conditions;
        Status { total: self.total, done, running, failed, waiting, quiet: self.is_quiet() }
    }

    /// Returns the vertices that wait for others, each with the first that it waits for. A vertex that was in its desired
    /// state and is about to be checked again does not count.
    pub fn blocked(&self) -> impl Iterator<Item = (VertexKey, VertexKey)> {
        let waits = |v: &Vertex| v.dirty && !v.is_exhausted() && !v.succeeded && v.unsettled_predecessors > 0;
        self.live().filter(move |(_, v)| waits(v)).filter_map(|(key, v)| {
            let (on, _) = v.predecessors.iter().find(|(p, _)| self.get(*p).is_some_and(|p| !p.settled))?;
            Some((key, *on))
        })
    }

    /// Returns the number of vertices that were in their desired state at their last check, even if they are about to be
    /// checked again.
    #[must_use]
    pub fn applied(&self) -> usize {
        self.live().filter(|(_, v)| v.is_good() || (v.succeeded && !v.is_exhausted())).count()
    }

    /// Returns the resources that failed and have not succeeded since.
    pub fn failing(&self) -> impl Iterator<Item = &ResourceId> {
        self.live().filter(|(_, v)| v.is_failing()).map(|(_, v)| v.id())
    }

    /// Returns whether the graph contains a resource.
    #[must_use]
    pub fn contains(&self, id: &ResourceId) -> bool {
        self.by_id.find(id, &self.vertices).next().is_some() || self.by_member.contains_key(id)
    }

    /// Returns the resources of the groups whose leader has this id.
    pub fn resources_of<'a>(&'a self, id: &'a ResourceId) -> impl Iterator<Item = &'a Resource> {
        self.by_id.find(id, &self.vertices).filter_map(|key| self.get(key)).flat_map(|vertex| vertex.group.iter())
    }

    /// Returns the id of a vertex.
    #[must_use]
    pub fn id(&self, key: VertexKey) -> Option<&ResourceId> {
        self.get(key).map(Vertex::id)
    }

    pub(super) fn live(&self) -> impl Iterator<Item = (VertexKey, &Vertex)> {
        let numbered = self.vertices.iter().enumerate();
        #[cfg(test)]
        self.visited.set(self.visited.get() + self.vertices.len());
        numbered.filter_map(|(i, v)| Some((VertexKey(i as u32), v.as_ref()?))).filter(|(_, v)| !v.retiring)
    }

    pub(super) fn get(&self, key: VertexKey) -> Option<&Vertex> {
        #[cfg(test)]
        self.visited.set(self.visited.get() + 1);
        self.vertices.get(key.index())?.as_ref()
    }

    pub(super) fn get_mut(&mut self, key: VertexKey) -> Option<&mut Vertex> {
        #[cfg(test)]
        self.visited.set(self.visited.get() + 1);
        self.vertices.get_mut(key.index())?.as_mut()
    }

    /// Marks the vertex to be examined before the step ends.
    pub(super) fn touch(&mut self, key: VertexKey) {
        let Some(vertex) = self.vertices.get_mut(key.index()).and_then(Option::as_mut) else { return };
        if !vertex.queued {
            vertex.queued = true;
            self.queue.push_back(key);
        }
    }

    /// Marks the vertex as in need of a check.
    pub(super) fn request_check(&mut self, key: VertexKey) {
        let now = self.now;
        if let Some(vertex) = self.get_mut(key) {
            vertex.request_check(now);
            self.schedule(key);
            self.touch(key);
        }
    }

    /// Whether the last step left vertices to start to the next one.
    fn has_deferred_starts(&self) -> bool {
        !self.ready.is_empty() || !self.granted.is_empty() || self.may_start_added()
    }

    /// Examines touched vertices: first updates their caches until nothing changes, then starts what can start. So no check
    /// starts on counts that are about to change.
    pub(super) fn run_queue(&mut self) {
        let end = self.config.max_starts_per_step.map_or(usize::MAX, |max| self.commands.len() + max);
        loop {
            while let Some(key) = self.queue.pop_front() {
                let Some(vertex) = self.get_mut(key) else { continue };
                vertex.queued = false;
                if vertex.retiring {
                    continue;
                }
                let is_new = vertex.may_start() && !std::mem::replace(&mut vertex.ready, true);
                self.update_caches(key);
                self.schedule(key);
                if is_new {
                    self.ready.push_back(key);
                }
            }
            if self.commands.len() >= end {
                return;
            }
            if let Some(key) = self.granted.pop_front() {
                self.granted(key);
                continue;
            }
            self.is_turn_of_added = !self.is_turn_of_added;
            if self.may_start_added() && (self.is_turn_of_added || self.ready.is_empty()) {
                self.start_added();
            } else if let Some(key) = self.ready.pop_front() {
                if let Some(vertex) = self.get_mut(key) {
                    vertex.ready = false;
                }
                self.try_start(key);
                self.touch_if_started(key);
            } else if !self.may_start_added() {
                return;
            }
        }
    }

    /// Starting a vertex changes only whether it is active, and how it is counted.
    fn touch_if_started(&mut self, key: VertexKey) {
        if let Some(vertex) = self.get(key)
            && (vertex.active != vertex.is_active() || vertex.counted_as != vertex.condition())
        {
            self.touch(key);
        }
    }

    fn update_caches(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let (may_revive, is_exhausted) = (vertex.meta().rewatch, vertex.is_exhausted());
        let active = vertex.is_active();
        let was_active = std::mem::replace(&mut vertex.active, active);
        let condition = vertex.condition();
        let before = std::mem::replace(&mut vertex.counted_as, condition);
        let settled = vertex.is_good() && vertex.unsettled_predecessors == 0;
        let was_settled = std::mem::replace(&mut vertex.settled, settled);
        self.active = self.active + usize::from(active) - usize::from(was_active);
        self.conditions[before as usize] -= 1;
        self.conditions[condition as usize] += 1;
        if may_revive && is_exhausted {
            self.to_revive.insert(key);
        } else if may_revive {
            self.to_revive.remove(&key);
        }
        if settled == was_settled {
            return;
        }
        let successors = std::mem::take(&mut self.get_mut(key).expect("looked up above").successors);
        for &(to, _) in &successors {
            let Some(successor) = self.get_mut(to) else { continue };
            if settled {
                successor.unsettled_predecessors -= 1;
            } else {
                successor.unsettled_predecessors += 1;
            }
            self.touch(to);
        }
        self.get_mut(key).expect("looked up above").successors = successors;
    }

    fn run_timers(&mut self) {
        while let Some(key) = self.take_due() {
            self.timer(key);
            self.schedule(key);
        }
    }

    /// Handles the deadline of the vertex. Its state determines which one it is.
    fn timer(&mut self, key: VertexKey) {
        let now = self.now;
        let due = |at: Time| at <= now;
        let Some(vertex) = self.get_mut(key) else { return };
        if vertex.poll_at.is_some_and(due) && !vertex.retiring {
            let period = Time::from_secs(vertex.meta().poll.unsigned_abs().into());
            vertex.poll_at = Some(now + period);
            vertex.event = true;
            self.request_check(key);
        }
        let Some(vertex) = self.get_mut(key) else { return };
        match vertex.phase {
            Phase::RetryDelay(at) | Phase::BackOff(at) | Phase::Limited(at) if due(at) => {
                vertex.phase = Phase::Idle;
                vertex.event = false;
                self.touch(key);
            }
            Phase::Running { escalation: Some((at, escalation)), .. } if due(at) => self.escalate(key, escalation),
            Phase::Idle
            | Phase::Acquiring { .. }
            | Phase::Running { .. }
            | Phase::RetryDelay(_)
            | Phase::BackOff(_)
            | Phase::Limited(_) => {}
        }
        let Some(vertex) = self.get_mut(key) else { return };
        if let WatchState::Retry(at) | WatchState::BackOff(at) = vertex.watch
            && due(at)
            && !vertex.is_running()
            && !vertex.retiring
        {
            self.start_watching(key);
        }
    }

    /// Cancels or kills a check that does not end.
    fn escalate(&mut self, key: VertexKey, escalation: Escalation) {
        let kill_at = self.now + self.config.cancel_timeout;
        let Some(vertex) = self.get_mut(key) else { return };
        let Phase::Running { escalation: next, timed_out, .. } = &mut vertex.phase else { return };
        *timed_out |= escalation == Escalation::Timeout;
        let command = match escalation {
            Escalation::Timeout | Escalation::Cancel => {
                *next = Some((kill_at, Escalation::Kill));
                Command::Cancel(key)
            }
            Escalation::Kill => {
                *next = None;
                Command::Kill(key)
            }
        };
        self.commands.push(command);
    }

    fn fired(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        if vertex.retiring || vertex.given_up || vertex.watch != WatchState::Active || vertex.meta().hidden {
            return;
        }
        vertex.event = true;
        self.request_check(key);
    }

    fn resume(&mut self) {
        self.paused = false;
        for i in 0..self.vertices.len() {
            self.touch(VertexKey(i as u32));
        }
    }

    fn stop(&mut self, level: StopLevel) {
        let level = self.stopping.map_or(level, |l| l.max(level));
        self.stopping = Some(level);
        if level == StopLevel::Finish {
            return;
        }
        for i in 0..self.vertices.len() {
            let key = VertexKey(i as u32);
            let Some(vertex) = self.get_mut(key) else { continue };
            if let Phase::Running { interrupted, .. } = &mut vertex.phase {
                *interrupted = true;
                let kill = level == StopLevel::Kill;
                self.commands.push(if kill { Command::Kill(key) } else { Command::Cancel(key) });
            }
        }
    }

    /// Restarts the time until convergence after a change or a failure.
    pub(super) fn note_activity(&mut self) {
        self.last_activity = self.now;
        if self.converged {
            self.converged = false;
            self.commands.push(Command::Report(Report::Diverged));
        }
    }

    fn update_convergence(&mut self) {
        let Some(timeout) = self.config.converged_timeout else { return };
        if !self.converged && self.is_quiet() && self.now >= self.last_activity + timeout {
            self.converged = true;
            self.commands.push(Command::Report(Report::Converged));
        }
    }
}
