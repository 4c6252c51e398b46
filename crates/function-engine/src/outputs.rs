//! What a program has to say about the machine: its live resource and edge statements with their values.

use mcl_artifact::program::{EntryKind, Half, Operand, ResourceStmt, Statement};
use mcl_diagnostics::Span;
use mcl_value::Value;

use crate::Engine;
use crate::code::NodeId;
use crate::node::{FrameId, Input, Kind, State};

/// One live statement.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Output<'a> {
    Resource(&'a ResourceStmt, OutputValues<'a>),
    Edge { halves: &'a [Half], span: Span, values: OutputValues<'a> },
}

/// Identity of a live statement; never used again once the statement is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputId(u64);

/// The values of a live statement's operands, in the order of `for_each_statement_operand`'s visit: for a resource its
/// name, its collected data if it collects, then for each entry the condition if it has one, and the value or name; for an
/// edge statement the name of each half.
#[derive(Clone, Copy)]
pub struct OutputValues<'a> {
    engine: &'a Engine,
    node: NodeId,
    next: usize,
}

impl<'a> OutputValues<'a> {
    /// Which statement this is.
    #[must_use]
    pub fn id(&self) -> OutputId {
        OutputId(self.node.to_bits())
    }

    /// The round in which a value of the statement last changed.
    #[must_use]
    pub fn changed(&self) -> u64 {
        self.engine.nodes[self.node].changed
    }
}

impl<'a> Iterator for OutputValues<'a> {
    type Item = &'a Value;

    fn next(&mut self) -> Option<&'a Value> {
        let input = self.engine.nodes[self.node].inputs.get(self.next)?;
        self.next += 1;
        match input {
            Input::Value(value) => Some(value),
            Input::Node { node, .. } => match &self.engine.nodes[*node].state {
                State::Value(value) => Some(value),
                State::New | State::Failed(_) | State::Pending => None,
            },
        }
    }
}

/// Calls `f` with every operand of a statement, in the order in which [`OutputValues`] gives their values.
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
    /// Visits the live statements in source order; loops in the order of their list or sorted keys.
    ///
    /// Meaningful after a round without errors; nothing changes between rounds, so all values are of one moment.
    pub fn visit_outputs<'a>(&'a self, mut visit: impl FnMut(Output<'a>)) {
        let mut stack: Vec<(FrameId, usize)> = vec![(self.top, 0)];
        while let Some((id, index)) = stack.last_mut() {
            let frame = &self.frames[*id];
            let template = self.code.template(frame.template);
            let (Some(statement), Some(&node)) = (template.statements.get(*index), frame.statements.get(*index)) else {
                stack.pop();
                continue;
            };
            *index += 1;
            let values = OutputValues { engine: self, node, next: 0 };
            match statement {
                Statement::Resource(resource) => visit(Output::Resource(resource, values)),
                Statement::Edge { halves, span } => visit(Output::Edge { halves, span: *span, values }),
                Statement::If { .. } | Statement::For { .. } | Statement::ForKv { .. } => {
                    let first = stack.len();
                    match &self.nodes[node].kind {
                        Kind::IfStatement(c) => stack.extend(c.taken.iter().filter_map(|(_, f)| Some(((*f)?, 0)))),
                        Kind::Loop(c) => stack.extend(c.iterations.iter().map(|(_, f)| (*f, 0))),
                        _ => {}
                    }
                    stack[first..].reverse();
                }
            }
        }
    }
}
