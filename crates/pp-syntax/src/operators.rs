//! The precedence of operators (spec 07 §5.4): a flat sequence of operands and operators -> a tree.

use pp_ast::{BinaryOp, Expr, ExprId, SelectorEntry, TextRange};

use crate::builder::Builder;
use crate::tokens::TokenIdx;

/// How tightly an operator binds; a greater one binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Precedence(u8);

/// The precedence of `?`: the operators that bind tighter are in its operand.
const SELECTOR: Precedence = Precedence(3);

fn precedence(op: BinaryOp) -> Precedence {
    Precedence(match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => 4,
        BinaryOp::Equal | BinaryOp::NotEqual => 5,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 6,
        BinaryOp::Add | BinaryOp::Subtract => 7,
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => 8,
        BinaryOp::Match | BinaryOp::NotMatch => 9,
        BinaryOp::In => 10,
    })
}

/// A sequence of operands and operators, of which those that bind tighter than the last operator are combined already.
pub enum Operands {
    /// One operand.
    One(ExprId),
    /// Operands, with the operators between them.
    Many(Box<Sequence>),
}

/// Operators in rising precedence, each with its left operand, and the last operand.
pub struct Sequence {
    pending: Vec<(ExprId, BinaryOp, TextRange)>,
    last: ExprId,
}

impl Builder<'_> {
    /// Adds an operator and its right operand to a sequence. All operators associate to the left.
    pub fn operator(&mut self, operands: Operands, op: BinaryOp, at: TokenIdx, right: ExprId) -> Operands {
        let at = self.tokens.range(at);
        Operands::Many(match operands {
            Operands::One(left) => Box::new(Sequence { pending: vec![(left, op, at)], last: right }),
            Operands::Many(mut sequence) => {
                let left = self.combine(&mut sequence, precedence(op));
                sequence.pending.push((left, op, at));
                sequence.last = right;
                sequence
            }
        })
    }

    /// Adds `? {…}` to a sequence.
    pub fn selector(
        &mut self,
        operands: Operands,
        question: TokenIdx,
        entries: Vec<SelectorEntry>,
        end: TokenIdx,
    ) -> Operands {
        let end = self.tokens.range(end.previous()).end.max(self.tokens.range(question).end);
        match operands {
            Operands::One(operand) => Operands::One(self.add_selector(operand, entries, end)),
            Operands::Many(mut sequence) => {
                let operand = self.combine(&mut sequence, SELECTOR);
                sequence.last = self.add_selector(operand, entries, end);
                if sequence.pending.is_empty() { Operands::One(sequence.last) } else { Operands::Many(sequence) }
            }
        }
    }

    fn add_selector(&mut self, operand: ExprId, entries: Vec<SelectorEntry>, end: u32) -> ExprId {
        let range = self.tree.ranges[operand];
        // Puppet reports it where it reports its operand.
        let focus = self.tree.focus(operand);
        let range = TextRange { start: range.start, end: end.max(range.end) };
        let focus = TextRange { start: focus.start, end: focus.end };
        self.add_at(Expr::Selector(operand, entries), range, focus)
    }

    /// Returns the expression that a sequence stands for.
    pub fn operators(&mut self, operands: Operands) -> ExprId {
        match operands {
            Operands::One(expr) => expr,
            Operands::Many(mut sequence) => self.combine(&mut sequence, Precedence(0)),
        }
    }

    /// Combines the operators at the end of a sequence that bind at least as tightly as `least`, and returns the result.
    fn combine(&mut self, sequence: &mut Sequence, least: Precedence) -> ExprId {
        let mut right = sequence.last;
        while let Some((left, op, at)) = sequence.pending.pop_if(|(_, op, _)| precedence(*op) >= least) {
            let range = TextRange { start: self.tree.ranges[left].start, end: self.tree.ranges[right].end };
            right = self.add_at(Expr::Binary(op, left, right), range, at);
        }
        right
    }
}
