//! The vertices of the engine's graph: nodes, their states, and the frames that own them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cranelift_entity::{BoxedSlice, PrimaryMap};
use mcl_artifact::program::{FunctionIdx, NodeIdx, Operand, ParamIdx, StatementIdx, TemplateId, TypeIdx};
use mcl_diagnostics::Span;
use mcl_functions::{EngineFunction, Stream};
use mcl_value::{FuncValue, Value};
use smallvec::SmallVec;

use crate::closure::ClosureLocation;
use crate::failure::Failure;
use crate::ids::{FrameId, NodeId, WatchId};

/// One vertex of the running graph.
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// The span reported in diagnostics.
    pub(crate) span: Option<Span>,
    /// The frame that owns the node.
    pub(crate) frame: FrameId,
    /// The entry of the frame's tables that refers to this node.
    pub(crate) slot: Slot,
    pub(crate) inputs: Vec<Input>,
    /// Most nodes have one.
    pub(crate) dependents: SmallVec<[Dependent; 1]>,
    pub(crate) state: State,
    /// Whether the value was computed from a sensitive one, so that it must not be shown.
    pub(crate) sensitive: bool,
    /// Greater than the height of every input, and of the control that owns the frame.
    pub(crate) height: u32,
    /// Whether the node is in the queue of nodes to evaluate.
    pub(crate) queued: bool,
    /// Whether its frame was dropped in this round. Such a node keeps its last state until its last dependent is gone.
    pub(crate) orphan: bool,
    /// Whether the node exists without dependents: statements and keep-alive nodes.
    pub(crate) pinned: bool,
    /// The round of the last change; for a statement node, of the last evaluation.
    pub(crate) changed: u64,
}

/// The entry of a frame that refers to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The value of a node of the template.
    Node(NodeIdx),
    /// An element, bound to a parameter.
    Parameter(ParamIdx),
    /// A statement.
    Statement(StatementIdx),
    /// No entry: the control of an output, keep-alive nodes.
    None,
}

/// An argument of a node.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// A constant.
    Value(Value),
    /// The result of a node. `position` is the index of this use in the node's list of dependents.
    Node { node: NodeId, position: u32 },
}

/// A use of a node: the input number `input` of `node`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependent {
    pub(crate) node: NodeId,
    pub(crate) input: u32,
}

/// The result of a node.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The node was not evaluated yet.
    New,
    Value(Value),
    Failed(Arc<Failure>),
    /// The node needs the first value of a function that has none yet.
    Pending,
}

/// The reason why an input has no value.
#[derive(Clone, Debug)]
pub(crate) enum Unavailable {
    Failed(Arc<Failure>),
    Pending,
}

impl From<Unavailable> for State {
    fn from(unavailable: Unavailable) -> State {
        match unavailable {
            Unavailable::Failed(failure) => State::Failed(failure),
            Unavailable::Pending => State::Pending,
        }
    }
}

/// What a node does when it is evaluated.
pub(crate) enum NodeKind {
    /// A placeholder while the node is being evaluated.
    Busy,
    List,
    /// Inputs: key, value, key, value…
    Map,
    Struct(TypeIdx),
    Plain(FunctionIdx),
    Stream(Box<StreamNode>),
    /// A function of the machine whose value a test gives.
    Answered(FunctionIdx),
    /// A function value; it never changes.
    Func,
    /// The result of a call whose function is known at compile time: its only input. Owns the frame of the body.
    Forward(FrameId),
    /// An element of a list or map, written by the control of the loop.
    Element,
    /// The result of a control. The inputs are the control, then what it has connected.
    Output(OutputKind),
    If(Box<IfControl>),
    Except(Box<ExceptControl>),
    Call(Box<CallControl>),
    Iterate(Box<IterateControl>),
    IfStatement(Box<IfStatement>),
    Loop(Box<Loop>),
    /// A resource or edge statement. It only collects its operands.
    StatementNode,
    /// Keeps the values alive that a frame needs although nothing may read them.
    KeepAlive,
}

/// How an output is computed from what its control has connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// The second input.
    Choice,
    /// A list of all inputs after the first.
    Collect,
    /// The elements of the control's list for which the corresponding input after the first is true.
    Filter,
}

/// A call site of a streaming function.
pub(crate) struct StreamNode {
    pub(crate) function: FunctionIdx,
    pub(crate) instance: Option<Box<dyn Stream>>,
    /// The active watches.
    pub(crate) watches: Vec<(WatchTarget, WatchId)>,
    /// When the function is due again, on the environment's monotonic clock.
    pub(crate) deadline: Option<Duration>,
    /// Why the function has no value yet.
    pub(crate) not_ready: Option<&'static str>,
    /// Whether the last value is sensitive whatever the arguments are.
    pub(crate) sensitive: bool,
}

/// What a streaming function watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WatchTarget {
    Path(PathBuf),
    /// Kind and name of a resource that publishes a value.
    Shared(String, String),
}

/// `if` expression.
pub(crate) struct IfControl {
    pub(crate) origin: NodeIdx,
    pub(crate) output: NodeId,
    /// The branch that was taken, with its frame.
    pub(crate) taken: Option<(bool, FrameId)>,
}

/// `<|>`.
pub(crate) struct ExceptControl {
    pub(crate) origin: NodeIdx,
    pub(crate) output: NodeId,
    pub(crate) connected: ExceptBranch,
}

/// What the output of a `<|>` is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceptBranch {
    /// Nothing yet, or the value has failed fatally.
    Nothing,
    Value,
    Fallback(FrameId),
}

impl ExceptBranch {
    /// Returns the frame of the fallback, if that is connected.
    pub(crate) fn frame(self) -> Option<FrameId> {
        match self {
            ExceptBranch::Nothing | ExceptBranch::Value => None,
            ExceptBranch::Fallback(frame) => Some(frame),
        }
    }
}

/// A call of a function value.
pub(crate) struct CallControl {
    pub(crate) origin: NodeIdx,
    pub(crate) output: NodeId,
    pub(crate) body: Option<(FuncValue, FrameId)>,
}

/// `iter.map`, `filter`, `reduce`, `zip`.
pub(crate) struct IterateControl {
    pub(crate) function: EngineFunction,
    pub(crate) output: NodeId,
    pub(crate) callee: Option<FuncValue>,
    /// One frame per application of the function.
    pub(crate) bodies: Vec<FrameId>,
}

/// `if` statement.
pub(crate) struct IfStatement {
    pub(crate) statement: StatementIdx,
    pub(crate) taken: Option<(bool, Option<FrameId>)>,
}

/// `for` (keys are `None`) and `forkv`.
pub(crate) struct Loop {
    pub(crate) statement: StatementIdx,
    /// Whether it is a `forkv`.
    pub(crate) keyed: bool,
    /// The iterations in order.
    pub(crate) iterations: Vec<(Option<Value>, FrameId)>,
    /// Whether the list or map was sensitive in the last evaluation.
    pub(crate) sensitive: bool,
}

/// An instance of a template.
pub(crate) struct Frame {
    pub(crate) template: TemplateId,
    /// The frame in which captures are resolved, and the location of this frame's closure in its template. `None` for the
    /// top frame.
    pub(crate) parent: Option<(FrameId, ClosureLocation)>,
    /// The control whose evaluation may drop the frame.
    pub(crate) scope: Option<NodeId>,
    /// At least the height of the control, and an estimate of the heights of all parameters and captures.
    pub(crate) base: u32,
    /// Number of frames of calls and loops that enclose this one.
    pub(crate) depth: u32,
    pub(crate) params: BoxedSlice<ParamIdx, Binding>,
    /// The nodes that exist; empty before the first.
    nodes: BoxedSlice<NodeIdx, Option<NodeId>>,
    /// One entry per statement of the template, once the frame contributes statements.
    pub(crate) statements: BoxedSlice<StatementIdx, StatementState>,
    /// The node that keeps [`mcl_artifact::program::Template::keep`] alive.
    pub(crate) keepalive: Option<NodeId>,
}

/// The values of the parameters of a frame.
pub(crate) type Bindings = PrimaryMap<ParamIdx, Binding>;

/// Where the values of a statement are.
pub(crate) enum StatementState {
    /// A resource or edge statement whose operands are all constants: it never changes.
    Constant,
    /// A resource or edge statement without a node.
    Inline(Box<InlineStatement>),
    Node(NodeId),
}

/// A resource or edge statement whose operands follow from constants and elements by pure functions (`inline.rs`).
pub(crate) struct InlineStatement {
    /// The round of the last change.
    pub(crate) changed: u64,
    /// The values of the operands that are neither constants nor elements.
    pub(crate) values: Box<[Value]>,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Value(Value),
    /// An operand of another frame: the caller's.
    Operand(FrameId, Operand),
    /// A node that the owner of the frame reads as well: the first accumulator of `reduce`.
    Node(NodeId),
    /// The root of another frame: the later accumulators of `reduce`.
    Root(FrameId),
    /// An element with its present value. The node exists while it has dependents.
    Element {
        value: Value,
        /// Whether the list or map of the element is sensitive.
        sensitive: bool,
        node: Option<NodeId>,
    },
}

impl Frame {
    /// Creates a frame without nodes and statements.
    pub(crate) fn new(
        template: TemplateId,
        parent: Option<(FrameId, ClosureLocation)>,
        scope: Option<NodeId>,
        (base, depth): (u32, u32),
        params: Bindings,
    ) -> Frame {
        Frame {
            template,
            parent,
            scope,
            base,
            depth,
            params: params.into_boxed_slice(),
            nodes: PrimaryMap::new().into_boxed_slice(),
            statements: PrimaryMap::new().into_boxed_slice(),
            keepalive: None,
        }
    }

    /// Returns the node with this index in the template, if it exists.
    pub(crate) fn node(&self, index: NodeIdx) -> Option<NodeId> {
        self.nodes.get(index).copied().flatten()
    }

    /// Adds the node with this index in the template, which has `count` nodes.
    pub(crate) fn add_node(&mut self, index: NodeIdx, node: NodeId, count: usize) {
        if self.nodes.is_empty() {
            self.nodes = PrimaryMap::from(vec![None; count]).into_boxed_slice();
        }
        self.nodes[index] = Some(node);
    }

    /// Forgets the node with this index in the template.
    pub(crate) fn forget_node(&mut self, index: NodeIdx) {
        if let Some(node) = self.nodes.get_mut(index) {
            *node = None;
        }
    }

    /// Iterates over the nodes of the frame, except controls: those are the first input of their output.
    pub(crate) fn all_nodes(&self) -> impl Iterator<Item = NodeId> {
        let elements = self.params.values().filter_map(|p| match p {
            Binding::Element { node, .. } => *node,
            Binding::Value(_) | Binding::Operand(..) | Binding::Node(_) | Binding::Root(_) => None,
        });
        let statements = self.statements.values().filter_map(|statement| match statement {
            StatementState::Node(node) => Some(*node),
            StatementState::Constant | StatementState::Inline(_) => None,
        });
        self.nodes.values().flatten().chain(&self.keepalive).copied().chain(statements).chain(elements)
    }
}

impl NodeKind {
    /// Calls `f` with every frame that a node of this kind owns.
    pub(crate) fn frames(&self, mut f: impl FnMut(FrameId)) {
        match self {
            NodeKind::Forward(frame) => f(*frame),
            NodeKind::If(c) => c.taken.iter().for_each(|(_, frame)| f(*frame)),
            NodeKind::Except(c) => c.connected.frame().into_iter().for_each(f),
            NodeKind::Call(c) => c.body.iter().for_each(|(_, frame)| f(*frame)),
            NodeKind::Iterate(c) => c.bodies.iter().for_each(|frame| f(*frame)),
            NodeKind::IfStatement(c) => c.taken.iter().filter_map(|(_, frame)| *frame).for_each(f),
            NodeKind::Loop(c) => c.iterations.iter().for_each(|(_, frame)| f(*frame)),
            NodeKind::Busy
            | NodeKind::List
            | NodeKind::Map
            | NodeKind::Struct(_)
            | NodeKind::Plain(_)
            | NodeKind::Stream(_)
            | NodeKind::Answered(_)
            | NodeKind::Func
            | NodeKind::Element
            | NodeKind::Output(_)
            | NodeKind::StatementNode
            | NodeKind::KeepAlive => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_needs_little_memory() {
        // There are several for each iteration of a loop, up to millions.
        assert!(size_of::<Node>() <= 136, "{} bytes", size_of::<Node>());
    }

    #[test]
    fn iteration_of_a_loop_needs_little_memory() {
        assert!(size_of::<Frame>() <= 104, "{} bytes", size_of::<Frame>());
        assert!(size_of::<Binding>() <= 40, "{} bytes", size_of::<Binding>());
        assert!(size_of::<StatementState>() <= 16, "{} bytes", size_of::<StatementState>());
    }
}
