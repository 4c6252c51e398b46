//! The engine's state and its rounds.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::{Program, TemplateId};
use mcl_diagnostics::Diagnostic;
use mcl_value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arena::Arena;
use crate::code::{Code, Lookup, NodeId};
use crate::host::{Events, Host};
use crate::node::{Failure, Frame, FrameId, Input, Kind, Node, State};

/// A running program.
pub struct Engine {
    pub(crate) code: Arc<Code>,
    pub(crate) host: Box<dyn Host>,
    pub(crate) events: Arc<Events>,
    pub(crate) nodes: Arena<Node>,
    pub(crate) frames: Arena<Frame>,
    /// The frame of the program itself.
    pub(crate) top: FrameId,
    /// Nodes to evaluate, lowest first. An entry whose height is not the node's any more is stale.
    pub(crate) queue: BinaryHeap<Reverse<(u32, NodeId)>>,
    /// Nodes that may have lost their last reader.
    pub(crate) unread: Vec<NodeId>,
    /// Frames whose kept values do not exist yet.
    pub(crate) unkept: Vec<FrameId>,
    /// Statements and kept values that a failure reached.
    pub(crate) failed: BTreeSet<NodeId>,
    /// Statements and kept values that wait for a first value.
    pub(crate) waiting: BTreeSet<NodeId>,
    /// Number of pending nodes.
    pub(crate) pending: usize,
    /// Nodes to evaluate once the pending control above them knows what becomes of them.
    pub(crate) frozen: FxHashMap<NodeId, FxHashSet<NodeId>>,
    /// Nodes that want to be evaluated at a time of the monotonic clock.
    pub(crate) timers: BTreeSet<(Duration, NodeId)>,
    /// Number of the present round, from 1.
    pub(crate) round: u64,
    /// Whether a statement's values or the set of statements changed since the last round that gave an output.
    pub(crate) outputs_changed: bool,
    /// Number of evaluations in this round.
    pub(crate) evaluated: usize,
    /// Arguments of the call that is being evaluated.
    pub(crate) arguments: Vec<Value>,
    started: bool,
    /// The round of each node's last evaluation.
    #[cfg(test)]
    pub(crate) evaluations: rustc_hash::FxHashMap<NodeId, u64>,
}

/// What a round did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub number: u64,
    /// Whether there is an output, and it may differ from the last one. Not while statements wait.
    pub changed: bool,
    /// Whether statements wait for a first value ([`Engine::waiting_for`]): then there is no output.
    pub waiting: bool,
    /// How many nodes were evaluated.
    pub evaluated: usize,
}

impl Engine {
    /// An engine for a program that `mcl_artifact::validate` accepts; nothing is evaluated yet.
    ///
    /// # Errors
    /// If the program needs a function that this runtime does not have.
    pub fn new(program: Arc<Program>, host: Box<dyn Host>) -> Result<Engine, Diagnostic> {
        Engine::with_functions(program, host, mcl_functions::function)
    }

    /// An engine with another table of functions.
    pub(crate) fn with_functions(
        program: Arc<Program>,
        host: Box<dyn Host>,
        lookup: Lookup,
    ) -> Result<Engine, Diagnostic> {
        let code = Arc::new(Code::new(program, host.hostname(), lookup)?);
        let mut frames = Arena::default();
        let mut unkept = Vec::new();
        let template = TemplateId((code.program.templates.len().max(1) - 1) as u32);
        let top_template = code.program.templates.last();
        let top = frames.insert(Frame {
            template,
            parent: None,
            scope: None,
            base: 0,
            depth: 0,
            params: Vec::new(),
            nodes: vec![None; top_template.map_or(0, |t| t.nodes.len())],
            statements: Vec::new(),
            keep: None,
        });
        if top_template.is_some_and(|t| !t.keep.is_empty()) {
            unkept.push(top);
        }
        Ok(Engine {
            code,
            host,
            events: Arc::default(),
            nodes: Arena::default(),
            frames,
            top,
            queue: BinaryHeap::new(),
            unread: Vec::new(),
            unkept,
            failed: BTreeSet::new(),
            waiting: BTreeSet::new(),
            pending: 0,
            frozen: FxHashMap::default(),
            timers: BTreeSet::new(),
            round: 0,
            outputs_changed: false,
            evaluated: 0,
            arguments: Vec::new(),
            started: false,
            #[cfg(test)]
            evaluations: Default::default(),
        })
    }

    /// Evaluates everything that events since the last round affect; the first round evaluates the program.
    ///
    /// # Errors
    /// The failures that reached a statement, one for each origin, in the order of the source. The engine stays usable: a
    /// later round succeeds if the failures are gone by then.
    pub fn run(&mut self) -> Result<Round, Vec<Diagnostic>> {
        self.round += 1;
        self.evaluated = 0;
        if !self.started {
            self.started = true;
            self.outputs_changed = true;
            if !self.code.program.templates.is_empty() {
                self.activate(self.top);
                self.keep_values();
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
        // What changed in a round without an output is news for the next one that has one.
        let changed = !waiting && std::mem::take(&mut self.outputs_changed);
        Ok(Round { number: self.round, changed, waiting, evaluated: self.evaluated })
    }

    /// Where wakers report; a shell waits on it between rounds.
    #[must_use]
    pub fn events(&self) -> Arc<Events> {
        Arc::clone(&self.events)
    }

    /// The time, on the host's monotonic clock, at which the next round is due even if no event arrives.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        self.timers.first().map(|(deadline, _)| *deadline)
    }

    /// Number of live nodes, for metrics.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The program that runs.
    #[must_use]
    pub fn program(&self) -> &Arc<Program> {
        &self.code.program
    }

    fn take_events(&mut self) {
        let mut woken = Vec::new();
        self.events.drain(&mut woken);
        if !self.timers.is_empty() {
            let now = self.host.monotonic();
            while let Some((_, id)) = self.timers.first().copied().filter(|(deadline, _)| *deadline <= now) {
                self.timers.pop_first();
                if let Some(Kind::Live(live)) = self.nodes.get_mut(id).map(|n| &mut n.kind) {
                    live.deadline = None;
                }
                woken.push(id);
            }
        }
        for id in woken {
            // The waker of a node that is gone may still be around.
            if self.nodes.get(id).is_some() {
                self.enqueue(id);
            }
        }
    }

    /// Diagnostics for the failures that nothing caught.
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
                // A kept value that fails concerns nobody as long as something else reads it: that is where it goes on.
                let only_kept = matches!(node.kind, Kind::Keep)
                    && failure.catchable
                    && source.dependents.iter().any(|d| !matches!(self.nodes[d.node].kind, Kind::Keep));
                if !only_kept && !failures.iter().any(|f| f.span == failure.span && f.message == failure.message) {
                    failures.push(failure);
                }
            }
            // A statement's own complaint about a value that it cannot use.
            if let State::Failed(failure) = &node.state
                && failure.origin == *id
            {
                failures.push(failure);
            }
        }
        failures.sort_by(|a, b| {
            let place = |f: &Failure| f.span.map_or((1, None), |s| (0, Some((s.file, s.start, s.end))));
            place(a).cmp(&place(b)).then_with(|| a.message.cmp(&b.message))
        });
        failures.into_iter().map(Failure::diagnostic).collect()
    }
}
