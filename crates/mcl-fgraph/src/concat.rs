//! Concatenation of strings (spec 04 §1.5).

use mcl_artifact::program::Operand;
use mcl_diagnostics::Span;
use mcl_parser::ast::{BinaryOp, Expr, ExprId};
use mcl_types::TypeId;

use crate::builder::as_const;
use crate::error::{Inconsistency, LowerError};
use crate::lower::{InsertPoint, Lowering};

/// A sum of at least this many strings is joined pair by pair.
const LONG_SUM: usize = 64;

impl Lowering<'_> {
    /// Returns the terms of `a + b + c + …` if they are many strings. Joined one after another, each would be copied once
    /// for every string after it.
    pub(crate) fn string_sum(&mut self, at: InsertPoint, expr: ExprId) -> Option<Vec<ExprId>> {
        let ast = self.frames.ast(at.frame);
        if self.type_of(at, expr) != TypeId::STR {
            return None;
        }
        let mut terms = Vec::new();
        let mut left = expr;
        while let Expr::Binary { op: BinaryOp::Add, left: next, right } = ast.expr(left) {
            terms.push(*right);
            left = *next;
        }
        if terms.len() < LONG_SUM {
            return None;
        }
        terms.push(left);
        terms.reverse();
        Some(terms)
    }

    /// Joins many strings, neighbours first.
    pub(crate) fn join_balanced(
        &mut self,
        at: InsertPoint,
        mut strings: Vec<Operand>,
        span: Span,
    ) -> Result<Operand, LowerError> {
        while strings.len() > 1 {
            let mut joined = Vec::with_capacity(strings.len().div_ceil(2));
            for pair in strings.chunks(2) {
                joined.push(match pair {
                    [a, b] => self.join(at, *a, *b, span)?,
                    _ => pair[0],
                });
            }
            strings = joined;
        }
        strings.pop().ok_or(Inconsistency::WrongNode.into())
    }

    /// Joins the parts of an interpolated string, neighbouring constants first.
    pub(crate) fn concat(&mut self, at: InsertPoint, parts: &[Operand], span: Span) -> Result<Operand, LowerError> {
        let fold = self.emitter.fold;
        let are_constant = |a: &Operand, b: &Operand| fold && as_const(*a).is_some() && as_const(*b).is_some();
        let mut joined: Vec<Operand> = Vec::with_capacity(parts.len());
        for run in parts.chunk_by(are_constant) {
            if run.len() > LONG_SUM {
                joined.push(self.join_balanced(at, run.to_vec(), span)?);
                continue;
            }
            for part in run {
                match joined.last_mut() {
                    Some(last) if are_constant(last, part) => *last = self.join(at, *last, *part, span)?,
                    _ => joined.push(*part),
                }
            }
        }
        if joined.len() > LONG_SUM {
            return self.join_balanced(at, joined, span);
        }
        let mut value = joined.pop().ok_or(Inconsistency::WrongNode)?;
        while let Some(part) = joined.pop() {
            value = self.join(at, part, value, span)?;
        }
        Ok(value)
    }

    fn join(&mut self, at: InsertPoint, a: Operand, b: Operand, span: Span) -> Result<Operand, LowerError> {
        self.builtin(at, "concat", &[a, b], &[TypeId::STR, TypeId::STR], TypeId::STR, span)
    }
}
