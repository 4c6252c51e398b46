//! The output of a program: its active resource and edge statements with their values.

use mcl_artifact::program::{EntryKind, EntryStmt, Half, Operand, ResourceStmt, Statement, StatementIdx};
use mcl_diagnostics::Span;
use mcl_value::Value;

use crate::engine::Engine;
use crate::ids::{FrameId, NodeId, OutputId};
use crate::node::{Binding, Input, NodeKind, State, StatementState};

/// An active statement.
#[derive(Clone, Copy)]
pub(crate) enum Output<'a> {
    Resource(&'a ResourceStmt, OutputValues<'a>),
    Edge { halves: &'a [Half], span: Span, values: OutputValues<'a> },
}

impl<'a> Output<'a> {
    /// Returns the values of the statement.
    pub(crate) fn values(&self) -> OutputValues<'a> {
        match self {
            Output::Resource(_, values) | Output::Edge { values, .. } => *values,
        }
    }
}

/// The values of the operands of an active statement. For a resource they are its name, the collected data if it collects,
/// then for each entry the condition if there is one, and the value or name; for an edge statement the name of each half.
#[derive(Clone, Copy)]
pub(crate) struct OutputValues<'a> {
    engine: &'a Engine,
    frame: FrameId,
    statement: StatementIdx,
    source: ValueSource<'a>,
}

/// Where the values of a statement are.
#[derive(Clone, Copy)]
enum ValueSource<'a> {
    /// In the inputs of its node, from `next` on.
    Node { node: NodeId, next: usize },
    /// In the constants and elements that the rest of its operands stand for, and in those that were computed.
    Inline { operands: Operands<'a>, computed: &'a [Value], changed: u64 },
}

impl OutputValues<'_> {
    /// Returns the identity of the statement.
    #[must_use]
    pub fn id(&self) -> OutputId {
        OutputId::new(self.frame, self.statement)
    }

    /// Returns the round in which a value of the statement last changed; 0 if all its values are constants.
    #[must_use]
    pub fn changed(&self) -> u64 {
        match self.source {
            ValueSource::Node { node, .. } => self.engine.nodes[node].changed,
            ValueSource::Inline { changed, .. } => changed,
        }
    }
}

/// The value of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputValue<'a> {
    /// The value.
    pub value: &'a Value,
    /// Whether it was computed from a sensitive value.
    pub sensitive: bool,
}

impl<'a> Iterator for OutputValues<'a> {
    type Item = OutputValue<'a>;

    fn next(&mut self) -> Option<OutputValue<'a>> {
        match &mut self.source {
            ValueSource::Node { node, next } => {
                let input = self.engine.nodes[*node].inputs.get(*next)?;
                *next += 1;
                match input {
                    Input::Value(value) => Some(OutputValue { value, sensitive: false }),
                    Input::Node { node, .. } => match &self.engine.nodes[*node].state {
                        State::Value(value) => {
                            Some(OutputValue { value, sensitive: self.engine.nodes[*node].sensitive })
                        }
                        State::New | State::Failed(_) | State::Pending => None,
                    },
                }
            }
            ValueSource::Inline { operands, computed, .. } => {
                let value = match self.engine.bound(self.frame, operands.next()?) {
                    Some(value) => value,
                    None => {
                        let (first, rest) = computed.split_first()?;
                        *computed = rest;
                        first
                    }
                };
                Some(OutputValue { value, sensitive: false })
            }
        }
    }
}

/// The operands of a statement, in the order of [`OutputValues`].
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a> {
    /// The next ones, before those of the entries and halves.
    next: [Option<Operand>; 2],
    entries: &'a [EntryStmt],
    halves: &'a [Half],
}

impl<'a> Operands<'a> {
    /// Returns the operands of a statement.
    pub(crate) fn of(statement: &'a Statement) -> Operands<'a> {
        let only = |operand: &Operand| Operands { next: [Some(*operand), None], entries: &[], halves: &[] };
        match statement {
            Statement::Resource(resource) => {
                Operands { next: [Some(resource.name), resource.collect], entries: &resource.entries, halves: &[] }
            }
            Statement::Edge { halves, .. } => Operands { next: [None, None], entries: &[], halves },
            Statement::If { condition, .. } => only(condition),
            Statement::For { list, .. } => only(list),
            Statement::ForKv { map, .. } => only(map),
        }
    }
}

impl Iterator for Operands<'_> {
    type Item = Operand;

    fn next(&mut self) -> Option<Operand> {
        let [first, second] = &mut self.next;
        if let Some(operand) = first.take().or_else(|| second.take()) {
            return Some(operand);
        }
        if let Some((entry, rest)) = self.entries.split_first() {
            self.entries = rest;
            let operand = match &entry.kind {
                EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => *value,
                EntryKind::Edge { half, .. } => half.name,
            };
            return match entry.condition {
                Some(condition) => {
                    *first = Some(operand);
                    Some(condition)
                }
                None => Some(operand),
            };
        }
        let (half, rest) = self.halves.split_first()?;
        self.halves = rest;
        Some(half.name)
    }
}

impl Engine {
    /// Visits the active statements in source order. Iterations are in the order of the list, or of the sorted keys.
    ///
    /// The result is meaningful only after a round without errors. All values belong to that round, because nothing
    /// changes between rounds. Statements that wait go to `unknown`, with the span of what they wait for if they have none of
    /// their own.
    pub(crate) fn visit_outputs<'a>(
        &'a self,
        mut visit: impl FnMut(Output<'a>),
        mut unknown: impl FnMut(&'a Statement, Option<Span>),
    ) {
        let statements_of = |id: FrameId| (id, self.frames[id].statements.iter());
        let mut stack = vec![statements_of(self.top_frame)];
        while let Some((id, statements)) = stack.last_mut() {
            let (id, Some((index, state))) = (*id, statements.next()) else {
                stack.pop();
                continue;
            };
            let node = match state {
                StatementState::Node(node) => Some(*node),
                StatementState::Constant | StatementState::Inline(_) => None,
            };
            let statement = &self.code.template(self.frames[id].template).statements[index];
            if let Some(node) = node.filter(|node| matches!(self.nodes[*node].state, State::Pending)) {
                unknown(statement, self.pending_span(node));
                continue;
            }
            if let Some(output) = self.output(id, index) {
                visit(output);
                continue;
            }
            let first = stack.len();
            match node.map(|node| &self.nodes[node].kind) {
                Some(NodeKind::IfStatement(c)) => {
                    stack.extend(c.taken.iter().filter_map(|(_, frame)| Some(statements_of((*frame)?))))
                }
                Some(NodeKind::Loop(c)) => stack.extend(c.iterations.iter().map(|(_, frame)| statements_of(*frame))),
                _ => {}
            }
            stack[first..].reverse();
        }
    }

    /// Returns the output of a statement of a frame; `None` for statements that contain others.
    pub(crate) fn output(&self, id: FrameId, index: StatementIdx) -> Option<Output<'_>> {
        let frame = self.frames.get(id)?;
        let statement = self.code.template(frame.template).statements.get(index)?;
        let source = match frame.statements.get(index)? {
            StatementState::Node(node) => ValueSource::Node { node: *node, next: 0 },
            StatementState::Constant => {
                ValueSource::Inline { operands: Operands::of(statement), computed: &[], changed: 0 }
            }
            StatementState::Inline(inline) => ValueSource::Inline {
                operands: Operands::of(statement),
                computed: &inline.values,
                changed: inline.changed,
            },
        };
        let values = OutputValues { engine: self, frame: id, statement: index, source };
        match statement {
            Statement::Resource(resource) => Some(Output::Resource(resource, values)),
            Statement::Edge { halves, span } => Some(Output::Edge { halves, span: *span, values }),
            Statement::If { .. } | Statement::For { .. } | Statement::ForKv { .. } => None,
        }
    }

    /// Returns the constant that an operand of a frame stands for as long as the frame exists, or `None` if it needs a node.
    pub(crate) fn constant(&self, mut frame: FrameId, mut operand: Operand) -> Option<&Value> {
        loop {
            match operand {
                Operand::Const(c) => return Some(&self.code.constants[c]),
                Operand::Node(_) => return None,
                Operand::Param(p) => match &self.frames[frame].params[p] {
                    Binding::Value(value) => return Some(value),
                    Binding::Operand(of, outer) => (frame, operand) = (*of, *outer),
                    Binding::Node(_) | Binding::Root(_) | Binding::Element { .. } => return None,
                },
                Operand::Capture(c) => {
                    let (parent, location) = self.frames[frame].parent?;
                    let closure = location.of(self.code.template(self.frames[parent].template))?;
                    (frame, operand) = (parent, closure.captures[c]);
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
