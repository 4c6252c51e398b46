//! Documents with facts, in YAML or JSON (spec 07 §1.1, §5.15).

use std::sync::Arc;

use pp_hiera::parse_plain_yaml;
use pp_types::{Hash, Value, from_json};
use serde_json::{Number, Value as Json};

/// The tag of a document of Puppet.
const OBJECT: &str = "!ruby/object:Puppet::Node::Facts";

/// The facts in a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The name of the node, where the document says it.
    pub node: Option<Arc<str>>,
    /// The facts.
    pub values: Hash,
}

/// Why a document does not hold facts, worded to follow a colon.
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
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Puppet stores facts as an object of its own. Its fields are those of a plain document.
    let text = text.strip_prefix("---").map(str::trim_start).and_then(|rest| rest.strip_prefix(OBJECT)).unwrap_or(text);
    let document = if text.trim_start().starts_with('{') { json_or_yaml(text)? } else { yaml(text)? };
    let Value::Hash(document) = document else { return Err("expected a hash of facts".to_owned()) };
    let field = |name: &str| document.get(&Value::from(name));
    match (field("name"), field("values")) {
        (Some(Value::String(node)), Some(Value::Hash(values))) => {
            Ok(Document { node: Some(Arc::clone(node)), values: plain(values)? })
        }
        _ => Ok(Document { node: None, values: plain(&document)? }),
    }
}

/// Why a document does not hold facts, worded to follow a colon.
type Reason = String;

/// Reads JSON. YAML may start with a brace as well, but then the error is that of JSON.
fn json_or_yaml(text: &str) -> Result<Value, Reason> {
    match serde_json::from_str::<Json>(text) {
        Ok(json) => match too_large(&json) {
            None => Ok(from_json(&json)),
            Some(number) => Err(format!("the integer {number} is outside 64 bits")),
        },
        Err(error) => yaml(text).map_err(|_| error.to_string()),
    }
}

/// Returns an integer that does not fit. The parser bounds the depth, so the recursion is bounded as well.
fn too_large(json: &Json) -> Option<&Number> {
    match json {
        Json::Number(number) => Some(number).filter(|number| !number.is_i64() && !number.is_f64()),
        Json::Array(elements) => elements.iter().find_map(too_large),
        Json::Object(entries) => entries.values().find_map(too_large),
        Json::Null | Json::Bool(_) | Json::String(_) => None,
    }
}

fn yaml(text: &str) -> Result<Value, Reason> {
    parse_plain_yaml(text).map_err(|error| error.message)
}

/// Makes the names of facts strings, and refuses floats that JSON cannot hold.
fn plain(facts: &Hash) -> Result<Hash, Reason> {
    let mut out = Hash::default();
    for (name, value) in facts {
        let name = match name {
            Value::String(name) => Arc::clone(name),
            Value::Integer(number) => number.to_string().into(),
            Value::Boolean(boolean) => boolean.to_string().into(),
            _ => return Err("the name of a fact is not a string".to_owned()),
        };
        if !is_finite(value) {
            return Err(format!("a number in the fact `{name}` is infinite or not a number"));
        }
        out.insert(Value::String(name), value.clone());
    }
    Ok(out)
}

/// The parsers bound the depth of their documents, so the recursion is bounded as well.
fn is_finite(value: &Value) -> bool {
    match value {
        Value::Float(float) => float.0.is_finite(),
        Value::Array(elements) => elements.iter().all(is_finite),
        Value::Hash(entries) => entries.iter().all(|(key, value)| is_finite(key) && is_finite(value)),
        _ => true,
    }
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
        let json = [r#"{"a": 18446744073709551615}"#, r#"{"a": 1"#];
        for text in
            ["- 1", "a", "{", "a: 18446744073709551615", "a: [.inf]", "[1]: 2", "a: :b", ""].into_iter().chain(json)
        {
            assert!(parse_document(text).is_err(), "{text}");
        }
    }

    #[test]
    fn yaml_is_that_of_ruby_and_json_is_json() {
        let facts = parse_document("yes: no\noctal: 0777\ntime: 12:30:00\ndate: 2024-01-02\n1: one\n").expect("valid");
        let expected = [
            ("true", Value::Boolean(false)),
            ("octal", Value::Integer(511)),
            ("time", Value::Integer(45_000)),
            ("date", Value::from("2024-01-02")),
            ("1", Value::from("one")),
        ];
        assert_eq!(
            facts.values,
            expected.map(|(name, value)| (Value::from(name), value)).into_iter().collect::<Hash>()
        );
        let facts = parse_document("{\n\t\"yes\": \"\\ud83d\\ude00\", \"octal\": 1e2}").expect("valid");
        let expected = [("yes", Value::from("\u{1f600}")), ("octal", Value::from(100.0))];
        assert_eq!(
            facts.values,
            expected.map(|(name, value)| (Value::from(name), value)).into_iter().collect::<Hash>()
        );
        assert!(parse_document("{yaml: too}").is_ok());
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
