//! The second pass: resolves every use of a name.

use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, Expr, ExprId, IncludeStmt, Lambda, Name, Stmt, StmtId};
use smallvec::{SmallVec, smallvec};

use crate::scope::Resolver;
use crate::scope::error::ScopeError;
use crate::scope::lookup::Found;
use crate::scope::names::{NameParts, NameUse, Namespace, UseForm};
use crate::scope::table::{ClassLookup, Dependency};
use crate::scoped::{DefKind, ExprInfo, InstanceId, InstanceKind, ModuleId, ScopeId, ScopeKind, StmtInfo};
use crate::walk;

/// The scopes with statements around the current position, outermost first, each with its current statement.
#[derive(Default)]
struct Ancestors {
    statements: Vec<(ScopeId, StmtId)>,
}

impl Resolver<'_> {
    /// Resolves a module that sees only itself, and everything inside it.
    pub(crate) fn resolve_module(&mut self, module: ModuleId) {
        let scope = self.out.module(module).scope;
        let mut ancestors = Ancestors::default();
        let mut work = vec![(scope, 0)];
        while let Some((scope, next)) = work.last_mut() {
            let scope = *scope;
            let Some(stmt) = self.out.scope(scope).body.get(*next).copied() else {
                work.pop();
                self.order_definitions(scope);
                continue;
            };
            *next += 1;
            ancestors.statements.truncate(self.table(scope).depth as usize);
            ancestors.statements.push((scope, stmt));
            self.resolve_statement(scope, stmt, &ancestors);
            // The first inner scope is resolved first, so it is pushed last.
            match self.out.stmt_info(scope, stmt) {
                StmtInfo::None => {}
                StmtInfo::If { then, otherwise } => {
                    work.extend(otherwise.expand().map(|inner| (inner, 0)));
                    work.push((then, 0));
                }
                StmtInfo::Loop(inner) => work.push((inner, 0)),
                StmtInfo::Def(def) => {
                    if let DefKind::Class { body, .. } = self.out.def(def).kind {
                        work.push((body, 0));
                    }
                }
                StmtInfo::Instance(instance) => {
                    if let InstanceKind::Module(inner) = self.out.instance(instance).kind {
                        let inner = self.out.module(inner).scope;
                        // A file that sees the names around its import is resolved here, inside these scopes.
                        if self.out.scope(inner).parent == Some(scope) {
                            work.push((inner, 0));
                        }
                    }
                }
            }
        }
    }

    fn resolve_statement(&mut self, scope: ScopeId, stmt: StmtId, ancestors: &Ancestors) {
        let ast = self.ast(scope);
        if let StmtInfo::Instance(instance) = self.out.stmt_info(scope, stmt) {
            self.resolve_include(scope, instance, &ast, ancestors);
        }
        if let Stmt::Import(_) = ast.stmt(stmt) {
            self.check_star_collision(scope, stmt, ast.stmt_span(stmt));
        }
        walk::expressions(ast.stmt(stmt), |expr| self.resolve_expression(scope, expr, &ast, ancestors));
        if let (StmtInfo::Def(def), Stmt::Func { func, .. }) = (self.out.stmt_info(scope, stmt), ast.stmt(stmt)) {
            let module = self.out.scope(scope).module;
            if let ExprInfo::Function(inner) = self.out.module(module).exprs.get(*func) {
                self.out.defs[def].kind = DefKind::Func { stmt, scope: inner.into() };
            }
        }
    }

    fn resolve_include(&mut self, scope: ScopeId, instance: InstanceId, ast: &Ast, ancestors: &Ancestors) {
        let stmt = self.out.instance(instance).stmt;
        let Stmt::Include(include) = ast.stmt(stmt) else { return };
        let IncludeStmt { class, class_span, args, .. } = &**include;
        self.look_up_class(instance);
        let (providers, missing) = match &mut self.class_lookups[instance] {
            ClassLookup::Found { providers, missing } => (std::mem::take(providers), *missing),
            ClassLookup::NotStarted | ClassLookup::InProgress | ClassLookup::Done => (SmallVec::new(), false),
        };
        self.add_dependencies(&providers, *class_span, ancestors);
        let span = *class_span;
        if missing {
            let parts = self.symbols.parts(self.table(scope).unit, *class).to_vec();
            self.report_unknown(
                NameUse { namespace: Namespace::Class, parts: &parts },
                scope,
                *class_span,
                UseForm::Value,
            );
            return;
        }
        let Some(class) = self.instance_class(instance) else { return };
        let DefKind::Class { body, .. } = self.out.def(class).kind else { return };
        let (expected, found) = (self.table(body).params.len(), args.as_ref().map_or(0, Vec::len));
        // An argument with a syntax error may have been meant as any number of arguments.
        let is_broken = args.iter().flatten().any(|arg| *ast.expr(*arg) == Expr::Error);
        if expected != found && is_broken {
            self.out.instances[instance].kind = InstanceKind::Error;
        } else if expected != found && !self.out.def(class).erroneous {
            let params = self.out.scope(body).params.iter().map(|param| self.out.def_name(*param).into()).collect();
            let (class, class_span) = (self.out.def_name(class).into(), self.out.def_span(class));
            self.report(scope, ScopeError::ArgumentCount { class, class_span, params, found, span });
            self.out.instances[instance].kind = InstanceKind::Error;
        }
    }

    fn resolve_expression(&mut self, scope: ScopeId, root: ExprId, ast: &Ast, ancestors: &Ancestors) {
        let module = self.out.scope(scope).module;
        let mut work: SmallVec<[(ExprId, ScopeId); 8]> = smallvec![(root, scope)];
        while let Some((expr, scope)) = work.pop() {
            let span = ast.expr_span(expr);
            let mut inside = scope;
            let info = match ast.expr(expr) {
                Expr::Var(name) => self.resolve_use(Namespace::Variable, *name, scope, span, UseForm::Value, ancestors),
                Expr::CallVar { name, .. } => {
                    self.resolve_use(Namespace::Variable, *name, scope, span, UseForm::Call, ancestors)
                }
                Expr::Call { name, .. } => {
                    self.resolve_use(Namespace::Function, *name, scope, span, UseForm::Call, ancestors)
                }
                Expr::Index { base, index } if self.is_fact_with_broken_key(ast, scope, *base, *index) => {
                    self.out.modules[module].exprs.set(*base, ExprInfo::Unresolved);
                    continue;
                }
                Expr::Func(lambda) => {
                    inside = self.declare_function(module, scope, expr, lambda);
                    ExprInfo::Function(inside)
                }
                _ => ExprInfo::None,
            };
            if info != ExprInfo::None {
                self.out.modules[module].exprs.set(expr, info);
            }
            let before = work.len();
            walk::subexpressions(ast, ast.expr(expr), |part| work.push((part, inside)));
            work[before..].reverse();
        }
    }

    /// Whether `base[index]` is a fact of Puppet, `$facts['os']`; the lexer has reported it because of its quotes.
    fn is_fact_with_broken_key(&mut self, ast: &Ast, scope: ScopeId, base: ExprId, index: ExprId) -> bool {
        let (Expr::Var(name), Expr::Error) = (ast.expr(base), ast.expr(index)) else { return false };
        if !matches!(ast.name(*name), "facts" | "trusted") {
            return false;
        }
        let parts = self.symbols.parts(self.table(scope).unit, *name).to_vec();
        self.lookup(NameUse { namespace: Namespace::Variable, parts: &parts }, scope).is_none()
    }

    fn declare_function(&mut self, module: ModuleId, scope: ScopeId, expr: ExprId, lambda: &Lambda) -> ScopeId {
        let inner = self.add_scope(module, Some(scope), ScopeKind::Function(expr));
        self.declare_params(inner, &lambda.params);
        self.check_params(inner, &lambda.params);
        inner
    }

    fn resolve_use(
        &mut self,
        namespace: Namespace,
        name: Name,
        scope: ScopeId,
        span: Span,
        form: UseForm,
        ancestors: &Ancestors,
    ) -> ExprInfo {
        let unit = self.table(scope).unit;
        let parts: NameParts = self.symbols.parts(unit, name).into();
        let name = NameUse { namespace, parts: &parts };
        match self.lookup(name, scope) {
            None => {
                self.report_unknown(name, scope, span, form);
                ExprInfo::Unresolved
            }
            Some(Found { path, target, providers }) => {
                self.add_dependencies(&providers, span, ancestors);
                match target {
                    None => ExprInfo::Unresolved,
                    Some(target) => ExprInfo::Ref(self.add_reference(&path, target)),
                }
            }
        }
    }

    /// Records that the statements around a use depend on those that provide the name.
    fn add_dependencies(&mut self, providers: &[(ScopeId, StmtId)], span: Span, ancestors: &Ancestors) {
        for (provider, to) in providers {
            if matches!(self.out.ast_of(*provider).stmt(*to), Stmt::Import(_)) {
                self.used_imports.insert((*provider, *to));
            }
            let depth = self.table(*provider).depth as usize;
            let Some((_, from)) = ancestors.statements.get(depth).filter(|(scope, _)| scope == provider) else {
                continue;
            };
            if self.is_definition(*provider, *from) {
                let dependency = Dependency { from: *from, to: *to, span };
                self.tables[*provider].dependencies.push(dependency);
            }
        }
    }

    /// Returns whether a statement defines a name or an alias.
    pub(crate) fn is_definition(&self, scope: ScopeId, stmt: StmtId) -> bool {
        match self.out.ast_of(scope).stmt(stmt) {
            Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_) | Stmt::Import(_) => true,
            Stmt::Include(include) => include.alias.is_some(),
            Stmt::Error { .. }
            | Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::If(_)
            | Stmt::For(_)
            | Stmt::ForKv(_) => false,
        }
    }
}
