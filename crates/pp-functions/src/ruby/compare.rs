//! Ruby's `==` and `<=>`.

use std::cmp::Ordering;

use pp_types::{Error, ErrorKind, Float, Value, compare_integer_and_float, interpolate, with_stack};

use crate::ruby::inspect::class_name;

/// `left == right`: numbers across kinds, everything else exactly.
pub(crate) fn ruby_equal(left: &Value, right: &Value) -> bool {
    with_stack(|| match (left, right) {
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            compare_numbers(left, right) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| ruby_equal(left, right))
        }
        (Value::Hash(left), Value::Hash(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| ruby_equal(left, right)))
        }
        _ => left == right,
    })
}

/// `left <=> right`.
///
/// # Errors
/// Values without an order: `comparison of String with 1 failed`.
pub(crate) fn ruby_compare(left: &Value, right: &Value) -> Result<Ordering, Error> {
    order(left, right).ok_or_else(|| comparison_failed(left, right))
}

/// The error of a comparison.
pub(crate) fn comparison_failed(left: &Value, right: &Value) -> Error {
    // Ruby shows values without a body of their own, and the class of the others.
    let shown = match right {
        Value::Undef => "nil".to_owned(),
        Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => interpolate(right),
        _ => class_name(right),
    };
    Error::new(ErrorKind::Evaluation, format!("comparison of {} with {shown} failed", class_name(left)))
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Array(left), Value::Array(right)) => with_stack(|| {
            for (left, right) in left.iter().zip(right.iter()) {
                let ordering = order(left, right)?;
                if ordering != Ordering::Equal {
                    return Some(ordering);
                }
            }
            Some(left.len().cmp(&right.len()))
        }),
        (Value::SemVer(_), Value::SemVer(_))
        | (Value::Timestamp(_) | Value::Timespan(_), Value::Integer(_) | Value::Float(_))
        | (Value::Integer(_) | Value::Float(_), Value::Timestamp(_) | Value::Timespan(_))
        | (Value::Timestamp(_), Value::Timestamp(_))
        | (Value::Timespan(_), Value::Timespan(_)) => pp_types::compare(left, right).ok().flatten(),
        _ if left == right => Some(Ordering::Equal),
        _ => None,
    }
}

/// Compares numbers; `None` if one is not a number or the values are not numbers.
pub(crate) fn compare_numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(right)),
        (Value::Float(Float(left)), Value::Float(Float(right))) => left.partial_cmp(right),
        (Value::Integer(left), Value::Float(Float(right))) => compare_integer_and_float(i128::from(*left), *right),
        (Value::Float(Float(left)), Value::Integer(right)) => {
            compare_integer_and_float(i128::from(*right), *left).map(Ordering::reverse)
        }
        _ => None,
    }
}
