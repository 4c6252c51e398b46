//! Waiting for first values.
//!
//! A live function may say that it has no value yet (`StreamContext::not_ready`): a command that has printed nothing. Its node
//! is then *pending*, and so is what needs it; a failure among the other inputs of a node wins, since no value can undo it.
//!
//! A control that is pending does not know what it wants, so it keeps what it has built: the branch of an `if` whose
//! condition is being found out anew may well stay. Until that is known its frames are *frozen*: nothing in them is
//! evaluated (a command of a branch that is about to go must not start), and their failures concern nobody.

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use rustc_hash::FxHashSet;

use crate::Engine;
use crate::code::NodeId;
use crate::node::{Input, Kind, State};

/// A call that has no first value yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The function.
    pub function: &'static str,
    /// Its call.
    pub span: Option<Span>,
    /// What it waits for itself.
    pub why: &'static str,
}

impl Waiting {
    /// Tells a person what is waited for.
    #[must_use]
    pub fn note(&self) -> Diagnostic {
        self.diagnostic(Diagnostic::warning(Code::R0106, Stage::Stream, self.message("waiting for")))
    }

    /// Tells a person that nobody waits any longer.
    #[must_use]
    pub fn error(&self) -> Diagnostic {
        self.diagnostic(Diagnostic::error(Code::R0106, Stage::Stream, self.message("gave up waiting for")))
    }

    fn message(&self, verb: &str) -> String {
        format!("{verb} the first value of `{}`: {}", self.function, self.why)
    }

    fn diagnostic(&self, diagnostic: Diagnostic) -> Diagnostic {
        let diagnostic =
            diagnostic.help("nothing new is applied before every function that the program uses has a value");
        diagnostic.maybe_at(self.span)
    }
}

impl Engine {
    /// The calls that the statements wait for, in the order of the source.
    #[must_use]
    pub fn waiting_for(&self) -> Vec<Waiting> {
        let mut stack: Vec<NodeId> = self
            .waiting
            .iter()
            .copied()
            .filter(|id| self.is_unanswered(*id) && self.frozen_by(*id).is_none())
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
            if complete && let Kind::Live(live) = &node.kind {
                let function = self.code.functions[live.function.0 as usize].function.name;
                found.push(Waiting { function, span: node.span, why: live.waits.unwrap_or("it has none yet") });
            }
        }
        found.sort_by_key(|w| (w.span.map(|s| (s.file, s.start, s.end)), w.function));
        found.dedup();
        found
    }

    /// Whether a statement or a kept value is pending; not one that is frozen.
    pub(crate) fn is_waiting(&mut self) -> bool {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|id| self.is_unanswered(*id));
        self.waiting = waiting;
        self.waiting.iter().any(|id| self.frozen_by(*id).is_none())
    }

    /// Whether it still is there, pinned and pending.
    fn is_unanswered(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(|n| n.pinned && matches!(n.state, State::Pending))
    }

    /// The pending control that owns, directly or not, the frame of a node.
    pub(crate) fn frozen_by(&self, id: NodeId) -> Option<NodeId> {
        // Almost always nothing is pending.
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

    /// Puts a node that is due aside if it is frozen, and tells whether it is.
    pub(crate) fn freeze(&mut self, id: NodeId) -> bool {
        let Some(control) = self.frozen_by(id) else { return false };
        self.frozen.entry(control).or_default().insert(id);
        true
    }

    /// Evaluates after all what waited for a control that is not pending any more: in this round, because all of it is
    /// higher than the control.
    pub(crate) fn thaw(&mut self, control: NodeId) {
        for id in self.frozen.remove(&control).into_iter().flatten() {
            if self.nodes.get(id).is_some() {
                self.enqueue(id);
            }
        }
    }
}
