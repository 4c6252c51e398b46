//! The state of the engine, and its rounds of evaluation.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::{Program, TemplateId};
use mcl_diagnostics::Diagnostic;
use mcl_functions::Answers;
use mcl_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::changes::OutputChanges;
use crate::code::{Code, Lookup};
use crate::environment::Environment;
use crate::events::Events;
use crate::failure::Failure;
use crate::ids::{FrameId, FrameKey, NodeId, NodeKey};
use crate::node::{Bindings, Frame, Input, Node, NodeKind, State};

/// A running program.
pub struct Engine {
    pub(crate) code: Arc<Code>,
    pub(crate) environment: Box<dyn Environment>,
    pub(crate) events: Arc<Events>,
    pub(crate) nodes: Arena<NodeKey, Node>,
    pub(crate) frames: Arena<FrameKey, Frame>,
    /// The frame of the program itself.
    pub(crate) top_frame: FrameId,
    /// Nodes to evaluate, lowest first. An entry whose height differs from the node's is stale.
    pub(crate) queue: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// Nodes that may have lost their last dependent.
    pub(crate) dead_candidates: Vec<NodeId>,
    /// Frames whose keep-alive node does not exist yet.
    pub(crate) frames_without_keepalive: Vec<FrameId>,
    /// Statements and keep-alive nodes that a failure has reached.
    pub(crate) failed: BTreeSet<NodeId>,
    /// Statements and keep-alive nodes that wait for a first value.
    pub(crate) waiting: BTreeSet<NodeId>,
    /// Number of pending nodes.
    pub(crate) pending: usize,
    /// Number of nodes of streaming functions.
    pub(crate) streams: usize,
    /// Nodes in the frames of a pending control that are due. They are evaluated once the control is not pending any more.
    pub(crate) frozen: FxHashMap<NodeId, FxHashSet<NodeId>>,
    /// Nodes to evaluate at a time of the environment's monotonic clock.
    pub(crate) timers: BTreeSet<(Duration, NodeId)>,
    /// Number of the current round, from 1.
    pub(crate) round: u64,
    pub(crate) changes: OutputChanges,
    /// Number of evaluations in this round.
    pub(crate) evaluated: usize,
    /// Arguments of the current call.
    pub(crate) arguments: Vec<Value>,
    /// Whether the current call marked its result as sensitive.
    pub(crate) is_marked_sensitive: bool,
    /// What a test says about the machine; `None` if the machine itself is asked.
    pub(crate) answers: Option<Arc<Answers>>,
    started: bool,
    /// The round of each node's last evaluation.
    #[cfg(test)]
    pub(crate) evaluations: rustc_hash::FxHashMap<NodeId, u64>,
}

/// The result of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The number of the round, from 1.
    pub number: u64,
    /// Whether there is an output that may differ from the last one. False while statements wait.
    pub changed: bool,
    /// Whether statements wait for a first value ([`Engine::waiting_for`]). There is no output then.
    pub waiting: bool,
    /// Number of nodes that were evaluated.
    pub evaluated: usize,
}

impl Engine {
    /// Creates an engine for a program that `mcl_artifact::validate` accepts. Nothing is evaluated yet.
    ///
    /// # Errors
    /// R0104 if the program needs a function that this runtime does not have.
    pub fn new(program: Arc<Program>, environment: Box<dyn Environment>) -> Result<Engine, Diagnostic> {
        Engine::with_functions(program, environment, mcl_functions::function)
    }

    /// Creates an engine with another table of functions.
    pub(crate) fn with_functions(
        program: Arc<Program>,
        environment: Box<dyn Environment>,
        lookup: Lookup,
    ) -> Result<Engine, Diagnostic> {
        let code = Arc::new(Code::new(program, environment.hostname(), lookup)?);
        let mut frames = Arena::default();
        let mut frames_without_keepalive = Vec::new();
        let top = code.program.templates.last();
        // Without any template, nothing is ever read from the frame.
        let template = top.map_or(TemplateId::from_u32(0), |(id, _)| id);
        let top_frame = frames.insert(Frame::new(template, None, None, (0, 0), Bindings::new()));
        if top.is_some_and(|(_, template)| !template.keep.is_empty()) {
            frames_without_keepalive.push(top_frame);
        }
        Ok(Engine {
            code,
            environment,
            events: Arc::default(),
            nodes: Arena::default(),
            frames,
            top_frame,
            queue: BinaryHeap::new(),
            dead_candidates: Vec::new(),
            frames_without_keepalive,
            failed: BTreeSet::new(),
            waiting: BTreeSet::new(),
            pending: 0,
            streams: 0,
            frozen: FxHashMap::default(),
            timers: BTreeSet::new(),
            round: 0,
            changes: OutputChanges::default(),
            evaluated: 0,
            arguments: Vec::new(),
            is_marked_sensitive: false,
            answers: None,
            started: false,
            #[cfg(test)]
            evaluations: Default::default(),
        })
    }

    /// Evaluates everything that the events since the last round affect. The first round evaluates the whole program.
    ///
    /// # Errors
    /// The failures that reached a statement, one per origin, in source order. The engine stays usable: a later round
    /// succeeds if the failures are gone by then.
    pub fn run(&mut self) -> Result<Round, Vec<Diagnostic>> {
        self.round += 1;
        self.evaluated = 0;
        self.changes.start_round();
        if !self.started {
            self.started = true;
            self.changes.add_everything();
            if !self.code.program.templates.is_empty() {
                self.activate(self.top_frame);
                self.create_keepalives();
            }
        }
        self.take_events();
        while let Some(Reverse((height, id))) = self.queue.pop() {
            let Some(node) = self.nodes.get_mut(id) else { continue };
            if !node.queued || node.height != height {
                continue;
            }
            node.queued = false;
            if !node.orphan && !self.freeze(id) {
                self.evaluated += 1;
                #[cfg(test)]
                assert_ne!(self.evaluations.insert(id, self.round), Some(self.round), "evaluated twice in a round");
                self.evaluate(id);
            }
        }
        let failures = self.uncaught();
        if !failures.is_empty() {
            return Err(failures);
        }
        let waiting = self.is_waiting();
        // A change in a round without an output is reported by the next round with one.
        let changed = !waiting && self.changes.end_round(self.round);
        Ok(Round { number: self.round, changed, waiting, evaluated: self.evaluated })
    }

    /// Returns the set of requested evaluations, on which the caller waits between rounds.
    #[must_use]
    pub fn events(&self) -> Arc<Events> {
        Arc::clone(&self.events)
    }

    /// Returns when the next round is due even if no event arrives, on the environment's monotonic clock.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        self.timers.first().map(|(deadline, _)| *deadline)
    }

    /// Returns whether no event can change a value any more, because no function of the program has another value to come.
    /// The engine need not be kept then.
    #[must_use]
    pub fn is_final(&self) -> bool {
        self.started && self.streams == 0
    }

    /// Returns the number of nodes, for metrics.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the running program.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.code.program
    }

    fn take_events(&mut self) {
        let mut woken = Vec::new();
        self.events.drain(&mut woken);
        if !self.timers.is_empty() {
            let now = self.environment.monotonic();
            while let Some((_, id)) = self.timers.first().copied().filter(|(deadline, _)| *deadline <= now) {
                self.timers.pop_first();
                if let Some(NodeKind::Stream(stream)) = self.nodes.get_mut(id).map(|n| &mut n.kind) {
                    stream.deadline = None;
                }
                woken.push(id);
            }
        }
        for id in woken {
            // A waker may outlive its node.
            if self.nodes.get(id).is_some() {
                self.enqueue(id);
            }
        }
    }

    /// Returns the diagnostics for the failures that nothing caught, in source order.
    fn uncaught(&mut self) -> Vec<Diagnostic> {
        let nodes = &self.nodes;
        self.failed.retain(|id| nodes.get(*id).is_some_and(|n| n.pinned && matches!(n.state, State::Failed(_))));
        let mut failures: Vec<&Failure> = Vec::new();
        for id in &self.failed {
            let node = &self.nodes[*id];
            if self.frozen_by(*id).is_some() {
                continue;
            }
            for input in &node.inputs {
                let Input::Node { node: source, .. } = input else { continue };
                let source = &self.nodes[*source];
                let State::Failed(failure) = &source.state else { continue };
                // The failure of a kept value is ignored as long as it has another dependent: it propagates there.
                let has_other_dependents = matches!(node.kind, NodeKind::KeepAlive)
                    && failure.catchable
                    && source.dependents.iter().any(|d| !matches!(self.nodes[d.node].kind, NodeKind::KeepAlive));
                if !has_other_dependents
                    && !failures.iter().any(|f| f.span == failure.span && f.message == failure.message)
                {
                    failures.push(failure);
                }
            }
            // The statement itself cannot use a value.
            if let State::Failed(failure) = &node.state
                && failure.origin == *id
            {
                failures.push(failure);
            }
        }
        failures.sort_by(|a, b| {
            let position = |f: &Failure| f.span.map_or((1, None), |s| (0, Some((s.file, s.start, s.end))));
            position(a).cmp(&position(b)).then_with(|| a.message.cmp(&b.message))
        });
        failures.into_iter().map(Failure::diagnostic).collect()
    }
}
