//! Typing of statements: definitions in dependency order, then everything else in source order (spec 02 §5.3).

use std::rc::Rc;

use cranelift_entity::EntitySet;
use mcl_diagnostics::Span;
use mcl_parser::ast::{Expr, ExprId, Stmt, StmtId, TypeExpr};

use crate::annotation;
use crate::infer::Inference;
use crate::infer::conversion::Literal;
use crate::infer::error::InferError;
use crate::infer::expectation::Expectation;
use crate::scoped::{DefId, DefKind, InstanceId, InstanceKind, ModuleId, Reference, ScopeId, StmtInfo, Target};
use crate::solver::constraint::{ConstraintKind, InstantiationSite, TypeKinds};
use crate::solver::obligation::NameShape;
use crate::solver::scheme::Snapshot;
use crate::solver::types::{Node, Ty};

/// A step of the walk.
enum Task {
    /// Types the definitions of a scope, from this position in [`crate::Scope::order`] on.
    Definitions(ScopeId, usize),
    /// Types the other statements of a scope, from this one on.
    Statements(ScopeId, usize),
    /// Generalizes a class or imported file.
    Generalize(ScopeId, Snapshot),
    /// Types the members of a class or file, from this position in [`crate::Scope::order`] on.
    Members(ScopeId, usize),
    /// Completes a member.
    LeaveMember(ScopeId, DefId, Snapshot),
    /// Leaves a file that sees only itself.
    LeaveFile,
    /// Instantiates an imported file.
    Import(InstanceId),
}

/// The progress of the walk. Scopes nest as deeply as the program does, so it does not recurse.
struct Walk {
    /// The steps to do, the next one last.
    tasks: Vec<Task>,
    visited_modules: EntitySet<ModuleId>,
}

impl Inference<'_> {
    /// Types the part of the program.
    pub(crate) fn infer_program(&mut self) {
        self.check_variants();
        let root = self.scoped.root();
        let mut walk =
            Walk { tasks: vec![Task::Definitions(root, self.part.order.start)], visited_modules: EntitySet::new() };
        walk.visited_modules.insert(self.scoped.scope(root).module);
        while let Some(task) = walk.tasks.pop() {
            match task {
                Task::Definitions(scope, next) => match self.scoped.scope(scope).order.get(next) {
                    Some(stmt) if scope != root || next < self.part.order.end => {
                        walk.tasks.push(Task::Definitions(scope, next + 1));
                        self.definition(scope, *stmt, &mut walk);
                    }
                    _ if scope == root => {
                        self.definition_calls = self.inferred.calls.len();
                        walk.tasks.push(Task::Statements(root, self.part.body.start));
                    }
                    _ => walk.tasks.push(Task::Statements(scope, 0)),
                },
                Task::Statements(scope, next) => {
                    if let Some(stmt) = self.scoped.scope(scope).body.get(next)
                        && (scope != root || next < self.part.body.end)
                    {
                        walk.tasks.push(Task::Statements(scope, next + 1));
                        self.statement(scope, *stmt, &mut walk.tasks);
                    }
                }
                Task::Generalize(scope, snapshot) => self.generalize(scope, snapshot),
                Task::Members(scope, next) => self.members_from(scope, next, &mut walk.tasks),
                Task::LeaveMember(scope, def, snapshot) => self.leave_definition(scope, def, snapshot),
                Task::LeaveFile => {
                    self.members.contexts.pop();
                }
                Task::Import(instance) => self.import(instance),
            }
        }
    }

    /// Reports literals that are annotated as `variant`, even where nothing uses the variable (spec 02 §5.9).
    fn check_variants(&mut self) {
        for ast in self.scoped.units.values() {
            for stmt in ast.stmts.values() {
                let Stmt::Bind { ty, value, .. } = stmt else { continue };
                let Some(ty) = ty.expand() else { continue };
                if *ast.ty(ty) == TypeExpr::Variant
                    && (is_literal(ast.expr(*value)) || matches!(ast.expr(*value), Expr::Map(_)))
                {
                    self.report(InferError::Variant { written: ast.ty_span(ty) });
                }
            }
        }
    }

    fn definition(&mut self, scope: ScopeId, stmt: StmtId, walk: &mut Walk) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        match scoped.stmt_info(scope, stmt) {
            StmtInfo::Def(def) => {
                if !self.usage.optional.contains(def) {
                    self.define(module, def, stmt, &mut walk.tasks);
                }
            }
            StmtInfo::Instance(instance) => match scoped.instance(instance).kind {
                InstanceKind::Class(reference) => self.include(module, instance, stmt, scoped.reference(reference)),
                InstanceKind::Module(inner) => {
                    walk.tasks.push(Task::Import(instance));
                    if walk.visited_modules.insert(inner) {
                        let scope = scoped.module(inner).scope;
                        // A file that sees only itself shares no variables with its importer.
                        let level = if scoped.scope(scope).parent.is_some() {
                            self.solver.level + 1
                        } else {
                            self.members.contexts.push(None);
                            walk.tasks.push(Task::LeaveFile);
                            1
                        };
                        self.enter_scope(scope, level, &mut walk.tasks);
                    }
                }
                InstanceKind::Error => self.erroneous_include(module, stmt),
            },
            StmtInfo::None | StmtInfo::If { .. } | StmtInfo::Loop(_) => {}
        }
    }

    /// Types a definition, if the program uses it.
    fn define(&mut self, module: ModuleId, def: DefId, stmt: StmtId, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        if !self.usage.reachable.contains(def) || scoped.def(def).erroneous {
            return;
        }
        match scoped.def(def).kind {
            DefKind::Bind { .. } => self.bind(module, def, stmt),
            DefKind::Func { scope, .. } => {
                if let Some(inner) = scope.expand() {
                    self.function(module, def, stmt, inner);
                }
            }
            DefKind::Class { body, .. } => self.enter_scope(body, self.solver.level + 1, tasks),
            DefKind::Param { .. } | DefKind::Error => {}
        }
    }

    /// Types a class body or file, and then its members.
    fn enter_scope(&mut self, scope: ScopeId, level: u32, tasks: &mut Vec<Task>) {
        let snapshot = self.solver.enter(level);
        let generic = &mut self.generic_scopes[scope];
        generic.level = level;
        generic.context_depth = self.members.contexts.len();
        for param in &self.scoped.scope(scope).params {
            self.def_type(*param);
        }
        tasks.extend([Task::Members(scope, 0), Task::Generalize(scope, snapshot), Task::Definitions(scope, 0)]);
    }

    /// Types the next optional definition of a scope.
    fn members_from(&mut self, scope: ScopeId, start: usize, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        for (i, stmt) in scoped.scope(scope).order.iter().enumerate().skip(start) {
            if let StmtInfo::Def(def) = scoped.stmt_info(scope, *stmt)
                && self.usage.optional.contains(def)
            {
                let snapshot = self.enter_member(scope);
                tasks.extend([Task::Members(scope, i + 1), Task::LeaveMember(scope, def, snapshot)]);
                return self.define(module, def, *stmt, tasks);
            }
        }
    }

    fn statement(&mut self, scope: ScopeId, stmt: StmtId, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        let ast = scoped.ast(module);
        let span = ast.stmt_span(stmt);
        let info = scoped.stmt_info(scope, stmt);
        match ast.stmt(stmt) {
            Stmt::Error { .. } | Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_) | Stmt::Import(_) => {}
            Stmt::Include(include) if include.alias.is_some() => {}
            Stmt::Include(_) => {
                if let StmtInfo::Instance(instance) = info {
                    match scoped.instance(instance).kind {
                        InstanceKind::Class(reference) => {
                            self.include(module, instance, stmt, scoped.reference(reference));
                        }
                        InstanceKind::Module(_) | InstanceKind::Error => self.erroneous_include(module, stmt),
                    }
                }
            }
            Stmt::Panic { args } => self.panic(module, args, span),
            Stmt::Resource(resource) => self.resource(module, resource, span),
            Stmt::Edge(halves) => self.edge(module, halves, span),
            Stmt::If(branches) => {
                self.infer(module, branches.condition);
                let head = Span { end: ast.expr_span(branches.condition).end, ..span };
                self.expect_condition(module, branches.condition, head);
                if let StmtInfo::If { then, otherwise } = info {
                    tasks.extend(otherwise.expand().map(|inner| Task::Definitions(inner, 0)));
                    tasks.push(Task::Definitions(then, 0));
                }
            }
            Stmt::For(iteration) => {
                let found = self.infer(module, iteration.iterable);
                if let StmtInfo::Loop(inner) = info {
                    let [index, element] = self.loop_variables(inner);
                    let int = self.solver.types.add(Node::Int, self.solver.types.origin(index));
                    self.expect(int, index, span, &Expectation::Annotation);
                    let list = self.solver.types.add(Node::List(element), span);
                    let value = ast.expr_span(iteration.iterable);
                    if !self.expect(list, found, span, &Expectation::IteratedList { value }) {
                        self.poison_loop(inner);
                    }
                    tasks.push(Task::Definitions(inner, 0));
                }
            }
            Stmt::ForKv(iteration) => {
                let found = self.infer(module, iteration.iterable);
                if let StmtInfo::Loop(inner) = info {
                    let [key, element] = self.loop_variables(inner);
                    let map = self.solver.types.add(Node::Map(key, element), span);
                    let value = ast.expr_span(iteration.iterable);
                    if !self.expect(map, found, span, &Expectation::IteratedMap { value }) {
                        self.poison_loop(inner);
                    }
                    tasks.push(Task::Definitions(inner, 0));
                }
            }
        }
    }

    fn loop_variables(&mut self, inner: ScopeId) -> [Ty; 2] {
        let scoped = self.scoped;
        match scoped.scope(inner).params[..] {
            [first, second] => [self.def_type(first), self.def_type(second)],
            _ => [Ty::ERROR; 2],
        }
    }

    /// Makes the types of the loop variables unknown: they follow from a value that is not iterated as it should be.
    fn poison_loop(&mut self, inner: ScopeId) {
        for param in &self.scoped.scope(inner).params {
            self.inferred.defs[*param] = Ty::ERROR.into();
        }
    }

    fn bind(&mut self, module: ModuleId, def: DefId, stmt: StmtId) {
        let ast = self.scoped.ast(module);
        let Stmt::Bind { ty, value, .. } = ast.stmt(stmt) else { return };
        let found = self.infer(module, *value);
        let (shape, bound) = match ty.expand() {
            None => (self.syntactic_shape(module, *value), found),
            // Either of the two may be what was meant.
            Some(written) if annotation::is_reported(ast, written, *value) => (NameShape::Unknown, Ty::ERROR),
            Some(written) => {
                let annotated = self.annotation(module, written);
                // A literal was compared with its annotation when it was parsed (spec 02 §5.9).
                let fits = is_literal(ast.expr(*value))
                    || self.expect(annotated, found, ast.expr_span(*value), &Expectation::Annotation);
                (self.annotated_shape(module, written), if fits { annotated } else { Ty::ERROR })
            }
        };
        if shape != NameShape::Unknown {
            self.shapes.bindings.insert(def, shape);
        }
        self.inferred.defs[def] = bound.into();
    }

    /// Types the function of a `func` statement, and generalizes it.
    fn function(&mut self, module: ModuleId, def: DefId, stmt: StmtId, scope: ScopeId) {
        let Stmt::Func { func, .. } = self.scoped.ast(module).stmt(stmt) else { return };
        let snapshot = self.solver.enter(self.solver.level + 1);
        let ty = self.infer(module, *func);
        self.generalize(scope, snapshot);
        self.inferred.defs[def] = ty.into();
    }

    /// Types an include: an instance of the class, with the arguments for its parameters.
    fn include(&mut self, module: ModuleId, instance: InstanceId, stmt: StmtId, reference: Reference<'_>) {
        let scoped = self.scoped;
        let ast = scoped.ast(module);
        let Stmt::Include(include) = ast.stmt(stmt) else { return };
        let span = ast.stmt_span(stmt);
        let args: &[ExprId] = include.args.as_deref().unwrap_or_default();
        for arg in args {
            self.infer(module, *arg);
        }
        let Target::Def(class) = reference.target else { return };
        let DefKind::Class { body, .. } = scoped.def(class).kind else { return };
        if scoped.def(class).erroneous {
            return;
        }
        let shapes = args.iter().map(|arg| self.syntactic_shape(module, *arg)).collect();
        self.use_definition(reference.path, class);
        let fresh = self.fresh_vars(body);
        let mut instantiation = self.instantiation(Some((body, Rc::clone(&fresh))), reference.path);
        for (param, arg) in scoped.scope(body).params.iter().zip(args) {
            let declared = self.def_type(*param);
            let expected = self.instantiate(&mut instantiation, declared);
            let found = self.expr_type(module, *arg);
            let (class, param, argument) = (scoped.def_name(class), scoped.def_name(*param), ast.expr_span(*arg));
            let literal = Literal::of(ast, ast.expr(*arg), argument);
            self.expect(expected, found, span, &Expectation::ClassArgument { class, param, argument, literal });
        }
        self.inferred.instances[instance] = Some(fresh);
        self.shapes.arguments.insert(instance, shapes);
        if let Some(scheme) = self.scheme(body) {
            let site = InstantiationSite::Include(span);
            self.instantiate_obligations(&scheme, &mut instantiation, site, Some(instance));
        }
    }

    /// Types the arguments of an include of a class that is erroneous or unknown.
    fn erroneous_include(&mut self, module: ModuleId, stmt: StmtId) {
        if let Stmt::Include(include) = self.scoped.ast(module).stmt(stmt) {
            for arg in include.args.iter().flatten() {
                let ty = self.infer(module, *arg);
                self.poison([ty]);
            }
        }
    }

    /// Types an import: an instance of the file.
    fn import(&mut self, instance: InstanceId) {
        let InstanceKind::Module(module) = self.scoped.instance(instance).kind else { return };
        let scope = self.scoped.module(module).scope;
        let fresh = self.fresh_vars(scope);
        let mut instantiation = self.instantiation(Some((scope, Rc::clone(&fresh))), &[]);
        self.inferred.instances[instance] = Some(fresh);
        if let Some(scheme) = self.scheme(scope) {
            let site = InstantiationSite::Import;
            self.instantiate_obligations(&scheme, &mut instantiation, site, Some(instance));
        }
    }

    fn panic(&mut self, module: ModuleId, args: &[ExprId], span: Span) {
        for arg in args {
            self.infer(module, *arg);
        }
        match args {
            [only] => {
                let ty = self.expr_type(module, *only);
                let kinds = TypeKinds::BOOL.or(TypeKinds::STR);
                self.require(ConstraintKind::OneOf { ty, kinds, operation: "panic" }, span);
            }
            [condition, message] => {
                let bool = self.solver.types.add(Node::Bool, span);
                let string = self.solver.types.add(Node::Str, span);
                for (expected, arg) in [(bool, *condition), (string, *message)] {
                    let found = self.expr_type(module, arg);
                    self.expect(expected, found, span, &Expectation::PanicArgument);
                }
            }
            _ => {
                let (function, found) = ("panic".to_owned(), args.len());
                let signature = Some("panic(condition bool, message str)".to_owned());
                self.report(InferError::ArgumentCount {
                    function,
                    expected: 1..=2,
                    found,
                    span,
                    callee: None,
                    signature,
                });
                for arg in args {
                    let ty = self.expr_type(module, *arg);
                    self.poison([ty]);
                }
            }
        }
    }
}

/// Returns whether an expression is a literal, or a string with interpolated variables.
fn is_literal(value: &Expr) -> bool {
    matches!(
        value,
        Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) | Expr::Concat(_) | Expr::Interpolated(_)
    )
}
