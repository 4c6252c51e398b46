//! Lowering of statements (spec 04 §1.9).

use mcl_artifact::program::{
    Closure, ConstId, Constant, EdgeProperty, EntryKind, EntryStmt, Half, Operand, ResourceStmt, Statement,
};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_parser::ast::{self, Ast, EdgeHalf, ExprId, Stmt, StmtId};
use mcl_types::{ScopeId, StmtInfo, TypeId, TypeNode};

use crate::{
    Stop,
    builder::{BuilderId, as_const},
    frames::{FrameId, Memo},
    lower::{Lowering, Place, Task},
};

/// A loop over a constant is unrolled if its body, and those of the unrolled loops around it, are copied at most so often.
const MAX_ITERATIONS: usize = 64;

impl Lowering<'_> {
    /// Adds what the statements of a frame contribute, in source order.
    pub(crate) fn block(&mut self, frame: FrameId) {
        let body = &self.frames.typed.scoped.scope(self.frames.get(frame).scope).body;
        self.tasks.extend(body.iter().rev().map(|stmt| Task::Statement(frame, *stmt)));
    }

    fn place(&self, frame: FrameId) -> Place {
        Place { frame, builder: self.frames.get(frame).builder }
    }

    fn add(&mut self, frame: FrameId, statement: Statement) {
        let builder = self.frames.get(frame).builder;
        self.emitter.builders.get(builder).statements.push(statement);
    }

    /// Adds what a statement contributes, or asks for the values of its parts first.
    pub(crate) fn statement(&mut self, frame: FrameId, stmt: StmtId) -> Result<(), Stop> {
        let ast = self.frames.ast(frame);
        let place = self.place(frame);
        self.statements += 1;
        if self.statements > self.statement_limit {
            return Err(Stop::TooLarge { at: ast.stmt_span(stmt), statements: None });
        }
        match ast.stmt(stmt) {
            Stmt::Broken { .. } => return Err(Stop::Broken("a statement has errors")),
            Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class { .. } | Stmt::Import { .. } => {}
            Stmt::Include { .. } => {
                let StmtInfo::Instance(slot) = self.frames.stmt_info(frame, stmt) else {
                    return Err(Stop::Broken("an include is not resolved"));
                };
                if let Some(class) = self.included(frame, slot)? {
                    self.block(class);
                }
            }
            Stmt::Panic { args } => {
                self.tasks.push(Task::StatementDone(frame, stmt));
                self.ask(place, args.iter().copied());
            }
            Stmt::Resource(resource) => {
                self.tasks.push(Task::StatementDone(frame, stmt));
                self.ask(place, resource_exprs(resource).into_iter());
            }
            Stmt::Edge(halves) => {
                self.tasks.push(Task::StatementDone(frame, stmt));
                self.ask(place, halves.iter().map(|half| half.name));
            }
            Stmt::If { condition, .. } => {
                self.tasks.push(Task::IfStatement(frame, stmt));
                self.tasks.push(Task::Expr(place, *condition));
            }
            Stmt::For { iterable, .. } | Stmt::ForKv { iterable, .. } => {
                self.tasks.push(Task::Loop(frame, stmt));
                self.tasks.push(Task::Expr(place, *iterable));
            }
        }
        Ok(())
    }

    /// Adds what a statement contributes; the values of its parts are there.
    pub(crate) fn statement_done(&mut self, frame: FrameId, stmt: StmtId) -> Result<(), Stop> {
        let ast = self.frames.ast(frame);
        let span = ast.stmt_span(stmt);
        let statement = match ast.stmt(stmt) {
            Stmt::Panic { args } => self.panic(frame, args, span)?,
            Stmt::Resource(resource) => {
                self.check_meta(ast, resource);
                self.resource(frame, ast, resource, span)?
            }
            Stmt::Edge(halves) => {
                let names = self.pop_many(halves.len())?;
                let halves = halves.iter().zip(names).map(|(half, name)| self.half(ast, half, name)).collect();
                Statement::Edge { halves, span }
            }
            Stmt::Broken { .. }
            | Stmt::Bind { .. }
            | Stmt::If { .. }
            | Stmt::For { .. }
            | Stmt::ForKv { .. }
            | Stmt::Func { .. }
            | Stmt::Class { .. }
            | Stmt::Include { .. }
            | Stmt::Import { .. } => return Err(Stop::Broken("a statement has no parts")),
        };
        self.add(frame, statement);
        Ok(())
    }

    /// `if panic(…) {}`: the call stops the engine when it has to.
    fn panic(&mut self, frame: FrameId, args: &[ExprId], span: Span) -> Result<Statement, Stop> {
        let place = self.place(frame);
        let types: Vec<TypeId> = args.iter().map(|arg| self.type_of(place, *arg)).collect();
        let name = if args.len() == 2 { "panic_debug" } else { "panic" };
        let args = self.pop_many(args.len())?;
        let condition = self.builtin(place, name, args, &types, TypeId::BOOL, span)?;
        let builder = self.emitter.builders.open(Some(place.builder), 0);
        let then = self.emitter.finish(builder, None, false, "panic");
        Ok(Statement::If { condition, then, otherwise: None })
    }

    fn resource(&mut self, frame: FrameId, ast: &Ast, resource: &ast::Resource, span: Span) -> Result<Statement, Stop> {
        let place = self.place(frame);
        let operands = self.pop_many(resource_exprs(resource).len())?;
        let mut operands = operands.into_iter();
        let mut next = move || operands.next().ok_or(Stop::Broken("a value is missing"));
        let name = next()?;
        let kind = self.emitter.pool.string(ast.name(resource.kind));
        let mut entries = Vec::with_capacity(resource.entries.len());
        for entry in &resource.entries {
            let condition = entry.condition.map(|_| next()).transpose()?;
            let value = next()?;
            let kind = match &entry.kind {
                ast::EntryKind::Field { name, value: expr } => {
                    let ty = self.type_of(place, *expr);
                    let pool = &mut self.emitter.pool;
                    EntryKind::Field { name: pool.string(ast.name(*name)), value, ty: pool.ty(&self.emitter.types, ty) }
                }
                ast::EntryKind::Edge { property, half } => {
                    let property = edge_property(ast.name(*property)).ok_or(Stop::Broken("an edge is of no sort"))?;
                    EntryKind::Edge { property, half: self.half(ast, half, value) }
                }
                ast::EntryKind::Meta { property, value: _ } => {
                    let property = ast.name(*property).to_lowercase();
                    EntryKind::Meta { property: self.emitter.pool.string(&property), value }
                }
            };
            entries.push(EntryStmt { condition, kind, span: entry.span });
        }
        let collect = if resource.collect { Some(self.collect(place, ast, resource, name, span)?) } else { None };
        Ok(Statement::Resource(Box::new(ResourceStmt { kind, name, collect, entries, span })))
    }

    /// The call that finds the exported resources.
    fn collect(
        &mut self,
        place: Place,
        ast: &Ast,
        resource: &ast::Resource,
        name: Operand,
        span: Span,
    ) -> Result<Operand, Stop> {
        let types = [TypeId::STR, self.type_of(place, resource.name)];
        let fields = ["name", "host", "data"].map(|field| (field.into(), TypeId::STR));
        let found = self.emitter.types.intern(TypeNode::Struct(fields.into()));
        let result = self.emitter.types.intern(TypeNode::List(found));
        let kind = Operand::Const(self.emitter.pool.str(ast.name(resource.kind).clone()));
        self.builtin(place, "_collect", vec![kind, name], &types, result, span)
    }

    fn half(&mut self, ast: &Ast, half: &EdgeHalf, name: Operand) -> Half {
        let pool = &mut self.emitter.pool;
        Half { kind: pool.string(ast.name(half.kind)), name, key: half.key.map(|key| pool.string(ast.name(key))) }
    }

    /// A `Meta` struct sets every meta parameter, so no other entry may (spec 04 §1.9).
    fn check_meta(&mut self, ast: &Ast, resource: &ast::Resource) {
        let mut metas = resource.entries.iter().filter_map(|entry| match &entry.kind {
            ast::EntryKind::Meta { property, .. } => Some((entry, ast.name(*property).to_lowercase())),
            ast::EntryKind::Field { .. } | ast::EntryKind::Edge { .. } => None,
        });
        let Some((whole, _)) = metas.clone().find(|(_, property)| property == "meta") else { return };
        if let Some((line, property)) = metas.find(|(line, _)| line.span != whole.span) {
            let (later, earlier) = if line.span.start > whole.span.start { (line, whole) } else { (whole, line) };
            let error = if property == "meta" {
                Diagnostic::error(Code::E0801, Stage::Graph, "the resource has two `Meta` structs")
            } else {
                let message =
                    format!("the meta parameter `{property}` is set by a line of its own and by the `Meta` struct");
                Diagnostic::error(Code::E0801, Stage::Graph, message)
            };
            let error = error
                .at_with(later.span, "set again here")
                .label(earlier.span, "set here first")
                .help("a `Meta` struct sets all meta parameters: change the field of the struct, or use lines only");
            // A class that is included twice is one mistake.
            if !self.errors.contains(&error) {
                self.errors.push(error);
            }
        }
    }

    /// The condition is there: adds the statements of its branch, or builds both.
    pub(crate) fn if_statement(&mut self, frame: FrameId, stmt: StmtId) -> Result<(), Stop> {
        let StmtInfo::If { then, otherwise } = self.frames.stmt_info(frame, stmt) else {
            return Err(Stop::Broken("a condition has no branches"));
        };
        let condition = self.pop()?;
        if let Some(truth) = self.emitter.truth(condition) {
            if let Some(branch) = if truth { Some(then) } else { otherwise } {
                let builder = self.frames.get(frame).builder;
                let branch = self.frames.enter(frame, branch, builder, Box::default());
                self.block(branch);
            }
            return Ok(());
        }
        self.operands.push(condition);
        let (then_builder, then) = self.inner_frame(frame, then, 0);
        let otherwise = otherwise.map(|scope| self.inner_frame(frame, scope, 0));
        let otherwise_builder = otherwise.map(|(builder, _)| builder);
        self.tasks.push(Task::IfStatementDone { frame, then: then_builder, otherwise: otherwise_builder });
        if let Some((_, otherwise)) = otherwise {
            self.block(otherwise);
        }
        self.block(then);
        Ok(())
    }

    /// A frame with a template of its own.
    fn inner_frame(&mut self, frame: FrameId, scope: ScopeId, params: usize) -> (BuilderId, FrameId) {
        let parent = self.frames.get(frame).builder;
        let builder = self.emitter.builders.open(Some(parent), params);
        (builder, self.frames.enter(frame, scope, builder, Box::default()))
    }

    /// The condition is there, and the branches are built.
    pub(crate) fn if_statement_done(
        &mut self,
        frame: FrameId,
        then: BuilderId,
        otherwise: Option<BuilderId>,
    ) -> Result<(), Stop> {
        let condition = self.pop()?;
        let then = self.emitter.finish(then, None, false, "if");
        let otherwise = otherwise.map(|otherwise| self.emitter.finish(otherwise, None, false, "else"));
        self.add(frame, Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// The list or map is there: adds the statements of each iteration, or builds the body.
    pub(crate) fn for_statement(&mut self, frame: FrameId, stmt: StmtId) -> Result<(), Stop> {
        let StmtInfo::Loop(scope) = self.frames.stmt_info(frame, stmt) else {
            return Err(Stop::Broken("a loop has no body"));
        };
        let iterable = self.pop()?;
        let [first, second] = self.frames.typed.scoped.scope(scope).params[..] else {
            return Err(Stop::Broken("a loop has no variables"));
        };
        if let Some(items) = self.constant_items(iterable) {
            let iterations = self.frames.get(frame).iterations.saturating_mul(items.len().max(1));
            if iterations <= MAX_ITERATIONS {
                let builder = self.frames.get(frame).builder;
                // Tasks are worked off from the end.
                for (key, value) in items.into_iter().rev() {
                    let body = self.frames.enter(frame, scope, builder, Box::default());
                    self.frames.set_iterations(body, iterations);
                    self.frames.values.insert((body, first), Memo::Done(Operand::Const(key)));
                    self.frames.values.insert((body, second), Memo::Done(Operand::Const(value)));
                    self.block(body);
                }
                return Ok(());
            }
        }
        self.operands.push(iterable);
        let (builder, body) = self.inner_frame(frame, scope, 2);
        self.frames.values.insert((body, first), Memo::Done(Operand::Param(0)));
        self.frames.values.insert((body, second), Memo::Done(Operand::Param(1)));
        self.tasks.push(Task::LoopDone { frame, stmt, body: builder });
        self.block(body);
        Ok(())
    }

    /// The list or map is there, and the body is built.
    pub(crate) fn for_statement_done(&mut self, frame: FrameId, stmt: StmtId, body: BuilderId) -> Result<(), Stop> {
        let iterable = self.pop()?;
        let body: Closure = self.emitter.finish(body, None, false, "for");
        self.add(
            frame,
            match self.frames.ast(frame).stmt(stmt) {
                Stmt::ForKv { .. } => Statement::ForKv { map: iterable, body },
                _ => Statement::For { list: iterable, body },
            },
        );
        Ok(())
    }

    /// Index or key, and value, of the items of a constant.
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

/// The expressions of a resource, in the order in which their values are left.
fn resource_exprs(resource: &ast::Resource) -> Vec<ExprId> {
    let mut exprs = vec![resource.name];
    for entry in &resource.entries {
        exprs.extend(entry.condition);
        exprs.push(match &entry.kind {
            ast::EntryKind::Field { value, .. } | ast::EntryKind::Meta { value, .. } => *value,
            ast::EntryKind::Edge { half, .. } => half.name,
        });
    }
    exprs
}

fn edge_property(name: &str) -> Option<EdgeProperty> {
    match name.to_lowercase().as_str() {
        "before" => Some(EdgeProperty::Before),
        "notify" => Some(EdgeProperty::Notify),
        "depend" => Some(EdgeProperty::Depend),
        "listen" => Some(EdgeProperty::Listen),
        _ => None,
    }
}
