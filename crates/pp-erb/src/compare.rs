//! `==` and `<=>`.

use std::cmp::Ordering;
use std::rc::Rc;

use pp_types::compare_integer_and_float;

use crate::classes::class_of;
use crate::key::{Sameness, Walk};
use crate::show::inspect_plain;
use crate::stop::Raise;
use crate::value::{Array, Value};
use crate::work::Work;

/// `left == right`
pub(crate) fn equal(work: &Work, left: &Value, right: &Value) -> bool {
    Walk::new(work).is_same(left, right, Sameness::Equal)
}

/// `left <=> right`; `None` for values without an order.
pub(crate) fn compare(work: &Work, left: &Value, right: &Value) -> Option<Ordering> {
    compare_within(left, right, &mut Walk::new(work), work)
}

/// `left <=> right` for numbers.
pub(crate) fn compare_numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Float(right)) => compare_integer_and_float(*left, *right),
        (Value::Float(left), Value::Int(right)) => compare_integer_and_float(*right, *left).map(Ordering::reverse),
        _ => None,
    }
}

fn compare_within(left: &Value, right: &Value, walk: &mut Walk<'_>, work: &Work) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => compare_numbers(left, right),
        (Value::Str(left), Value::Str(right)) => {
            let (left, right) = (left.get(), right.get());
            let is_payable = work.read(if left.len() < right.len() { &left } else { &right });
            is_payable.then(|| left.cmp(&right))
        }
        (Value::Symbol(left), Value::Symbol(right)) => {
            let is_payable = work.read(if left.len() < right.len() { left } else { right });
            is_payable.then(|| left.cmp(right))
        }
        (Value::Array(left), Value::Array(right)) => {
            if Rc::ptr_eq(left, right) {
                return Some(Ordering::Equal);
            }
            let pair = (Rc::as_ptr(left).cast(), Rc::as_ptr(right).cast());
            walk.within(pair, 0, Some(Ordering::Equal), |walk| compare_items(left, right, walk, work))
        }
        (Value::Puppet(left), Value::Puppet(right)) => pp_types::compare(left, right).ok().flatten(),
        (Value::Class(left), Value::Class(right)) => match (left.is_a(*right), right.is_a(*left)) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Less),
            (false, true) => Some(Ordering::Greater),
            (false, false) => None,
        },
        _ if walk.is_same(left, right, Sameness::Equal) => Some(Ordering::Equal),
        _ => None,
    }
}

fn compare_items(left: &Array, right: &Array, walk: &mut Walk<'_>, work: &Work) -> Option<Ordering> {
    let (left, right) = (left.items(), right.items());
    for (left, right) in left.iter().zip(right.iter()) {
        let ordering = compare_within(left, right, walk, work)?;
        if ordering != Ordering::Equal || !work.step(1) {
            return Some(ordering);
        }
    }
    Some(left.len().cmp(&right.len()))
}

/// `left <=> right` where an order is needed.
///
/// # Errors
/// `comparison of String with 1 failed`
pub(crate) fn order(work: &Work, left: &Value, right: &Value) -> Result<Ordering, Raise> {
    compare(work, left, right).ok_or_else(|| comparison_failed(left, right))
}

/// The error of a comparison.
pub(crate) fn comparison_failed(left: &Value, right: &Value) -> Raise {
    // Ruby shows values without a body of their own, and the class of the others.
    let shown = match right {
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => inspect_plain(right),
        other => class_of(other).name().to_owned(),
    };
    Raise::argument(format!("comparison of {} with {shown} failed", class_of(left).name()))
}
