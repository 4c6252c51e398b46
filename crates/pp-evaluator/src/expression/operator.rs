//! Operators that compute a value (spec 07 §5.5).

use std::cmp::Ordering;

use pp_ast::{BinaryOp, ExprId};
use pp_functions::Strict;
use pp_types::{
    Error, ErrorKind, Operator, Type, Value, arithmetic, compare, equal, interpolate, is_assignable, negate,
    not_numeric, operand_name, parse_number, takes_unconverted,
};

use crate::evaluator::Evaluator;
use crate::stop::{Eval, Stop};

impl Evaluator<'_> {
    pub(super) fn eval_binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Eval {
        match op {
            BinaryOp::And => Ok(Value::Boolean(self.eval(left)?.is_true() && self.eval(right)?.is_true())),
            BinaryOp::Or => Ok(Value::Boolean(self.eval(left)?.is_true() || self.eval(right)?.is_true())),
            BinaryOp::In => self.eval_in(left, right),
            BinaryOp::Match => Ok(Value::Boolean(self.eval_match(left, right)?)),
            BinaryOp::NotMatch => Ok(Value::Boolean(!self.eval_match(left, right)?)),
            BinaryOp::Equal => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                Ok(Value::Boolean(equal(&a, &b)))
            }
            BinaryOp::NotEqual => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                Ok(Value::Boolean(!equal(&a, &b)))
            }
            BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                self.eval_order(op, (left, &a), (right, &b))
            }
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => {
                let (a, b) = (self.eval(left)?, self.eval(right)?);
                self.eval_arithmetic(id, op, (left, a), (right, b))
            }
        }
    }

    fn eval_order(&mut self, op: BinaryOp, (left, a): (ExprId, &Value), (right, b): (ExprId, &Value)) -> Eval {
        if let Value::Type(a) = a {
            return Ok(Value::Boolean(matches!(b, Value::Type(b) if is_subtype(op, a, b))));
        }
        let order = compare(a, b).map_err(|error| {
            let (a, b) = (operand_name(a), operand_name(b));
            let message =
                format!("Comparison of: {a} {} {b}, is not possible. Caused by '{}'.", op.symbol(), error.message);
            Stop::at(self.operator_span(left, right), Error { message, ..error })
        })?;
        Ok(Value::Boolean(match op {
            BinaryOp::Less => order.is_some_and(Ordering::is_lt),
            BinaryOp::LessOrEqual => order.is_some_and(Ordering::is_le),
            BinaryOp::Greater => order.is_some_and(Ordering::is_gt),
            _ => order.is_some_and(Ordering::is_ge),
        }))
    }

    fn eval_arithmetic(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        (left, a): (ExprId, Value),
        (right, b): (ExprId, Value),
    ) -> Eval {
        let operator = arithmetic_operator(op);
        let (a, b) = if takes_unconverted(operator, &a) || is_special(&a) {
            (a, b)
        } else {
            (self.number_operand(left, a)?, self.right_operand(right, b)?)
        };
        // Before it exists: a list that doubles again and again must not be made.
        self.charge_elements(id, elements(&a) + elements(&b))?;
        arithmetic(operator, &a, &b).map_err(|error| {
            let span = match error.kind {
                ErrorKind::Operator if error.message.starts_with("Operator") => self.span(left),
                _ if error.message.starts_with("Division by 0") => self.span(right),
                _ if error.message.starts_with("The result of") => self.span(left),
                _ => self.operator_span(left, right),
            };
            Stop::at(span, error)
        })
    }

    pub(super) fn eval_negate(&mut self, id: ExprId, operand: ExprId) -> Eval {
        let value = self.eval(operand)?;
        let value = if is_special(&value) { value } else { self.number_operand(id, value)? };
        negate(&value).map_err(|error| self.fault(id, error))
    }

    /// Returns the number that an operand is or holds.
    pub(super) fn number_operand(&mut self, id: ExprId, value: Value) -> Eval {
        match &value {
            Value::Integer(_) | Value::Float(_) => Ok(value),
            Value::String(_) => match self.coerce(id, &value)? {
                Some(number) => Ok(number),
                None => Err(self.not_numeric(id, &value)),
            },
            _ => Err(self.not_numeric(id, &value)),
        }
    }

    /// The right operand may also be one that only some left operands take.
    fn right_operand(&mut self, id: ExprId, value: Value) -> Eval {
        if is_special(&value) { Ok(value) } else { self.number_operand(id, value) }
    }

    fn not_numeric(&self, id: ExprId, value: &Value) -> Stop {
        self.fault(id, not_numeric(value))
    }

    /// Returns the number that a string holds, with a warning or an error by the setting `strict`.
    pub(super) fn coerce(&mut self, id: ExprId, value: &Value) -> Eval<Option<Value>> {
        let Value::String(text) = value else { return Ok(None) };
        let Some(number) = parse_number(text) else { return Ok(None) };
        let message =
            format!("The string '{text}' was automatically coerced to the numerical value {}", interpolate(&number));
        match self.options.strict {
            Strict::Off => {}
            Strict::Warning => self.warn_at(Some(self.span(id)), message),
            Strict::Error => {
                let help = format!("convert it: `Numeric({})`", pp_types::source_form(value));
                return Err(self.fault(id, Error::new(ErrorKind::Conversion, message).help(help)));
            }
        }
        Ok(Some(number))
    }
}

/// Returns whether operators have a meaning of their own for a value.
fn is_special(value: &Value) -> bool {
    matches!(value, Value::Timestamp(_) | Value::Timespan(_) | Value::Binary(_) | Value::Uri(_) | Value::SemVer(_))
}

fn is_subtype(op: BinaryOp, a: &Type, b: &Type) -> bool {
    match op {
        BinaryOp::Less => is_assignable(b, a) && a != b,
        BinaryOp::LessOrEqual => is_assignable(b, a),
        BinaryOp::Greater => is_assignable(a, b) && a != b,
        _ => is_assignable(a, b),
    }
}

fn arithmetic_operator(op: BinaryOp) -> Operator {
    match op {
        BinaryOp::Subtract => Operator::Subtract,
        BinaryOp::Multiply => Operator::Multiply,
        BinaryOp::Divide => Operator::Divide,
        BinaryOp::Modulo => Operator::Modulo,
        BinaryOp::ShiftLeft => Operator::ShiftLeft,
        BinaryOp::ShiftRight => Operator::ShiftRight,
        _ => Operator::Add,
    }
}

/// Returns how many elements a value contributes to a list.
fn elements(value: &Value) -> usize {
    match value {
        Value::Array(elements) => elements.len(),
        Value::Hash(entries) => entries.len(),
        Value::Binary(bytes) => bytes.len() / size_of::<Value>(),
        _ => 0,
    }
}
