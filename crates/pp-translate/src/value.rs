//! Parameter values of a catalog (spec 07 §1.4): plain JSON, and the `__ptype` objects of rich data.

use std::fmt;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::json_object::unique_entries;

/// The parameters of a resource, in the order of the file.
pub type Parameters = IndexMap<String, PuppetValue, FxBuildHasher>;

/// A parameter value.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum PuppetValue {
    Undef,
    /// The `default` literal.
    Default,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(String),
    Array(Vec<PuppetValue>),
    /// In insertion order; keys may be any value.
    Hash(Vec<(PuppetValue, PuppetValue)>),
    /// A secret nested in a container; secret parameters are listed in `sensitive_parameters` instead.
    Sensitive(Box<PuppetValue>),
    Binary(Vec<u8>),
    Regexp(String),
    /// Timestamp, Timespan, SemVer, SemVerRange, URI, Symbol: a type name and its string form.
    Scalar {
        ptype: String,
        text: String,
    },
    /// A function call that the agent evaluates before it applies the catalog.
    Deferred {
        name: String,
        arguments: Vec<PuppetValue>,
    },
    /// Any other `__ptype`, which is an error only where the value is used.
    Opaque {
        ptype: String,
        fields: Vec<(String, PuppetValue)>,
    },
}

impl PuppetValue {
    /// Returns the value of a string or string-like scalar.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            PuppetValue::String(s) => Some(s),
            PuppetValue::Scalar { text, .. } => Some(text),
            PuppetValue::Undef
            | PuppetValue::Default
            | PuppetValue::Boolean(_)
            | PuppetValue::Integer(_)
            | PuppetValue::Float(_)
            | PuppetValue::Array(_)
            | PuppetValue::Hash(_)
            | PuppetValue::Sensitive(_)
            | PuppetValue::Binary(_)
            | PuppetValue::Regexp(_)
            | PuppetValue::Deferred { .. }
            | PuppetValue::Opaque { .. } => None,
        }
    }

    /// Converts a scalar to a string as Puppet does; `None` for containers and opaque values.
    #[must_use]
    pub(crate) fn scalar_text(&self) -> Option<String> {
        match self {
            PuppetValue::Boolean(b) => Some(b.to_string()),
            PuppetValue::Integer(i) => Some(i.to_string()),
            PuppetValue::Float(f) => Some(format!("{f:?}")),
            PuppetValue::Regexp(r) => Some(format!("/{r}/")),
            PuppetValue::Default => Some("default".to_owned()),
            other => other.as_str().map(str::to_owned),
        }
    }

    /// Returns whether the value contains a secret.
    #[must_use]
    pub fn holds_secret(&self) -> bool {
        match self {
            PuppetValue::Sensitive(_) => true,
            PuppetValue::Array(items) => items.iter().any(PuppetValue::holds_secret),
            PuppetValue::Hash(pairs) => pairs.iter().any(|(k, v)| k.holds_secret() || v.holds_secret()),
            PuppetValue::Deferred { arguments, .. } => arguments.iter().any(PuppetValue::holds_secret),
            PuppetValue::Opaque { fields, .. } => fields.iter().any(|(_, v)| v.holds_secret()),
            _ => false,
        }
    }

    /// Returns the elements of an array, or another value itself.
    pub(crate) fn elements(&self) -> &[PuppetValue] {
        match self {
            PuppetValue::Array(items) => items,
            other => std::slice::from_ref(other),
        }
    }

    /// Returns the strings of nested arrays in order, as relationship and membership parameters are read (spec 07 §1.8 #13).
    pub(crate) fn flat_strings(&self) -> Vec<&str> {
        let mut out = Vec::new();
        let mut todo = vec![self];
        while let Some(value) = todo.pop() {
            match value {
                PuppetValue::Array(items) => todo.extend(items.iter().rev()),
                other => out.extend(other.as_str()),
            }
        }
        out
    }
}

impl<'de> Deserialize<'de> for PuppetValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PuppetValue, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = PuppetValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a parameter value")
    }

    fn visit_unit<E>(self) -> Result<PuppetValue, E> {
        Ok(PuppetValue::Undef)
    }

    fn visit_bool<E>(self, v: bool) -> Result<PuppetValue, E> {
        Ok(PuppetValue::Boolean(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<PuppetValue, E> {
        Ok(PuppetValue::Integer(v))
    }

    fn visit_u64<E: de::Error>(self, v: u64) -> Result<PuppetValue, E> {
        i64::try_from(v).map(PuppetValue::Integer).map_err(|_| E::custom(format!("integer {v} out of range")))
    }

    fn visit_f64<E>(self, v: f64) -> Result<PuppetValue, E> {
        Ok(PuppetValue::Float(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<PuppetValue, E> {
        Ok(PuppetValue::String(v.to_owned()))
    }

    fn visit_string<E>(self, v: String) -> Result<PuppetValue, E> {
        Ok(PuppetValue::String(v))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<PuppetValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(PuppetValue::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PuppetValue, A::Error> {
        let fields = unique_entries::<A, PuppetValue>(map)?;
        if fields.contains_key("__ptype") {
            return Ok(rich(fields.into_iter().collect()));
        }
        Ok(PuppetValue::Hash(fields.into_iter().map(|(k, v)| (PuppetValue::String(k), v)).collect()))
    }
}

/// A `{"__ptype": …}` object; objects of other forms than in spec 07 §1.4 are kept opaque.
fn rich(mut fields: Vec<(String, PuppetValue)>) -> PuppetValue {
    let take = |fields: &mut Vec<(String, PuppetValue)>, key: &str| {
        fields.iter().position(|(k, _)| k == key).map(|i| fields.remove(i).1)
    };
    let ptype = match take(&mut fields, "__ptype") {
        Some(PuppetValue::String(s)) => s,
        Some(_) | None => "(not a string)".to_owned(),
    };
    match ptype.as_str() {
        "Default" => return PuppetValue::Default,
        "Hash" => {
            if let Some(PuppetValue::Array(items)) = take(&mut fields, "__pvalue") {
                let mut pairs = Vec::with_capacity(items.len() / 2);
                let mut items = items.into_iter();
                while let (Some(k), v) = (items.next(), items.next()) {
                    pairs.push((k, v.unwrap_or(PuppetValue::Undef)));
                }
                return PuppetValue::Hash(pairs);
            }
        }
        "Sensitive" => {
            if let Some(inner) = take(&mut fields, "__pvalue") {
                return PuppetValue::Sensitive(Box::new(inner));
            }
        }
        "Binary" => {
            if let Some(PuppetValue::String(text)) = take(&mut fields, "__pvalue") {
                use base64::Engine;
                if let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(text.as_bytes()) {
                    return PuppetValue::Binary(bytes);
                }
                fields.push(("__pvalue".to_owned(), PuppetValue::String(text)));
            }
        }
        "Regexp" => {
            if let Some(PuppetValue::String(text)) = take(&mut fields, "__pvalue") {
                return PuppetValue::Regexp(text);
            }
        }
        "Timestamp" | "Timespan" | "SemVer" | "SemVerRange" | "URI" | "Symbol" => {
            if let Some(PuppetValue::String(text)) = take(&mut fields, "__pvalue") {
                return PuppetValue::Scalar { ptype, text };
            }
        }
        "Deferred" => {
            let name = take(&mut fields, "name");
            let arguments = take(&mut fields, "arguments");
            if let Some(PuppetValue::String(name)) = name {
                let arguments = match arguments {
                    Some(PuppetValue::Array(items)) => items,
                    Some(other) => vec![other],
                    None => Vec::new(),
                };
                return PuppetValue::Deferred { name, arguments };
            }
        }
        _ => {}
    }
    PuppetValue::Opaque { ptype, fields }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: PuppetValue) {
        assert_eq!(serde_json::from_str::<PuppetValue>(json).expect("valid JSON"), expected);
    }

    #[test]
    fn integers_above_the_float_range_stay_exact() {
        check("9007199254740993", PuppetValue::Integer(9_007_199_254_740_993));
    }

    #[test]
    fn hashes_with_other_keys_are_decoded() {
        check(
            r#"{"__ptype":"Hash","__pvalue":[1,"a",2,"b"]}"#,
            PuppetValue::Hash(vec![
                (PuppetValue::Integer(1), PuppetValue::String("a".into())),
                (PuppetValue::Integer(2), PuppetValue::String("b".into())),
            ]),
        );
    }

    #[test]
    fn binary_is_decoded() {
        check(r#"{"__ptype":"Binary","__pvalue":"aGk="}"#, PuppetValue::Binary(b"hi".to_vec()));
    }

    #[test]
    fn unknown_rich_types_are_kept() {
        let value: PuppetValue = serde_json::from_str(r#"{"__ptype":"My::Thing","a":1}"#).expect("valid JSON");
        assert_eq!(
            value,
            PuppetValue::Opaque { ptype: "My::Thing".into(), fields: vec![("a".into(), PuppetValue::Integer(1))] }
        );
    }

    #[test]
    fn a_nested_secret_is_found() {
        let value: PuppetValue =
            serde_json::from_str(r#"{"a":[1,{"__ptype":"Sensitive","__pvalue":"s3cret"}]}"#).expect("valid JSON");
        assert!(value.holds_secret());
    }

    #[test]
    fn nested_arrays_of_references_are_flattened() {
        let value: PuppetValue = serde_json::from_str(r#"["a",["b",["c"]],"d"]"#).expect("valid JSON");
        assert_eq!(value.flat_strings(), ["a", "b", "c", "d"]);
    }
}
