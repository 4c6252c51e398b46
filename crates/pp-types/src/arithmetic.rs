//! Arithmetic on values (spec 07 §5.5). The evaluator converts strings to numbers before.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::compare::compare_integer_and_float;
use crate::describe::{operand_name, with_article};
use crate::error::{Error, ErrorKind, Operand};
use crate::key_state::KeyState;
use crate::text::ruby_text;
use crate::time::{NANOSECONDS, Timespan, Timestamp};
use crate::value::{Float, Hash, Value};

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Modulo => "%",
            Operator::ShiftLeft => "<<",
            Operator::ShiftRight => ">>",
        })
    }
}

/// Returns whether an operator takes its operands as they are. Otherwise both must be numbers or times, and strings are
/// converted.
#[must_use]
pub fn takes_unconverted(operator: Operator, left: &Value) -> bool {
    match left {
        Value::Array(_) | Value::Hash(_) => {
            matches!(operator, Operator::Add | Operator::Subtract | Operator::ShiftLeft)
        }
        Value::Uri(_) | Value::Binary(_) => operator == Operator::Add,
        _ => false,
    }
}

/// Calculates `left operator right`.
///
/// # Errors
/// Operands of the wrong kinds, a division by zero, and results that are too large.
pub fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Result<Value, Error> {
    match (left, right) {
        (Value::Array(elements), _) if takes_unconverted(operator, left) => array(operator, elements, right),
        (Value::Hash(entries), _) if operator == Operator::Add => add_to_hash(entries, right),
        (Value::Hash(entries), _) if operator == Operator::Subtract => Ok(remove_from_hash(entries, right)),
        (Value::Integer(a), Value::Integer(b)) => integers(operator, *a, *b),
        (Value::Integer(a), Value::Float(b)) if matches!(operator, Operator::ShiftLeft | Operator::ShiftRight) => {
            integers(operator, *a, b.0 as i64)
        }
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => floats(operator, left, right),
        (Value::Timespan(_) | Value::Timestamp(_), _) | (_, Value::Timespan(_) | Value::Timestamp(_)) => {
            times(operator, left, right)
        }
        (Value::Binary(a), Value::Binary(b)) if operator == Operator::Add => {
            Ok(Value::Binary(a.iter().chain(b.iter()).copied().collect()))
        }
        (Value::Uri(base), Value::Uri(reference)) if operator == Operator::Add => {
            Ok(Value::Uri(Arc::new(base.join(&reference.source)?)))
        }
        (Value::Uri(base), Value::String(reference)) if operator == Operator::Add => {
            Ok(Value::Uri(Arc::new(base.join(reference)?)))
        }
        (Value::Binary(_), _) if operator == Operator::Add => {
            Err(in_expression(operator, "Can only append Binary to a Binary"))
        }
        (Value::Uri(_), _) if operator == Operator::Add => {
            Err(in_expression(operator, "An URI can only be merged with an URI or String"))
        }
        _ => Err(not_applicable(operator, left, right)),
    }
}

/// Calculates `-operand`.
///
/// # Errors
/// An operand that is not a number, and the least integer.
pub fn negate(operand: &Value) -> Result<Value, Error> {
    match operand {
        Value::Integer(integer) => in_range("-", -i128::from(*integer)),
        Value::Float(float) => Ok(Value::from(-float.0)),
        Value::Timespan(span) => Ok(Value::Timespan(Timespan(-span.0))),
        other => Err(not_numeric(other)),
    }
}

/// The error of an operand that is neither a number nor a string that holds one.
#[must_use]
pub fn not_numeric(value: &Value) -> Error {
    let error =
        Error::new(ErrorKind::Conversion, format!("The value '{}' cannot be converted to Numeric.", ruby_text(value)));
    match value {
        Value::String(_) => {
            error.help("operators compute with numbers; strings are joined by interpolation: \"${a}${b}\"")
        }
        _ => error,
    }
}

fn not_applicable(operator: Operator, left: &Value, right: &Value) -> Error {
    let takes_left = match left {
        Value::Integer(_) => true,
        Value::Float(_) => !matches!(operator, Operator::Modulo | Operator::ShiftLeft | Operator::ShiftRight),
        Value::Timespan(_) => !matches!(operator, Operator::ShiftLeft | Operator::ShiftRight),
        Value::Timestamp(_) => matches!(operator, Operator::Add | Operator::Subtract),
        _ => false,
    };
    let left_name = with_article(&operand_name(left));
    let message = if takes_left {
        let right_name = with_article(&operand_name(right));
        format!("Operator '{operator}' is not applicable to {left_name} when right side is {right_name}.")
    } else if left.is_number() || right.is_number() || !matches!(left, Value::String(_)) {
        format!("Operator '{operator}' is not applicable to {left_name}.")
    } else {
        return not_numeric(left);
    };
    Error::new(ErrorKind::Operator, message).of(Operand::Left)
}

fn division_by_zero() -> Error {
    Error::new(ErrorKind::Arithmetic, "Division by 0").help("test the divisor before the division").of(Operand::Right)
}

/// Returns an integer, or the error that it needs more than 64 bits.
fn in_range(operator: &str, result: i128) -> Result<Value, Error> {
    if let Ok(result) = i64::try_from(result) {
        return Ok(Value::Integer(result));
    }
    let (end, sign) = if result > 0 { ("max", '+') } else { ("min", '-') };
    Err(out_of_range(operator, end, &format!("{sign}{:#x}", result.unsigned_abs())))
}

fn out_of_range(operator: &str, end: &str, result: &str) -> Error {
    let message =
        format!("A '{operator}' expression resulted in a value outside of Puppet Integer {end} range, got '{result}'");
    Error::new(ErrorKind::Arithmetic, message).help("integers have 64 bits; use a float")
}

fn integers(operator: Operator, a: i64, b: i64) -> Result<Value, Error> {
    let (wide_a, wide_b) = (i128::from(a), i128::from(b));
    let result = match operator {
        Operator::Add => wide_a + wide_b,
        Operator::Subtract => wide_a - wide_b,
        Operator::Multiply => wide_a * wide_b,
        Operator::Divide | Operator::Modulo if b == 0 => return Err(division_by_zero()),
        Operator::Divide => floor_division(wide_a, wide_b),
        Operator::Modulo => floor_remainder(wide_a, wide_b),
        Operator::ShiftLeft => return shift(operator, wide_a, wide_b),
        Operator::ShiftRight => return shift(operator, wide_a, -wide_b),
    };
    in_range(&operator.to_string(), result)
}

/// Divides, and rounds the quotient down. The divisor is not 0.
fn floor_division(a: i128, b: i128) -> i128 {
    a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)
}

/// Returns the remainder with the sign of the divisor, which is not 0.
fn floor_remainder(a: i128, b: i128) -> i128 {
    let remainder = a % b;
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

/// Shifts to the left, or to the right by a negative count.
fn shift(operator: Operator, value: i128, count: i128) -> Result<Value, Error> {
    if count <= 0 {
        let count = u32::try_from(-count).unwrap_or(u32::MAX).min(127);
        return in_range(&operator.to_string(), value >> count);
    }
    if value == 0 {
        return Ok(Value::Integer(0));
    }
    if count < 64 {
        return in_range(&operator.to_string(), value << count);
    }
    let (end, sign) = if value > 0 { ("max", '+') } else { ("min", '-') };
    Err(out_of_range(&operator.to_string(), end, &format!("{sign}{:#x} << {count}", value.unsigned_abs())))
}

fn floats(operator: Operator, left: &Value, right: &Value) -> Result<Value, Error> {
    let float = |value: &Value| match value {
        Value::Integer(integer) => *integer as f64,
        Value::Float(float) => float.0,
        _ => f64::NAN,
    };
    let (a, b) = (float(left), float(right));
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo | Operator::ShiftLeft | Operator::ShiftRight => {
            return Err(not_applicable(operator, left, right));
        }
    };
    finite(operator, result)
}

/// Returns a float, or the error that it is infinite.
fn finite(operator: Operator, result: f64) -> Result<Value, Error> {
    if result.is_infinite() {
        let message = format!("The result of the {operator} expression is {}", crate::text::float_text(result));
        return Err(Error::new(ErrorKind::Arithmetic, message).of(Operand::Left));
    }
    Ok(Value::from(result))
}

fn array(operator: Operator, elements: &[Value], right: &Value) -> Result<Value, Error> {
    let mut result = Vec::with_capacity(elements.len() + 1);
    match (operator, right) {
        (Operator::ShiftLeft, right) => {
            result.extend_from_slice(elements);
            result.push(right.clone());
        }
        (Operator::Add, Value::Array(more)) => {
            result.extend_from_slice(elements);
            result.extend_from_slice(more);
        }
        (Operator::Add, Value::Hash(entries)) => {
            result.extend_from_slice(elements);
            result.extend(entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])));
        }
        (Operator::Add, Value::Iterator(iterator)) => {
            result.extend_from_slice(elements);
            result.extend_from_slice(iterator.all());
        }
        (Operator::Add, right) => {
            result.extend_from_slice(elements);
            result.push(right.clone());
        }
        (_, right) => {
            let removed = removed_values(right);
            let is_removed = |element: &Value| {
                removed.contains(element) || element.is_number() && removed.iter().any(|r| is_same_number(element, r))
            };
            result.extend(elements.iter().filter(|element| !is_removed(element)).cloned());
        }
    }
    Ok(Value::array(result))
}

/// Returns whether an integer and a float are the same number.
fn is_same_number(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Integer(integer), Value::Float(float)) | (Value::Float(float), Value::Integer(integer)) => {
            compare_integer_and_float(i128::from(*integer), float.0).is_some_and(std::cmp::Ordering::is_eq)
        }
        _ => false,
    }
}

/// The values that `array - right` removes.
fn removed_values(right: &Value) -> HashSet<Value, KeyState> {
    match right {
        Value::Array(removed) => removed.iter().cloned().collect(),
        Value::Hash(entries) => {
            entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
        }
        Value::Iterator(iterator) => iterator.all().iter().cloned().collect(),
        single => std::iter::once(single.clone()).collect(),
    }
}

fn add_to_hash(entries: &Hash, right: &Value) -> Result<Value, Error> {
    let error = |message: &str| Err(in_expression(Operator::Add, message));
    let mut result = entries.clone();
    match right {
        Value::Hash(more) => result.extend(more.iter().map(|(key, value)| (key.clone(), value.clone()))),
        Value::Array(elements) if elements.iter().all(|element| matches!(element, Value::Array(_))) => {
            for element in elements.iter() {
                let Value::Array(pair) = element else { continue };
                match pair.as_slice() {
                    [key, value] => {
                        result.insert(key.clone(), value.clone());
                    }
                    [key] => {
                        result.insert(key.clone(), Value::Undef);
                    }
                    more => {
                        return error(&format!("invalid number of elements ({} for 1..2)", more.len()));
                    }
                }
            }
        }
        Value::Array(elements) => {
            // Ruby's `Hash[…]` with one hash is that hash.
            if let [Value::Hash(only)] = elements.as_slice() {
                return add_to_hash(entries, &Value::Hash(only.clone()));
            }
            if elements.len() % 2 != 0 {
                return error("odd number of arguments for Hash");
            }
            for pair in elements.chunks_exact(2) {
                result.insert(pair[0].clone(), pair[1].clone());
            }
        }
        _ => return error("Can only append Array or Hash to a Hash"),
    }
    Ok(Value::hash(result))
}

/// An error that is reported at the operator.
fn in_expression(operator: Operator, message: &str) -> Error {
    Error::new(ErrorKind::Operator, format!("Error while evaluating a '{operator}' expression, {message}"))
}

fn remove_from_hash(entries: &Hash, right: &Value) -> Value {
    let is_removed = |key: &Value| match right {
        Value::Array(keys) => keys.contains(key),
        Value::Hash(other) => other.contains_key(key),
        other => key == other,
    };
    let kept = entries.iter().filter(|(key, _)| !is_removed(key));
    Value::hash(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn times(operator: Operator, left: &Value, right: &Value) -> Result<Value, Error> {
    let too_large = || {
        Error::new(ErrorKind::Arithmetic, format!("The result of the {operator} expression is too large"))
            .of(Operand::Left)
    };
    let nanoseconds = |value: &Value| match value {
        Value::Integer(seconds) => Some(i128::from(*seconds) * NANOSECONDS),
        Value::Float(seconds) if seconds.0.is_finite() => Some(Timespan::from_seconds(seconds.0).0),
        Value::Timespan(span) => Some(span.0),
        _ => None,
    };
    let sum = |a: i128, b: i128| match operator {
        Operator::Subtract => a.checked_sub(b).ok_or_else(too_large),
        _ => a.checked_add(b).ok_or_else(too_large),
    };
    match (left, operator, right) {
        (Value::Timestamp(a), Operator::Subtract, Value::Timestamp(b)) => Ok(Value::Timespan(Timespan(sum(a.0, b.0)?))),
        (Value::Timestamp(a), Operator::Add | Operator::Subtract, b) if let Some(b) = nanoseconds(b) => {
            Ok(Value::Timestamp(Timestamp(sum(a.0, b)?)))
        }
        (a, Operator::Add, Value::Timestamp(b)) if let Some(a) = nanoseconds(a) => {
            Ok(Value::Timestamp(Timestamp(sum(a, b.0)?)))
        }
        (a @ (Value::Timespan(_) | Value::Integer(_) | Value::Float(_)), Operator::Add | Operator::Subtract, b)
            if let (Some(a), Some(b)) = (nanoseconds(a), nanoseconds(b)) =>
        {
            Ok(Value::Timespan(Timespan(sum(a, b)?)))
        }
        (Value::Timespan(a), Operator::Multiply, Value::Integer(b))
        | (Value::Integer(b), Operator::Multiply, Value::Timespan(a)) => {
            Ok(Value::Timespan(Timespan(a.0.checked_mul(i128::from(*b)).ok_or_else(too_large)?)))
        }
        (Value::Timespan(a), Operator::Multiply, Value::Float(b))
        | (Value::Float(b), Operator::Multiply, Value::Timespan(a)) => {
            Ok(Value::Timespan(Timespan((a.0 as f64 * b.0) as i128)))
        }
        (Value::Timespan(_), Operator::Divide | Operator::Modulo, Value::Integer(0)) => Err(division_by_zero()),
        (Value::Timespan(_), Operator::Divide, Value::Float(Float(0.0))) => Err(division_by_zero()),
        (Value::Timespan(a), Operator::Divide, Value::Integer(b)) => {
            Ok(Value::Timespan(Timespan(floor_division(a.0, i128::from(*b)))))
        }
        (Value::Timespan(a), Operator::Divide, Value::Float(b)) => {
            Ok(Value::Timespan(Timespan((a.0 as f64 / b.0) as i128)))
        }
        (Value::Timespan(a), Operator::Divide, Value::Timespan(b)) => finite(operator, a.0 as f64 / b.0 as f64),
        // Whole seconds.
        (Value::Timespan(a), Operator::Modulo, Value::Integer(b)) => {
            in_range("%", floor_remainder(a.0.div_euclid(NANOSECONDS), i128::from(*b)))
        }
        (Value::Timespan(_), _, right)
            if !right.is_number()
                && let Some(verb) = verb(operator) =>
        {
            let (left, right) = (with_article(&operand_name(left)), with_article(&operand_name(right)));
            Err(in_expression(operator, &verb.replace("{left}", &left).replace("{right}", &right)))
        }
        (Value::Timestamp(_), Operator::Add, Value::Timestamp(_)) => {
            Err(in_expression(operator, "A Timestamp cannot be added to a Timestamp"))
        }
        _ => Err(not_applicable(operator, left, right)),
    }
}

/// Says what cannot be done with two times, without the names of their types.
fn verb(operator: Operator) -> Option<&'static str> {
    match operator {
        Operator::Add => Some("{right} cannot be added to {left}"),
        Operator::Subtract => Some("{right} cannot be subtracted from {left}"),
        Operator::Multiply => Some("{left} cannot be multiplied by {right}"),
        Operator::Divide => Some("{left} cannot be divided by {right}"),
        Operator::Modulo => Some("Can not do modulus on {left} using {right}"),
        Operator::ShiftLeft | Operator::ShiftRight => None,
    }
}
