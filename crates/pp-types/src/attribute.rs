//! The attributes of values that have some: `$uri.host`.

use crate::value::Value;

/// Returns the attribute of a URI, an error, a deferred call or an object; `None` if the value does not have one of this name.
#[must_use]
pub fn attribute(value: &Value, name: &str) -> Option<Value> {
    let text = |text: &Option<std::sync::Arc<str>>| text.clone().map_or(Value::Undef, Value::String);
    match value {
        Value::Uri(uri) => uri.attribute(name),
        Value::Deferred(deferred) => match name {
            "name" => Some(Value::String(deferred.name.clone())),
            "arguments" => Some(deferred.arguments.clone().map_or(Value::Undef, Value::Array)),
            _ => None,
        },
        Value::Error(error) => match name {
            "msg" | "message" => Some(Value::String(error.message.clone())),
            "kind" => Some(text(&error.kind)),
            "issue_code" => Some(text(&error.issue_code)),
            "details" => Some(error.details.clone().map_or(Value::Undef, Value::hash)),
            "partial_result" => Some(error.partial_result.clone()),
            _ => None,
        },
        Value::Object(object) => object.get(name).cloned(),
        _ => None,
    }
}

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
