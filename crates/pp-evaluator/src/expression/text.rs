//! Interpolation.

use pp_ast::{Expr, ExprId, ExprList};
use pp_types::{Value, interpolate};

use crate::evaluator::Evaluator;
use crate::stop::Eval;

/// How many bytes are added to a string before they are charged.
const LARGE: usize = 1 << 16;

impl Evaluator<'_> {
    pub(super) fn eval_interpolation(&mut self, id: ExprId, segments: ExprList) -> Eval {
        let tree = self.frame.tree;
        let mut text = String::new();
        let mut charged = 0;
        for segment in tree.list(segments) {
            let value;
            let piece = match &tree.exprs[*segment] {
                Expr::String(literal) => tree.str(*literal),
                _ => match self.eval(*segment)? {
                    Value::String(string) => {
                        value = string;
                        &*value
                    }
                    other => {
                        self.charge_visit([&other]).map_err(|error| self.fault(*segment, error))?;
                        value = interpolate(&other).into();
                        &*value
                    }
                },
            };
            // A string must not grow without end inside one expression either: what is large is charged before it is made.
            let length = text.len() + piece.len();
            if length - charged > LARGE {
                self.charge_bytes(id, length - charged)?;
                charged = length;
            }
            text.push_str(piece);
        }
        self.charge_bytes(id, text.len() - charged)?;
        Ok(Value::string(text))
    }
}
