//! The state machine.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use resource_graph::{Resource, ResourceId};
use rustc_hash::FxHashMap;

use crate::semaphores::Semaphores;
use crate::vertex::{Phase, Vertex, WatchState};
use crate::{Command, Event, Report, StopLevel, Time, VertexKey};

/// How the engine is to behave, for its whole life.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Change nothing, whatever the resources say.
    pub noop: bool,
    /// Check everything once; watch nothing.
    pub once: bool,
    /// Report convergence after that much quiet.
    pub converged_timeout: Option<Time>,
    /// The resources that do something on a notification.
    pub refreshable: Option<fn(&Resource) -> bool>,
    /// At most that many checks at a time (`--sema`).
    pub max_parallel: Option<u32>,
    /// A step that starts this many checks or watches leaves the rest to the next one, which is due at once: so the first
    /// checks run while the last ones are still being started. `None` for no limit.
    pub slice: Option<usize>,
    /// Notifications that an earlier run did not deliver: from, to.
    pub undelivered: Vec<(ResourceId, ResourceId)>,
}

/// Figures for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Vertices of the graph.
    pub total: usize,
    /// In their state.
    pub done: usize,
    /// Being checked.
    pub running: usize,
    /// Failed: waiting for another attempt, or for good.
    pub failed: usize,
    /// All others.
    pub waiting: usize,
    /// As [`Engine::is_quiet`] says.
    pub quiet: bool,
}

/// The core. See the module's head for the rules it keeps.
pub struct Engine {
    pub(super) config: Config,
    pub(super) vertices: Vec<Option<Vertex>>,
    pub(super) free: Vec<VertexKey>,
    pub(super) by_id: FxHashMap<ResourceId, Vec<VertexKey>>,
    /// Attempts used up, of vertices that ever failed (spec 06 §3.7: they survive graph swaps).
    pub(super) spent: FxHashMap<ResourceId, u32>,
    pub(super) semaphores: Semaphores,
    pub(super) timers: BinaryHeap<Reverse<(Time, VertexKey)>>,
    /// Vertices whose situation changed, to be looked at before the step ends.
    pub(super) queue: VecDeque<VertexKey>,
    /// Touched vertices whose caches are up to date: to be started if possible.
    ready: VecDeque<VertexKey>,
    pub(super) commands: Vec<Command>,
    pub(super) now: Time,
    pub(super) paused: bool,
    /// A swap is half done: edges and counts do not hold.
    pub(super) swapping: bool,
    /// Epochs are unique over all vertices: a slot may be reused.
    pub(super) last_epoch: u32,
    pub(super) stopping: Option<StopLevel>,
    pub(super) stopped: bool,
    pub(super) running: usize,
    pub(super) active: usize,
    pub(super) total: usize,
    /// Removed vertices whose check still runs; added ones wait for them.
    pub(super) retiring: usize,
    pub(super) gated: VecDeque<VertexKey>,
    pub(super) has_graph: bool,
    pub(super) last_activity: Time,
    pub(super) converged: bool,
}

impl Engine {
    /// An engine without a graph.
    #[must_use]
    pub fn new(config: Config) -> Engine {
        Engine {
            config,
            vertices: Vec::new(),
            free: Vec::new(),
            by_id: FxHashMap::default(),
            spent: FxHashMap::default(),
            semaphores: Semaphores::default(),
            timers: BinaryHeap::new(),
            queue: VecDeque::new(),
            ready: VecDeque::new(),
            commands: Vec::new(),
            now: Time::ZERO,
            paused: false,
            swapping: false,
            last_epoch: 0,
            stopping: None,
            stopped: false,
            running: 0,
            active: 0,
            total: 0,
            retiring: 0,
            gated: VecDeque::new(),
            has_graph: false,
            last_activity: Time::ZERO,
            converged: false,
        }
    }

    /// Takes in one event and says what to do. Time must not run backwards.
    pub fn step(&mut self, event: Event, now: Time) -> Vec<Command> {
        self.now = self.now.max(now);
        match event {
            Event::Swap(graph) => self.swap(*graph),
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
        self.update_convergence();
        if self.stopping.is_some() && self.running == 0 && !self.stopped {
            self.stopped = true;
            self.commands.push(Command::Report(Report::Stopped));
        }
        std::mem::take(&mut self.commands)
    }

    /// When [`Event::Tick`] is due at the latest.
    #[must_use]
    pub fn deadline(&self) -> Option<Time> {
        if self.is_sliced() {
            return Some(self.now);
        }
        let timer = self.timers.peek().map(|Reverse((at, _))| *at);
        let converge = (!self.converged && self.is_quiet())
            .then(|| self.config.converged_timeout.map(|t| self.last_activity + t))
            .flatten();
        [timer, converge].into_iter().flatten().min()
    }

    /// Whether a graph is in force and nothing is under way or due that will end by itself. Vertices that wait for a
    /// failed one, and those that fail with attempts without limit, are quiet.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.has_graph && self.active == 0 && self.retiring == 0
    }

    /// Figures for people; looks at every vertex.
    #[must_use]
    pub fn status(&self) -> Status {
        let mut status = Status { total: self.total, quiet: self.is_quiet(), ..Status::default() };
        for vertex in self.vertices.iter().flatten().filter(|v| !v.retiring) {
            if vertex.dead || vertex.failing {
                status.failed += 1;
            } else if vertex.is_running() {
                status.running += 1;
            } else if vertex.is_good() {
                status.done += 1;
            } else {
                status.waiting += 1;
            }
        }
        status
    }

    /// The vertices that wait for others, each with the first that it waits for. One that was in its state and is about to
    /// be looked at again is not among them.
    pub fn blocked(&self) -> impl Iterator<Item = (VertexKey, VertexKey)> {
        let waits = |v: &Vertex| v.dirty && !v.dead && !v.succeeded && v.unsettled_predecessors > 0;
        self.live().filter(move |(_, v)| waits(v)).filter_map(|(key, v)| {
            let on = v.predecessors.iter().find(|p| self.get(**p).is_some_and(|p| !p.settled))?;
            Some((key, *on))
        })
    }

    /// How many vertices were in their state when they were looked at last, even if they were about to be looked at again.
    #[must_use]
    pub fn applied(&self) -> usize {
        self.live().filter(|(_, v)| v.is_good() || (v.succeeded && !v.dead)).count()
    }

    /// The resources that failed last and did not succeed since.
    pub fn failing(&self) -> impl Iterator<Item = &ResourceId> {
        self.live().filter(|(_, v)| v.dead || v.failing).map(|(_, v)| v.id())
    }

    /// The identity of a vertex.
    #[must_use]
    pub fn id(&self, key: VertexKey) -> Option<&ResourceId> {
        self.get(key).map(Vertex::id)
    }

    pub(super) fn live(&self) -> impl Iterator<Item = (VertexKey, &Vertex)> {
        let numbered = self.vertices.iter().enumerate();
        numbered.filter_map(|(i, v)| Some((VertexKey(i as u32), v.as_ref()?))).filter(|(_, v)| !v.retiring)
    }

    pub(super) fn get(&self, key: VertexKey) -> Option<&Vertex> {
        self.vertices.get(key.index())?.as_ref()
    }

    pub(super) fn get_mut(&mut self, key: VertexKey) -> Option<&mut Vertex> {
        self.vertices.get_mut(key.index())?.as_mut()
    }

    /// Notes that the vertex has to be looked at before the step ends.
    pub(super) fn touch(&mut self, key: VertexKey) {
        let Some(vertex) = self.vertices.get_mut(key.index()).and_then(Option::as_mut) else { return };
        if !vertex.queued {
            vertex.queued = true;
            self.queue.push_back(key);
        }
    }

    pub(super) fn set_timer(&mut self, at: Time, key: VertexKey) {
        self.timers.push(Reverse((at, key)));
    }

    /// Whether the last step left something to start to the next one.
    fn is_sliced(&self) -> bool {
        !self.ready.is_empty() || (self.may_open_gate() && !self.gated.is_empty())
    }

    /// Looks at touched vertices: first recomputes what others see of them until nothing flips any more, then starts
    /// what can start. So no check starts on counts that are about to change.
    fn run_queue(&mut self) {
        let end = self.config.slice.map_or(usize::MAX, |slice| self.commands.len() + slice);
        loop {
            while let Some(key) = self.queue.pop_front() {
                let Some(vertex) = self.get_mut(key) else { continue };
                vertex.queued = false;
                if !vertex.retiring {
                    self.update_caches(key);
                    self.ready.push_back(key);
                }
            }
            if self.commands.len() >= end {
                return;
            }
            if let Some(key) = self.ready.pop_front() {
                self.try_start(key);
                self.touch_if_started(key);
            } else if !self.open_gate() {
                return;
            }
        }
    }

    /// A vertex that just started looks different to others only in being active.
    fn touch_if_started(&mut self, key: VertexKey) {
        if let Some(vertex) = self.get(key)
            && vertex.active != vertex.is_active()
        {
            self.touch(key);
        }
    }

    fn update_caches(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let active = vertex.is_active();
        let was_active = std::mem::replace(&mut vertex.active, active);
        let settled = vertex.is_good() && vertex.unsettled_predecessors == 0;
        let was_settled = std::mem::replace(&mut vertex.settled, settled);
        self.active = self.active + usize::from(active) - usize::from(was_active);
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
        while let Some(Reverse((at, key))) = self.timers.peek().copied() {
            if at > self.now {
                break;
            }
            self.timers.pop();
            self.timer(key);
        }
    }

    /// A timer of the vertex fired; which one is told by its state, so outdated ones do nothing.
    fn timer(&mut self, key: VertexKey) {
        let now = self.now;
        let Some(vertex) = self.get_mut(key) else { return };
        let due = |at: Time| at <= now;
        if vertex.poll_at.is_some_and(due) && !vertex.retiring && !vertex.dead {
            let period = Time::from_secs(vertex.meta().poll.unsigned_abs().into());
            vertex.poll_at = Some(now + period);
            vertex.dirty = true;
            vertex.event = true;
            self.set_timer(now + period, key);
            self.touch(key);
        }
        let Some(vertex) = self.get_mut(key) else { return };
        match vertex.phase {
            Phase::RetryDelay(at) | Phase::Limited(at) if due(at) => {
                vertex.phase = Phase::Idle;
                vertex.event = false;
                self.touch(key);
            }
            Phase::Running { deadline: Some(at), timed_out: false, interrupted } if due(at) => {
                vertex.phase = Phase::Running { deadline: Some(at), timed_out: true, interrupted };
                self.commands.push(Command::Cancel(key));
            }
            Phase::Idle
            | Phase::Acquiring { .. }
            | Phase::Running { .. }
            | Phase::RetryDelay(_)
            | Phase::Limited(_) => {}
        }
        let Some(vertex) = self.get_mut(key) else { return };
        if let WatchState::Retry(at) = vertex.watch
            && due(at)
            && !vertex.is_running()
            && !vertex.retiring
        {
            self.arm(key);
        }
    }

    fn fired(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        if vertex.retiring || vertex.dead || vertex.watch != WatchState::On || vertex.meta().hidden {
            return;
        }
        vertex.dirty = true;
        vertex.event = true;
        self.touch(key);
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

    /// Something changed or failed: quiet begins anew.
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
