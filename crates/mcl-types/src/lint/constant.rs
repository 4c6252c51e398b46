//! W0217 and W0218: comparisons whose result is known, and loops over nothing.

use std::cmp::Ordering;

use mcl_diagnostics::{Code, Diagnostic, Span};
use mcl_parser::ast::{Ast, BinaryOp, Expr, ExprId, Stmt, StmtId};
use rustc_hash::FxHashSet;

use crate::lint::{Names, lint};
use crate::scoped::{DefKind, ScopeId, Target};

impl Names<'_> {
    pub(super) fn constant_comparisons(&self, found: &mut Vec<Diagnostic>) {
        let mut files = FxHashSet::default();
        for module in self.scoped.modules.keys().filter(|module| self.is_own(*module)) {
            let ast = self.scoped.ast(module);
            if !files.insert(ast.file) {
                continue;
            }
            for (id, expr) in &ast.exprs {
                if let Expr::Binary { op, left, right } = expr
                    && let Some(result) = result(ast, *op, *left, *right)
                {
                    let span = ast.expr_span(id);
                    let warning = lint(Code::W0217, format!("this comparison is always {result}")).at(span);
                    found.push(warning.help("compare with something that can differ, or write the value"));
                }
            }
        }
    }

    pub(super) fn empty_loops(&self, found: &mut Vec<Diagnostic>) {
        let mut places = FxHashSet::default();
        for (id, scope) in &self.scoped.scopes {
            let ast = self.scoped.ast_of(id);
            for stmt in &scope.body {
                let (Stmt::For(iteration) | Stmt::ForKv(iteration)) = ast.stmt(*stmt) else { continue };
                if !self.is_own(scope.module) {
                    continue;
                }
                let span = ast.expr_span(iteration.iterable);
                let Some(empty) = self.empty(id, iteration.iterable) else { continue };
                if places.insert((span.file, span.start)) {
                    let warning = lint(Code::W0218, "this loop never runs".to_owned());
                    let warning = warning.at_with(span, "nothing to iterate over").help("remove the loop");
                    found.push(if empty == span { warning } else { warning.label(empty, "always empty") });
                }
            }
        }
    }

    /// Returns where an expression is seen to be an empty list or map: it is one, or a variable that is.
    fn empty(&self, scope: ScopeId, expr: ExprId) -> Option<Span> {
        let module = self.scoped.scope(scope).module;
        let ast = self.scoped.ast(module);
        if is_empty(ast.expr(expr)) {
            return Some(ast.expr_span(expr));
        }
        let reference = self.scoped.expr_ref(module, expr).filter(|_| matches!(ast.expr(expr), Expr::Var(_)))?;
        let Target::Def(def) = reference.target else { return None };
        let def = self.scoped.def(def);
        let DefKind::Bind { stmt } = def.kind else { return None };
        self.empty_value(def.scope, stmt)
    }

    fn empty_value(&self, scope: ScopeId, stmt: StmtId) -> Option<Span> {
        let ast = self.scoped.ast_of(scope);
        let Stmt::Bind { value, .. } = ast.stmt(stmt) else { return None };
        is_empty(ast.expr(*value)).then(|| ast.expr_span(*value))
    }
}

fn is_empty(expr: &Expr) -> bool {
    match expr {
        Expr::List(items) => items.is_empty(),
        Expr::Map(pairs) => pairs.is_empty(),
        _ => false,
    }
}

/// Returns the result of a comparison of two literals, or of something with itself.
fn result(ast: &Ast, op: BinaryOp, left: ExprId, right: ExprId) -> Option<bool> {
    let order = match (ast.expr(left), ast.expr(right)) {
        (Expr::Int(left), Expr::Int(right)) => left.cmp(right),
        (Expr::Str(left), Expr::Str(right)) => ast.string(*left).cmp(ast.string(*right)),
        (Expr::Bool(left), Expr::Bool(right)) => left.cmp(right),
        _ if is_same(ast, left, right) => Ordering::Equal,
        _ => return None,
    };
    match op {
        BinaryOp::Eq => Some(order.is_eq()),
        BinaryOp::Ne => Some(order.is_ne()),
        BinaryOp::Lt => Some(order.is_lt()),
        BinaryOp::Gt => Some(order.is_gt()),
        BinaryOp::Le => Some(order.is_le()),
        BinaryOp::Ge => Some(order.is_ge()),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::And | BinaryOp::Or | BinaryOp::In => {
            None
        }
    }
}

/// Whether two expressions are the same variable, or the same part of it. Calls may differ each time.
fn is_same(ast: &Ast, left: ExprId, right: ExprId) -> bool {
    match (ast.expr(left), ast.expr(right)) {
        (Expr::Var(left), Expr::Var(right)) => left == right,
        (Expr::Field { base: left, field }, Expr::Field { base: right, field: other }) => {
            field == other && is_same(ast, *left, *right)
        }
        (Expr::Index { base: left, index }, Expr::Index { base: right, index: other }) => {
            is_same(ast, *left, *right) && is_same_key(ast, *index, *other)
        }
        _ => false,
    }
}

fn is_same_key(ast: &Ast, left: ExprId, right: ExprId) -> bool {
    match (ast.expr(left), ast.expr(right)) {
        (Expr::Int(left), Expr::Int(right)) => left == right,
        (Expr::Str(left), Expr::Str(right)) => ast.string(*left) == ast.string(*right),
        _ => is_same(ast, left, right),
    }
}
