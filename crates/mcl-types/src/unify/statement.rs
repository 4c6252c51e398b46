//! Going through the lists of statements: definitions in dependency order, then everything else in source order.

use std::rc::Rc;

use mcl_diagnostics::{Code, Span};
use mcl_parser::ast::{Expr, ExprId, Stmt, StmtId, TypeExpr};

use super::Unifier;
use super::generic::{Mark, Site};
use super::report::{error, variant};
use super::statics::Static;
use super::types::{Node, Ty};
use crate::scoped::{DefId, DefKind, ModuleId, Reference, ScopeId, SlotId, SlotKind, StmtInfo, Target};

/// What is to be done, innermost last. Lists nest as deep as the program does, so this is no recursion.
enum Task {
    /// The definitions of a list, from this one of [`crate::Scope::order`] on.
    Definitions(ScopeId, usize),
    /// The other statements of a list, from this one on.
    Statements(ScopeId, usize),
    /// A class or imported file is complete, but for its members.
    Close(ScopeId, Mark),
    /// The members of a class or file, from this definition on.
    Members(ScopeId, usize),
    /// A member is complete.
    CloseMember(ScopeId, DefId, Mark),
    /// The members of a file that sees nothing around it are complete.
    Leave,
    /// An import whose file is complete.
    Import(SlotId),
}

impl Unifier<'_> {
    /// Types the whole program.
    pub(super) fn program(&mut self) {
        self.modules_done[0] = true;
        self.variants();
        let mut tasks = vec![Task::Definitions(self.scoped.root(), 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Definitions(scope, next) => match self.scoped.scope(scope).order.get(next) {
                    Some(stmt) => {
                        tasks.push(Task::Definitions(scope, next + 1));
                        self.definition(scope, *stmt, &mut tasks);
                    }
                    None => tasks.push(Task::Statements(scope, 0)),
                },
                Task::Statements(scope, next) => {
                    if let Some(stmt) = self.scoped.scope(scope).body.get(next) {
                        tasks.push(Task::Statements(scope, next + 1));
                        self.statement(scope, *stmt, &mut tasks);
                    }
                }
                Task::Close(scope, mark) => self.close(scope, mark),
                Task::Members(scope, next) => self.members_from(scope, next, &mut tasks),
                Task::CloseMember(scope, def, mark) => self.close_definition(scope, def, mark),
                Task::Leave => {
                    self.contexts.pop();
                }
                Task::Import(slot) => self.import(slot),
            }
        }
    }

    /// No literal is a `variant`: that is wrong even where nothing uses the variable (spec 02 §5.9).
    fn variants(&mut self) {
        for ast in &self.scoped.units {
            for stmt in &ast.stmts {
                let Stmt::Bind { ty: Some(ty), value, .. } = stmt else { continue };
                if *ast.ty(*ty) == TypeExpr::Variant && is_literal(ast.expr(*value)) {
                    self.report(variant(ast.ty_span(*ty)));
                }
            }
        }
    }

    fn definition(&mut self, scope: ScopeId, stmt: StmtId, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        match scoped.module(module).stmts[stmt.0 as usize] {
            StmtInfo::Def(def) => {
                if !self.optional[def.index()] {
                    self.define(module, def, stmt, tasks);
                }
            }
            StmtInfo::Slot(slot) => match scoped.slot(slot).kind {
                SlotKind::Class(reference) => self.include(module, slot, stmt, scoped.reference(reference)),
                SlotKind::Module(inner) => {
                    tasks.push(Task::Import(slot));
                    if !std::mem::replace(&mut self.modules_done[inner.index()], true) {
                        let scope = scoped.module(inner).scope;
                        // A file that sees nothing around it shares no unknowns with its importer.
                        let level = if scoped.scope(scope).parent.is_some() {
                            self.level + 1
                        } else {
                            self.contexts.push(None);
                            tasks.push(Task::Leave);
                            1
                        };
                        self.enter(scope, level, tasks);
                    }
                }
                SlotKind::Broken => self.broken_include(module, stmt),
            },
            StmtInfo::None | StmtInfo::If { .. } | StmtInfo::Loop(_) => {}
        }
    }

    /// Types a definition, if the program uses it.
    fn define(&mut self, module: ModuleId, def: DefId, stmt: StmtId, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        if !self.live[def.index()] || scoped.def(def).broken {
            return;
        }
        match scoped.def(def).kind {
            DefKind::Bind { .. } => self.bind(module, def, stmt),
            DefKind::Func { scope: inner, .. } => self.function(module, def, stmt, inner),
            DefKind::Class { body, .. } => self.enter(body, self.level + 1, tasks),
            DefKind::Param { .. } | DefKind::Unknown => {}
        }
    }

    /// Types a class body or file, and then its members.
    fn enter(&mut self, scope: ScopeId, level: u32, tasks: &mut Vec<Task>) {
        let mark = self.open(level);
        self.levels[scope.index()] = level;
        self.depths[scope.index()] = self.contexts.len();
        for param in &self.scoped.scope(scope).params {
            self.def_type(*param);
        }
        tasks.extend([Task::Members(scope, 0), Task::Close(scope, mark), Task::Definitions(scope, 0)]);
    }

    /// Types the next optional definition of a scope.
    fn members_from(&mut self, scope: ScopeId, start: usize, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        for (i, stmt) in scoped.scope(scope).order.iter().enumerate().skip(start) {
            if let StmtInfo::Def(def) = scoped.module(module).stmts[stmt.0 as usize]
                && self.optional[def.index()]
            {
                let mark = self.open_member(scope);
                tasks.extend([Task::Members(scope, i + 1), Task::CloseMember(scope, def, mark)]);
                return self.define(module, def, *stmt, tasks);
            }
        }
    }

    fn statement(&mut self, scope: ScopeId, stmt: StmtId, tasks: &mut Vec<Task>) {
        let scoped = self.scoped;
        let module = scoped.scope(scope).module;
        let ast = scoped.ast(module);
        let span = ast.stmt_span(stmt);
        let info = scoped.module(module).stmts[stmt.0 as usize];
        match ast.stmt(stmt) {
            Stmt::Error { .. } | Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class { .. } | Stmt::Import { .. } => {}
            Stmt::Include { alias: Some(_), .. } => {}
            Stmt::Include { alias: None, .. } => {
                if let StmtInfo::Slot(slot) = info {
                    match scoped.slot(slot).kind {
                        SlotKind::Class(reference) => self.include(module, slot, stmt, scoped.reference(reference)),
                        SlotKind::Module(_) | SlotKind::Broken => self.broken_include(module, stmt),
                    }
                }
            }
            Stmt::Panic { args } => self.panic(module, args, span),
            Stmt::Resource(resource) => self.resource(module, resource, span),
            Stmt::Edge(halves) => self.edge(module, halves, span),
            Stmt::If { condition, .. } => {
                self.infer(module, *condition);
                self.expect_condition(module, *condition, span);
                if let StmtInfo::If { then, otherwise } = info {
                    tasks.extend(otherwise.map(|inner| Task::Definitions(inner, 0)));
                    tasks.push(Task::Definitions(then, 0));
                }
            }
            Stmt::For { iterable, .. } => {
                let found = self.infer(module, *iterable);
                if let StmtInfo::Loop(inner) = info {
                    let [index, value] = self.loop_variables(inner);
                    let int = self.types.add(Node::Int, self.types.origin(index));
                    let _ = self.types.unify(index, int);
                    let list = self.types.add(Node::List(value), span);
                    self.expect_iterable(module, list, found, *iterable, span, "`for` goes through a list");
                    tasks.push(Task::Definitions(inner, 0));
                }
            }
            Stmt::ForKv { iterable, .. } => {
                let found = self.infer(module, *iterable);
                if let StmtInfo::Loop(inner) = info {
                    let [key, value] = self.loop_variables(inner);
                    let map = self.types.add(Node::Map(key, value), span);
                    self.expect_iterable(module, map, found, *iterable, span, "`forkv` goes through a map");
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

    fn expect_iterable(&mut self, module: ModuleId, wanted: Ty, found: Ty, at: ExprId, span: Span, what: &str) {
        let place = Some((self.scoped.ast(module).expr_span(at), "this value"));
        self.expect_because(wanted, found, span, place, |_, found| format!("{what}, but this is `{found}`"));
    }

    fn bind(&mut self, module: ModuleId, def: DefId, stmt: StmtId) {
        let ast = self.scoped.ast(module);
        let Stmt::Bind { name, ty, value, .. } = ast.stmt(stmt) else { return };
        let found = self.infer(module, *value);
        let (known, bound) = match ty {
            None => (self.static_type(module, *value), found),
            Some(written) => {
                let annotated = self.annotation(module, *written);
                // A literal was compared with its annotation when it was parsed (spec 02 §5.9).
                let fits = is_literal(ast.expr(*value))
                    || self.expect(annotated, found, ast.expr_span(*value), |expected, found| {
                        format!("`${}` is declared as `{expected}`, but its value is `{found}`", ast.name(*name))
                    });
                (self.static_annotation(module, *written), if fits { annotated } else { Ty::ERROR })
            }
        };
        self.statics.insert(def, known);
        self.defs[def.index()] = bound;
    }

    /// The function of a `func` statement: typed once, generic.
    fn function(&mut self, module: ModuleId, def: DefId, stmt: StmtId, scope: ScopeId) {
        let Stmt::Func { func, .. } = self.scoped.ast(module).stmt(stmt) else { return };
        let mark = self.open(self.level + 1);
        let ty = self.infer(module, *func);
        self.close(scope, mark);
        self.defs[def.index()] = ty;
    }

    /// One instance of a class: a copy of its type variables and conditions, with the arguments for its parameters.
    fn include(&mut self, module: ModuleId, slot: SlotId, stmt: StmtId, reference: &Reference) {
        let scoped = self.scoped;
        let ast = scoped.ast(module);
        let Stmt::Include { args, .. } = ast.stmt(stmt) else { return };
        let span = ast.stmt_span(stmt);
        let args: &[ExprId] = args.as_deref().unwrap_or_default();
        for arg in args {
            self.infer(module, *arg);
        }
        let Target::Def(class) = reference.target else { return };
        let DefKind::Class { body, .. } = scoped.def(class).kind else { return };
        if scoped.def(class).broken {
            return;
        }
        let statics: Vec<Static> = args.iter().map(|arg| self.static_type(module, *arg)).collect();
        self.use_definition(&reference.via, class);
        let fresh = self.fresh(body);
        let mut copy = self.copy_of(Some((body, Rc::clone(&fresh))), &reference.via);
        for (param, arg) in scoped.scope(body).params.iter().zip(args) {
            let declared = self.def_type(*param);
            let expected = self.copied(&mut copy, declared);
            let found = self.expr_type(module, *arg);
            let place = Some((ast.expr_span(*arg), "this argument"));
            self.expect_because(expected, found, span, place, |expected, found| {
                let (param, class) = (&scoped.def(*param).name, &scoped.def(class).name);
                format!("the parameter `${param}` of class `{class}` must be `{expected}`, but it is `{found}`")
            });
        }
        self.slot_types[slot.index()] = Some(fresh);
        self.copy_conditions(body, &mut copy, Site::Include(span));
        self.copy_names(body, &mut copy, &statics, &reference.via, Some(span));
        self.slot_statics.insert(slot, statics);
        let texts = self.schemes.get(&body).map(|scheme| scheme.texts.clone()).unwrap_or_default();
        self.decide_texts(texts, &mut copy, slot);
    }

    /// An include that cannot be made: its arguments are checked all the same.
    fn broken_include(&mut self, module: ModuleId, stmt: StmtId) {
        if let Stmt::Include { args, .. } = self.scoped.ast(module).stmt(stmt) {
            for arg in args.iter().flatten() {
                let ty = self.infer(module, *arg);
                self.types.taint(ty);
            }
            self.settle();
        }
    }

    fn import(&mut self, slot: SlotId) {
        let SlotKind::Module(module) = self.scoped.slot(slot).kind else { return };
        let scope = self.scoped.module(module).scope;
        let fresh = self.fresh(scope);
        let mut copy = self.copy_of(Some((scope, Rc::clone(&fresh))), &[]);
        self.slot_types[slot.index()] = Some(fresh);
        self.copy_conditions(scope, &mut copy, Site::Import);
        self.copy_names(scope, &mut copy, &[], &[], None);
    }

    fn panic(&mut self, module: ModuleId, args: &[ExprId], span: Span) {
        for arg in args {
            self.infer(module, *arg);
        }
        match args {
            [only] => {
                let ty = self.expr_type(module, *only);
                let kinds = super::condition::Kinds::BOOL.or(super::condition::Kinds::STR);
                self.require(super::condition::What::OneOf { ty, kinds, who: "panic" }, span);
            }
            [condition, message] => {
                let (bool, text) = (self.types.add(Node::Bool, span), self.types.add(Node::Str, span));
                for (wanted, arg) in [(bool, *condition), (text, *message)] {
                    let found = self.expr_type(module, arg);
                    self.expect(wanted, found, span, |expected, found| {
                        format!("`panic` takes a `bool` and a `str`; instead of `{expected}` it gets `{found}`")
                    });
                }
            }
            _ => {
                let message = format!("`panic` takes 1 to 2 arguments, but it gets {}", args.len());
                self.report(error(Code::E0704, message).at(span));
                for arg in args {
                    let ty = self.expr_type(module, *arg);
                    self.types.taint(ty);
                }
                self.settle();
            }
        }
    }
}

fn is_literal(value: &Expr) -> bool {
    matches!(
        value,
        Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) | Expr::Concat(_) | Expr::Interpolated(_)
    )
}
