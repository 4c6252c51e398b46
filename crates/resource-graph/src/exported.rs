//! The serialized form of exported resources in the store that hosts share (spec 04 §3.9).

use std::sync::Arc;

use mcl_value::{Type, Value};
use serde_json::{Map, Value as Json, json};

use crate::{META_FIELDS, Meta, MetaError, Resource, ResourceId, kind};

/// The format version that this release writes, and the only one that it reads.
const FORMAT: u64 = 1;

/// Serializes a resource for `collect` on other hosts, as JSON with the type of every value.
#[must_use]
pub fn encode_exported(resource: &Resource) -> String {
    let params: Map<String, Json> = resource
        .params
        .iter()
        .map(|(name, value)| {
            let declared = kind(&resource.id.kind).and_then(|k| k.field(name)).map_or("any", |f| f.ty);
            let ty = if declared == "any" { type_of(value).to_string() } else { declared.to_owned() };
            (name.to_string(), json!({"type": ty, "value": value.to_json()}))
        })
        .collect();
    let default = Meta::default();
    let meta: Map<String, Json> = META_FIELDS
        .iter()
        .filter_map(|field| {
            let value = field.value(&resource.meta)?;
            (field.value(&default)? != value).then(|| (field.name.to_owned(), value.to_json()))
        })
        .collect();
    let mut json =
        json!({"format": FORMAT, "kind": *resource.id.kind, "name": *resource.id.name, "params": params, "meta": meta});
    if !resource.sensitive.is_empty() {
        json["sensitive"] = resource.sensitive.iter().map(|name| &**name).collect();
    }
    json.to_string()
}

/// Returns the type of a value. The element types of empty lists and maps are `str`: they have no elements to read.
fn type_of(value: &Value) -> Type {
    closed(open_type(value))
}

/// Returns the type of a value, with a variant for each type that the value does not determine.
fn open_type(value: &Value) -> Type {
    fn all<'v>(values: impl Iterator<Item = &'v Value>) -> Type {
        values.map(open_type).fold(Type::Variant, joined)
    }
    match value {
        Value::List(items) => Type::list(all(items.iter())),
        Value::Map(map) => Type::map(all(map.keys()), all(map.values())),
        Value::Struct(st) => Type::strukt(st.fields.iter().map(|(name, value)| (name.clone(), open_type(value)))),
        scalar => scalar.type_of().unwrap_or(Type::Variant),
    }
}

/// Combines two types of one shape: each determines what the other leaves open.
fn joined(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Variant, known) | (known, Type::Variant) => known,
        (Type::List(a), Type::List(b)) => Type::list(joined(Type::clone(&a), Type::clone(&b))),
        (Type::Map(a), Type::Map(b)) => Type::map(joined(a.0.clone(), b.0.clone()), joined(a.1.clone(), b.1.clone())),
        (Type::Struct(a), Type::Struct(b)) => {
            let fields = a.iter().zip(b.iter());
            Type::strukt(fields.map(|(a, b)| (a.name.clone(), joined(a.ty.clone(), b.ty.clone()))))
        }
        (a, _) => a,
    }
}

fn closed(ty: Type) -> Type {
    match ty {
        Type::Variant => Type::Str,
        Type::List(element) => Type::list(closed(Type::clone(&element))),
        Type::Map(types) => Type::map(closed(types.0.clone()), closed(types.1.clone())),
        Type::Struct(fields) => Type::strukt(fields.iter().map(|f| (f.name.clone(), closed(f.ty.clone())))),
        known => known,
    }
}

/// Why the data of a collected resource cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportedError {
    /// The data are not JSON, as the JSON parser explains.
    NotJson(String),
    /// The format version is unknown, for instance that of a newer release.
    UnknownFormat(u64),
    /// An entry is missing.
    Missing(&'static str),
    /// No resource kind has this name.
    UnknownKind(String),
    /// The value of a parameter is malformed.
    InvalidParameter {
        /// The resource.
        id: ResourceId,
        /// The parameter.
        name: String,
    },
    /// The value of a meta parameter is malformed.
    InvalidMeta {
        /// The resource.
        id: ResourceId,
        /// The meta parameter.
        name: String,
    },
    /// A meta parameter cannot be set.
    Meta(MetaError),
}

impl std::fmt::Display for ExportedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExportedError::NotJson(error) => write!(f, "invalid JSON in a collected resource: {error}"),
            ExportedError::UnknownFormat(format) => {
                write!(f, "unknown format {format} of a collected resource: this release reads format {FORMAT}")
            }
            ExportedError::Missing(key) => write!(f, "missing `{key}` in a collected resource"),
            ExportedError::UnknownKind(kind) => write!(f, "unknown resource kind `{kind}` of a collected resource"),
            ExportedError::InvalidParameter { id, name } => {
                write!(f, "invalid parameter `{name}` of the collected {id}")
            }
            ExportedError::InvalidMeta { id, name } => write!(f, "invalid `Meta:{name}` of the collected {id}"),
            ExportedError::Meta(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportedError {}

/// Reads a resource that [`encode_exported`] has serialized.
///
/// # Errors
/// The first violation of the format.
pub fn decode_exported(data: &[u8]) -> Result<Resource, ExportedError> {
    let json: Json = serde_json::from_slice(data).map_err(|error| ExportedError::NotJson(error.to_string()))?;
    match json.get("format").and_then(Json::as_u64) {
        Some(FORMAT) => {}
        Some(other) => return Err(ExportedError::UnknownFormat(other)),
        None => return Err(ExportedError::Missing("format")),
    }
    let string = |key| json.get(key).and_then(Json::as_str).ok_or(ExportedError::Missing(key));
    let id = ResourceId::new(string("kind")?, string("name")?);
    let schema = kind(&id.kind).ok_or_else(|| ExportedError::UnknownKind(id.kind.to_string()))?;
    let mut resource = Resource::new(id);
    for (name, param) in json.get("params").and_then(Json::as_object).into_iter().flatten() {
        let ty = param.get("type").and_then(Json::as_str).and_then(Type::parse);
        let value = ty.zip(param.get("value")).and_then(|(ty, value)| Value::from_json(value, &ty).ok());
        let invalid = || ExportedError::InvalidParameter { id: resource.id.clone(), name: name.clone() };
        let value = value.ok_or_else(invalid)?;
        resource.params.insert(Arc::from(name.as_str()), value);
    }
    for (name, value) in json.get("meta").and_then(Json::as_object).into_iter().flatten() {
        let ty = META_FIELDS.iter().find(|f| f.name == name).and_then(|f| Type::parse(f.ty));
        let value = ty.and_then(|ty| Value::from_json(value, &ty).ok());
        let invalid = || ExportedError::InvalidMeta { id: resource.id.clone(), name: name.clone() };
        resource.meta.set(schema, name, &value.ok_or_else(invalid)?).map_err(ExportedError::Meta)?;
    }
    let sensitive = json.get("sensitive").and_then(Json::as_array).into_iter().flatten();
    resource.sensitive = sensitive.filter_map(Json::as_str).map(Arc::from).collect();
    Ok(resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_survives_a_round_trip() {
        let mut resource = Resource::new(ResourceId::new("test", "a"))
            .with("int64", 7)
            .with("anotherstr", "x\ny")
            .with("slicestring", Value::list::<&str>([]))
            .with("interface", Value::map([("k".into(), Value::list([1.5]))]));
        resource.meta.hidden = true;
        resource.sensitive.push("anotherstr".into());
        resource.meta.retry = -1;
        resource.meta.export = vec!["h2".into()];
        let read = decode_exported(encode_exported(&resource).as_bytes()).unwrap();
        assert_eq!(read.id, resource.id);
        assert_eq!(read.meta, resource.meta);
        assert_eq!(read.params, resource.params);
        assert_eq!(read.sensitive, resource.sensitive);
    }

    #[test]
    fn values_with_empty_parts_keep_their_types() {
        let pair = |a: Value, b: Value| Value::strukt([("a", a), ("b", b)]);
        let empty = || Value::list::<i64>([]);
        for value in [
            empty(),
            Value::list([empty(), Value::list([1])]),
            Value::list([pair(empty(), Value::list([1])), pair(Value::list(["x"]), empty())]),
            Value::map([("k".into(), empty()), ("l".into(), Value::list([true]))]),
            pair(Value::map([]), 2.5.into()),
        ] {
            let resource = Resource::new(ResourceId::new("test", "a")).with("interface", value);
            let read = decode_exported(encode_exported(&resource).as_bytes()).unwrap();
            assert_eq!(read.params, resource.params);
        }
    }

    #[test]
    fn malformed_data_are_rejected() {
        for text in [
            "",
            "{}",
            r#"{"kind":"test","name":"a"}"#,
            r#"{"format":2,"kind":"test","name":"a"}"#,
            r#"{"format":1,"kind":"test"}"#,
            r#"{"format":1,"kind":"nosuch","name":"a"}"#,
        ] {
            assert!(decode_exported(text.as_bytes()).is_err(), "{text}");
        }
    }
}
