//! Which expressions have no effect besides their value (spec 07 §9.2).

use pp_ast::{BinaryOp, Expr, ExprId, Tree};

/// Returns whether evaluating an expression changes nothing. Decided on the form of the expression alone: an array is pure
/// even if a call in it is not. A match is not pure, because it sets variables.
pub fn is_pure(tree: &Tree, id: ExprId) -> bool {
    match &tree.exprs[id] {
        Expr::Nop
        | Expr::Undef
        | Expr::Default
        | Expr::Boolean(_)
        | Expr::Integer(..)
        | Expr::Float(_)
        | Expr::String(_)
        | Expr::Regexp(_)
        | Expr::Name(_)
        | Expr::TypeName(_)
        | Expr::Reserved(_)
        | Expr::Variable(_)
        | Expr::Interpolation(_)
        | Expr::Heredoc { .. }
        | Expr::Array(_)
        | Expr::Hash(_)
        | Expr::Not(_)
        | Expr::Negate(_)
        | Expr::Unfold(_)
        | Expr::Access(..)
        | Expr::Selector(..) => true,
        Expr::Binary(BinaryOp::Match | BinaryOp::NotMatch, ..) => false,
        Expr::Binary(..) => true,
        Expr::Parenthesized(inner) => is_pure(tree, *inner),
        Expr::If(test, then, otherwise) | Expr::Unless(test, then, otherwise) => {
            is_pure(tree, *test) && is_pure(tree, *then) && is_pure(tree, *otherwise)
        }
        Expr::Case(test, options) => is_pure(tree, *test) && options.iter().all(|option| is_pure(tree, option.body)),
        Expr::Block(list) => tree.list(*list).iter().all(|statement| is_pure(tree, *statement)),
        Expr::Error
        | Expr::Text(_)
        | Expr::Assign(..)
        | Expr::Arrow(..)
        | Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Lambda(_)
        | Expr::Resource(_)
        | Expr::ResourceDefaults(_)
        | Expr::ResourceOverride(_)
        | Expr::Collector(_)
        | Expr::Definition(_)
        | Expr::Epp { .. }
        | Expr::RenderString(_)
        | Expr::RenderExpr(_) => false,
    }
}
