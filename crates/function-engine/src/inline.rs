//! Statements without nodes.
//!
//! Most statements of loops need only the elements, constants, and pure functions, such as the name of a file that is made of an
//! element. Their values are computed when the frame is made and when an element changes, and stored, so an iteration takes a
//! fraction of the memory that nodes would take. Everything else has nodes: what reads values that change on their own, what fails (so that
//! failures have a place), and what is sensitive.

use std::cell::Cell;
use std::sync::Arc;

use cranelift_entity::SecondaryMap;
use mcl_artifact::program::{FunctionIdx, NodeIdx, Op, Operand, Statement};
use mcl_functions::{CallContext, Implementation, Purity, Sensitivity};
use mcl_value::Value;

use crate::code::{for_each_operand, struct_value};
use crate::embedded_files::EmbeddedFiles;
use crate::engine::Engine;
use crate::ids::FrameId;
use crate::node::{Binding, InlineStatement, StatementState};
use crate::outputs::Operands;

/// The values of the nodes of one frame that were computed, by their index in the template.
#[derive(Default)]
pub(crate) struct Computed(SecondaryMap<NodeIdx, Option<Value>>);

impl Engine {
    /// Computes the values of a resource or edge statement. `None` if it needs a node.
    pub(crate) fn inline(
        &self,
        frame: FrameId,
        statement: &Statement,
        computed: &mut Computed,
    ) -> Option<StatementState> {
        if Operands::of(statement).all(|operand| self.constant(frame, operand).is_some()) {
            return Some(StatementState::Constant);
        }
        let others = Operands::of(statement).filter(|operand| self.bound(frame, *operand).is_none());
        let values: Option<Box<[Value]>> =
            others.map(|operand| self.compute_inline(frame, operand, computed)).collect();
        Some(StatementState::Inline(Box::new(InlineStatement { changed: self.round, values: values? })))
    }

    /// Computes the statements of a frame again whose elements changed. Those that need a node now get one.
    pub(crate) fn update_inline(&mut self, frame: FrameId) {
        let is_inline = |statement: &StatementState| matches!(statement, StatementState::Inline(_));
        if !self.frames[frame].statements.values().any(is_inline) {
            return;
        }
        let code = Arc::clone(&self.code);
        let statements = &code.template(self.frames[frame].template).statements;
        let mut computed = Computed::default();
        for (index, statement) in statements {
            if !is_inline(&self.frames[frame].statements[index]) {
                continue;
            }
            let state = match self.inline(frame, statement, &mut computed) {
                Some(state) => state,
                None => StatementState::Node(self.add_statement(frame, index, statement)),
            };
            self.frames[frame].statements[index] = state;
        }
        self.changes.add_frame(frame);
    }

    /// Returns the constant or element that an operand of a frame stands for. Sensitive elements have nodes.
    pub(crate) fn bound(&self, frame: FrameId, operand: Operand) -> Option<&Value> {
        match operand {
            Operand::Param(p) => match self.frames[frame].params.get(p)? {
                Binding::Element { value, sensitive: false, .. } => Some(value),
                _ => self.constant(frame, operand),
            },
            Operand::Const(_) | Operand::Node(_) | Operand::Capture(_) => self.constant(frame, operand),
        }
    }

    /// Computes the node that an operand stands for, and first what that needs.
    fn compute_inline(&self, frame: FrameId, operand: Operand, computed: &mut Computed) -> Option<Value> {
        let Operand::Node(wanted) = operand else { return None };
        let template = self.code.template(self.frames[frame].template);
        let mut stack = vec![wanted];
        let mut arguments: Vec<Value> = Vec::new();
        while let Some(&node) = stack.last() {
            if computed.0[node].is_some() {
                stack.pop();
                continue;
            }
            let op = &template.nodes[node].op;
            if !self.is_pure(op) {
                return None;
            }
            let before = stack.len();
            let mut is_known = true;
            arguments.clear();
            for_each_operand(op, |operand| match operand {
                Operand::Node(below) => match &computed.0[below] {
                    Some(value) => arguments.push(value.clone()),
                    None => stack.push(below),
                },
                other => match self.bound(frame, other) {
                    Some(value) => arguments.push(value.clone()),
                    None => is_known = false,
                },
            });
            if !is_known {
                return None;
            }
            if stack.len() == before {
                computed.0[node] = Some(self.pure_value(op, &mut arguments)?);
                stack.pop();
            }
        }
        computed.0[wanted].clone()
    }

    fn is_pure(&self, op: &Op) -> bool {
        match op {
            Op::List(_) | Op::Map(_) | Op::Struct(..) => true,
            Op::Builtin { function, .. } => {
                let function = self.code.functions[*function].function;
                function.purity == Purity::Pure
                    && function.sensitivity != Sensitivity::Always
                    && matches!(function.implementation, Implementation::Plain(_))
            }
            Op::Func { .. } | Op::CallKnown { .. } | Op::Call { .. } | Op::If { .. } | Op::Except { .. } => false,
        }
    }

    /// Returns the value of a pure node; `None` if it fails or is sensitive.
    fn pure_value(&self, op: &Op, arguments: &mut Vec<Value>) -> Option<Value> {
        match op {
            Op::List(_) => Some(Value::List(arguments.drain(..).collect())),
            Op::Map(_) => {
                let mut drain = arguments.drain(..);
                Some(Value::map(std::iter::from_fn(|| Some((drain.next()?, drain.next()?)))))
            }
            Op::Struct(ty, _) => Some(struct_value(self.code.ty(*ty), arguments.drain(..))),
            Op::Builtin { function, .. } => self.pure_call(*function, arguments),
            Op::Func { .. } | Op::CallKnown { .. } | Op::Call { .. } | Op::If { .. } | Op::Except { .. } => None,
        }
    }

    fn pure_call(&self, function: FunctionIdx, arguments: &[Value]) -> Option<Value> {
        let import = &self.code.functions[function];
        let Implementation::Plain(call) = import.function.implementation else { return None };
        let program = &self.code.program;
        let deploy = EmbeddedFiles { program, directory: self.environment.deploy_directory() };
        let context = CallContext {
            ty: &import.ty,
            deploy: Some(&deploy),
            module_dir: &import.module_dir,
            answers: self.answers.as_deref(),
            sensitive: Cell::default(),
        };
        let value = call(&context, arguments).ok()?;
        (!context.sensitive.get()).then_some(value)
    }
}
