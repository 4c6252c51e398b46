//! Values as rich JSON data (spec 07 §1.4).

use crate::value::Value;

/// Returns a value as a catalog holds it: plain JSON where it can be, `__ptype` objects for the rest.
#[must_use]
pub fn rich_json(_value: &Value) -> serde_json::Value {
    todo!()
}

/// Returns the value of plain JSON, as facts are.
#[must_use]
pub fn from_json(_json: &serde_json::Value) -> Value {
    todo!()
}
