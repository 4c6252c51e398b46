//! What can be assigned to.

use pp_ast::{AssignOp, Expr, ExprId};

use crate::validate::Validator;
use crate::validate::error::ValidationErrorKind;
use crate::validate::label::{label, with_article};
use crate::validate::names::{is_numeric, variable_name_error};

impl Validator<'_> {
    pub fn assignment(&mut self, op: AssignOp, id: ExprId, left: ExprId) {
        let operator = match op {
            AssignOp::Assign => {
                if self.in_default {
                    self.error_at(ValidationErrorKind::AssignmentInDefault, id);
                }
                return self.target(left);
            }
            AssignOp::Add => "+=",
            AssignOp::Subtract => "-=",
        };
        self.error_at(ValidationErrorKind::RemovedOperator { operator }, id);
    }

    /// Checks a target: a variable of this scope, or a list of targets.
    fn target(&mut self, id: ExprId) {
        let tree = self.tree;
        let kind = match &tree.exprs[id] {
            Expr::Error => return,
            Expr::Variable(name) => {
                let name = tree.str(*name);
                if variable_name_error(name).is_some() {
                    return;
                }
                if is_numeric(name) {
                    ValidationErrorKind::NumericAssignment { name: name.to_string() }
                } else if name.contains("::") {
                    ValidationErrorKind::AssignmentToOtherNamespace { name: name.to_string() }
                } else {
                    return;
                }
            }
            Expr::Array(list) => return tree.list(*list).iter().for_each(|target| self.target(*target)),
            Expr::Access(..) => ValidationErrorKind::IndexedAssignment,
            expr => ValidationErrorKind::NotAssignable {
                what: with_article(&label(tree, id)),
                is_name: matches!(expr, Expr::Name(_)),
            },
        };
        self.error_at(kind, id);
    }
}
