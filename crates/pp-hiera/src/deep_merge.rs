//! The merge `deep`: hashes are merged key by key, arrays united, and otherwise the high priority wins (spec 07 §10.4).

use std::cmp::Ordering;
use std::sync::Arc;

use pp_types::{Error, Hash, Value, class_name, with_stack};
use rustc_hash::FxHashSet;

use crate::problem::error;

/// The options of a deep merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeepOptions {
    /// Elements of the high priority that begin with it remove the element that follows the prefix.
    pub knockout_prefix: Option<Arc<str>>,
    /// Arrays that were merged are sorted.
    pub sort_merged_arrays: bool,
    /// Hashes in arrays are merged by their index.
    pub merge_hash_arrays: bool,
}

impl DeepOptions {
    /// Reads options whose types are right.
    pub(crate) fn new(given: &Hash) -> Result<DeepOptions, Error> {
        let is_set = |name: &str| given.get(&Value::from(name)).is_some_and(Value::is_true);
        let knockout_prefix = match given.get(&Value::from("knockout_prefix")) {
            Some(Value::String(prefix)) if prefix.is_empty() => {
                return Err(error("knockout_prefix cannot be an empty string in deep_merge!"));
            }
            Some(Value::String(prefix)) => Some(Arc::clone(prefix)),
            _ => None,
        };
        Ok(DeepOptions {
            knockout_prefix,
            sort_merged_arrays: is_set("sort_merged_arrays"),
            merge_hash_arrays: is_set("merge_hash_arrays"),
        })
    }

    /// Returns what a value removes, if it is a knockout.
    fn knocked_out<'a>(&self, value: &'a Value) -> Option<&'a str> {
        match (value, &self.knockout_prefix) {
            (Value::String(text), Some(prefix)) => text.strip_prefix(&**prefix),
            _ => None,
        }
    }
}

/// Merges two values.
///
/// # Errors
/// Arrays that are to be sorted, and have elements without an order.
pub(crate) fn deep_merge(high: &Value, low: &Value, options: &DeepOptions) -> Result<Value, Error> {
    with_stack(|| match (high, low) {
        (Value::Undef, _) => Ok(low.clone()),
        (Value::Hash(high), Value::Hash(low)) => {
            let mut merged = low.0.clone();
            for (key, value) in high.iter() {
                let value = match low.get(key) {
                    Some(below) => deep_merge(value, below, options)?,
                    None => value.clone(),
                };
                merged.insert(key.clone(), value);
            }
            Ok(Value::hash(merged))
        }
        (Value::Array(high), Value::Array(low)) => merge_arrays(high, low, options),
        _ if options.knocked_out(high).is_some() && *low != Value::Undef => Ok(Value::from("")),
        _ => Ok(high.clone()),
    })
}

fn merge_arrays(high: &[Value], low: &[Value], options: &DeepOptions) -> Result<Value, Error> {
    let is_hash = |value: &Value| matches!(value, Value::Hash(_));
    let mut merged = Vec::with_capacity(high.len() + low.len());
    if options.merge_hash_arrays && high.iter().chain(low).all(is_hash) {
        for index in 0..high.len().max(low.len()) {
            merged.push(match (high.get(index), low.get(index)) {
                (Some(high), Some(low)) => deep_merge(high, low, options)?,
                (Some(only), None) | (None, Some(only)) => only.clone(),
                (None, None) => continue,
            });
        }
    } else {
        let removed: FxHashSet<&str> = high.iter().filter_map(|element| options.knocked_out(element)).collect();
        let is_removed = |element: &Value| matches!(element, Value::String(text) if removed.contains(&**text));
        let below = low.iter().filter(|element| !is_removed(element));
        let above = high.iter().filter(|element| options.knocked_out(element).is_none());
        let mut seen = FxHashSet::default();
        merged.extend(below.chain(above).filter(|element| seen.insert(*element)).cloned());
    }
    if options.sort_merged_arrays {
        sort(&mut merged)?;
    }
    Ok(Value::array(merged))
}

fn sort(elements: &mut [Value]) -> Result<(), Error> {
    let mut failed = None;
    elements.sort_by(|a, b| order(a, b, &mut failed));
    failed.map_or(Ok(()), Err)
}

/// Compares two elements as Ruby does. Values without an order are an error, but have one here, as sorting needs it.
fn order(a: &Value, b: &Value, failed: &mut Option<Error>) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            number(a).total_cmp(&number(b)).then_with(|| match (a, b) {
                (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
                (a, b) => matches!(a, Value::Integer(_)).cmp(&matches!(b, Value::Integer(_))),
            })
        }
        (Value::Array(a), Value::Array(b)) => with_stack(|| {
            let orders = a.iter().zip(b.iter()).map(|(a, b)| order(a, b, failed));
            orders.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| a.len().cmp(&b.len()))
        }),
        _ if a == b => Ordering::Equal,
        _ => {
            failed.get_or_insert_with(|| {
                let message = format!("comparison of {} with {} failed", class_name(a), class_name(b));
                error(message).help("`sort_merged_arrays` needs arrays of only strings or only numbers")
            });
            rank(a).cmp(&rank(b))
        }
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(integer) => *integer as f64,
        Value::Float(float) => float.0,
        _ => 0.0,
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Integer(_) | Value::Float(_) => 0,
        Value::String(_) => 1,
        Value::Array(_) => 2,
        _ => 3,
    }
}
