//! Which expressions have no effect besides their value (spec 07 §9.2).

use pp_ast::{BinaryOp, CaseOption, Expr, ExprId, Tree};

/// Which expressions change nothing when they are evaluated. Decided on their form alone: an array is pure even if a call in
/// it is not. A match is not pure, because it sets variables.
pub struct Purity(Vec<bool>);

impl Purity {
    /// Decides for all expressions of a tree. The parts of an expression come before it in the tree.
    pub fn new(tree: &Tree) -> Purity {
        let mut purity = Purity(Vec::with_capacity(tree.exprs.len()));
        for expr in tree.exprs.values() {
            let is_pure = purity.decide(tree, expr);
            purity.0.push(is_pure);
        }
        purity
    }

    /// Returns whether an expression changes nothing.
    pub fn is_pure(&self, id: ExprId) -> bool {
        self.0.get(id.as_u32() as usize).copied().unwrap_or(false)
    }

    fn decide(&self, tree: &Tree, expr: &Expr) -> bool {
        match expr {
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
            Expr::Parenthesized(inner) => self.is_pure(*inner),
            Expr::If(test, then, otherwise) | Expr::Unless(test, then, otherwise) => {
                self.is_pure(*test) && self.is_pure(*then) && self.is_pure(*otherwise)
            }
            Expr::Case(test, options) => {
                let is_pure = |option: &CaseOption| {
                    tree.list(option.values).iter().all(|value| self.is_pure(*value)) && self.is_pure(option.body)
                };
                self.is_pure(*test) && options.iter().all(is_pure)
            }
            Expr::Block(list) => tree.list(*list).iter().all(|statement| self.is_pure(*statement)),
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
}
