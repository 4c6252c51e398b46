//! Instantiation of nodes and frames, on demand and without recursion.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::{NodeIdx, Op, Operand, ParamIdx, Statement, StatementIdx, TemplateId};
use mcl_diagnostics::Span;
use mcl_functions::{EngineFunction, Implementation};
use mcl_value::{FuncValue, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::closure::{ClosureLocation, FunctionInstance};
use crate::code::for_each_operand;
use crate::engine::Engine;
use crate::ids::{FrameId, NodeId};
use crate::inline::Computed;
use crate::node::{
    Binding, Bindings, CallControl, ExceptBranch, ExceptControl, Frame, IfControl, IfStatement, Input, IterateControl,
    Loop, Node, NodeKind, OutputKind, Slot, State, StatementState, StreamNode,
};
use crate::outputs::Operands;

/// The result of resolving an operand.
enum Resolved {
    Ready(Input),
    /// A node of this frame that does not exist yet.
    Missing(FrameId, NodeIdx),
}

/// A frame to create.
pub(crate) struct NewFrame {
    pub(crate) parent: FrameId,
    pub(crate) location: ClosureLocation,
    pub(crate) scope: Option<NodeId>,
    pub(crate) depth: u32,
    pub(crate) params: Bindings,
}

impl Engine {
    /// Returns the input for an operand of a frame. Creates its node, and all that the node needs, if it does not exist.
    pub(crate) fn instantiate(&mut self, frame: FrameId, operand: Operand) -> Input {
        match self.resolve(frame, operand) {
            Resolved::Ready(input) => input,
            Resolved::Missing(frame, node) => Input::Node { node: self.instantiate_node(frame, node), position: 0 },
        }
    }

    /// Returns the input for the root of a frame.
    pub(crate) fn instantiate_root(&mut self, frame: FrameId) -> Input {
        let root = self.code.template(self.frames[frame].template).root;
        // Templates of expressions have a root: validation of the artifact ensures it.
        root.map_or(Input::Value(Value::Nil), |root| self.instantiate(frame, root))
    }

    fn resolve(&mut self, mut frame: FrameId, mut operand: Operand) -> Resolved {
        loop {
            match operand {
                Operand::Const(c) => return Resolved::Ready(Input::Value(self.code.constants[c].clone())),
                Operand::Node(n) => {
                    return match self.frames[frame].node(n) {
                        Some(node) => Resolved::Ready(Input::Node { node, position: 0 }),
                        None => Resolved::Missing(frame, n),
                    };
                }
                Operand::Param(p) => match &self.frames[frame].params[p] {
                    Binding::Value(value) => return Resolved::Ready(Input::Value(value.clone())),
                    Binding::Operand(of, outer) => (frame, operand) = (*of, *outer),
                    Binding::Node(node) => return Resolved::Ready(Input::Node { node: *node, position: 0 }),
                    Binding::Root(of) => {
                        let Some(root) = self.code.template(self.frames[*of].template).root else {
                            return Resolved::Ready(Input::Value(Value::Nil));
                        };
                        (frame, operand) = (*of, root);
                    }
                    Binding::Element { .. } => {
                        let node = self.element(frame, p);
                        return Resolved::Ready(Input::Node { node, position: 0 });
                    }
                },
                Operand::Capture(c) => {
                    let Some((parent, location)) = self.frames[frame].parent else {
                        return Resolved::Ready(Input::Value(Value::Nil));
                    };
                    let Some(closure) = location.of(self.code.template(self.frames[parent].template)) else {
                        return Resolved::Ready(Input::Value(Value::Nil));
                    };
                    (frame, operand) = (parent, closure.captures[c]);
                }
            }
        }
    }

    /// Returns the node of an element that is bound to a parameter.
    fn element(&mut self, frame: FrameId, param: ParamIdx) -> NodeId {
        let Binding::Element { value, sensitive, node } = &self.frames[frame].params[param] else {
            unreachable!("the caller has matched the binding");
        };
        if let Some(node) = node {
            return *node;
        }
        let (value, sensitive) = (value.clone(), *sensitive);
        let id = self.add_node(NodeKind::Element, None, frame, Slot::Parameter(param), []);
        let node = &mut self.nodes[id];
        node.state = State::Value(value);
        node.sensitive = sensitive;
        if let Binding::Element { node, .. } = &mut self.frames[frame].params[param] {
            *node = Some(id);
        }
        id
    }

    /// Creates a node and every node that it needs, depth first, with the stack on the heap.
    fn instantiate_node(&mut self, frame: FrameId, node: NodeIdx) -> NodeId {
        let code = Arc::clone(&self.code);
        let mut stack = vec![(frame, node)];
        let mut bodies: FxHashMap<(FrameId, NodeIdx), FrameId> = FxHashMap::default();
        let mut inputs: Vec<Input> = Vec::new();
        while let Some(&(frame, n)) = stack.last() {
            if self.frames[frame].node(n).is_some() {
                stack.pop();
                continue;
            }
            let op = &code.template(self.frames[frame].template).nodes[n].op;
            let before = stack.len();
            inputs.clear();
            let mut body = None;
            let mut need = |engine: &mut Engine, frame, operand| match engine.resolve(frame, operand) {
                Resolved::Ready(input) => inputs.push(input),
                Resolved::Missing(frame, node) => stack.push((frame, node)),
            };
            if let Op::CallKnown { closure, args } = op {
                let callee = *bodies.entry((frame, n)).or_insert_with(|| {
                    let params = args.iter().map(|arg| self.bind(frame, *arg)).collect();
                    let location = ClosureLocation::Node(n);
                    let Frame { scope, depth, .. } = self.frames[frame];
                    self.new_frame(closure.template, NewFrame { parent: frame, location, scope, depth, params })
                });
                body = Some(callee);
                match code.template(closure.template).root {
                    Some(root) => need(self, callee, root),
                    None => inputs.push(Input::Value(Value::Nil)),
                }
            } else {
                for_each_operand(op, |operand| need(self, frame, operand));
            }
            if stack.len() == before {
                stack.pop();
                let made = self.make_node(frame, n, body, &mut inputs);
                let count = code.template(self.frames[frame].template).nodes.len();
                self.frames[frame].add_node(n, made, count);
            }
        }
        self.frames[frame].node(node).expect("the loop ends when this node exists")
    }

    /// Creates one node of a template. All inputs exist.
    fn make_node(&mut self, frame: FrameId, n: NodeIdx, body: Option<FrameId>, inputs: &mut Vec<Input>) -> NodeId {
        let code = Arc::clone(&self.code);
        let template = &code.template(self.frames[frame].template).nodes[n];
        let (span, slot) = (template.span, Slot::Node(n));
        let inputs = inputs.drain(..);
        let kind = match &template.op {
            Op::List(_) => NodeKind::List,
            Op::Map(_) => NodeKind::Map,
            Op::Struct(ty, _) => NodeKind::Struct(*ty),
            Op::Builtin { function, .. } if self.is_answered(*function) => NodeKind::Answered(*function),
            Op::Builtin { function, .. } => match &code.functions[*function].function.implementation {
                Implementation::Plain(_) => NodeKind::Plain(*function),
                Implementation::Streaming(new) => {
                    self.streams += 1;
                    NodeKind::Stream(Box::new(StreamNode {
                        function: *function,
                        instance: Some(new()),
                        watches: Vec::new(),
                        deadline: None,
                        not_ready: None,
                        sensitive: false,
                    }))
                }
                Implementation::Engine(function) => {
                    let function = *function;
                    let output_kind = match function {
                        EngineFunction::Map | EngineFunction::Zip => OutputKind::Collect,
                        EngineFunction::Filter => OutputKind::Filter,
                        EngineFunction::Reduce => OutputKind::Choice,
                    };
                    return self.add_control(frame, n, output_kind, inputs, |output| {
                        NodeKind::Iterate(Box::new(IterateControl {
                            function,
                            output,
                            callee: None,
                            bodies: Vec::new(),
                        }))
                    });
                }
            },
            Op::Func { .. } => {
                let id = self.add_node(NodeKind::Func, span, frame, slot, inputs);
                let value = FuncValue(Arc::new(FunctionInstance { frame, origin: n }));
                self.nodes[id].state = State::Value(Value::Func(value));
                return id;
            }
            Op::CallKnown { .. } => {
                NodeKind::Forward(body.expect("the frame is created together with the node's operands"))
            }
            Op::Call { .. } => {
                return self.add_control(frame, n, OutputKind::Choice, inputs, |output| {
                    NodeKind::Call(Box::new(CallControl { origin: n, output, body: None }))
                });
            }
            Op::If { .. } => {
                return self.add_control(frame, n, OutputKind::Choice, inputs, |output| {
                    NodeKind::If(Box::new(IfControl { origin: n, output, taken: None }))
                });
            }
            Op::Except { .. } => {
                return self.add_control(frame, n, OutputKind::Choice, inputs, |output| {
                    NodeKind::Except(Box::new(ExceptControl { origin: n, output, connected: ExceptBranch::Nothing }))
                });
            }
        };
        let id = self.add_node(kind, span, frame, slot, inputs);
        self.enqueue(id);
        id
    }

    /// Creates a control and its output, and returns the output.
    fn add_control(
        &mut self,
        frame: FrameId,
        n: NodeIdx,
        kind: OutputKind,
        inputs: impl IntoIterator<Item = Input>,
        control: impl FnOnce(NodeId) -> NodeKind,
    ) -> NodeId {
        let code = Arc::clone(&self.code);
        let template = &code.template(self.frames[frame].template).nodes[n];
        let id = self.add_node(NodeKind::Busy, template.span, frame, Slot::None, inputs);
        let as_input = Input::Node { node: id, position: 0 };
        let output = self.add_node(NodeKind::Output(kind), template.span, frame, Slot::Node(n), [as_input]);
        let Frame { template: template_id, base, .. } = self.frames[frame];
        let estimated = code.estimated_height(template_id, n, base);
        let output_node = &mut self.nodes[output];
        output_node.height = output_node.height.max(estimated);
        self.nodes[id].kind = control(output);
        self.enqueue(id);
        self.enqueue(output);
        output
    }

    pub(crate) fn add_node(
        &mut self,
        kind: NodeKind,
        span: Option<Span>,
        frame: FrameId,
        slot: Slot,
        inputs: impl IntoIterator<Item = Input>,
    ) -> NodeId {
        let inputs = inputs.into_iter();
        let scope = self.frames[frame].scope;
        let mut below = scope.map_or(0, |scope| self.nodes[scope].height);
        let id = self.nodes.insert(Node {
            kind,
            span,
            frame,
            slot,
            inputs: Vec::with_capacity(inputs.size_hint().0),
            dependents: SmallVec::new(),
            state: State::New,
            sensitive: false,
            height: 0,
            queued: false,
            orphan: false,
            pinned: false,
            changed: self.round,
        });
        for input in inputs {
            if let Input::Node { node, .. } = &input {
                below = below.max(self.nodes[*node].height);
            }
            self.attach(id, input);
        }
        self.nodes[id].height = below + 1;
        id
    }

    pub(crate) fn new_frame(&mut self, template: TemplateId, new: NewFrame) -> FrameId {
        let code = Arc::clone(&self.code);
        let keeps = !code.template(template).keep.is_empty();
        let base = self.base(&new);
        let NewFrame { parent, location, scope, depth, params } = new;
        let frame = self.frames.insert(Frame::new(template, Some((parent, location)), scope, (base, depth), params));
        if keeps {
            self.frames_without_keepalive.push(frame);
        }
        frame
    }

    /// Estimates the greatest height among the parameters and captures of a new frame.
    fn base(&self, new: &NewFrame) -> u32 {
        let of = |frame: FrameId, operand: Operand| {
            let Some(f) = self.frames.get(frame) else { return 0 };
            match operand {
                Operand::Const(_) => 0,
                Operand::Param(_) | Operand::Capture(_) => f.base,
                Operand::Node(n) => match f.node(n) {
                    Some(node) => self.nodes[node].height,
                    None => self.code.estimated_height(f.template, n, f.base),
                },
            }
        };
        let parent = &self.frames[new.parent];
        let captures = new.location.of(self.code.template(parent.template)).map(|closure| closure.captures.values());
        let captured = captures.into_iter().flatten().map(|operand| of(new.parent, *operand));
        let given = new.params.values().map(|param| match param {
            Binding::Value(_) | Binding::Element { .. } => 0,
            Binding::Operand(frame, operand) => of(*frame, *operand),
            Binding::Node(node) => self.nodes[*node].height,
            Binding::Root(frame) => {
                let f = &self.frames[*frame];
                self.code.estimated_root_height(f.template, f.base)
            }
        });
        let scope = new.scope.map_or(0, |scope| self.nodes[scope].height);
        captured.chain(given).fold(scope, u32::max)
    }

    /// Returns the binding for an argument from `frame`. An argument that is itself a parameter is bound directly to what
    /// that stands for, so that lookups do not follow a chain of calls.
    pub(crate) fn bind(&self, frame: FrameId, operand: Operand) -> Binding {
        match operand {
            Operand::Const(c) => Binding::Value(self.code.constants[c].clone()),
            Operand::Param(p) => match &self.frames[frame].params[p] {
                Binding::Element { .. } => Binding::Operand(frame, operand),
                passed_on => passed_on.clone(),
            },
            Operand::Node(_) | Operand::Capture(_) => Binding::Operand(frame, operand),
        }
    }

    /// Creates the keep-alive nodes of new frames.
    pub(crate) fn create_keepalives(&mut self) {
        let code = Arc::clone(&self.code);
        while let Some(id) = self.frames_without_keepalive.pop() {
            let Some(frame) = self.frames.get(id) else { continue };
            let inputs: Vec<Input> =
                code.template(frame.template).keep.iter().map(|operand| self.instantiate(id, *operand)).collect();
            let node = self.add_node(NodeKind::KeepAlive, None, id, Slot::None, inputs);
            self.nodes[node].pinned = true;
            self.frames[id].keepalive = Some(node);
            self.enqueue(node);
        }
    }

    /// Activates a frame: its statements become part of the output.
    pub(crate) fn activate(&mut self, frame: FrameId) {
        let code = Arc::clone(&self.code);
        let statements = &code.template(self.frames[frame].template).statements;
        let mut states = PrimaryMap::with_capacity(statements.len());
        let mut computed = Computed::default();
        for (index, statement) in statements {
            let is_output = matches!(statement, Statement::Resource(_) | Statement::Edge { .. });
            let inline = if is_output { self.inline(frame, statement, &mut computed) } else { None };
            states.push(inline.unwrap_or_else(|| StatementState::Node(self.add_statement(frame, index, statement))));
        }
        self.frames[frame].statements = states.into_boxed_slice();
        self.changes.add_frame(frame);
    }

    /// Adds the node of a statement.
    pub(crate) fn add_statement(&mut self, frame: FrameId, index: StatementIdx, statement: &Statement) -> NodeId {
        let inputs: Vec<Input> = Operands::of(statement).map(|operand| self.instantiate(frame, operand)).collect();
        let kind = match statement {
            Statement::Resource(_) | Statement::Edge { .. } => NodeKind::StatementNode,
            Statement::If { .. } => NodeKind::IfStatement(Box::new(IfStatement { statement: index, taken: None })),
            Statement::For { .. } | Statement::ForKv { .. } => NodeKind::Loop(Box::new(Loop {
                statement: index,
                keyed: matches!(statement, Statement::ForKv { .. }),
                iterations: Vec::new(),
                sensitive: false,
            })),
        };
        let node = self.add_node(kind, None, frame, Slot::Statement(index), inputs);
        self.nodes[node].pinned = true;
        self.enqueue(node);
        node
    }
}
