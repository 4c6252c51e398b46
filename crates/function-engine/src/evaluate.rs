//! Evaluation of one node.

use std::cell::Cell;
use std::sync::Arc;

use mcl_artifact::program::{FunctionIdx, ParamIdx};
use mcl_functions::{CallContext, FunctionError, Implementation, Sensitivity};
use mcl_value::Value;

use crate::code::{Code, struct_value};
use crate::embedded_files::EmbeddedFiles;
use crate::engine::Engine;
use crate::failure::{Failure, FailureKind};
use crate::identical::identical;
use crate::ids::{FrameId, NodeId};
use crate::node::{Binding, Input, NodeKind, OutputKind, State, Unavailable};

impl Engine {
    /// Evaluates a node whose inputs are up to date, and queues its dependents if the result has changed.
    pub(crate) fn evaluate(&mut self, id: NodeId) {
        let mut kind = std::mem::replace(&mut self.nodes[id].kind, NodeKind::Busy);
        self.is_marked_sensitive = false;
        let state = self.compute(id, &mut kind);
        let sensitive = self.is_result_sensitive(id, &kind);
        self.nodes[id].kind = kind;
        self.set_state(id, state, sensitive);
        if !self.frames_without_keepalive.is_empty() {
            self.create_keepalives();
        }
        if !self.dead_candidates.is_empty() {
            self.remove_dead_nodes();
        }
    }

    fn compute(&mut self, id: NodeId, kind: &mut NodeKind) -> State {
        match kind {
            NodeKind::If(c) => return self.evaluate_if(id, c),
            NodeKind::Except(c) => return self.evaluate_except(id, c),
            NodeKind::Call(c) => return self.evaluate_call(id, c),
            NodeKind::Iterate(c) => return self.evaluate_iterate(id, c),
            NodeKind::IfStatement(c) => return self.evaluate_if_statement(id, c),
            NodeKind::Loop(c) => return self.evaluate_loop(id, c),
            NodeKind::Element | NodeKind::Func => return self.nodes[id].state.clone(),
            NodeKind::Output(kind) => return self.evaluate_output(id, *kind),
            NodeKind::Forward(body) => {
                return match self.input(id, 0) {
                    Ok(value) => State::Value(value),
                    Err(Unavailable::Failed(failure)) => State::Failed(self.attribute_to_call(id, *body, failure)),
                    Err(Unavailable::Pending) => State::Pending,
                };
            }
            NodeKind::Busy
            | NodeKind::List
            | NodeKind::Map
            | NodeKind::Struct(_)
            | NodeKind::Plain(_)
            | NodeKind::Stream(_)
            | NodeKind::Answered(_)
            | NodeKind::StatementNode
            | NodeKind::KeepAlive => {}
        }
        if let Err(unavailable) = self.gather(id) {
            if let (NodeKind::Stream(stream), Unavailable::Failed(_)) = (kind, &unavailable) {
                self.suspend(id, stream);
            }
            return unavailable.into();
        }
        let code = Arc::clone(&self.code);
        let mut arguments = std::mem::take(&mut self.arguments);
        let state = match kind {
            NodeKind::List => State::Value(Value::List(arguments.drain(..).collect())),
            NodeKind::Map => {
                let mut drain = arguments.drain(..);
                State::Value(Value::map(std::iter::from_fn(|| Some((drain.next()?, drain.next()?)))))
            }
            NodeKind::Struct(ty) => State::Value(struct_value(code.ty(*ty), arguments.drain(..))),
            NodeKind::Plain(function) => {
                let result = self.call_plain(*function, &code, &arguments);
                self.result(id, *function, result)
            }
            NodeKind::Answered(function) => self.answer(id, *function, &arguments),
            NodeKind::Stream(stream) => {
                self.arguments = arguments;
                let result = self.call_stream(id, stream, &code);
                arguments = std::mem::take(&mut self.arguments);
                match result.transpose() {
                    Some(result) => self.result(id, stream.function, result),
                    None => State::Pending,
                }
            }
            _ => State::Value(Value::Nil),
        };
        arguments.clear();
        self.arguments = arguments;
        state
    }

    /// Returns whether the result of a node must not be shown: because of what it was computed from, or because of the
    /// function that computed it.
    fn is_result_sensitive(&self, id: NodeId, kind: &NodeKind) -> bool {
        match kind {
            // The engine sets elements itself, and a function value shows nothing.
            NodeKind::Element => self.nodes[id].sensitive,
            NodeKind::Func => false,
            NodeKind::Plain(function) | NodeKind::Answered(function) => {
                match self.code.functions[*function].function.sensitivity {
                    Sensitivity::OfArguments => self.is_marked_sensitive || self.has_sensitive_input(id),
                    Sensitivity::Always => true,
                    Sensitivity::Never => false,
                }
            }
            NodeKind::Stream(stream) => stream.sensitive || self.has_sensitive_input(id),
            _ => self.has_sensitive_input(id),
        }
    }

    /// Returns whether a value that the node reads is sensitive. Constants never are: programs mark values with a call.
    pub(crate) fn has_sensitive_input(&self, id: NodeId) -> bool {
        let is_sensitive = |input: &Input| matches!(input, Input::Node { node, .. } if self.nodes[*node].sensitive);
        self.nodes[id].inputs.iter().any(is_sensitive)
    }

    fn call_plain(&mut self, function: FunctionIdx, code: &Code, arguments: &[Value]) -> Result<Value, FunctionError> {
        let import = &code.functions[function];
        let Implementation::Plain(call) = import.function.implementation else {
            return Err(FunctionError::fatal("not a plain function"));
        };
        let deploy = EmbeddedFiles { program: &code.program, directory: self.environment.deploy_directory() };
        let context = CallContext {
            ty: &import.ty,
            deploy: Some(&deploy),
            module_dir: &import.module_dir,
            answers: self.answers.as_deref(),
            sensitive: Cell::default(),
        };
        let result = call(&context, arguments);
        let is_marked = context.sensitive.get();
        self.is_marked_sensitive |= is_marked;
        result
    }

    pub(crate) fn result(&self, id: NodeId, function: FunctionIdx, result: Result<Value, FunctionError>) -> State {
        match result {
            Ok(value) => State::Value(value),
            Err(error) => {
                let name = self.code.functions[function].function.name;
                let kind = match &error {
                    FunctionError::Unanswered { directive, .. } => FailureKind::Unanswered(directive.as_str().into()),
                    _ if matches!(name, "panic" | "panic_debug") => FailureKind::Panic,
                    _ => FailureKind::Function,
                };
                let message = if self.has_sensitive_input(id) {
                    format!("`{name}` failed; its message is hidden because an argument is sensitive")
                } else {
                    error.to_string()
                };
                State::Failed(Arc::new(Failure {
                    catchable: error.is_catchable(),
                    message,
                    span: self.nodes[id].span,
                    origin: id,
                    kind,
                }))
            }
        }
    }

    fn evaluate_output(&mut self, id: NodeId, kind: OutputKind) -> State {
        // While the control has no value, what is connected may be outdated.
        if let Err(unavailable) = self.input(id, 0) {
            return unavailable.into();
        }
        match kind {
            OutputKind::Choice => match self.input(id, 1) {
                Ok(value) => State::Value(value),
                Err(Unavailable::Failed(failure)) => State::Failed(match self.body_of_call(id) {
                    Some(body) => self.attribute_to_call(id, body, failure),
                    None => failure,
                }),
                Err(Unavailable::Pending) => State::Pending,
            },
            OutputKind::Collect => match self.gather(id) {
                Ok(()) => State::Value(Value::List(self.arguments.drain(..).skip(1).collect())),
                Err(unavailable) => unavailable.into(),
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
                Err(unavailable) => unavailable.into(),
            },
        }
    }

    /// Returns the frame of the body, if this is the output of a call.
    fn body_of_call(&self, output: NodeId) -> Option<FrameId> {
        let Some(Input::Node { node: control, .. }) = self.nodes[output].inputs.first() else { return None };
        match &self.nodes[*control].kind {
            NodeKind::Call(call) => call.body.as_ref().map(|(_, frame)| *frame),
            _ => None,
        }
    }

    /// Attributes a failure of the node that is the whole body of a function to the call (spec 04 §1.7).
    fn attribute_to_call(&self, call: NodeId, body: FrameId, failure: Arc<Failure>) -> Arc<Failure> {
        let is_root = self.nodes[call].inputs.last().is_some_and(
            |input| matches!(input, Input::Node { node, .. } if *node == failure.origin && self.nodes[*node].frame == body),
        );
        let Some(span) = self.nodes[call].span.filter(|_| is_root) else { return failure };
        Arc::new(Failure {
            catchable: failure.catchable,
            message: failure.message.clone(),
            span: Some(span),
            origin: call,
            kind: failure.kind.clone(),
        })
    }

    /// Returns a failure of the engine itself.
    pub(crate) fn engine_failure(&self, id: NodeId, message: impl Into<String>) -> State {
        State::Failed(Arc::new(Failure {
            catchable: false,
            message: message.into(),
            span: self.nodes[id].span,
            origin: id,
            kind: FailureKind::Engine,
        }))
    }

    /// Returns the value of one input, or the reason why there is none.
    pub(crate) fn input(&self, id: NodeId, index: usize) -> Result<Value, Unavailable> {
        match self.nodes[id].inputs.get(index) {
            Some(Input::Value(value)) => Ok(value.clone()),
            Some(Input::Node { node, .. }) => match &self.nodes[*node].state {
                State::Value(value) => Ok(value.clone()),
                State::Failed(failure) => Err(Unavailable::Failed(Arc::clone(failure))),
                State::Pending => Err(Unavailable::Pending),
                State::New => Ok(Value::Nil),
            },
            None => Ok(Value::Nil),
        }
    }

    /// Collects the inputs of a node in `self.arguments`, or returns the reason why one has no value.
    fn gather(&mut self, id: NodeId) -> Result<(), Unavailable> {
        self.arguments.clear();
        for input in &self.nodes[id].inputs {
            self.arguments.push(match input {
                Input::Value(value) => value.clone(),
                Input::Node { node, .. } => match &self.nodes[*node].state {
                    State::Value(value) => value.clone(),
                    State::New => Value::Nil,
                    State::Failed(_) | State::Pending => return Err(self.unavailable(id)),
                },
            });
        }
        Ok(())
    }

    /// Returns the result of a node of which some inputs have no value: the first fatal failure, else the first failure, else
    /// pending. A failure takes precedence over pending, because no later value undoes it.
    pub(crate) fn unavailable(&self, id: NodeId) -> Unavailable {
        let mut failed: Option<&Arc<Failure>> = None;
        for input in &self.nodes[id].inputs {
            if let Input::Node { node, .. } = input
                && let State::Failed(failure) = &self.nodes[*node].state
                && failed.is_none_or(|f| f.catchable && !failure.catchable)
            {
                failed = Some(failure);
            }
        }
        failed.map_or(Unavailable::Pending, |failure| Unavailable::Failed(Arc::clone(failure)))
    }

    /// Stores a result, and queues the dependents if it differs from the previous one.
    fn set_state(&mut self, id: NodeId, state: State, sensitive: bool) {
        let node = &mut self.nodes[id];
        if node.pinned {
            match &state {
                State::Failed(_) => drop(self.failed.insert(id)),
                State::Pending => drop(self.waiting.insert(id)),
                State::New | State::Value(_) => {}
            }
        }
        if matches!(node.kind, NodeKind::StatementNode) {
            node.changed = self.round;
            self.changes.add_evaluated(id);
        }
        if same_state(&node.state, &state) && node.sensitive == sensitive {
            return;
        }
        node.sensitive = sensitive;
        let (was_pending, is_pending) = (matches!(node.state, State::Pending), matches!(state, State::Pending));
        node.state = state;
        node.changed = self.round;
        self.pending = self.pending + usize::from(is_pending) - usize::from(was_pending);
        if was_pending {
            self.thaw(id);
        }
        for i in 0..self.nodes[id].dependents.len() {
            let dependent = self.nodes[id].dependents[i].node;
            self.enqueue(dependent);
        }
    }

    /// Changes the element that is bound to a parameter.
    pub(crate) fn set_element(&mut self, frame: FrameId, param: ParamIdx, new: &Value, is_sensitive: bool) {
        let Some(Binding::Element { value, sensitive, node }) = self.frames[frame].params.get_mut(param) else {
            return;
        };
        if identical(value, new) && *sensitive == is_sensitive {
            return;
        }
        *value = new.clone();
        *sensitive = is_sensitive;
        if let Some(node) = *node {
            self.set_state(node, State::Value(new.clone()), is_sensitive);
        }
        self.update_inline(frame);
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
