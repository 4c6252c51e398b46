//! `==` and `<=>`.

use std::cmp::Ordering;
use std::rc::Rc;

use pp_types::{compare_integer_and_float, with_stack};

use crate::classes::class_of;
use crate::key::{Sameness, Walk};
use crate::show::inspect;
use crate::stop::Raise;
use crate::value::{Array, Value};

/// `left == right`
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    Walk::default().is_same(left, right, Sameness::Equal)
}

/// `left <=> right`; `None` for values without an order.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    compare_within(left, right, &mut Walk::default())
}

fn compare_within(left: &Value, right: &Value, walk: &mut Walk) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Float(right)) => compare_integer_and_float(*left, *right),
        (Value::Float(left), Value::Int(right)) => compare_integer_and_float(*right, *left).map(Ordering::reverse),
        (Value::Str(left), Value::Str(right)) => Some(left.get().cmp(&*right.get())),
        (Value::Symbol(left), Value::Symbol(right)) => Some(left.cmp(right)),
        (Value::Array(left), Value::Array(right)) => {
            if Rc::ptr_eq(left, right) {
                return Some(Ordering::Equal);
            }
            let order = if walk.enter() { with_stack(|| compare_items(left, right, walk)) } else { None };
            walk.leave();
            order
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

fn compare_items(left: &Array, right: &Array, walk: &mut Walk) -> Option<Ordering> {
    let (left, right) = (left.items(), right.items());
    for (left, right) in left.iter().zip(right.iter()) {
        let ordering = compare_within(left, right, walk)?;
        if ordering != Ordering::Equal {
            return Some(ordering);
        }
    }
    Some(left.len().cmp(&right.len()))
}

/// `left <=> right` where an order is needed.
///
/// # Errors
/// `comparison of String with 1 failed`
pub(crate) fn order(left: &Value, right: &Value) -> Result<Ordering, Raise> {
    compare(left, right).ok_or_else(|| comparison_failed(left, right))
}

/// The error of a comparison.
pub(crate) fn comparison_failed(left: &Value, right: &Value) -> Raise {
    // Ruby shows values without a body of their own, and the class of the others.
    let shown = match right {
        Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Symbol(_) => inspect(right),
        other => class_of(other).name().to_owned(),
    };
    Raise::argument(format!("comparison of {} with {shown} failed", class_of(left).name()))
}
