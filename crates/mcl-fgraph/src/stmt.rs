//! Lowering of statements (spec 04 §1.9).
//!
//! A class may include another, and that another, in chains of any length, so statements are not lowered by recursion:
//! [`Lowering::run_tasks`] works off a stack of [`Task`]s.

use mcl_artifact::program::{ConstId, Constant, Half, Operand, ParamIdx, Statement};
use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, EdgeHalf, ExprId, Stmt, StmtId};
use mcl_types::{InstanceId, InstanceKind, ScopeId, StmtInfo, TypeId};
use smallvec::SmallVec;

use crate::builder::as_const;
use crate::error::{Inconsistency, LowerError};
use crate::frames::FrameId;
use crate::lower::{InsertPoint, Lowering};
use crate::task::{LoopKind, Task};
use crate::values::ValueState;

/// A loop over a constant is unrolled if its body is copied at most this many times, counting the unrolled loops around it.
const MAX_ITERATIONS: usize = 64;

impl Lowering<'_> {
    /// Schedules the statements of a frame's scope, in source order.
    pub(crate) fn block(&mut self, frame: FrameId) {
        let body = &self.frames.typed.scoped.scope(self.frames.get(frame).scope).body;
        self.schedule(frame, body);
    }

    /// Schedules some statements of a frame's scope.
    pub(crate) fn schedule(&mut self, frame: FrameId, statements: &[StmtId]) {
        self.tasks.extend(statements.iter().rev().map(|stmt| Task::Lower(frame, *stmt)));
    }

    /// Lowers all statements that are scheduled.
    pub(crate) fn run_tasks(&mut self) -> Result<(), LowerError> {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Lower(frame, stmt) => {
                    self.statement(frame, stmt)?;
                    self.check_type_limits(|frames| frames.ast(frame).stmt_span(stmt));
                }
                Task::FinishIf { frame, condition, then, otherwise } => {
                    let then = self.emitter.finish(then, None, "if");
                    let otherwise = otherwise.map(|otherwise| self.emitter.finish(otherwise, None, "else"));
                    self.add(frame, Statement::If { condition, then, otherwise });
                }
                Task::FinishLoop { frame, kind, iterable, body } => {
                    let body = self.emitter.finish(body, None, "for");
                    self.add(
                        frame,
                        match kind {
                            LoopKind::For => Statement::For { list: iterable, body },
                            LoopKind::ForKv => Statement::ForKv { map: iterable, body },
                        },
                    );
                }
            }
        }
        Ok(())
    }

    /// Returns where the expressions of a frame's statements are lowered.
    pub(crate) fn insert_point(&self, frame: FrameId) -> InsertPoint {
        InsertPoint { frame, builder: self.frames.get(frame).builder }
    }

    fn add(&mut self, frame: FrameId, statement: Statement) {
        let builder = self.frames.get(frame).builder;
        self.emitter.builders.get(builder).statements.push(statement);
    }

    /// Adds what a statement contributes, except for the statements inside it, which are scheduled.
    fn statement(&mut self, frame: FrameId, stmt: StmtId) -> Result<(), LowerError> {
        let ast = self.frames.ast(frame);
        let span = ast.stmt_span(stmt);
        let at = self.insert_point(frame);
        self.statements += 1;
        if self.statements > self.statement_limit {
            return Err(LowerError::TooLarge { at: span, statements: None, limit: self.statement_limit });
        }
        match ast.stmt(stmt) {
            Stmt::Error { .. } => return Err(Inconsistency::ErrorNode.into()),
            Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_) | Stmt::Import(_) => {}
            Stmt::Include(_) => {
                let StmtInfo::Instance(slot) = self.frames.stmt_info(frame, stmt) else {
                    return Err(Inconsistency::WrongNode.into());
                };
                if let Some(class) = self.included(frame, slot)? {
                    self.block(class);
                }
            }
            Stmt::Panic { args } => {
                let statement = self.panic(at, args, span)?;
                self.add(frame, statement);
            }
            Stmt::Resource(resource) => {
                let statement = self.resource(at, ast, resource, span)?;
                self.add(frame, statement);
            }
            Stmt::Edge(halves) => {
                let names = self.exprs(at, halves.iter().map(|half| half.name))?;
                let ends: SmallVec<[(&str, Operand); 2]> =
                    halves.iter().zip(&names).map(|(half, name)| (ast.name(half.kind), *name)).collect();
                self.declare_chain(at.builder, &ends, span);
                let halves = halves.iter().zip(names).map(|(half, name)| self.half(ast, half, name)).collect();
                self.add(frame, Statement::Edge { halves, span });
            }
            Stmt::If(branches) => {
                let condition = self.expr(at, branches.condition)?;
                self.if_statement(frame, stmt, condition)?;
            }
            Stmt::For(iteration) => {
                let iterable = self.expr(at, iteration.iterable)?;
                self.loop_statement(frame, stmt, LoopKind::For, iterable)?;
            }
            Stmt::ForKv(iteration) => {
                let iterable = self.expr(at, iteration.iterable)?;
                self.loop_statement(frame, stmt, LoopKind::ForKv, iterable)?;
            }
        }
        Ok(())
    }

    /// Returns the frame of the class that an include statement instantiates; `None` for imports.
    fn included(&mut self, frame: FrameId, slot: InstanceId) -> Result<Option<FrameId>, LowerError> {
        match self.frames.typed.scoped.instance(slot).kind {
            InstanceKind::Class(_) => self.frames.slot(frame, slot, &mut self.emitter.types).map(Some),
            InstanceKind::Module(_) => Ok(None),
            InstanceKind::Error => Err(Inconsistency::ErrorNode.into()),
        }
    }

    /// Lowers `panic(…)` to `if panic(…) {}`: the call stops the engine if its condition is true.
    fn panic(&mut self, at: InsertPoint, args: &[ExprId], span: Span) -> Result<Statement, LowerError> {
        let operands = self.exprs(at, args.iter().copied())?;
        let types = self.types_of(at, args);
        let name = if args.len() == 2 { "panic_debug" } else { "panic" };
        let condition = self.builtin(at, name, &operands, &types, TypeId::BOOL, span)?;
        let builder = self.emitter.builders.open(Some(at.builder), 0);
        let then = self.emitter.finish(builder, None, "panic");
        Ok(Statement::If { condition, then, otherwise: None })
    }

    pub(crate) fn half(&mut self, ast: &Ast, half: &EdgeHalf, name: Operand) -> Half {
        self.declare_end(ast.name(half.kind), name, half.span);
        let pool = &mut self.emitter.pool;
        Half { kind: pool.string(ast.name(half.kind)), name, key: half.key.map(|key| pool.string(ast.name(key))) }
    }

    /// Schedules the branch that is taken if the condition is known, or else both, each with a template of its own.
    fn if_statement(&mut self, frame: FrameId, stmt: StmtId, condition: Operand) -> Result<(), LowerError> {
        let StmtInfo::If { then, otherwise } = self.frames.stmt_info(frame, stmt) else {
            return Err(Inconsistency::WrongNode.into());
        };
        if let Some(truth) = self.emitter.truth(condition) {
            if let Some(branch) = if truth { Some(then) } else { otherwise.expand() } {
                let builder = self.frames.get(frame).builder;
                let branch = self.frames.enter(frame, branch, builder, Box::default());
                self.block(branch);
            }
            return Ok(());
        }
        let then = self.enter_template(frame, then, 0);
        let otherwise = otherwise.expand().map(|scope| self.enter_template(frame, scope, 0));
        self.tasks.push(Task::FinishIf {
            frame,
            condition,
            then: then.builder,
            otherwise: otherwise.map(|otherwise| otherwise.builder),
        });
        if let Some(otherwise) = otherwise {
            self.block(otherwise.frame);
        }
        self.block(then.frame);
        Ok(())
    }

    /// Opens a template and a frame for a branch or a loop body.
    fn enter_template(&mut self, frame: FrameId, scope: ScopeId, params: usize) -> InsertPoint {
        let parent = self.frames.get(frame).builder;
        let builder = self.emitter.builders.open(Some(parent), params);
        InsertPoint { frame: self.frames.enter(frame, scope, builder, Box::default()), builder }
    }

    /// Schedules the body for each item of a short constant, or else once, with a template of its own.
    fn loop_statement(
        &mut self,
        frame: FrameId,
        stmt: StmtId,
        kind: LoopKind,
        iterable: Operand,
    ) -> Result<(), LowerError> {
        let StmtInfo::Loop(scope) = self.frames.stmt_info(frame, stmt) else {
            return Err(Inconsistency::WrongNode.into());
        };
        let [first, second] = self.frames.typed.scoped.scope(scope).params[..] else {
            return Err(Inconsistency::WrongNode.into());
        };
        if let Some(items) = self.constant_items(iterable) {
            let iterations = self.frames.get(frame).iterations.saturating_mul(items.len().max(1));
            if iterations <= MAX_ITERATIONS {
                let builder = self.frames.get(frame).builder;
                // The task that is pushed last is the first to run.
                for (key, value) in items.into_iter().rev() {
                    let body = self.frames.enter(frame, scope, builder, Box::default());
                    self.frames.set_iterations(body, iterations);
                    self.values.set(body, first, ValueState::Lowered(Operand::Const(key)));
                    self.values.set(body, second, ValueState::Lowered(Operand::Const(value)));
                    self.block(body);
                }
                return Ok(());
            }
        }
        let body = self.enter_template(frame, scope, 2);
        self.values.set(body.frame, first, ValueState::Lowered(Operand::Param(ParamIdx::from_u32(0))));
        self.values.set(body.frame, second, ValueState::Lowered(Operand::Param(ParamIdx::from_u32(1))));
        self.tasks.push(Task::FinishLoop { frame, kind, iterable, body: body.builder });
        self.block(body.frame);
        Ok(())
    }

    /// Returns index or key, and value, of each item of a constant.
    fn constant_items(&mut self, operand: Operand) -> Option<Vec<(ConstId, ConstId)>> {
        if !self.emitter.fold {
            return None;
        }
        let pool = &mut self.emitter.pool;
        match pool.constant(as_const(operand)?) {
            Constant::List(values) if values.len() <= MAX_ITERATIONS => {
                let values = values.clone();
                Some(values.into_iter().zip(0..).map(|(value, i)| (pool.int(i), value)).collect())
            }
            Constant::Map(pairs) => Some(pairs.to_vec()),
            _ => None,
        }
    }
}
