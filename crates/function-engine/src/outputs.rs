//! The output of a program: its active resource and edge statements with their values.

use mcl_artifact::program::{EntryKind, Half, Operand, ResourceStmt, Statement};
use mcl_diagnostics::Span;
use mcl_value::Value;

use crate::engine::Engine;
use crate::ids::{FrameId, NodeId};
use crate::node::{Input, NodeKind, State};

/// An active statement.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Output<'a> {
    Resource(&'a ResourceStmt, OutputValues<'a>),
    Edge { halves: &'a [Half], span: Span, values: OutputValues<'a> },
}

/// The identity of an active statement. It is never used again after the statement is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputId(u64);

/// The values of the operands of an active statement. For a resource they are its name, the collected data if it collects,
/// then for each entry the condition if there is one, and the value or name; for an edge statement the name of each half.
#[derive(Clone, Copy)]
pub struct OutputValues<'a> {
    engine: &'a Engine,
    node: NodeId,
    next: usize,
}

impl<'a> OutputValues<'a> {
    /// Returns the identity of the statement.
    #[must_use]
    pub fn id(&self) -> OutputId {
        OutputId(self.node.to_bits())
    }

    /// Returns the round in which a value of the statement last changed.
    #[must_use]
    pub fn changed(&self) -> u64 {
        self.engine.nodes[self.node].changed
    }
}

/// The value of an operand.
#[derive(Clone, Copy, Debug)]
pub struct OutputValue<'a> {
    /// The value.
    pub value: &'a Value,
    /// Whether it was computed from a sensitive value.
    pub sensitive: bool,
}

impl<'a> Iterator for OutputValues<'a> {
    type Item = OutputValue<'a>;

    fn next(&mut self) -> Option<OutputValue<'a>> {
        let input = self.engine.nodes[self.node].inputs.get(self.next)?;
        self.next += 1;
        match input {
            Input::Value(value) => Some(OutputValue { value, sensitive: false }),
            Input::Node { node, .. } => match &self.engine.nodes[*node].state {
                State::Value(value) => Some(OutputValue { value, sensitive: self.engine.nodes[*node].sensitive }),
                State::New | State::Failed(_) | State::Pending => None,
            },
        }
    }
}

/// Calls `f` with every operand of a statement, in the order of [`OutputValues`].
pub(crate) fn for_each_statement_operand(statement: &Statement, mut f: impl FnMut(Operand)) {
    match statement {
        Statement::Resource(resource) => {
            f(resource.name);
            resource.collect.into_iter().for_each(&mut f);
            for entry in &resource.entries {
                entry.condition.into_iter().for_each(&mut f);
                match &entry.kind {
                    EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => f(*value),
                    EntryKind::Edge { half, .. } => f(half.name),
                }
            }
        }
        Statement::Edge { halves, .. } => halves.iter().for_each(|half| f(half.name)),
        Statement::If { condition, .. } => f(*condition),
        Statement::For { list, .. } => f(*list),
        Statement::ForKv { map, .. } => f(*map),
    }
}

impl Engine {
    /// Visits the active statements in source order. Iterations are in the order of the list, or of the sorted keys.
    ///
    /// The result is meaningful only after a round without errors. All values belong to that round, because nothing
    /// changes between rounds.
    pub fn visit_outputs<'a>(&'a self, visit: impl FnMut(Output<'a>)) {
        self.visit_known_outputs(visit, |_, _| ());
    }

    /// Does the same as [`Engine::visit_outputs`] after a round in which statements wait: those go to `unknown`, with the
    /// span of what they wait for if they have none of their own.
    pub fn visit_known_outputs<'a>(
        &'a self,
        mut visit: impl FnMut(Output<'a>),
        mut unknown: impl FnMut(&'a Statement, Option<Span>),
    ) {
        let mut stack: Vec<(FrameId, usize)> = vec![(self.top_frame, 0)];
        while let Some((id, index)) = stack.last_mut() {
            let frame = &self.frames[*id];
            let template = self.code.template(frame.template);
            let (Some(statement), Some(&node)) = (template.statements.get(*index), frame.statements.get(*index)) else {
                stack.pop();
                continue;
            };
            *index += 1;
            if matches!(self.nodes[node].state, State::Pending) {
                unknown(statement, self.pending_span(node));
                continue;
            }
            let values = OutputValues { engine: self, node, next: 0 };
            match statement {
                Statement::Resource(resource) => visit(Output::Resource(resource, values)),
                Statement::Edge { halves, span } => visit(Output::Edge { halves, span: *span, values }),
                Statement::If { .. } | Statement::For { .. } | Statement::ForKv { .. } => {
                    let first = stack.len();
                    match &self.nodes[node].kind {
                        NodeKind::IfStatement(c) => stack.extend(c.taken.iter().filter_map(|(_, f)| Some(((*f)?, 0)))),
                        NodeKind::Loop(c) => stack.extend(c.iterations.iter().map(|(_, f)| (*f, 0))),
                        _ => {}
                    }
                    stack[first..].reverse();
                }
            }
        }
    }

    /// Returns the span of the first pending input of a node.
    fn pending_span(&self, node: NodeId) -> Option<Span> {
        self.nodes[node].inputs.iter().find_map(|input| match input {
            Input::Node { node, .. } if matches!(self.nodes[*node].state, State::Pending) => self.nodes[*node].span,
            Input::Node { .. } | Input::Value(_) => None,
        })
    }
}
