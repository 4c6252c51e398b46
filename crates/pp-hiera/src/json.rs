//! JSON to values.

use indexmap::IndexMap;
use pp_types::{Hash, Value};

use crate::problem::Problem;
use crate::yaml::{Document, Note};

/// Reads a JSON text. The parser bounds the depth.
///
/// # Errors
/// Invalid syntax.
pub(crate) fn load(text: &str) -> Result<Document, serde_json::Error> {
    let json: serde_json::Value = serde_json::from_str(text)?;
    let mut notes = IndexMap::default();
    let mut note = Note::default();
    let value = match json {
        serde_json::Value::Object(entries) => {
            let mut hash = Hash::default();
            for (key, json) in entries {
                let mut note = Note::default();
                let value = convert(json, &mut note);
                hash.insert(Value::from(key.as_str()), value);
                notes.insert(Value::from(key), note);
            }
            Value::hash(hash)
        }
        other => convert(other, &mut note),
    };
    Ok(Document { value: Some(value), notes, lines: Vec::new() })
}

fn convert(json: serde_json::Value, note: &mut Note) -> Value {
    match json {
        serde_json::Value::Null => Value::Undef,
        serde_json::Value::Bool(boolean) => Value::Boolean(boolean),
        serde_json::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) if number.is_f64() => Value::from(float),
            _ => {
                note.problem = Some(Problem::Integer { text: number.to_string(), line: 1 });
                Value::Undef
            }
        },
        serde_json::Value::String(text) => {
            note.interpolates |= text.contains("%{");
            Value::from(text)
        }
        serde_json::Value::Array(elements) => {
            Value::array(elements.into_iter().map(|element| convert(element, note)).collect())
        }
        serde_json::Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, json)| {
                note.interpolates |= key.contains("%{");
                (Value::from(key), convert(json, note))
            });
            Value::hash(entries.collect())
        }
    }
}
