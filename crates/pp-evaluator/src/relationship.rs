//! Arrows between resources (spec 07 §9.2 "arrows").

use mcl_diagnostics::Code;
use pp_ast::{ArrowOp, Expr, ExprId};
use pp_catalog::{Operand, Reference, Relationship, RelationshipId, RelationshipKind};
use pp_types::{Type, Value, operand_name, with_article};

use crate::evaluator::Evaluator;
use crate::stack::{STACK_RESERVE, STACK_SEGMENT};
use crate::stop::{Eval, Stop, located, unlocated};

/// A side of an arrow.
struct Side {
    value: Value,
    operands: Vec<Operand>,
    /// The arrow of which it is the right side.
    arrow: Option<RelationshipId>,
}

impl Evaluator<'_> {
    /// `left -> right`; the value is that of the right side.
    pub(crate) fn eval_arrow(&mut self, op: ArrowOp, left: ExprId, right: ExprId) -> Eval {
        Ok(self.relate(op, left, right)?.value)
    }

    /// Records a relationship, and returns the right side, to which the next arrow of a chain refers.
    fn relate(&mut self, op: ArrowOp, left: ExprId, right: ExprId) -> Eval<Side> {
        let before = self.eval_side(left, left, right)?;
        let after = self.eval_side(right, left, right)?;
        let location = self.location(Some(self.operator_span(left, right)));
        let reversed = matches!(op, ArrowOp::Require | ArrowOp::Subscribe);
        let kind = match op {
            ArrowOp::Before | ArrowOp::Require => RelationshipKind::Before,
            ArrowOp::Notify | ArrowOp::Subscribe => RelationshipKind::Notify,
        };
        let previous = before.arrow;
        let (sources, targets) = if reversed {
            (after.operands.clone(), before.operands)
        } else {
            (before.operands, after.operands.clone())
        };
        let arrow = Relationship { kind, sources, targets, reversed, previous, location };
        let arrow = Some(self.catalog.add_relationship(arrow));
        Ok(Side { arrow, ..after })
    }

    fn eval_side(&mut self, operand: ExprId, left: ExprId, right: ExprId) -> Eval<Side> {
        stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || match self.frame.tree.exprs[operand] {
            Expr::Arrow(op, left, right) => self.relate(op, left, right),
            Expr::Parenthesized(inner) => self.eval_side(inner, left, right),
            Expr::Collector(collector) => {
                let id = self.add_collector(operand, collector)?;
                Ok(Side { value: Value::Undef, operands: vec![Operand::Collector(id)], arrow: None })
            }
            _ => {
                let value = self.eval(operand)?;
                let operands = self.operands(&value, left, right)?;
                Ok(Side { value, operands, arrow: None })
            }
        })
    }

    fn operands(&self, value: &Value, left: ExprId, right: ExprId) -> Eval<Vec<Operand>> {
        let mut operands = Vec::new();
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(elements) => stack.extend(elements.iter().rev()),
                Value::String(_) | Value::Type(Type::Resource(..) | Type::Class(_)) => {
                    let reference = Reference::from_value(value).map_err(|invalid| {
                        let error = pp_types::Error::new(pp_types::ErrorKind::Evaluation, invalid.to_string());
                        let stop = located(unlocated(error), Some(self.operator_span(left, right)));
                        stop.code(Code::P0511)
                    })?;
                    operands.push(Operand::Reference(reference));
                }
                other => {
                    let message = format!(
                        "Illegal relationship operand, can not form a relationship with {}. A Catalog type is required.",
                        with_article(&operand_name(other))
                    );
                    return Err(Stop::message(self.operator_span(left, right), message).code(Code::P0511));
                }
            }
        }
        Ok(operands)
    }
}
