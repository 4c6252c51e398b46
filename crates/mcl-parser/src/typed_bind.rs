//! A literal under an annotation of another type, `$x int = "four"`: told at once, before any inference (spec 01 §4.5).
//! Only what the literal alone decides is compared; lists, structs, calls and the like wait for unification.

use mcl_diagnostics::{Code, Diagnostic, Stage};

use crate::ast::{Ast, Expr, ExprId, Name, TypeExpr, TypeId};

/// Compares the value of a bind with its annotation.
pub fn check(ast: &Ast, name: Name, ty: TypeId, value: ExprId) -> Option<Diagnostic> {
    let value = without_parens(ast, value);
    let annotation = ast.ty(ty);
    if matches!(annotation, TypeExpr::Error | TypeExpr::Variant) {
        return None;
    }
    let found = match ast.expr(value) {
        Expr::Bool(_) if *annotation != TypeExpr::Bool => "a bool".to_owned(),
        Expr::Str(_) if *annotation != TypeExpr::Str => "a str".to_owned(),
        Expr::Int(_) if *annotation != TypeExpr::Int => "an int".to_owned(),
        Expr::Float(_) if *annotation != TypeExpr::Float => "a float".to_owned(),
        Expr::Map(_) => match annotation {
            TypeExpr::Map(key, _) => {
                return (!is_hashable(ast, *key)).then(|| {
                    let message = format!("a map cannot have keys of type {}", show(ast, *key));
                    Diagnostic::error(Code::E0303, Stage::Parse, message)
                        .at(ast.ty_span(*key))
                        .help("keys are bool, str, int, float, or structs of these")
                });
            }
            _ => "a map".to_owned(),
        },
        Expr::Func(lambda) => {
            let params: Option<Vec<TypeId>> = lambda.params.iter().map(|p| p.ty).collect();
            let (params, result) = (params?, lambda.result?);
            let matches = match annotation {
                TypeExpr::Func(args, expected) => {
                    args.len() == params.len()
                        && args.iter().zip(&params).all(|((_, a), p)| same(ast, *a, *p))
                        && same(ast, *expected, result)
                }
                _ => false,
            };
            if matches {
                return None;
            }
            let params: Vec<String> = params.iter().map(|p| show(ast, *p)).collect();
            format!("a func({}) {}", params.join(", "), show(ast, result))
        }
        _ => return None,
    };
    let expected = show(ast, ty);
    let message = format!("`${}` is declared as {expected}, but its value is {found}", ast.name(name));
    Some(
        Diagnostic::error(Code::E0205, Stage::Parse, message)
            .at_with(ast.expr_span(value), format!("this is {found}"))
            .label(ast.ty_span(ty), format!("expected {expected} because of this")),
    )
}

/// The expression inside any number of parentheses.
pub fn without_parens(ast: &Ast, mut id: ExprId) -> ExprId {
    while let Expr::Paren(inner) = ast.expr(id) {
        id = *inner;
    }
    id
}

fn is_hashable(ast: &Ast, ty: TypeId) -> bool {
    match ast.ty(ty) {
        TypeExpr::Bool | TypeExpr::Str | TypeExpr::Int | TypeExpr::Float | TypeExpr::Error | TypeExpr::Variant => true,
        TypeExpr::Struct(fields) => fields.iter().all(|(_, ty)| is_hashable(ast, *ty)),
        TypeExpr::List(_) | TypeExpr::Map(..) | TypeExpr::Func(..) => false,
    }
}

/// Whether two written types are one; argument names do not count.
fn same(ast: &Ast, a: TypeId, b: TypeId) -> bool {
    match (ast.ty(a), ast.ty(b)) {
        (TypeExpr::Error | TypeExpr::Variant, _) | (_, TypeExpr::Error | TypeExpr::Variant) => true,
        (TypeExpr::List(a), TypeExpr::List(b)) => same(ast, *a, *b),
        (TypeExpr::Map(ak, av), TypeExpr::Map(bk, bv)) => same(ast, *ak, *bk) && same(ast, *av, *bv),
        (TypeExpr::Struct(a), TypeExpr::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((an, at), (bn, bt))| an == bn && same(ast, *at, *bt))
        }
        (TypeExpr::Func(aa, ar), TypeExpr::Func(ba, br)) => {
            aa.len() == ba.len() && aa.iter().zip(ba).all(|((_, a), (_, b))| same(ast, *a, *b)) && same(ast, *ar, *br)
        }
        (a, b) => a == b,
    }
}

/// A written type as the formatter prints it.
pub fn show(ast: &Ast, ty: TypeId) -> String {
    match ast.ty(ty) {
        TypeExpr::Error => "?".to_owned(),
        TypeExpr::Bool => "bool".to_owned(),
        TypeExpr::Str => "str".to_owned(),
        TypeExpr::Int => "int".to_owned(),
        TypeExpr::Float => "float".to_owned(),
        TypeExpr::Variant => "variant".to_owned(),
        TypeExpr::List(element) => format!("[]{}", show(ast, *element)),
        TypeExpr::Map(key, value) => format!("map{{{}: {}}}", show(ast, *key), show(ast, *value)),
        TypeExpr::Struct(fields) => {
            let fields: Vec<_> = fields.iter().map(|(n, t)| format!("{} {}", ast.name(*n), show(ast, *t))).collect();
            format!("struct{{{}}}", fields.join("; "))
        }
        TypeExpr::Func(args, result) => {
            let args: Vec<_> = args
                .iter()
                .map(|(name, ty)| match name {
                    Some(name) => format!("${} {}", ast.name(*name), show(ast, *ty)),
                    None => show(ast, *ty),
                })
                .collect();
            format!("func({}) {}", args.join(", "), show(ast, *result))
        }
    }
}
