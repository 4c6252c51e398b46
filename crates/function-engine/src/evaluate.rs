//! Evaluating one node.

use std::sync::Arc;

use mcl_artifact::program::FunctionIdx;
use mcl_functions::{CallContext, FunctionError, Implementation};
use mcl_value::Value;

use crate::Engine;
use crate::code::{Code, NodeId, struct_value};
use crate::identical::identical;
use crate::live::Deployed;
use crate::node::{Absent, Failure, FailureSort, FrameId, Input, Kind, OutputKind, State};

impl Engine {
    /// Evaluates a node whose inputs are settled, and queues its readers if the result is a new one.
    pub(crate) fn evaluate(&mut self, id: NodeId) {
        let mut kind = std::mem::replace(&mut self.nodes[id].kind, Kind::Busy);
        let state = self.compute(id, &mut kind);
        self.nodes[id].kind = kind;
        self.set_state(id, state);
        if !self.unkept.is_empty() {
            self.keep_values();
        }
        if !self.unread.is_empty() {
            self.flush();
        }
    }

    fn compute(&mut self, id: NodeId, kind: &mut Kind) -> State {
        match kind {
            Kind::If(c) => return self.evaluate_if(id, c),
            Kind::Except(c) => return self.evaluate_except(id, c),
            Kind::Call(c) => return self.evaluate_call(id, c),
            Kind::Iterate(c) => return self.evaluate_iterate(id, c),
            Kind::IfStatement(c) => return self.evaluate_if_statement(id, c),
            Kind::Loop(c) => return self.evaluate_loop(id, c),
            Kind::Element | Kind::Func => return self.nodes[id].state.clone(),
            Kind::Output(kind) => return self.evaluate_output(id, *kind),
            Kind::Forward(body) => {
                return match self.input(id, 0) {
                    Ok(value) => State::Value(value),
                    Err(Absent::Failed(failure)) => State::Failed(self.blame_call(id, *body, failure)),
                    Err(Absent::Pending) => State::Pending,
                };
            }
            Kind::Busy
            | Kind::List
            | Kind::Map
            | Kind::Struct(_)
            | Kind::Plain(_)
            | Kind::Live(_)
            | Kind::Sink
            | Kind::Keep => {}
        }
        if let Err(absent) = self.gather(id) {
            if let (Kind::Live(live), Absent::Failed(_)) = (kind, &absent) {
                self.suspend(id, live);
            }
            return absent.into();
        }
        let code = Arc::clone(&self.code);
        let mut arguments = std::mem::take(&mut self.arguments);
        let state = match kind {
            Kind::List => State::Value(Value::List(arguments.drain(..).collect())),
            Kind::Map => {
                let mut drain = arguments.drain(..);
                State::Value(Value::map(std::iter::from_fn(|| Some((drain.next()?, drain.next()?)))))
            }
            Kind::Struct(ty) => State::Value(struct_value(code.ty(*ty), arguments.drain(..))),
            Kind::Plain(function) => {
                let result = self.call_plain(*function, &code, &arguments);
                self.result(id, *function, result)
            }
            Kind::Live(live) => {
                self.arguments = arguments;
                let result = self.call_live(id, live, &code);
                arguments = std::mem::take(&mut self.arguments);
                match result.transpose() {
                    Some(result) => self.result(id, live.function, result),
                    None => State::Pending,
                }
            }
            _ => State::Value(Value::Nil),
        };
        arguments.clear();
        self.arguments = arguments;
        state
    }

    fn call_plain(&self, function: FunctionIdx, code: &Code, arguments: &[Value]) -> Result<Value, FunctionError> {
        let import = &code.functions[function.0 as usize];
        let Implementation::Plain(call) = import.function.implementation else {
            return Err(FunctionError::fatal("the function cannot be called directly"));
        };
        let deploy = Deployed { program: &code.program, directory: self.host.deploy_directory() };
        let context = CallContext { ty: &import.ty, deploy: Some(&deploy), module_dir: &import.module_dir };
        call(&context, arguments)
    }

    fn result(&self, id: NodeId, function: FunctionIdx, result: Result<Value, FunctionError>) -> State {
        match result {
            Ok(value) => State::Value(value),
            Err(error) => {
                let name = self.code.functions[function.0 as usize].function.name;
                let sort =
                    if matches!(name, "panic" | "panic_debug") { FailureSort::Panic } else { FailureSort::Function };
                State::Failed(Arc::new(Failure {
                    catchable: error.is_catchable(),
                    message: error.to_string(),
                    span: self.nodes[id].span,
                    origin: id,
                    sort,
                }))
            }
        }
    }

    fn evaluate_output(&mut self, id: NodeId, kind: OutputKind) -> State {
        // Without its control nothing is known: what is wired may be of the past.
        if let Err(absent) = self.input(id, 0) {
            return absent.into();
        }
        match kind {
            OutputKind::Choice => match self.input(id, 1) {
                Ok(value) => State::Value(value),
                Err(Absent::Failed(failure)) => State::Failed(match self.body_of_call(id) {
                    Some(body) => self.blame_call(id, body, failure),
                    None => failure,
                }),
                Err(Absent::Pending) => State::Pending,
            },
            OutputKind::Collect => match self.gather(id) {
                Ok(()) => State::Value(Value::List(self.arguments.drain(..).skip(1).collect())),
                Err(absent) => absent.into(),
            },
            OutputKind::Filter => match self.gather(id) {
                Ok(()) => {
                    let mut arguments = self.arguments.drain(..);
                    let Some(Value::List(elements)) = arguments.next() else { return State::Value(Value::Nil) };
                    let chosen = elements
                        .iter()
                        .zip(arguments)
                        .filter(|(_, keep)| matches!(keep, Value::Bool(true)))
                        .map(|(element, _)| element.clone());
                    State::Value(Value::List(chosen.collect()))
                }
                Err(absent) => absent.into(),
            },
        }
    }

    /// The frame of the body that the call with this output has.
    fn body_of_call(&self, output: NodeId) -> Option<FrameId> {
        let Some(Input::Node { node: control, .. }) = self.nodes[output].inputs.first() else { return None };
        match &self.nodes[*control].kind {
            Kind::Call(call) => call.body.as_ref().map(|(_, frame)| *frame),
            _ => None,
        }
    }

    /// A failure of the node that is the whole body of a function is blamed on the call (spec 04 §1.7).
    fn blame_call(&self, call: NodeId, body: FrameId, failure: Arc<Failure>) -> Arc<Failure> {
        let is_root = self.nodes[call].inputs.last().is_some_and(
            |input| matches!(input, Input::Node { node, .. } if *node == failure.origin && self.nodes[*node].frame == body),
        );
        let Some(span) = self.nodes[call].span.filter(|_| is_root) else { return failure };
        Arc::new(Failure {
            catchable: failure.catchable,
            message: failure.message.clone(),
            span: Some(span),
            origin: call,
            sort: failure.sort,
        })
    }

    /// A failure that is the engine's own.
    pub(crate) fn engine_failure(&self, id: NodeId, message: impl Into<String>) -> State {
        State::Failed(Arc::new(Failure {
            catchable: false,
            message: message.into(),
            span: self.nodes[id].span,
            origin: id,
            sort: FailureSort::Engine,
        }))
    }

    /// The value of one input, or why there is none.
    pub(crate) fn input(&self, id: NodeId, index: usize) -> Result<Value, Absent> {
        match self.nodes[id].inputs.get(index) {
            Some(Input::Value(value)) => Ok(value.clone()),
            Some(Input::Node { node, .. }) => match &self.nodes[*node].state {
                State::Value(value) => Ok(value.clone()),
                State::Failed(failure) => Err(Absent::Failed(Arc::clone(failure))),
                State::Pending => Err(Absent::Pending),
                State::New => Ok(Value::Nil),
            },
            None => Ok(Value::Nil),
        }
    }

    /// Collects the inputs of a node in `self.arguments`, or says why it cannot.
    fn gather(&mut self, id: NodeId) -> Result<(), Absent> {
        self.arguments.clear();
        for input in &self.nodes[id].inputs {
            self.arguments.push(match input {
                Input::Value(value) => value.clone(),
                Input::Node { node, .. } => match &self.nodes[*node].state {
                    State::Value(value) => value.clone(),
                    State::New => Value::Nil,
                    State::Failed(_) | State::Pending => return Err(self.absent(id)),
                },
            });
        }
        Ok(())
    }

    /// What takes the place of the result of a node some inputs of which have no value: a fatal failure before one that
    /// could be caught, else the first failure; any failure before waiting, because no value that comes later undoes it.
    pub(crate) fn absent(&self, id: NodeId) -> Absent {
        let mut failed: Option<&Arc<Failure>> = None;
        for input in &self.nodes[id].inputs {
            if let Input::Node { node, .. } = input
                && let State::Failed(failure) = &self.nodes[*node].state
                && failed.is_none_or(|f| f.catchable && !failure.catchable)
            {
                failed = Some(failure);
            }
        }
        failed.map_or(Absent::Pending, |failure| Absent::Failed(Arc::clone(failure)))
    }

    /// Stores a result; if it is not the old one, the readers are queued.
    fn set_state(&mut self, id: NodeId, state: State) {
        let node = &mut self.nodes[id];
        if node.pinned {
            match &state {
                State::Failed(_) => drop(self.failed.insert(id)),
                State::Pending => drop(self.waiting.insert(id)),
                State::New | State::Value(_) => {}
            }
        }
        if matches!(node.kind, Kind::Sink) {
            node.changed = self.round;
            self.outputs_changed = true;
        }
        if same_state(&node.state, &state) {
            return;
        }
        let (was_pending, is_pending) = (matches!(node.state, State::Pending), matches!(state, State::Pending));
        node.state = state;
        node.changed = self.round;
        self.pending = self.pending + usize::from(is_pending) - usize::from(was_pending);
        if was_pending {
            self.thaw(id);
        }
        for i in 0..self.nodes[id].dependents.len() {
            let reader = self.nodes[id].dependents[i].node;
            self.enqueue(reader);
        }
    }

    /// Writes the element that a loop bound to a parameter.
    pub(crate) fn set_element(&mut self, frame: FrameId, param: usize, new: &Value) {
        let Some(crate::node::Binding::Element { value, node }) = self.frames[frame].params.get_mut(param) else {
            return;
        };
        if identical(value, new) {
            return;
        }
        *value = new.clone();
        if let Some(node) = *node {
            self.set_state(node, State::Value(new.clone()));
        }
    }
}

fn same_state(a: &State, b: &State) -> bool {
    match (a, b) {
        (State::Value(a), State::Value(b)) => identical(a, b),
        (State::Failed(a), State::Failed(b)) => Arc::ptr_eq(a, b) || a.same(b),
        (State::New, State::New) | (State::Pending, State::Pending) => true,
        _ => false,
    }
}
