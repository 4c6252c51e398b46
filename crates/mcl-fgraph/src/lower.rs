//! The walk through the typed program.
//!
//! Definitions may use one another in chains of any length, and a class or function may be nested in another's instance
//! to any depth, so the walk does not recurse: [`Lowering::run`] works off a stack of [`Task`]s. A task that lowers an
//! expression leaves an operand on a second stack, where the task that asked for it finds it. What an expression needs
//! first (a bind that nobody asked for before, a function body) is put on top of a second attempt at the same task.
//!
//! Only what is asked for is lowered: unused definitions have no types.

use mcl_artifact::program::{Closure, Operand};
use mcl_diagnostics::{Diagnostic, Span};
use mcl_modules::Loaded;
use mcl_parser::ast::{ExprId, StmtId};
use mcl_types::{DefId, TypeId, TypeTable, Typed};
use rustc_hash::FxHashMap;

use crate::{
    Options, Stop,
    builder::BuilderId,
    emit::Emitter,
    expansion,
    frames::{Frame, FrameId, Frames, Memo},
};

/// Where something is lowered: names are looked up in the frame, nodes go to the builder. The builder is the frame's own
/// or one inside it (a branch of an expression).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) frame: FrameId,
    pub(crate) builder: BuilderId,
}

/// A function of a `func` statement, in one frame, at one set of types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FunctionKey {
    pub(crate) frame: FrameId,
    pub(crate) def: DefId,
    pub(crate) types: Box<[TypeId]>,
}

/// Something to do.
#[derive(Debug)]
pub(crate) enum Task {
    /// Leaves the value of the expression.
    Expr(Place, ExprId),
    /// Leaves the value of the variable that the expression refers to.
    Variable(Place, ExprId),
    /// The values of its parts were left: leaves its value.
    Apply(Place, ExprId),
    /// The condition was left.
    IfBranches(Place, ExprId),
    /// Condition and branches were left.
    IfDone { place: Place, expr: ExprId, then: BuilderId, otherwise: BuilderId },
    /// The left side was left.
    ExceptFallback(Place, ExprId),
    /// Both sides were left.
    ExceptDone { place: Place, expr: ExprId, fallback: BuilderId },
    /// The value of the definition was left.
    Store(FrameId, DefId),
    /// Builds the template of the function.
    Function(FunctionKey),
    /// The body's value was left.
    FunctionDone(FunctionKey, BuilderId),
    /// The body's value was left: leaves the function.
    LambdaDone { place: Place, expr: ExprId, body: BuilderId },
    /// Adds what the statement contributes.
    Statement(FrameId, StmtId),
    /// The values of its parts were left.
    StatementDone(FrameId, StmtId),
    /// The condition was left.
    IfStatement(FrameId, StmtId),
    /// The condition was left, the branches are built.
    IfStatementDone { frame: FrameId, then: BuilderId, otherwise: Option<BuilderId> },
    /// The list or map was left.
    Loop(FrameId, StmtId),
    /// The list or map was left, the body is built.
    LoopDone { frame: FrameId, stmt: StmtId, body: BuilderId },
}

/// A piece of the tree.
enum Part {
    Expr(ExprId),
    Stmt(StmtId),
}

impl Task {
    /// What it is about.
    fn subject(&self) -> Option<(FrameId, Part)> {
        match *self {
            Task::Expr(place, expr)
            | Task::Variable(place, expr)
            | Task::Apply(place, expr)
            | Task::IfBranches(place, expr)
            | Task::IfDone { place, expr, .. }
            | Task::ExceptFallback(place, expr)
            | Task::ExceptDone { place, expr, .. }
            | Task::LambdaDone { place, expr, .. } => Some((place.frame, Part::Expr(expr))),
            Task::Statement(frame, stmt)
            | Task::StatementDone(frame, stmt)
            | Task::IfStatement(frame, stmt)
            | Task::Loop(frame, stmt)
            | Task::LoopDone { frame, stmt, .. } => Some((frame, Part::Stmt(stmt))),
            Task::Store(..) | Task::Function(_) | Task::FunctionDone(..) | Task::IfStatementDone { .. } => None,
        }
    }
}

/// The state of the walk.
pub(crate) struct Lowering<'a> {
    pub(crate) frames: Frames<'a>,
    pub(crate) emitter: Emitter,
    pub(crate) loaded: &'a Loaded,
    pub(crate) tasks: Vec<Task>,
    pub(crate) operands: Vec<Operand>,
    pub(crate) errors: Vec<Diagnostic>,
    /// How many statements were expanded.
    pub(crate) statements: u64,
    pub(crate) statement_limit: u64,
    /// Where a type is too deep for an artifact, if one is.
    pub(crate) too_deep: Option<Span>,
    /// The functions' templates, with what they capture from the builder of the frame with the definition; `None` while
    /// one is being built.
    pub(crate) functions: FxHashMap<FunctionKey, Option<Closure>>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(typed: &'a Typed, types: TypeTable, loaded: &'a Loaded, options: Options) -> Lowering<'a> {
        Lowering {
            frames: Frames::new(typed),
            emitter: Emitter::new(types, options.fold),
            loaded,
            tasks: Vec::new(),
            operands: Vec::new(),
            errors: Vec::new(),
            statements: 0,
            statement_limit: expansion::limit(&typed.scoped),
            too_deep: None,
            functions: FxHashMap::default(),
        }
    }

    /// Lowers the program's top level; it becomes the last template.
    pub(crate) fn run(&mut self) -> Result<(), Stop> {
        let builder = self.emitter.builders.open(None, 0);
        let scope = self.frames.typed.scoped.root();
        let frame = self.frames.add(Frame {
            scope,
            parent: None,
            builder,
            types: Box::default(),
            made_by: None,
            iterations: 1,
        });
        self.block(frame);
        while let Some(task) = self.tasks.pop() {
            let subject = task.subject();
            self.step(task)?;
            if self.emitter.pool.too_deep && self.too_deep.is_none() {
                self.too_deep = subject.map(|(frame, part)| self.span(frame, part));
            }
        }
        self.emitter.finish(builder, None, false, "program");
        Ok(())
    }

    fn span(&self, frame: FrameId, part: Part) -> Span {
        let ast = self.frames.ast(frame);
        match part {
            Part::Expr(expr) => ast.expr_span(expr),
            Part::Stmt(stmt) => ast.stmt_span(stmt),
        }
    }

    fn step(&mut self, task: Task) -> Result<(), Stop> {
        match task {
            Task::Expr(place, expr) => self.expr(place, expr),
            Task::Variable(place, expr) => self.variable(place, expr),
            Task::Apply(place, expr) => self.apply(place, expr),
            Task::IfBranches(place, expr) => self.if_branches(place, expr),
            Task::IfDone { place, expr, then, otherwise } => self.if_done(place, expr, then, otherwise),
            Task::ExceptFallback(place, expr) => self.except_fallback(place, expr),
            Task::ExceptDone { place, expr, fallback } => self.except_done(place, expr, fallback),
            Task::Store(frame, def) => {
                let value = self.pop()?;
                self.frames.values.insert((frame, def), Memo::Done(value));
                Ok(())
            }
            Task::Function(key) => self.function(key),
            Task::FunctionDone(key, builder) => self.function_done(key, builder),
            Task::LambdaDone { place, expr, body } => self.lambda_done(place, expr, body),
            Task::Statement(frame, stmt) => self.statement(frame, stmt),
            Task::StatementDone(frame, stmt) => self.statement_done(frame, stmt),
            Task::IfStatement(frame, stmt) => self.if_statement(frame, stmt),
            Task::IfStatementDone { frame, then, otherwise } => self.if_statement_done(frame, then, otherwise),
            Task::Loop(frame, stmt) => self.for_statement(frame, stmt),
            Task::LoopDone { frame, stmt, body } => self.for_statement_done(frame, stmt, body),
        }
    }

    pub(crate) fn pop(&mut self) -> Result<Operand, Stop> {
        self.operands.pop().ok_or(Stop::Broken("a value is missing"))
    }

    pub(crate) fn pop_many(&mut self, count: usize) -> Result<Vec<Operand>, Stop> {
        let start = self.operands.len().checked_sub(count).ok_or(Stop::Broken("a value is missing"))?;
        Ok(self.operands.split_off(start))
    }

    /// Asks for the values of expressions, in this order.
    pub(crate) fn ask(&mut self, place: Place, exprs: impl DoubleEndedIterator<Item = ExprId>) {
        self.tasks.extend(exprs.rev().map(|expr| Task::Expr(place, expr)));
    }

    /// The closed type of an expression.
    pub(crate) fn type_of(&mut self, place: Place, expr: ExprId) -> TypeId {
        let module = self.frames.module(place.frame);
        let ty = self.frames.typed.expr(module, expr);
        self.frames.close(place.frame, ty, &mut self.emitter.types)
    }
}
