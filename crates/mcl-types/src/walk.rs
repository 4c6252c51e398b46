//! Traversal of the syntax tree.

use mcl_parser::ast::{Ast, Entry, EntryKind, Expr, ExprId, Stmt};

/// Calls `visit` for each direct subexpression of an expression of a tree, in source order.
pub fn subexpressions(ast: &Ast, expr: &Expr, mut visit: impl FnMut(ExprId)) {
    match expr {
        Expr::Error | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) | Expr::Var(_) => {}
        Expr::Concat(items) | Expr::List(items) | Expr::Map(items) => ast.list(*items).iter().copied().for_each(visit),
        Expr::Interpolated(inner) | Expr::Paren(inner) => visit(*inner),
        Expr::Struct(literal) => literal.fields.iter().for_each(|field| visit(field.value)),
        Expr::Func(lambda) => visit(lambda.body),
        Expr::Call { args, .. } | Expr::CallVar { args, .. } => ast.list(*args).iter().copied().for_each(visit),
        Expr::CallLambda { lambda, args } => {
            visit(*lambda);
            ast.list(*args).iter().copied().for_each(visit);
        }
        Expr::If { condition, then, otherwise } => {
            visit(*condition);
            visit(*then);
            visit(*otherwise);
        }
        Expr::Unary { operand, .. } => visit(*operand),
        Expr::Binary { left, right, .. } => {
            visit(*left);
            visit(*right);
        }
        Expr::Index { base, index } => {
            visit(*base);
            visit(*index);
        }
        Expr::Field { base, .. } => visit(*base),
        Expr::FieldOr { base, default, .. } => {
            visit(*base);
            visit(*default);
        }
        Expr::Except { value, fallback } => {
            visit(*value);
            visit(*fallback);
        }
    }
}

/// Calls `visit` for each expression that a statement contains directly, in source order; not for those of nested scopes.
pub fn expressions(stmt: &Stmt, mut visit: impl FnMut(ExprId)) {
    match stmt {
        Stmt::Error { .. } | Stmt::Class(_) | Stmt::Import(_) => {}
        Stmt::Bind { value, .. } => visit(*value),
        Stmt::Panic { args } => args.iter().copied().for_each(visit),
        Stmt::Resource(resource) => {
            visit(resource.name);
            resource.entries.iter().for_each(|entry| entry_expressions(entry, &mut visit));
        }
        Stmt::Edge(halves) => halves.iter().for_each(|half| visit(half.name)),
        Stmt::If(branches) => visit(branches.condition),
        Stmt::For(iteration) | Stmt::ForKv(iteration) => visit(iteration.iterable),
        Stmt::Func { func, .. } => visit(*func),
        Stmt::Include(include) => include.args.iter().flatten().copied().for_each(visit),
    }
}

fn entry_expressions(entry: &Entry, visit: &mut impl FnMut(ExprId)) {
    if let Some(condition) = entry.condition.expand() {
        visit(condition);
    }
    match &entry.kind {
        EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => visit(*value),
        EntryKind::Edge { half, .. } => visit(half.name),
    }
}
