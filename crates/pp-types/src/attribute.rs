//! The attributes of values that have some: `$uri.host`.

use std::sync::Arc;

use crate::value::Value;

/// Returns the attribute of a URI, an error, a deferred call or an object; `None` if the value does not have one of this name.
#[must_use]
pub fn attribute(value: &Value, name: &str) -> Option<Value> {
    let text = |text: &Option<Arc<str>>| text.clone().map_or(Value::Undef, Value::String);
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
