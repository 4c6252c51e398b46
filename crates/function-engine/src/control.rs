//! Controls: nodes that change the graph. They build and drop frames when, and only when, their key input changes
//! (spec 04 §1.10).

use std::sync::Arc;

use mcl_artifact::program::{Op, ParamIdx};
use mcl_functions::EngineFunction;
use mcl_value::{FuncValue, Value};

use crate::build::NewFrame;
use crate::closure::{ClosureLocation, FunctionInstance};
use crate::engine::Engine;
use crate::failure::{Failure, FailureKind};
use crate::identical::identical;
use crate::ids::{FrameId, NodeId};
use crate::iteration::{Accumulator, Iteration, IterationError};
use crate::node::{
    Binding, Bindings, CallControl, ExceptBranch, ExceptControl, IfControl, IfStatement, Input, IterateControl, Loop,
    State, Unavailable,
};

/// Maximum nesting depth of calls of function values and loops at run time. Programs cannot recurse, so only an artifact
/// that does not come from the compiler exceeds it.
const MAX_DEPTH: u32 = 2_000;
/// Maximum number of nodes that exist at once.
const MAX_NODES: usize = 50_000_000;

impl Engine {
    pub(crate) fn evaluate_if(&mut self, id: NodeId, c: &mut IfControl) -> State {
        let condition = match self.input(id, 0) {
            Ok(Value::Bool(condition)) => condition,
            Err(Unavailable::Pending) => return State::Pending,
            other => {
                if let Some((_, frame)) = c.taken.take() {
                    self.drop_frame(frame);
                }
                self.connect(c.output, []);
                return self.invalid_key(id, other, "`bool` as the condition");
            }
        };
        if c.taken.is_some_and(|(taken, _)| taken == condition) {
            return State::Value(Value::Nil);
        }
        let location = if condition { ClosureLocation::Node(c.origin) } else { ClosureLocation::Otherwise(c.origin) };
        let frame = match self.open_frame(id, self.nodes[id].frame, location, Bindings::new()) {
            Ok(frame) => frame,
            Err(state) => return state,
        };
        let root = self.instantiate_root(frame);
        if let Some((_, old)) = c.taken.replace((condition, frame)) {
            self.drop_frame(old);
        }
        self.connect(c.output, [root]);
        State::Value(Value::Nil)
    }

    pub(crate) fn evaluate_except(&mut self, id: NodeId, c: &mut ExceptControl) -> State {
        match self.input(id, 0) {
            Ok(_) => {
                if c.connected != ExceptBranch::Value {
                    self.drop_fallback(c, ExceptBranch::Value);
                    let value = self.nodes[id].inputs[0].clone();
                    self.connect(c.output, [value]);
                }
                State::Value(Value::Nil)
            }
            Err(Unavailable::Pending) => State::Pending,
            Err(Unavailable::Failed(failure)) if failure.catchable => {
                if c.connected.frame().is_none() {
                    let location = ClosureLocation::Node(c.origin);
                    let frame = match self.open_frame(id, self.nodes[id].frame, location, Bindings::new()) {
                        Ok(frame) => frame,
                        Err(state) => return state,
                    };
                    let root = self.instantiate_root(frame);
                    c.connected = ExceptBranch::Fallback(frame);
                    self.connect(c.output, [root]);
                }
                State::Value(Value::Nil)
            }
            Err(Unavailable::Failed(fatal)) => {
                self.drop_fallback(c, ExceptBranch::Nothing);
                self.connect(c.output, []);
                State::Failed(fatal)
            }
        }
    }

    /// Sets what the output of a `<|>` is connected to, and drops the frame of its fallback.
    fn drop_fallback(&mut self, c: &mut ExceptControl, connected: ExceptBranch) {
        if let Some(frame) = std::mem::replace(&mut c.connected, connected).frame() {
            self.drop_frame(frame);
        }
    }

    pub(crate) fn evaluate_call(&mut self, id: NodeId, c: &mut CallControl) -> State {
        let callee = match self.input(id, 0) {
            Ok(Value::Func(callee)) => callee,
            Err(Unavailable::Pending) => return State::Pending,
            other => {
                if let Some((_, frame)) = c.body.take() {
                    self.drop_frame(frame);
                }
                self.connect(c.output, []);
                return self.invalid_key(id, other, "a function to call");
            }
        };
        if c.body.as_ref().is_some_and(|(old, _)| Arc::ptr_eq(&old.0, &callee.0)) {
            return State::Value(Value::Nil);
        }
        let code = Arc::clone(&self.code);
        let caller = self.nodes[id].frame;
        let Op::Call { args, .. } = &code.template(self.frames[caller].template).nodes[c.origin].op else {
            return self.engine_failure(id, "missing arguments of a call");
        };
        let params = args.iter().map(|arg| self.bind(caller, *arg)).collect();
        if let Some((_, old)) = c.body.take() {
            self.drop_frame(old);
        }
        let frame = match self.apply(id, &callee, params) {
            Ok(frame) => frame,
            Err(state) => {
                self.connect(c.output, []);
                return state;
            }
        };
        let root = self.instantiate_root(frame);
        c.body = Some((callee, frame));
        self.connect(c.output, [root]);
        State::Value(Value::Nil)
    }

    pub(crate) fn evaluate_iterate(&mut self, id: NodeId, c: &mut IterateControl) -> State {
        let arguments = (0..self.nodes[id].inputs.len()).map(|i| self.input(id, i)).collect::<Result<Vec<Value>, _>>();
        let Ok(arguments) = arguments else {
            let unavailable = self.unavailable(id);
            if let Unavailable::Failed(_) = unavailable {
                self.drop_bodies(c);
            }
            return unavailable.into();
        };
        let iteration = match Iteration::plan(c.function, arguments) {
            Ok(iteration) => iteration,
            Err(error) => {
                self.drop_bodies(c);
                return self.iteration_failure(id, error);
            }
        };
        if c.callee.as_ref().is_none_or(|old| !Arc::ptr_eq(&old.0, &iteration.callee.0)) {
            self.drop_bodies(c);
            c.callee = Some(iteration.callee.clone());
        }

        let sensitive = self.has_sensitive_input(id);
        let previous = c.bodies.len();
        for (i, body) in c.bodies.iter().enumerate().take(iteration.count) {
            for (param, value) in iteration.elements(i) {
                self.set_element(*body, param, value, sensitive);
            }
        }
        for body in c.bodies.drain(iteration.count.min(previous)..) {
            self.drop_frame(body);
        }
        for i in previous..iteration.count {
            let accumulator = match (iteration.accumulator, c.bodies.last()) {
                (Accumulator::None, _) | (Accumulator::FirstElement, None) => None,
                (Accumulator::Initial, None) => Some(self.initial_value(id)),
                (Accumulator::Initial | Accumulator::FirstElement, Some(previous)) => Some(Binding::Root(*previous)),
            };
            let element = |value: &Value| Binding::Element { value: value.clone(), sensitive, node: None };
            let elements = iteration.elements(i).map(|(_, value)| element(value));
            let params = accumulator.into_iter().chain(elements).collect();
            match self.apply(id, &iteration.callee, params) {
                Ok(body) => c.bodies.push(body),
                Err(state) => {
                    self.drop_bodies(c);
                    return state;
                }
            }
        }
        self.connect_iteration(id, c, &iteration, previous);
        // The output of `filter` reads the elements here.
        State::Value(if c.function == EngineFunction::Filter { iteration.list() } else { Value::Nil })
    }

    /// Connects the output of an iteration that had `previous` bodies before this evaluation.
    fn connect_iteration(&mut self, id: NodeId, c: &IterateControl, iteration: &Iteration, previous: usize) {
        if iteration.accumulator == Accumulator::None {
            if previous != iteration.count || self.nodes[c.output].inputs.len() != iteration.count + 1 {
                let roots: Vec<Input> = c.bodies.iter().map(|body| self.instantiate_root(*body)).collect();
                self.connect(c.output, roots);
            }
            return;
        }
        let result = match (c.bodies.last(), iteration.accumulator) {
            (Some(last), _) => self.instantiate_root(*last),
            (None, Accumulator::Initial) => self.nodes[id].inputs[0].clone(),
            (None, _) => Input::Value(iteration.first_element().cloned().unwrap_or(Value::Nil)),
        };
        self.connect(c.output, [result]);
    }

    pub(crate) fn evaluate_if_statement(&mut self, id: NodeId, c: &mut IfStatement) -> State {
        let condition = match self.input(id, 0) {
            Ok(Value::Bool(condition)) => condition,
            Err(Unavailable::Pending) => return State::Pending,
            other => {
                if let Some((_, Some(frame))) = c.taken.take() {
                    self.drop_frame(frame);
                }
                return self.invalid_key(id, other, "`bool` as the condition");
            }
        };
        if c.taken.is_some_and(|(taken, _)| taken == condition) {
            return State::Value(Value::Nil);
        }
        let frame = self.nodes[id].frame;
        let location = if condition {
            ClosureLocation::Statement(c.statement)
        } else {
            ClosureLocation::StatementOtherwise(c.statement)
        };
        let new = if location.of(self.code.template(self.frames[frame].template)).is_some() {
            match self.open_frame(id, frame, location, Bindings::new()) {
                Ok(new) => Some(new),
                Err(state) => return state,
            }
        } else {
            None
        };
        if let Some(new) = new {
            self.activate(new);
        }
        if let Some((_, Some(old))) = c.taken.replace((condition, new)) {
            self.drop_frame(old);
        }
        State::Value(Value::Nil)
    }

    pub(crate) fn evaluate_loop(&mut self, id: NodeId, c: &mut Loop) -> State {
        let elements: Vec<(Option<Value>, Value)> = match self.input(id, 0) {
            Ok(Value::List(list)) if !c.keyed => list.iter().map(|v| (None, v.clone())).collect(),
            Ok(Value::Map(map)) if c.keyed => map.iter().map(|(k, v)| (Some(k.clone()), v.clone())).collect(),
            Err(Unavailable::Pending) => return State::Pending,
            other => {
                self.drop_iterations(c);
                return self.invalid_key(id, other, if c.keyed { "a map in `forkv`" } else { "a list in `for`" });
            }
        };
        let sensitive = self.has_sensitive_input(id);
        if std::mem::replace(&mut c.sensitive, sensitive) != sensitive {
            // Keys are bound as constants, which cannot become sensitive.
            self.drop_iterations(c);
        }
        let old = std::mem::take(&mut c.iterations);
        // Both sides are sorted by key, so they are merged. Without keys an iteration is identified by its index.
        let mut old = old.into_iter().peekable();
        let value_param = ParamIdx::from_u32(1);
        for (index, (key, value)) in elements.iter().enumerate() {
            while let Some((_, removed)) = old.next_if(|(k, _)| match (k, key) {
                (Some(k), Some(key)) => !identical(k, key) && k.display_order(key).is_lt(),
                _ => false,
            }) {
                self.drop_frame(removed);
            }
            let same = old.next_if(|(k, _)| match (k, key) {
                (Some(k), Some(key)) => identical(k, key),
                _ => true,
            });
            if let Some((key, frame)) = same {
                self.set_element(frame, value_param, value, sensitive);
                c.iterations.push((key, frame));
                continue;
            }
            let first = key.clone().unwrap_or(Value::Int(index as i64));
            let element = |value: Value| Binding::Element { value, sensitive, node: None };
            let first = if sensitive && key.is_some() { element(first) } else { Binding::Value(first) };
            let params = vec![first, element(value.clone())].into();
            let location = ClosureLocation::Statement(c.statement);
            match self.open_frame(id, self.nodes[id].frame, location, params) {
                Ok(frame) => {
                    self.activate(frame);
                    c.iterations.push((key.clone(), frame));
                }
                Err(state) => {
                    for (_, removed) in old.chain(c.iterations.drain(..)) {
                        self.drop_frame(removed);
                    }
                    return state;
                }
            }
        }
        for (_, removed) in old {
            self.drop_frame(removed);
        }
        State::Value(Value::Nil)
    }

    fn drop_iterations(&mut self, c: &mut Loop) {
        for (_, frame) in c.iterations.drain(..) {
            self.drop_frame(frame);
        }
    }

    /// Returns the state of a control whose key input has no value, or one of the wrong type.
    fn invalid_key(&self, id: NodeId, key: Result<Value, Unavailable>, expected: &str) -> State {
        match key {
            Err(unavailable) => unavailable.into(),
            Ok(value) => self.engine_failure(id, format!("expected {expected}, found {}", value.kind())),
        }
    }

    fn iteration_failure(&self, id: NodeId, error: IterationError) -> State {
        let kind = match error {
            IterationError::EmptyReduce => FailureKind::Function,
            IterationError::NotAFunction | IterationError::NotAList | IterationError::MissingList => {
                FailureKind::Engine
            }
        };
        State::Failed(Arc::new(Failure {
            catchable: false,
            message: error.message().to_owned(),
            span: self.nodes[id].span,
            origin: id,
            kind,
        }))
    }

    /// Returns the binding for the initial value of an `iter.reduce`, its first argument.
    fn initial_value(&self, id: NodeId) -> Binding {
        match &self.nodes[id].inputs[0] {
            Input::Value(value) => Binding::Value(value.clone()),
            Input::Node { node, .. } => Binding::Node(*node),
        }
    }

    fn drop_bodies(&mut self, c: &mut IterateControl) {
        c.callee = None;
        for body in c.bodies.drain(..) {
            self.drop_frame(body);
        }
        self.connect(c.output, []);
    }

    /// Creates a frame for the body of a function value.
    fn apply(&mut self, id: NodeId, callee: &FuncValue, params: Bindings) -> Result<FrameId, State> {
        let Some(function) = callee.0.downcast_ref::<FunctionInstance>() else {
            return Err(self.engine_failure(id, "missing function to call"));
        };
        if self.frames.get(function.frame).is_none() {
            return Err(self.engine_failure(id, "the values that a function captured do not exist any more"));
        }
        self.open_frame(id, function.frame, ClosureLocation::Node(function.origin), params)
    }

    /// Creates a frame that this control owns.
    fn open_frame(
        &mut self,
        id: NodeId,
        parent: FrameId,
        location: ClosureLocation,
        params: Bindings,
    ) -> Result<FrameId, State> {
        let code = Arc::clone(&self.code);
        let Some(closure) = location.of(code.template(self.frames[parent].template)) else {
            return Err(self.engine_failure(id, "missing closure"));
        };
        if code.template(closure.template).params as usize != params.len() {
            return Err(self.engine_failure(id, "wrong number of arguments in a function call"));
        }
        let depth = self.frames[self.nodes[id].frame].depth.max(self.frames[parent].depth) + 1;
        if depth > MAX_DEPTH {
            return Err(
                self.engine_failure(id, format!("calls and loops are nested more than {MAX_DEPTH} levels deep"))
            );
        }
        if self.nodes.len() > MAX_NODES {
            return Err(self.engine_failure(id, format!("the program needs more than {MAX_NODES} nodes")));
        }
        Ok(self.new_frame(closure.template, NewFrame { parent, location, scope: Some(id), depth, params }))
    }

    /// Replaces the inputs of an output after its control.
    fn connect(&mut self, output: NodeId, choices: impl IntoIterator<Item = Input>) {
        self.truncate_inputs(output, 1);
        let mut below = 0;
        for choice in choices {
            if let Input::Node { node, .. } = &choice {
                below = below.max(self.nodes[*node].height);
            }
            self.attach(output, choice);
        }
        self.raise(output, below);
        self.enqueue(output);
    }
}
