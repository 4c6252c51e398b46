//! Literals under an annotation of another type, `$x int = "four"` (spec 01 §4.5).
//!
//! mgmt reports these when it parses a file, whether the binding is used or not. Only what the literal alone decides is
//! compared; lists, structs, calls and the like are left to the unify stage.

use mcl_diagnostics::{Code, Diagnostic, Stage};
use mcl_parser::ast::{Ast, Expr, ExprId, Stmt, TypeExpr, TypeId};

use crate::wording::{MAP_KEY_HELP, expected_because, expected_found};

/// Compares the literals of a file with the annotations of their bindings. The diagnostics belong to the parse stage.
#[must_use]
pub fn check_annotated_literals(ast: &Ast) -> Vec<Diagnostic> {
    let check = |stmt: &Stmt| match stmt {
        Stmt::Bind { ty, value, .. } => check_literal(ast, ty.expand()?, *value),
        _ => None,
    };
    ast.stmts.values().filter_map(check).collect()
}

/// Whether [`check_annotated_literals`] has reported a value for its annotation; the tree may be interpolated.
pub(crate) fn is_reported(ast: &Ast, ty: TypeId, value: ExprId) -> bool {
    let is_string = matches!(ast.expr(value), Expr::Concat(_) | Expr::Interpolated(_));
    let may_be_string = matches!(ast.ty(ty), TypeExpr::Str | TypeExpr::Error | TypeExpr::Variant);
    is_string && !may_be_string || check_literal(ast, ty, value).is_some()
}

fn check_literal(ast: &Ast, ty: TypeId, value: ExprId) -> Option<Diagnostic> {
    let value = without_parens(ast, value);
    let annotation = ast.ty(ty);
    if matches!(annotation, TypeExpr::Error | TypeExpr::Variant) {
        return None;
    }
    let found = match ast.expr(value) {
        Expr::Bool(_) if *annotation != TypeExpr::Bool => "bool".to_owned(),
        Expr::Str(_) if *annotation != TypeExpr::Str => "str".to_owned(),
        Expr::Int(_) if *annotation != TypeExpr::Int => "int".to_owned(),
        Expr::Float(_) if *annotation != TypeExpr::Float => "float".to_owned(),
        Expr::Map(_) => match annotation {
            TypeExpr::Map(key, _) => return check_key(ast, *key),
            _ => "map".to_owned(),
        },
        Expr::Func(lambda) => {
            let params: Option<Vec<TypeId>> = lambda.params.iter().map(|param| param.ty).collect();
            let (params, result) = (params?, lambda.result.expand()?);
            let is_match = match annotation {
                TypeExpr::Func(args, expected) => {
                    args.len() == params.len()
                        && args.iter().zip(&params).all(|((_, arg), param)| are_equal(ast, *arg, *param))
                        && are_equal(ast, *expected, result)
                }
                _ => false,
            };
            if is_match {
                return None;
            }
            let params: Vec<String> = params.iter().map(|param| format_type(ast, *param)).collect();
            format!("func({}) {}", params.join(", "), format_type(ast, result))
        }
        _ => return None,
    };
    let expected = format_type(ast, ty);
    let diagnostic = Diagnostic::error(Code::E0205, Stage::Parse, expected_found(&expected, &found))
        .at_with(ast.expr_span(value), format!("this is `{found}`"))
        .label(ast.ty_span(ty), expected_because(&expected));
    Some(diagnostic)
}

fn check_key(ast: &Ast, key: TypeId) -> Option<Diagnostic> {
    (!is_hashable(ast, key)).then(|| {
        let message = format!("invalid map key type `{}`", format_type(ast, key));
        Diagnostic::error(Code::E0303, Stage::Parse, message).at(ast.ty_span(key)).help(MAP_KEY_HELP)
    })
}

/// Returns the expression inside any number of parentheses.
fn without_parens(ast: &Ast, mut id: ExprId) -> ExprId {
    while let Expr::Paren(inner) = ast.expr(id) {
        id = *inner;
    }
    id
}

/// Returns whether values of a type can be keys of a map.
pub(crate) fn is_hashable(ast: &Ast, ty: TypeId) -> bool {
    match ast.ty(ty) {
        TypeExpr::Bool | TypeExpr::Str | TypeExpr::Int | TypeExpr::Float | TypeExpr::Error | TypeExpr::Variant => true,
        TypeExpr::Struct(fields) => fields.iter().all(|(_, ty)| is_hashable(ast, *ty)),
        TypeExpr::List(_) | TypeExpr::Map(..) | TypeExpr::Func(..) => false,
    }
}

/// Returns whether two annotations are the same type; the names of function arguments do not matter.
fn are_equal(ast: &Ast, a: TypeId, b: TypeId) -> bool {
    match (ast.ty(a), ast.ty(b)) {
        (TypeExpr::Error | TypeExpr::Variant, _) | (_, TypeExpr::Error | TypeExpr::Variant) => true,
        (TypeExpr::List(a), TypeExpr::List(b)) => are_equal(ast, *a, *b),
        (TypeExpr::Map(ak, av), TypeExpr::Map(bk, bv)) => are_equal(ast, *ak, *bk) && are_equal(ast, *av, *bv),
        (TypeExpr::Struct(a), TypeExpr::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((an, at), (bn, bt))| an == bn && are_equal(ast, *at, *bt))
        }
        (TypeExpr::Func(aa, ar), TypeExpr::Func(ba, br)) => {
            aa.len() == ba.len()
                && aa.iter().zip(ba).all(|((_, a), (_, b))| are_equal(ast, *a, *b))
                && are_equal(ast, *ar, *br)
        }
        (a, b) => a == b,
    }
}

/// Formats an annotation as in mcl.
fn format_type(ast: &Ast, ty: TypeId) -> String {
    match ast.ty(ty) {
        TypeExpr::Error => "?".to_owned(),
        TypeExpr::Bool => "bool".to_owned(),
        TypeExpr::Str => "str".to_owned(),
        TypeExpr::Int => "int".to_owned(),
        TypeExpr::Float => "float".to_owned(),
        TypeExpr::Variant => "variant".to_owned(),
        TypeExpr::List(element) => format!("[]{}", format_type(ast, *element)),
        TypeExpr::Map(key, value) => format!("map{{{}: {}}}", format_type(ast, *key), format_type(ast, *value)),
        TypeExpr::Struct(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(n, t)| format!("{} {}", ast.name(*n), format_type(ast, *t))).collect();
            format!("struct{{{}}}", fields.join("; "))
        }
        TypeExpr::Func(args, result) => {
            let args: Vec<_> = args
                .iter()
                .map(|(name, ty)| match name {
                    Some(name) => format!("${} {}", ast.name(*name), format_type(ast, *ty)),
                    None => format_type(ast, *ty),
                })
                .collect();
            format!("func({}) {}", args.join(", "), format_type(ast, *result))
        }
    }
}
