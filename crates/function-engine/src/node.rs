//! What the engine's graph is made of: nodes, their states, and frames.

use std::sync::Arc;

use mcl_artifact::program::{FunctionIdx, Operand, TemplateId, TypeIdx};
use mcl_diagnostics::Span;
use mcl_functions::{EngineFunction, Stream};
use mcl_value::{FuncValue, Value};

use crate::arena::Id;
use crate::code::{ClosurePlace, NodeId};
use crate::host::WatchId;

pub(crate) type FrameId = Id<Frame>;

/// One vertex of the running graph.
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// Whom to blame.
    pub(crate) span: Option<Span>,
    /// The frame it belongs to.
    pub(crate) frame: FrameId,
    /// The entry of the frame's tables that names this node.
    pub(crate) slot: Slot,
    pub(crate) inputs: Vec<Input>,
    pub(crate) dependents: Vec<Dependent>,
    pub(crate) state: State,
    /// Greater than that of every input, and than that of the control that owns the frame.
    pub(crate) height: u32,
    /// In the queue of nodes to evaluate.
    pub(crate) queued: bool,
    /// Its frame was torn down in this round: it keeps its last state until its last dependent lets go.
    pub(crate) orphan: bool,
    /// Kept without dependents: statements.
    pub(crate) pinned: bool,
    /// The round of the last change; for a sink, of the last evaluation.
    pub(crate) changed: u64,
}

/// Which entry of its frame names a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The value of a node of the template.
    Node(u32),
    /// An element, bound to a parameter.
    Parameter(u32),
    /// No entry: the control of an output, statements, kept values.
    None,
}

/// An argument of a node.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// A constant.
    Value(Value),
    /// The result of a node, and where in its list of dependents this use stands.
    Node { node: NodeId, position: u32 },
}

/// A use of a node: which input of whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependent {
    pub(crate) node: NodeId,
    pub(crate) input: u32,
}

/// The result of a node.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Not evaluated yet.
    New,
    Value(Value),
    Failed(Arc<Failure>),
    /// It needs the first value of a function that has none yet.
    Pending,
}

/// What an input is when it is no value.
#[derive(Clone, Debug)]
pub(crate) enum Absent {
    Failed(Arc<Failure>),
    Pending,
}

impl From<Absent> for State {
    fn from(absent: Absent) -> State {
        match absent {
            Absent::Failed(failure) => State::Failed(failure),
            Absent::Pending => State::Pending,
        }
    }
}

/// A failed evaluation. It travels along the edges in place of a value.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Whether `<|>` catches it.
    pub(crate) catchable: bool,
    pub(crate) message: String,
    /// The call to blame.
    pub(crate) span: Option<Span>,
    /// The node that failed, or the call of the function whose whole body it is.
    pub(crate) origin: NodeId,
    pub(crate) sort: FailureSort,
}

/// Which diagnostic a failure becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureSort {
    /// A function said so.
    Function,
    /// `panic`.
    Panic,
    /// The artifact does not fit together, or a limit was reached.
    Engine,
}

/// What a node does when it is evaluated.
pub(crate) enum Kind {
    /// Taken out while the node is being evaluated.
    Busy,
    List,
    /// Inputs: key, value, key, value…
    Map,
    Struct(TypeIdx),
    Plain(FunctionIdx),
    Live(Box<LiveNode>),
    /// A function value; it never changes.
    Func,
    /// The result of a known call: that of its only input. Owns the frame of the body.
    Forward(FrameId),
    /// An element of a list or map, written by the control of the loop.
    Element,
    /// The result of a control: inputs are the control, then what it chose.
    Output(OutputKind),
    If(Box<IfControl>),
    Except(Box<ExceptControl>),
    Call(Box<CallControl>),
    Iterate(Box<IterateControl>),
    IfStatement(Box<IfStatement>),
    Loop(Box<Loop>),
    /// A resource or edge statement: it only collects its operands.
    Sink,
    /// Values that a frame keeps alive.
    Keep,
}

/// How an output is made from what its control wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// The second input.
    Choice,
    /// A list of all inputs after the first.
    Collect,
    /// The elements of the control's list where the input after the first is true.
    Filter,
}

/// A call site of a function that changes by itself.
pub(crate) struct LiveNode {
    pub(crate) function: FunctionIdx,
    pub(crate) instance: Option<Box<dyn Stream>>,
    /// What it watches.
    pub(crate) watches: Vec<(Watched, WatchId)>,
    /// The deadline it waits for.
    pub(crate) deadline: Option<std::time::Duration>,
    /// Why it has no value yet.
    pub(crate) waits: Option<&'static str>,
}

/// What a live function asked to be told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    Path(std::path::PathBuf),
    /// Kind and name of a resource that offers a value.
    Shared(String, String),
}

/// `if` expression.
pub(crate) struct IfControl {
    pub(crate) origin: u32,
    pub(crate) output: NodeId,
    /// The branch that was taken, with its frame.
    pub(crate) taken: Option<(bool, FrameId)>,
}

/// `<|>`.
pub(crate) struct ExceptControl {
    pub(crate) origin: u32,
    pub(crate) output: NodeId,
    /// What was wired: the value, or the fallback with its frame.
    pub(crate) wired: Option<Option<FrameId>>,
}

/// A call of a function value.
pub(crate) struct CallControl {
    pub(crate) origin: u32,
    pub(crate) output: NodeId,
    pub(crate) body: Option<(FuncValue, FrameId)>,
}

/// `iter.map`, `filter`, `reduce`, `zip`.
pub(crate) struct IterateControl {
    pub(crate) function: EngineFunction,
    pub(crate) output: NodeId,
    pub(crate) callee: Option<FuncValue>,
    /// One for each application of the function.
    pub(crate) bodies: Vec<FrameId>,
}

/// `if` statement.
pub(crate) struct IfStatement {
    pub(crate) statement: u32,
    pub(crate) taken: Option<(bool, Option<FrameId>)>,
}

/// `for` (keys are `None`) and `forkv`.
pub(crate) struct Loop {
    pub(crate) statement: u32,
    /// Whether it is a `forkv`.
    pub(crate) keyed: bool,
    /// The iterations in order.
    pub(crate) iterations: Vec<(Option<Value>, FrameId)>,
}

/// An instance of a template.
pub(crate) struct Frame {
    pub(crate) template: TemplateId,
    /// The frame that captures are resolved in, and where its template holds the closure of this one. `None` for the top.
    pub(crate) parent: Option<(FrameId, ClosurePlace)>,
    /// The control whose evaluation may tear the frame down.
    pub(crate) scope: Option<NodeId>,
    /// At least the heights of the control and, probably, of everything that the frame is given.
    pub(crate) base: u32,
    /// How many frames of calls and loops this one stands in.
    pub(crate) depth: u32,
    pub(crate) params: Vec<Binding>,
    /// The nodes that exist, by their index in the template.
    pub(crate) nodes: Vec<Option<NodeId>>,
    /// One for each statement of the template, once the frame contributes statements.
    pub(crate) statements: Vec<NodeId>,
    /// Keeps [`mcl_artifact::program::Template::keep`] alive.
    pub(crate) keep: Option<NodeId>,
}

/// What a parameter stands for.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Value(Value),
    /// An operand of another frame: the caller's.
    Operand(FrameId, Operand),
    /// A node that the owner of the frame reads anyway: the first accumulator of `reduce`.
    Node(NodeId),
    /// The root of another frame: the next accumulators of `reduce`.
    Root(FrameId),
    /// An element with its present value; the node exists while somebody reads it.
    Element {
        value: Value,
        node: Option<NodeId>,
    },
}

impl Frame {
    /// Every node of the frame, except controls, which are the first input of their output.
    pub(crate) fn all_nodes(&self) -> impl Iterator<Item = NodeId> {
        let elements = self.params.iter().filter_map(|p| match p {
            Binding::Element { node, .. } => *node,
            Binding::Value(_) | Binding::Operand(..) | Binding::Node(_) | Binding::Root(_) => None,
        });
        self.nodes.iter().flatten().chain(&self.statements).chain(&self.keep).copied().chain(elements)
    }
}

impl Kind {
    /// Calls `f` with every frame that a node of this kind owns.
    pub(crate) fn frames(&self, mut f: impl FnMut(FrameId)) {
        match self {
            Kind::Forward(frame) => f(*frame),
            Kind::If(c) => c.taken.iter().for_each(|(_, frame)| f(*frame)),
            Kind::Except(c) => c.wired.iter().flatten().for_each(|frame| f(*frame)),
            Kind::Call(c) => c.body.iter().for_each(|(_, frame)| f(*frame)),
            Kind::Iterate(c) => c.bodies.iter().for_each(|frame| f(*frame)),
            Kind::IfStatement(c) => c.taken.iter().filter_map(|(_, frame)| *frame).for_each(f),
            Kind::Loop(c) => c.iterations.iter().for_each(|(_, frame)| f(*frame)),
            Kind::Busy
            | Kind::List
            | Kind::Map
            | Kind::Struct(_)
            | Kind::Plain(_)
            | Kind::Live(_)
            | Kind::Func
            | Kind::Element
            | Kind::Output(_)
            | Kind::Sink
            | Kind::Keep => {}
        }
    }
}
