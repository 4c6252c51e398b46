//! The queries of collectors (spec 07 §5.8).

use pp_ast::{BinaryOp, Expr, ExprId};

use crate::validate::Validator;
use crate::validate::error::ValidationErrorKind;
use crate::validate::label::label;

impl Validator<'_> {
    /// Checks a query: comparisons with `==` and `!=`, joined by `and` and `or`.
    pub fn query(&mut self, id: ExprId) {
        let tree = self.tree;
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match &tree.exprs[id] {
                Expr::Parenthesized(inner) => pending.push(*inner),
                Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => pending.extend([*right, *left]),
                Expr::Binary(BinaryOp::Equal | BinaryOp::NotEqual, ..)
                | Expr::Error
                | Expr::Variable(_)
                | Expr::Name(_)
                | Expr::String(_)
                | Expr::Integer(..)
                | Expr::Float(_)
                | Expr::Boolean(_) => {}
                _ => {
                    let what = label(tree, id);
                    self.error_at(ValidationErrorKind::NotInQuery { what }, id);
                }
            }
        }
    }
}
