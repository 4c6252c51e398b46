//! How deeply values are nested.

use crate::value::Value;

/// Returns whether arrays and hashes are nested in each other more than `limit` times. Data formats such as JSON cannot be
/// written and read at any depth.
#[must_use]
pub fn is_nested_deeper_than(value: &Value, limit: usize) -> bool {
    let mut rest: Vec<(&Value, usize)> = vec![(value, 0)];
    while let Some((value, depth)) = rest.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(elements) => rest.extend(elements.iter().map(|element| (element, depth + 1))),
            Value::Hash(entries) => {
                rest.extend(entries.iter().flat_map(|(key, value)| [(key, depth + 1), (value, depth + 1)]));
            }
            Value::Sensitive(inner) => rest.push((inner, depth + 1)),
            Value::Deferred(deferred) => {
                rest.extend(
                    deferred.arguments.iter().flat_map(|given| given.iter()).map(|argument| (argument, depth + 1)),
                );
            }
            Value::Object(object) => rest.extend(object.values.iter().map(|value| (value, depth + 1))),
            Value::Iterator(iterator) => rest.extend(iterator.all().iter().map(|element| (element, depth + 1))),
            _ => {}
        }
    }
    false
}
