//! Exported resources as text, for the store that hosts share (spec 04 §3.9).

use std::sync::Arc;

use mcl_value::{Type, Value};
use serde_json::{Map, Value as Json, json};

use crate::{META_FIELDS, Meta, Resource, ResourceId, kind};

/// The form of the text that this build writes, and the only one that it reads.
const FORMAT: u64 = 1;

/// The text that `collect` on another host turns into the resource again: JSON with a type beside every value.
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
            let value = resource.meta.get(field.name)?;
            (default.get(field.name)? != value).then(|| (field.name.to_owned(), value.to_json()))
        })
        .collect();
    json!({"format": FORMAT, "kind": *resource.id.kind, "name": *resource.id.name, "params": params, "meta": meta})
        .to_string()
}

/// The type of a value. What it leaves open, as empty lists and maps do, is text: nothing is there to be read as such.
fn type_of(value: &Value) -> Type {
    closed(open_type(value))
}

/// The same with a variant where the value leaves it open.
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

/// What two types of one kind say together.
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

/// Reads what [`encode_exported`] wrote.
///
/// # Errors
/// What is wrong with the text, in a sentence.
pub fn decode_exported(data: &[u8]) -> Result<Resource, String> {
    let json: Json =
        serde_json::from_slice(data).map_err(|e| format!("a collected resource cannot be read as JSON: {e}"))?;
    match json.get("format").and_then(Json::as_u64) {
        Some(FORMAT) => {}
        Some(newer) => {
            return Err(format!("a collected resource has format {newer}, which this mgmt-rt does not know"));
        }
        None => return Err("a collected resource does not say which format it has".to_owned()),
    }
    let text =
        |key: &str| json.get(key).and_then(Json::as_str).ok_or_else(|| format!("a collected resource has no {key}"));
    let id = ResourceId::new(text("kind")?, text("name")?);
    let schema = kind(&id.kind).ok_or_else(|| format!("there is no resource kind `{}`", id.kind))?;
    let mut resource = Resource::new(id);
    for (name, param) in json.get("params").and_then(Json::as_object).into_iter().flatten() {
        let ty = param.get("type").and_then(Json::as_str).and_then(Type::parse);
        let (Some(ty), Some(value)) = (ty, param.get("value")) else {
            return Err(format!("the parameter `{name}` of the collected {} cannot be read", resource.id));
        };
        let value = Value::from_json(value, &ty)
            .map_err(|e| format!("the parameter `{name}` of the collected {} cannot be read: {e}", resource.id))?;
        resource.params.insert(Arc::from(name.as_str()), value);
    }
    for (name, value) in json.get("meta").and_then(Json::as_object).into_iter().flatten() {
        let ty = META_FIELDS.iter().find(|f| f.name == name).and_then(|f| Type::parse(f.ty));
        let value = ty.and_then(|ty| Value::from_json(value, &ty).ok());
        let Some(value) = value else {
            return Err(format!("`Meta:{name}` of the collected {} cannot be read", resource.id));
        };
        resource.meta.set(schema, name, &value).map_err(|e| e.to_string())?;
    }
    Ok(resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_survives_the_journey() {
        let mut resource = Resource::new(ResourceId::new("test", "a"))
            .with("int64", 7)
            .with("anotherstr", "x\ny")
            .with("slicestring", Value::list::<&str>([]))
            .with("interface", Value::map([("k".into(), Value::list([1.5]))]));
        resource.meta.hidden = true;
        resource.meta.retry = -1;
        resource.meta.export = vec!["h2".into()];
        let read = decode_exported(encode_exported(&resource).as_bytes()).unwrap();
        assert_eq!(read.id, resource.id);
        assert_eq!(read.meta, resource.meta);
        assert_eq!(read.params, resource.params);
    }

    #[test]
    fn values_of_any_type_keep_theirs_where_parts_are_empty() {
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
    fn damaged_text_is_refused() {
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
