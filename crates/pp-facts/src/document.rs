//! Documents with facts, in YAML or JSON (spec 07 §1.1, §5.15).

use std::sync::Arc;

use pp_types::{Hash, Value};

/// The facts in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The name of the node, where the document says it.
    pub node: Option<Arc<str>>,
    /// The facts.
    pub values: Hash,
}

/// Why a document is not one of facts, to follow a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentError(Reason);

impl std::fmt::Display for DocumentError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DocumentError {}

/// Reads facts: either the facts themselves (as `facter` prints them) or a document with `name` and `values` (as Puppet stores
/// them).
///
/// # Errors
/// A syntax error, or a document that does not hold a hash of facts.
pub fn parse_document(text: &str) -> Result<Document, DocumentError> {
    parse(text).map_err(DocumentError)
}

fn parse(text: &str) -> Result<Document, Reason> {
    let document = match serde_norway::from_str::<serde_norway::Value>(text) {
        Ok(document) => untagged(document),
        Err(error) => return Err(error.to_string()),
    };
    let serde_norway::Value::Mapping(mut document) = document else {
        return Err("expected a hash of facts".to_owned());
    };
    let stored = document.get("name").is_some_and(serde_norway::Value::is_string)
        && matches!(document.get("values"), Some(serde_norway::Value::Mapping(_) | serde_norway::Value::Tagged(_)));
    if !stored {
        return Ok(Document { node: None, values: hash(document)? });
    }
    let node = document.get("name").and_then(serde_norway::Value::as_str).map(Arc::from);
    match document.remove("values").map(untagged) {
        Some(serde_norway::Value::Mapping(values)) => Ok(Document { node, values: hash(values)? }),
        _ => Err("`values` is not a hash".to_owned()),
    }
}

/// Why a document is not one of facts, to follow a colon.
type Reason = String;

fn untagged(value: serde_norway::Value) -> serde_norway::Value {
    match value {
        serde_norway::Value::Tagged(tagged) => untagged(tagged.value),
        other => other,
    }
}

fn hash(mapping: serde_norway::Mapping) -> Result<Hash, Reason> {
    let mut out = Hash::default();
    for (key, entry) in mapping {
        let key = match untagged(key) {
            serde_norway::Value::String(key) => key,
            serde_norway::Value::Number(key) => key.to_string(),
            serde_norway::Value::Bool(key) => key.to_string(),
            _ => return Err("the name of a fact is not a string".to_owned()),
        };
        out.insert(Value::string(key), value(entry)?);
    }
    Ok(out)
}

/// The parser bounds the depth of its documents, so the recursion is bounded as well.
fn value(value_of_yaml: serde_norway::Value) -> Result<Value, Reason> {
    Ok(match value_of_yaml {
        serde_norway::Value::Null => Value::Undef,
        serde_norway::Value::Bool(boolean) => Value::Boolean(boolean),
        serde_norway::Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) if !number.is_u64() && float.is_finite() => Value::from(float),
            _ => return Err(format!("the number {number} is out of range")),
        },
        serde_norway::Value::String(text) => Value::string(text),
        serde_norway::Value::Sequence(values) => {
            Value::array(values.into_iter().map(value).collect::<Result<Vec<_>, Reason>>()?)
        }
        serde_norway::Value::Mapping(mapping) => Value::hash(hash(mapping)?),
        serde_norway::Value::Tagged(tagged) => value(tagged.value)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_as_puppet_stores_them_and_as_facter_prints_them() {
        let stored = "--- !ruby/object:Puppet::Node::Facts\nname: n.example.com\nvalues:\n  a: 1\n  b:\n    c: ['x', 1.5, ~, true]\n\
                      timestamp: '2024'\n";
        let facts = parse_document(stored).expect("valid");
        assert_eq!(facts.node.as_deref(), Some("n.example.com"));
        let printed = parse_document(r#"{"a": 1, "b": {"c": ["x", 1.5, null, true]}}"#).expect("valid");
        assert_eq!((printed.node, printed.values), (None, facts.values));
    }

    #[test]
    fn a_fact_named_values_is_a_fact() {
        let facts = parse_document("values: 3\nname: x").expect("valid");
        assert_eq!(facts.values.len(), 2);
    }

    #[test]
    fn what_is_not_a_hash_of_facts_is_rejected() {
        for text in ["- 1", "a", "{", "a: 18446744073709551615", "a: .inf", "[1]: 2"] {
            assert!(parse_document(text).is_err(), "{text}");
        }
    }

    #[test]
    fn references_that_multiply_end_in_an_error() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            text.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        assert!(parse_document(&text).is_err());
        assert!(parse_document(&"[".repeat(100_000)).is_err());
    }
}
