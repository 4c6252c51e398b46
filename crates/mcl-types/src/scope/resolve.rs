//! The second pass: every use of a name.

use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, Expr, ExprId, Lambda, Name, Stmt, StmtId};

use super::lookup::{Found, Meaning, SlotState};
use super::names::{Space, Symbol};
use super::{Edge, Scoper, Use, report};
use crate::scoped::{DefKind, ExprInfo, ModuleId, ScopeId, ScopeKind, SlotId, SlotKind, StmtInfo};
use crate::walk;

/// The lists around the current place, outermost first, with the statement that is being looked at in each.
#[derive(Default)]
pub(super) struct Chain {
    lists: Vec<(ScopeId, StmtId)>,
}

impl Scoper<'_> {
    /// Resolves a module that sees nothing around it, and everything inside.
    pub(super) fn resolve_module(&mut self, module: ModuleId) {
        let scope = self.out.module(module).scope;
        let mut chain = Chain::default();
        let mut lists = vec![(scope, 0)];
        while let Some((scope, next)) = lists.last_mut() {
            let scope = *scope;
            let Some(stmt) = self.out.scope(scope).body.get(*next).copied() else {
                lists.pop();
                self.order_list(scope);
                continue;
            };
            *next += 1;
            chain.lists.truncate(self.table(scope).depth as usize);
            chain.lists.push((scope, stmt));
            self.resolve_statement(scope, stmt, &chain);
            // The first inner list is done first, so it goes on top.
            let at = lists.len();
            match self.info(scope, stmt) {
                StmtInfo::None => {}
                StmtInfo::If { then, otherwise } => {
                    lists.extend(otherwise.map(|inner| (inner, 0)));
                    lists.push((then, 0));
                }
                StmtInfo::Loop(inner) => lists.push((inner, 0)),
                StmtInfo::Def(def) => {
                    if let DefKind::Class { body, .. } = self.out.def(def).kind {
                        lists.push((body, 0));
                    }
                }
                StmtInfo::Slot(slot) => {
                    if let SlotKind::Module(inner) = self.out.slot(slot).kind {
                        let inner = self.out.module(inner).scope;
                        // A file that sees the surroundings of its import is resolved here, with these lists around it.
                        if self.out.scope(inner).parent == Some(scope) {
                            lists.push((inner, 0));
                        }
                    }
                }
            }
            debug_assert!(lists.len() >= at);
        }
    }

    fn info(&self, scope: ScopeId, stmt: StmtId) -> StmtInfo {
        let module = self.out.scope(scope).module;
        self.out.module(module).stmts[stmt.0 as usize]
    }

    fn resolve_statement(&mut self, scope: ScopeId, stmt: StmtId, chain: &Chain) {
        let ast = self.ast(scope);
        if let StmtInfo::Slot(slot) = self.info(scope, stmt) {
            self.resolve_include(scope, slot, &ast, chain);
        }
        if let Stmt::Import { .. } = ast.stmt(stmt) {
            self.collide_with_stars(scope, stmt, ast.stmt_span(stmt));
        }
        walk::expressions(ast.stmt(stmt), |expr| self.resolve_expression(scope, expr, &ast, chain));
        if let (StmtInfo::Def(def), Stmt::Func { func, .. }) = (self.info(scope, stmt), ast.stmt(stmt)) {
            let module = self.out.scope(scope).module;
            if let ExprInfo::Function(inner) = self.out.module(module).exprs[func.0 as usize] {
                self.out.defs[def.index()].kind = DefKind::Func { stmt, scope: inner };
            }
        }
    }

    fn resolve_include(&mut self, scope: ScopeId, slot: SlotId, ast: &Ast, chain: &Chain) {
        let stmt = self.out.slot(slot).stmt;
        let Stmt::Include { class, class_span, args, .. } = ast.stmt(stmt) else { return };
        self.find_slot(slot);
        let (heads, missing) = match &mut self.slots[slot.index()] {
            SlotState::Found { heads, missing } => (std::mem::take(heads), *missing),
            SlotState::Open | SlotState::Busy | SlotState::Done => (Vec::new(), false),
        };
        self.depend(&heads, *class_span, chain);
        let stmt_span = ast.stmt_span(stmt);
        if missing {
            let parts = self.symbols.parts(self.table(scope).unit, *class).to_vec();
            self.report_unknown(Space::Class, &parts, scope, stmt_span, false);
            return;
        }
        let Some(class) = self.slot_class(slot) else { return };
        let DefKind::Class { body, .. } = self.out.def(class).kind else { return };
        let (expected, found) = (self.table(body).params.len(), args.as_ref().map_or(0, Vec::len));
        if expected != found && !self.out.def(class).broken {
            let class = self.out.def(class);
            let params = self.out.scope(body).params.iter().map(|param| self.out.def(*param).name.clone()).collect();
            let diagnostic = report::class_arguments(&class.name, class.span, params, found, stmt_span);
            self.report(scope, diagnostic);
            self.out.slots[slot.index()].kind = SlotKind::Broken;
        }
    }

    fn resolve_expression(&mut self, scope: ScopeId, root: ExprId, ast: &Ast, chain: &Chain) {
        let module = self.out.scope(scope).module;
        let mut work = vec![(root, scope)];
        let mut inner = Vec::new();
        while let Some((expr, scope)) = work.pop() {
            let span = ast.expr_span(expr);
            let mut inside = scope;
            let info = match ast.expr(expr) {
                Expr::Var(name) => self.resolve_use(Space::Variable, *name, scope, span, false, chain),
                Expr::CallVar { name, .. } => self.resolve_use(Space::Variable, *name, scope, span, true, chain),
                Expr::Call { name, .. } => self.resolve_use(Space::Function, *name, scope, span, true, chain),
                Expr::Func(lambda) => {
                    inside = self.declare_function(module, scope, expr, lambda);
                    ExprInfo::Function(inside)
                }
                _ => ExprInfo::None,
            };
            if info != ExprInfo::None {
                self.out.modules[module.index()].exprs[expr.0 as usize] = info;
            }
            walk::parts(ast.expr(expr), |part| inner.push((part, inside)));
            work.extend(inner.drain(..).rev());
        }
    }

    fn declare_function(&mut self, module: ModuleId, scope: ScopeId, expr: ExprId, lambda: &Lambda) -> ScopeId {
        let inner = self.add_scope(module, Some(scope), ScopeKind::Function(expr));
        self.declare_params(inner, &lambda.params);
        self.check_params(inner, &lambda.params);
        inner
    }

    fn resolve_use(
        &mut self,
        space: Space,
        name: Name,
        scope: ScopeId,
        span: Span,
        is_call: bool,
        chain: &Chain,
    ) -> ExprInfo {
        let unit = self.table(scope).unit;
        let parts: Vec<Symbol> = self.symbols.parts(unit, name).to_vec();
        match self.lookup(Use { space, parts: &parts }, scope) {
            None => {
                self.report_unknown(space, &parts, scope, span, is_call);
                ExprInfo::Unresolved
            }
            Some(Found { via, meaning, heads }) => {
                self.depend(&heads, span, chain);
                match meaning {
                    Meaning::Unknown => ExprInfo::Unresolved,
                    Meaning::Target(target) => ExprInfo::Ref(self.add_reference(via, target)),
                }
            }
        }
    }

    /// Notes that the statements around a use depend on those that define what it uses.
    fn depend(&mut self, heads: &[(ScopeId, StmtId)], span: Span, chain: &Chain) {
        for (list, to) in heads {
            let depth = self.table(*list).depth as usize;
            let Some((_, from)) = chain.lists.get(depth).filter(|(scope, _)| scope == list) else { continue };
            if self.is_definition(*list, *from) {
                let edge = Edge { from: *from, to: *to, span };
                self.tables[list.index()].edges.push(edge);
            }
        }
    }

    /// Whether a statement defines a name or an alias.
    pub(super) fn is_definition(&self, list: ScopeId, stmt: StmtId) -> bool {
        match self.out.ast_of(list).stmt(stmt) {
            Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class { .. } | Stmt::Import { .. } => true,
            Stmt::Include { alias, .. } => alias.is_some(),
            Stmt::Error { .. }
            | Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::If { .. }
            | Stmt::For { .. }
            | Stmt::ForKv { .. } => false,
        }
    }
}
