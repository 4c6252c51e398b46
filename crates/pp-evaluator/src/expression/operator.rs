//! Operators that compute a value (spec 07 §5.5).

use std::cmp::Ordering;

use pp_ast::{BinaryOp, ExprId};
use pp_functions::Strict;
use pp_types::{
    Error, ErrorKind, Operand, Operator, Type, Value, arithmetic, compare, equal, interpolate, is_assignable, negate,
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
            BinaryOp::Equal => Ok(Value::Boolean(self.eval_equal(left, right)?)),
            BinaryOp::NotEqual => Ok(Value::Boolean(!self.eval_equal(left, right)?)),
            BinaryOp::Less => self.eval_order(OrderOperator::Less, op, left, right),
            BinaryOp::LessOrEqual => self.eval_order(OrderOperator::LessOrEqual, op, left, right),
            BinaryOp::Greater => self.eval_order(OrderOperator::Greater, op, left, right),
            BinaryOp::GreaterOrEqual => self.eval_order(OrderOperator::GreaterOrEqual, op, left, right),
            BinaryOp::Add => self.eval_arithmetic(id, Operator::Add, left, right),
            BinaryOp::Subtract => self.eval_arithmetic(id, Operator::Subtract, left, right),
            BinaryOp::Multiply => self.eval_arithmetic(id, Operator::Multiply, left, right),
            BinaryOp::Divide => self.eval_arithmetic(id, Operator::Divide, left, right),
            BinaryOp::Modulo => self.eval_arithmetic(id, Operator::Modulo, left, right),
            BinaryOp::ShiftLeft => self.eval_arithmetic(id, Operator::ShiftLeft, left, right),
            BinaryOp::ShiftRight => self.eval_arithmetic(id, Operator::ShiftRight, left, right),
        }
    }

    fn eval_equal(&mut self, left: ExprId, right: ExprId) -> Eval<bool> {
        let (a, b) = (self.eval(left)?, self.eval(right)?);
        // The comparison ends with the lighter value.
        let lighter = if a.weight() < b.weight() { &a } else { &b };
        self.charge_visit([lighter]).map_err(|error| Stop::at(self.operator_span(left, right), error))?;
        Ok(equal(&a, &b))
    }

    fn eval_order(&mut self, order: OrderOperator, op: BinaryOp, left: ExprId, right: ExprId) -> Eval {
        let (a, b) = (self.eval(left)?, self.eval(right)?);
        if let Value::Type(a) = &a {
            return Ok(Value::Boolean(matches!(&b, Value::Type(b) if order.holds_for_types(a, b))));
        }
        let found = compare(&a, &b).map_err(|error| {
            let (a, b) = (operand_name(&a), operand_name(&b));
            let message =
                format!("Comparison of: {a} {} {b}, is not possible. Caused by '{}'.", op.symbol(), error.message);
            Stop::at(self.operator_span(left, right), Error { message, ..error })
        })?;
        Ok(Value::Boolean(found.is_some_and(|found| order.holds(found))))
    }

    fn eval_arithmetic(&mut self, id: ExprId, operator: Operator, left: ExprId, right: ExprId) -> Eval {
        let (a, b) = (self.eval(left)?, self.eval(right)?);
        let (a, b) =
            if takes_unconverted(operator, &a) { (a, b) } else { (self.operand(left, a)?, self.operand(right, b)?) };
        // Before it exists: a list that doubles again and again must not be made.
        self.charge_elements(id, elements(&a) + elements(&b))?;
        let result = arithmetic(operator, &a, &b).map_err(|error| {
            let span = match error.operand {
                Some(Operand::Left) => self.frame.tree.focus(left),
                Some(Operand::Right) => self.frame.tree.focus(right),
                Some(Operand::Argument(_)) | None => self.operator_span(left, right),
            };
            Stop::at(span, error)
        })?;
        self.made(id, result)
    }

    pub(super) fn eval_negate(&mut self, id: ExprId, operand: ExprId) -> Eval {
        let value = self.eval(operand)?;
        let value = self.operand(id, value)?;
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

    /// Returns an operand that is a time or a version, or the number that it is or holds.
    fn operand(&mut self, id: ExprId, value: Value) -> Eval {
        let is_unconverted = matches!(value, Value::Timestamp(_) | Value::Timespan(_) | Value::SemVer(_));
        if is_unconverted { Ok(value) } else { self.number_operand(id, value) }
    }

    fn not_numeric(&self, id: ExprId, value: &Value) -> Stop {
        Stop::at(self.frame.tree.focus(id), not_numeric(value))
    }

    /// Returns the number that a string holds, with a warning or an error by the setting `strict`.
    pub(super) fn coerce(&mut self, id: ExprId, value: &Value) -> Eval<Option<Value>> {
        let Value::String(text) = value else { return Ok(None) };
        let Some(number) = parse_number(text) else { return Ok(None) };
        let message =
            format!("The string '{text}' was automatically coerced to the numerical value {}", interpolate(&number));
        match self.options.strict {
            Strict::Off => {}
            Strict::Warning => self.warn_at(Some(self.frame.tree.focus(id)), message),
            Strict::Error => {
                let help = format!("convert it: `Numeric({})`", pp_types::source_form(value));
                let error = Error::new(ErrorKind::Conversion, message).help(help);
                return Err(Stop::at(self.frame.tree.focus(id), error));
            }
        }
        Ok(Some(number))
    }
}

/// An operator that compares by order.
#[derive(Clone, Copy)]
enum OrderOperator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl OrderOperator {
    fn holds(self, found: Ordering) -> bool {
        match self {
            OrderOperator::Less => found.is_lt(),
            OrderOperator::LessOrEqual => found.is_le(),
            OrderOperator::Greater => found.is_gt(),
            OrderOperator::GreaterOrEqual => found.is_ge(),
        }
    }

    /// Types are ordered by assignability.
    fn holds_for_types(self, a: &Type, b: &Type) -> bool {
        match self {
            OrderOperator::Less => is_assignable(b, a) && !is_assignable(a, b),
            OrderOperator::LessOrEqual => is_assignable(b, a),
            OrderOperator::Greater => is_assignable(a, b) && !is_assignable(b, a),
            OrderOperator::GreaterOrEqual => is_assignable(a, b),
        }
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
