//! Lowering of expressions (spec 04 §1.5).
//!
//! Plain recursion: the parser bounds the depth of an expression, except for the left side of operators, which
//! [`Lowering::operators`] goes through in a loop. A variable or a function that is used for the first time is lowered on
//! the way; see `dependencies` for what bounds that.

use mcl_artifact::program::{Op, Operand};
use mcl_diagnostics::Span;
use mcl_parser::ast::{BinaryOp, Expr, ExprId, UnaryOp};
use mcl_types::{Target, TypeId};
use smallvec::SmallVec;

use crate::emit::Fallibility;
use crate::error::{Inconsistency, LowerError};
use crate::lower::{InsertPoint, Lowering};

/// With less stack left than this, an expression is lowered on a new segment. More than one level of recursion needs.
const STACK_RED_ZONE_BYTES: usize = 128 << 10;

const STACK_SEGMENT_BYTES: usize = 2 << 20;

impl Lowering<'_> {
    /// Returns the value of an expression.
    pub(crate) fn expr(&mut self, at: InsertPoint, expr: ExprId) -> Result<Operand, LowerError> {
        self.depth += 1;
        let value =
            stacker::maybe_grow(STACK_RED_ZONE_BYTES, STACK_SEGMENT_BYTES, || self.expr_on_this_stack(at, expr));
        self.depth -= 1;
        self.check_type_limits(|frames| frames.ast(at.frame).expr_span(expr));
        value
    }

    /// Returns the values of expressions, which are lowered in this order.
    pub(crate) fn exprs(
        &mut self,
        at: InsertPoint,
        exprs: impl IntoIterator<Item = ExprId>,
    ) -> Result<SmallVec<[Operand; 4]>, LowerError> {
        exprs.into_iter().map(|expr| self.expr(at, expr)).collect()
    }

    fn expr_on_this_stack(&mut self, at: InsertPoint, expr: ExprId) -> Result<Operand, LowerError> {
        let ast = self.frames.ast(at.frame);
        let span = ast.expr_span(expr);
        let pool = &mut self.emitter.pool;
        Ok(match ast.expr(expr) {
            Expr::Error => return Err(Inconsistency::ErrorNode.into()),
            Expr::Bool(value) => Operand::Const(pool.bool(*value)),
            Expr::Int(value) => Operand::Const(pool.int(*value)),
            Expr::Float(value) => Operand::Const(pool.float(*value)),
            Expr::Str(value) => Operand::Const(pool.str(ast.string(*value))),
            Expr::Interpolated(inner) | Expr::Paren(inner) => self.expr(at, *inner)?,
            Expr::Var(_) => self.variable(at, expr)?,
            Expr::Func(lambda) => self.lambda(at, expr, lambda.body, span)?,
            Expr::If { condition, then, otherwise } => self.if_expr(at, *condition, *then, *otherwise, span)?,
            Expr::Except { value, fallback } => self.except(at, *value, *fallback, span)?,
            Expr::Concat(parts) => {
                let parts = self.exprs(at, ast.list(*parts).iter().copied())?;
                self.concat(at, &parts, span)?
            }
            Expr::List(parts) => {
                let parts = self.exprs(at, ast.list(*parts).iter().copied())?;
                self.emitter.emit(at.builder, Op::List(parts.into_vec()), Some(span))
            }
            Expr::Map(pairs) => {
                let pairs = ast.pairs(*pairs).map(|(key, value)| Ok((self.expr(at, key)?, self.expr(at, value)?)));
                let pairs = pairs.collect::<Result<Vec<_>, LowerError>>()?;
                self.emitter.emit(at.builder, Op::Map(pairs), Some(span))
            }
            Expr::Struct(literal) => {
                let parts = self.exprs(at, literal.fields.iter().map(|field| field.value))?;
                let ty = self.type_of(at, expr);
                let ty = self.emitter.pool.ty(&self.emitter.types, ty);
                self.emitter.emit(at.builder, Op::Struct(ty, parts.into_vec()), Some(span))
            }
            Expr::Call { args, .. } => {
                let operands = self.exprs(at, ast.list(*args).iter().copied())?;
                match self.frames.reference(at.frame, expr)?.target {
                    Target::Function(id) => {
                        let types = self.types_of(at, ast.list(*args));
                        let result = self.type_of(at, expr);
                        let name = self.frames.typed.scoped.builtin(id);
                        self.builtin(at, name, &operands, &types, result, span)?
                    }
                    Target::Def(def) => self.call_function(at, expr, def, operands.into_vec(), span)?,
                    Target::Variable(_) => return Err(Inconsistency::WrongNode.into()),
                }
            }
            Expr::CallVar { args, .. } => {
                let args = self.exprs(at, ast.list(*args).iter().copied())?.into_vec();
                let callee = self.variable(at, expr)?;
                self.emitter.emit(at.builder, Op::Call { callee, args }, Some(span))
            }
            Expr::CallLambda { lambda, args } => {
                let args = self.exprs(at, ast.list(*args).iter().copied())?.into_vec();
                let callee = self.expr(at, *lambda)?;
                self.emitter.emit(at.builder, Op::Call { callee, args }, Some(span))
            }
            Expr::Unary { op: UnaryOp::Not, operand } => {
                let value = self.expr(at, *operand)?;
                self.operator(at, "not", &[*operand], &[value], expr)?
            }
            Expr::Binary { .. } => self.operators(at, expr)?,
            Expr::Index { base, index } => {
                let operands = self.exprs(at, [*base, *index])?;
                self.builtin_call(at, "_lookup", &[*base, *index], &operands, expr)?
            }
            Expr::Field { base, field } => {
                let base_value = self.expr(at, *base)?;
                let types = [self.type_of(at, *base), TypeId::STR];
                let result = self.type_of(at, expr);
                let field = Operand::Const(self.emitter.pool.str(ast.name(*field)));
                self.builtin(at, "_struct_lookup", &[base_value, field], &types, result, span)?
            }
            Expr::FieldOr { base, field, default } => {
                let (base_value, default_value) = (self.expr(at, *base)?, self.expr(at, *default)?);
                let types = [self.type_of(at, *base), TypeId::STR, self.type_of(at, *default)];
                let result = self.type_of(at, expr);
                let field = Operand::Const(self.emitter.pool.str(ast.name(*field)));
                let args = [base_value, field, default_value];
                self.builtin(at, "_struct_lookup_optional", &args, &types, result, span)?
            }
        })
    }

    /// Lowers a chain of binary operators, which may be of any length.
    fn operators(&mut self, at: InsertPoint, expr: ExprId) -> Result<Operand, LowerError> {
        let ast = self.frames.ast(at.frame);
        // From the last operator of the chain to the first one.
        let mut chain: SmallVec<[_; 4]> = SmallVec::new();
        let mut next = expr;
        let mut value = loop {
            let Expr::Binary { op, left, right } = ast.expr(next) else { break self.expr(at, next)? };
            if let Some(terms) = self.string_sum(at, next) {
                let terms = self.exprs(at, terms)?;
                break self.join_balanced(at, terms.into_vec(), ast.expr_span(next))?;
            }
            chain.push((next, *op, *left, *right));
            next = *left;
        };
        for (expr, op, left, right) in chain.into_iter().rev() {
            let right_value = self.expr(at, right)?;
            value = match op {
                BinaryOp::In => self.builtin_call(at, "contains", &[left, right], &[value, right_value], expr)?,
                op => self.operator(at, op.symbol(), &[left, right], &[value, right_value], expr)?,
            };
            self.check_type_limits(|_| ast.expr_span(expr));
        }
        Ok(value)
    }

    /// Lowers only the branch that is taken if the condition is known, or else both, as templates.
    fn if_expr(
        &mut self,
        at: InsertPoint,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        span: Span,
    ) -> Result<Operand, LowerError> {
        let condition = self.expr(at, condition)?;
        if let Some(truth) = self.emitter.truth(condition) {
            return self.expr(at, if truth { then } else { otherwise });
        }
        let [then_builder, otherwise_builder] = [(); 2].map(|()| self.emitter.builders.open(Some(at.builder), 0));
        let then = self.expr(InsertPoint { builder: then_builder, ..at }, then)?;
        let otherwise = self.expr(InsertPoint { builder: otherwise_builder, ..at }, otherwise)?;
        let then = self.emitter.finish(then_builder, Some(then), "then");
        let otherwise = self.emitter.finish(otherwise_builder, Some(otherwise), "else");
        Ok(self.emitter.emit(at.builder, Op::If { condition, then, otherwise }, Some(span)))
    }

    /// Lowers `value <|> fallback`: only the value if it cannot fail, only the fallback if the value always fails.
    fn except(&mut self, at: InsertPoint, value: ExprId, fallback: ExprId, span: Span) -> Result<Operand, LowerError> {
        let value = self.expr(at, value)?;
        match self.emitter.fallibility(at.builder, value) {
            Fallibility::Never => Ok(value),
            Fallibility::Always => self.expr(at, fallback),
            Fallibility::Unknown => {
                let builder = self.emitter.builders.open(Some(at.builder), 0);
                let fallback = self.expr(InsertPoint { builder, ..at }, fallback)?;
                let fallback = self.emitter.finish(builder, Some(fallback), "fallback");
                Ok(self.emitter.emit(at.builder, Op::Except { value, fallback }, Some(span)))
            }
        }
    }
}
