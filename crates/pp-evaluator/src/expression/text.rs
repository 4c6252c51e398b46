//! Interpolation.

use pp_ast::{Expr, ExprId, ExprList};
use pp_types::{Value, interpolate};

use crate::evaluator::Evaluator;
use crate::stop::Eval;

impl Evaluator<'_> {
    pub(super) fn eval_interpolation(&mut self, id: ExprId, segments: ExprList) -> Eval {
        let tree = self.frame.tree;
        let mut text = String::new();
        for segment in tree.list(segments) {
            match &tree.exprs[*segment] {
                Expr::String(literal) => text.push_str(tree.str(*literal)),
                _ => match self.eval(*segment)? {
                    Value::String(value) => text.push_str(&value),
                    value => {
                        self.charge_visit([&value]).map_err(|error| self.fault(*segment, error))?;
                        text.push_str(&interpolate(&value));
                    }
                },
            }
            // A string must not grow without end inside one expression either.
            if text.len() as u64 > self.options.budget.bytes {
                self.charge_bytes(id, text.len())?;
            }
        }
        self.charge_bytes(id, text.len())?;
        Ok(Value::string(text))
    }
}
