//! Nodes that change the graph: they build and tear down frames when, and only when, their key changes (spec 04 §1.10).

use std::sync::Arc;

use mcl_artifact::program::Op;
use mcl_functions::EngineFunction;
use mcl_value::{FuncValue, Value};

use crate::Engine;
use crate::build::NewFrame;
use crate::code::{ClosurePlace, FunctionInstance, NodeId};
use crate::identical::identical;
use crate::node::{
    Absent, Binding, CallControl, ExceptControl, FrameId, IfControl, IfStatement, Input, IterateControl, Loop, State,
};

/// How deep calls of function values and loops may nest at run time. Programs cannot recurse, so only an artifact that
/// does not come from the compiler gets there.
const MAX_DEPTH: u32 = 2_000;
/// How many nodes may be alive at once.
const MAX_NODES: usize = 50_000_000;

impl Engine {
    pub(crate) fn evaluate_if(&mut self, id: NodeId, c: &mut IfControl) -> State {
        let condition = match self.input(id, 0) {
            Ok(Value::Bool(condition)) => condition,
            Err(Absent::Pending) => return State::Pending,
            other => {
                if let Some((_, frame)) = c.taken.take() {
                    self.tear_down(frame);
                }
                self.wire(c.output, []);
                return self.unusable(id, other, "a condition");
            }
        };
        if c.taken.is_some_and(|(taken, _)| taken == condition) {
            return State::Value(Value::Nil);
        }
        let place = if condition { ClosurePlace::Node(c.origin) } else { ClosurePlace::Otherwise(c.origin) };
        let frame = match self.open(id, self.nodes[id].frame, place, Vec::new()) {
            Ok(frame) => frame,
            Err(state) => return state,
        };
        let root = self.demand_root(frame);
        if let Some((_, old)) = c.taken.replace((condition, frame)) {
            self.tear_down(old);
        }
        self.wire(c.output, [root]);
        State::Value(Value::Nil)
    }

    pub(crate) fn evaluate_except(&mut self, id: NodeId, c: &mut ExceptControl) -> State {
        match self.input(id, 0) {
            Ok(_) => {
                if !matches!(c.wired, Some(None)) {
                    if let Some(Some(frame)) = c.wired.replace(None) {
                        self.tear_down(frame);
                    }
                    let value = self.nodes[id].inputs[0].clone();
                    self.wire(c.output, [value]);
                }
                State::Value(Value::Nil)
            }
            Err(Absent::Pending) => State::Pending,
            Err(Absent::Failed(failure)) if failure.catchable => {
                if !matches!(c.wired, Some(Some(_))) {
                    let place = ClosurePlace::Node(c.origin);
                    let frame = match self.open(id, self.nodes[id].frame, place, Vec::new()) {
                        Ok(frame) => frame,
                        Err(state) => return state,
                    };
                    let root = self.demand_root(frame);
                    c.wired = Some(Some(frame));
                    self.wire(c.output, [root]);
                }
                State::Value(Value::Nil)
            }
            Err(Absent::Failed(fatal)) => {
                if let Some(Some(frame)) = c.wired.take() {
                    self.tear_down(frame);
                }
                self.wire(c.output, []);
                State::Failed(fatal)
            }
        }
    }

    pub(crate) fn evaluate_call(&mut self, id: NodeId, c: &mut CallControl) -> State {
        let callee = match self.input(id, 0) {
            Ok(Value::Func(callee)) => callee,
            Err(Absent::Pending) => return State::Pending,
            other => {
                if let Some((_, frame)) = c.body.take() {
                    self.tear_down(frame);
                }
                self.wire(c.output, []);
                return self.unusable(id, other, "a function");
            }
        };
        if c.body.as_ref().is_some_and(|(old, _)| Arc::ptr_eq(&old.0, &callee.0)) {
            return State::Value(Value::Nil);
        }
        let code = Arc::clone(&self.code);
        let caller = self.nodes[id].frame;
        let Op::Call { args, .. } = &code.template(self.frames[caller].template).nodes[c.origin as usize].op else {
            return self.engine_failure(id, "a call has lost its arguments");
        };
        let params = args.iter().map(|arg| self.bind(caller, *arg)).collect();
        if let Some((_, old)) = c.body.take() {
            self.tear_down(old);
        }
        let frame = match self.apply(id, &callee, params) {
            Ok(frame) => frame,
            Err(state) => {
                self.wire(c.output, []);
                return state;
            }
        };
        let root = self.demand_root(frame);
        c.body = Some((callee, frame));
        self.wire(c.output, [root]);
        State::Value(Value::Nil)
    }

    pub(crate) fn evaluate_iterate(&mut self, id: NodeId, c: &mut IterateControl) -> State {
        let arguments: Result<Vec<Value>, _> = (0..self.nodes[id].inputs.len()).map(|i| self.input(id, i)).collect();
        let mut arguments = match arguments {
            Ok(arguments) => arguments,
            Err(_) => {
                let absent = self.absent(id);
                if let Absent::Failed(_) = absent {
                    self.drop_bodies(c);
                }
                return absent.into();
            }
        };
        let Some(Value::Func(callee)) = arguments.pop() else {
            self.drop_bodies(c);
            return self.engine_failure(id, "the last argument of an iteration is not a function");
        };
        let initial = c.function == EngineFunction::Reduce && arguments.len() == 2;
        let mut lists = Vec::with_capacity(2);
        for argument in arguments.into_iter().skip(usize::from(initial)) {
            let Value::List(list) = argument else {
                self.drop_bodies(c);
                return self.engine_failure(id, "an argument of an iteration is not a list");
            };
            lists.push(list);
        }
        let length = lists.iter().map(|l| l.len()).min().unwrap_or(0);
        let Some(list) = lists.first().cloned() else {
            self.drop_bodies(c);
            return self.engine_failure(id, "an iteration has no list");
        };
        if c.callee.as_ref().is_none_or(|old| !Arc::ptr_eq(&old.0, &callee.0)) {
            self.drop_bodies(c);
            c.callee = Some(callee.clone());
        }

        // The elements that the body `i` takes as parameters.
        let reduce = c.function == EngineFunction::Reduce;
        let elements = |i: usize| -> Vec<(usize, &Value)> {
            match c.function {
                EngineFunction::Map | EngineFunction::Filter => vec![(0, &list[i])],
                EngineFunction::Zip => lists.iter().enumerate().map(|(param, list)| (param, &list[i])).collect(),
                EngineFunction::Reduce if initial => vec![(1, &list[i])],
                EngineFunction::Reduce if i == 0 => vec![(0, &list[0]), (1, &list[1])],
                EngineFunction::Reduce => vec![(1, &list[i + 1])],
            }
        };
        let wanted = if reduce && !initial { length.saturating_sub(1) } else { length };
        if reduce && !initial && length == 0 {
            self.drop_bodies(c);
            return self.function_failure(id, "cannot reduce an empty list without an initial value");
        }
        let had = c.bodies.len();
        for (i, body) in c.bodies.iter().enumerate().take(wanted) {
            for (param, value) in elements(i) {
                self.set_element(*body, param, value);
            }
        }
        for body in c.bodies.drain(wanted.min(had)..) {
            self.tear_down(body);
        }
        for i in had..wanted {
            let mut params: Vec<Binding> =
                elements(i).into_iter().map(|(_, v)| Binding::Element { value: v.clone(), node: None }).collect();
            if reduce && (initial || i > 0) {
                let accumulator = match c.bodies.last() {
                    Some(previous) => Binding::Root(*previous),
                    None => self.initial_value(id),
                };
                params.insert(0, accumulator);
            }
            match self.apply(id, &callee, params) {
                Ok(body) => c.bodies.push(body),
                Err(state) => {
                    self.drop_bodies(c);
                    return state;
                }
            }
        }
        if reduce {
            let result = match c.bodies.last() {
                Some(last) => self.demand_root(*last),
                None if initial => self.nodes[id].inputs[0].clone(),
                None => Input::Value(list[0].clone()),
            };
            self.wire(c.output, [result]);
            return State::Value(Value::Nil);
        }
        if had != wanted || self.nodes[c.output].inputs.len() != wanted + 1 {
            let roots: Vec<Input> = c.bodies.iter().map(|body| self.demand_root(*body)).collect();
            self.wire(c.output, roots);
        }
        // The output of `filter` reads the elements here.
        State::Value(if c.function == EngineFunction::Filter { Value::List(list) } else { Value::Nil })
    }

    pub(crate) fn evaluate_if_statement(&mut self, id: NodeId, c: &mut IfStatement) -> State {
        let condition = match self.input(id, 0) {
            Ok(Value::Bool(condition)) => condition,
            Err(Absent::Pending) => return State::Pending,
            other => {
                if let Some((_, Some(frame))) = c.taken.take() {
                    self.outputs_changed = true;
                    self.tear_down(frame);
                }
                return self.unusable(id, other, "a condition");
            }
        };
        if c.taken.is_some_and(|(taken, _)| taken == condition) {
            return State::Value(Value::Nil);
        }
        let frame = self.nodes[id].frame;
        let place = if condition {
            ClosurePlace::Statement(c.statement)
        } else {
            ClosurePlace::StatementOtherwise(c.statement)
        };
        let new = if place.of(self.code.template(self.frames[frame].template)).is_some() {
            match self.open(id, frame, place, Vec::new()) {
                Ok(new) => Some(new),
                Err(state) => return state,
            }
        } else {
            None
        };
        if let Some(new) = new {
            self.activate(new);
        }
        self.outputs_changed = true;
        if let Some((_, Some(old))) = c.taken.replace((condition, new)) {
            self.tear_down(old);
        }
        State::Value(Value::Nil)
    }

    pub(crate) fn evaluate_loop(&mut self, id: NodeId, c: &mut Loop) -> State {
        let elements: Vec<(Option<Value>, Value)> = match self.input(id, 0) {
            Ok(Value::List(list)) if !c.keyed => list.iter().map(|v| (None, v.clone())).collect(),
            Ok(Value::Map(map)) if c.keyed => map.iter().map(|(k, v)| (Some(k.clone()), v.clone())).collect(),
            Err(Absent::Pending) => return State::Pending,
            other => {
                self.outputs_changed |= !c.iterations.is_empty();
                for (_, frame) in c.iterations.drain(..) {
                    self.tear_down(frame);
                }
                return self.unusable(id, other, if c.keyed { "the input of forkv" } else { "the input of for" });
            }
        };
        let old = std::mem::take(&mut c.iterations);
        let had = old.len();
        let mut reused = 0;
        // Keys are sorted, so old and new ones are merged; without keys an iteration is its index.
        let mut old = old.into_iter().peekable();
        let mut in_place = true;
        for (index, (key, value)) in elements.iter().enumerate() {
            while let Some((_, gone)) = old.next_if(|(k, _)| match (k, key) {
                (Some(k), Some(key)) => !identical(k, key) && k.display_order(key).is_lt(),
                _ => false,
            }) {
                self.tear_down(gone);
            }
            let same = old.next_if(|(k, _)| match (k, key) {
                (Some(k), Some(key)) => identical(k, key),
                _ => true,
            });
            if let Some((key, frame)) = same {
                self.set_element(frame, 1, value);
                c.iterations.push((key, frame));
                reused += 1;
                continue;
            }
            in_place = false;
            let first = key.clone().unwrap_or(Value::Int(index as i64));
            let params = vec![Binding::Value(first), Binding::Element { value: value.clone(), node: None }];
            let place = ClosurePlace::Statement(c.statement);
            match self.open(id, self.nodes[id].frame, place, params) {
                Ok(frame) => {
                    self.activate(frame);
                    c.iterations.push((key.clone(), frame));
                }
                Err(state) => {
                    for (_, gone) in old.chain(c.iterations.drain(..)) {
                        self.tear_down(gone);
                    }
                    return state;
                }
            }
        }
        for (_, gone) in old {
            self.tear_down(gone);
        }
        self.outputs_changed |= !in_place || reused != had;
        State::Value(Value::Nil)
    }

    /// A failed or ill-typed key.
    fn unusable(&self, id: NodeId, key: Result<Value, Absent>, what: &str) -> State {
        match key {
            Err(absent) => absent.into(),
            Ok(value) => self.engine_failure(id, format!("{what} has a value of the wrong type: {}", value.kind())),
        }
    }

    fn function_failure(&self, id: NodeId, message: &str) -> State {
        State::Failed(Arc::new(crate::node::Failure {
            catchable: false,
            message: message.to_owned(),
            span: self.nodes[id].span,
            origin: id,
            sort: crate::node::FailureSort::Function,
        }))
    }

    /// The first argument of a three-argument `iter.reduce`, for the body that uses it.
    fn initial_value(&self, id: NodeId) -> Binding {
        match &self.nodes[id].inputs[0] {
            Input::Value(value) => Binding::Value(value.clone()),
            Input::Node { node, .. } => Binding::Node(*node),
        }
    }

    fn drop_bodies(&mut self, c: &mut IterateControl) {
        c.callee = None;
        for body in c.bodies.drain(..) {
            self.tear_down(body);
        }
        self.wire(c.output, []);
    }

    /// A frame of the body of a function value.
    fn apply(&mut self, id: NodeId, callee: &FuncValue, params: Vec<Binding>) -> Result<FrameId, State> {
        let Some(function) = callee.0.downcast_ref::<FunctionInstance>() else {
            return Err(self.engine_failure(id, "there is no function to call"));
        };
        if self.frames.get(function.frame).is_none() {
            return Err(self.engine_failure(id, "a function value has outlived the values that it uses"));
        }
        self.open(id, function.frame, ClosurePlace::Node(function.origin), params)
    }

    /// A frame that this control owns.
    fn open(
        &mut self,
        id: NodeId,
        parent: FrameId,
        place: ClosurePlace,
        params: Vec<Binding>,
    ) -> Result<FrameId, State> {
        let code = Arc::clone(&self.code);
        let Some(closure) = place.of(code.template(self.frames[parent].template)) else {
            return Err(self.engine_failure(id, "a closure is missing"));
        };
        if code.template(closure.template).params as usize != params.len() {
            return Err(self.engine_failure(id, "a function is called with the wrong number of arguments"));
        }
        let depth = self.frames[self.nodes[id].frame].depth.max(self.frames[parent].depth) + 1;
        if depth > MAX_DEPTH || self.nodes.len() > MAX_NODES {
            return Err(self.engine_failure(id, "calls and loops are nested too deeply, or there are too many of them"));
        }
        Ok(self.new_frame(closure.template, NewFrame { parent, place, scope: Some(id), depth, params }))
    }

    /// Replaces what an output reads besides its control.
    fn wire(&mut self, output: NodeId, choices: impl IntoIterator<Item = Input>) {
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
