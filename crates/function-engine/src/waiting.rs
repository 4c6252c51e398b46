//! Waiting for first values.
//!
//! A streaming function may report that it has no value yet (`StreamContext::not_ready`), such as a command that has printed
//! nothing. Its node is then *pending*, and so is everything that needs it. A failure of another input takes precedence,
//! since no later value can undo it.
//!
//! A pending control keeps what it has built, because its condition may turn out to be the same as before. Until the
//! condition is known, its frames are *frozen*: nothing in them is evaluated (the command of a branch that may be dropped
//! must not start), and their failures are not reported.

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_functions::COMMANDS_DISABLED;
use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::ids::NodeId;
use crate::node::{Input, NodeKind, State};

/// A call that has no first value yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The name of the function.
    pub function: &'static str,
    /// The span of the call.
    pub span: Option<Span>,
    /// What the function waits for.
    pub why: &'static str,
}

impl Waiting {
    /// Returns whether it waits for a command that may not be started, which no time changes.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.why == COMMANDS_DISABLED
    }

    /// Returns the warning that the program waits for this call.
    #[must_use]
    pub fn note(&self) -> Diagnostic {
        self.diagnostic(Diagnostic::warning(Code::R0106, Stage::Stream, self.message("waiting for")))
    }

    /// Returns the error for a wait that was given up.
    #[must_use]
    pub fn error(&self) -> Diagnostic {
        self.diagnostic(Diagnostic::error(Code::R0106, Stage::Stream, self.message("gave up waiting for")))
    }

    fn message(&self, verb: &str) -> String {
        format!("{verb} the first value of `{}`: {}", self.function, self.why)
    }

    fn diagnostic(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.maybe_at(self.span).help("changes are applied once every function of the program has a value")
    }
}

impl Engine {
    /// Returns the calls that the statements wait for, in source order.
    #[must_use]
    pub fn waiting_for(&self) -> Vec<Waiting> {
        let mut stack: Vec<NodeId> = self
            .waiting
            .iter()
            .copied()
            .filter(|id| self.is_pinned_and_pending(*id) && self.frozen_by(*id).is_none())
            .collect();
        let mut seen: FxHashSet<NodeId> = stack.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(id) = stack.pop() {
            let node = &self.nodes[id];
            let mut complete = true;
            for input in &node.inputs {
                let Input::Node { node: source, .. } = input else { continue };
                if matches!(self.nodes[*source].state, State::Pending) {
                    complete = false;
                    if seen.insert(*source) {
                        stack.push(*source);
                    }
                }
            }
            if complete && let NodeKind::Stream(stream) = &node.kind {
                let function = self.code.functions[stream.function].function.name;
                found.push(Waiting { function, span: node.span, why: stream.not_ready.unwrap_or("no value yet") });
            }
        }
        found.sort_by_key(|w| (w.span.map(|s| (s.file, s.start, s.end)), w.function));
        found.dedup();
        found
    }

    /// Returns whether a statement or a keep-alive node is pending and not frozen.
    pub(crate) fn is_waiting(&mut self) -> bool {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|id| self.is_pinned_and_pending(*id));
        self.waiting = waiting;
        self.waiting.iter().any(|id| self.frozen_by(*id).is_none())
    }

    /// Returns whether a node still exists, pinned and pending.
    fn is_pinned_and_pending(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(|n| n.pinned && matches!(n.state, State::Pending))
    }

    /// Returns the pending control that owns the frame of a node, directly or through other frames.
    pub(crate) fn frozen_by(&self, id: NodeId) -> Option<NodeId> {
        // The common case: nothing is pending.
        if self.pending == 0 {
            return None;
        }
        let mut frame = self.nodes[id].frame;
        loop {
            let control = self.frames.get(frame)?.scope?;
            let owner = &self.nodes[control];
            if matches!(owner.state, State::Pending) {
                return Some(control);
            }
            frame = owner.frame;
        }
    }

    /// Defers the evaluation of a node if it is frozen, and returns whether it is.
    pub(crate) fn freeze(&mut self, id: NodeId) -> bool {
        let Some(control) = self.frozen_by(id) else { return false };
        self.frozen.entry(control).or_default().insert(id);
        true
    }

    /// Queues the nodes that were deferred until this control stopped being pending. They are evaluated in this round,
    /// because all of them are higher than the control.
    pub(crate) fn thaw(&mut self, control: NodeId) {
        for id in self.frozen.remove(&control).into_iter().flatten() {
            if self.nodes.get(id).is_some() {
                self.enqueue(id);
            }
        }
    }
}
