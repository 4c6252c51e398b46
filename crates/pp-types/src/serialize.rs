//! Values as rich JSON data (spec 07 §1.4).

use serde_json::{Map, Value as Json};

use crate::deep::deep;
use crate::types::{Callable, Presence, Size, Type};
use crate::value::{Hash, Value};

/// The key of an object that is not a plain hash: the name of its type.
const TYPE_KEY: &str = "__ptype";

/// The key of the value of such an object.
const VALUE_KEY: &str = "__pvalue";

/// Returns a value as a catalog holds it: plain JSON where it can be, `__ptype` objects for the rest.
#[must_use]
pub fn rich_json(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Default => object("Default", None),
        Value::Boolean(value) => Json::Bool(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Float(value) => match serde_json::Number::from_f64(value.0) {
            Some(number) => Json::Number(number),
            None => Json::String(crate::text::float_text(value.0)),
        },
        Value::String(text) => Json::String(text.to_string()),
        Value::Array(elements) => Json::Array(deep(|| elements.iter().map(rich_json).collect())),
        Value::Hash(entries) => deep(|| hash_json(entries)),
        Value::Regexp(regexp) => object("Regexp", Some(Json::String(regexp.source().to_string()))),
        Value::Type(ty) => type_json(ty),
        Value::Sensitive(inner) => object("Sensitive", Some(deep(|| rich_json(inner)))),
        Value::Binary(bytes) => object("Binary", Some(Json::String(crate::binary::encode(bytes)))),
        Value::Timestamp(time) => object("Timestamp", Some(Json::String(time.to_string()))),
        Value::Timespan(span) => object("Timespan", Some(Json::String(span.to_string()))),
        Value::SemVer(version) => object("SemVer", Some(Json::String(version.to_string()))),
        Value::SemVerRange(range) => object("SemVerRange", Some(Json::String(range.to_string()))),
        Value::Uri(uri) => object("URI", Some(Json::String(uri.source.to_string()))),
        Value::Iterator(iterator) => Json::Array(deep(|| iterator.all().iter().map(rich_json).collect())),
        Value::Deferred(deferred) => object_json("Deferred", &deferred.attributes()),
        Value::Error(error) => object_json("Error", &error.attributes()),
        Value::Object(object) => object_json(object.ty.label(), &object.given()),
    }
}

fn object_json(name: &str, attributes: &Hash) -> Json {
    let mut map = typed(name);
    for (key, value) in attributes {
        map.insert(crate::text::interpolate(key), deep(|| rich_json(value)));
    }
    Json::Object(map)
}

fn typed(name: &str) -> Map<String, Json> {
    let mut map = Map::new();
    map.insert(TYPE_KEY.to_owned(), Json::String(name.to_owned()));
    map
}

fn object(name: &str, value: Option<Json>) -> Json {
    let mut map = typed(name);
    if let Some(value) = value {
        map.insert(VALUE_KEY.to_owned(), value);
    }
    Json::Object(map)
}

fn hash_json(entries: &Hash) -> Json {
    let is_plain = |key: &Value| matches!(key, Value::String(name) if **name != *TYPE_KEY);
    if !entries.keys().all(is_plain) {
        let flat = entries.iter().flat_map(|(key, value)| [rich_json(key), rich_json(value)]).collect();
        return object("Hash", Some(Json::Array(flat)));
    }
    Json::Object(entries.iter().map(|(key, value)| (crate::text::interpolate(key), rich_json(value))).collect())
}

/// Returns a type as data: references as text, others with their parameters as attributes.
fn type_json(ty: &Type) -> Json {
    let name = match ty {
        // A reference is a plain string.
        Type::Resource(Some(name), Some(title)) => return Json::String(format!("{name}[{title}]")),
        Type::Class(Some(name)) => {
            return Json::String(format!("Class[{}]", crate::named::capitalized(name)));
        }
        Type::Alias(alias) => return object("Type", Some(Json::String(alias.name().to_string()))),
        Type::Data | Type::RichData => return object("Type", Some(Json::String(ty.simple_name().to_owned()))),
        Type::StringValue(_) => "String",
        Type::Resource(..) => "Resource",
        Type::Reference(_) => "TypeReference",
        Type::ObjectType(_) => "Object",
        other => other.simple_name(),
    };
    let mut map = typed(&format!("Pcore::{name}Type"));
    let mut add = |key: &str, value: Json| {
        map.insert(key.to_owned(), value);
    };
    match ty {
        Type::Integer(bounds) => {
            bounds.min.into_iter().for_each(|min| add("from", Json::from(min)));
            bounds.max.into_iter().for_each(|max| add("to", Json::from(max)));
        }
        Type::Float(bounds) => {
            bounds.min.into_iter().for_each(|min| add("from", Json::from(min.0)));
            bounds.max.into_iter().for_each(|max| add("to", Json::from(max.0)));
        }
        Type::Boolean(Some(value)) => add("value", Json::Bool(*value)),
        Type::String(Some(size)) | Type::Collection(Some(size)) => add(size_key(ty), size_json(*size)),
        Type::StringValue(text) => add("size_type_or_value", Json::String(text.to_string())),
        Type::Enum(strings) if !strings.values.is_empty() => {
            add("values", strings.values.iter().map(|text| Json::String(text.to_string())).collect());
            if strings.ignore_case {
                add("case_insensitive", Json::Bool(true));
            }
        }
        Type::Pattern(patterns) if !patterns.is_empty() => {
            add("patterns", patterns.iter().map(|pattern| type_json(&Type::Regexp(Some(pattern.clone())))).collect());
        }
        Type::Regexp(Some(regexp)) => {
            add("pattern", Json::String(regexp.source().to_string()));
        }
        Type::Array(element, size) => {
            if **element != Type::Any {
                add("element_type", deep(|| type_json(element)));
            }
            size.iter().for_each(|size| add("size_type", size_json(*size)));
        }
        Type::Hash(hash) => {
            if *hash.key != Type::Any || *hash.value != Type::Any {
                add("key_type", deep(|| type_json(&hash.key)));
                add("value_type", deep(|| type_json(&hash.value)));
            }
            hash.size.iter().for_each(|size| add("size_type", size_json(*size)));
        }
        Type::Tuple(tuple) if !tuple.types.is_empty() => {
            add("types", deep(|| tuple.types.iter().map(type_json).collect()));
            tuple.size.iter().for_each(|size| add("size_type", size_json(*size)));
        }
        Type::Struct(members) if !members.is_empty() => {
            let member_json = |member: &crate::types::StructMember| {
                let key = Type::StringValue(member.name.clone());
                let key = match member.presence {
                    Presence::Plain => key,
                    Presence::Optional => Type::optional(key),
                    Presence::Required => Type::NotUndef(Some(key.into())),
                };
                let mut map = typed("Pcore::StructElement");
                map.insert("key_type".to_owned(), type_json(&key));
                map.insert("value_type".to_owned(), deep(|| type_json(&member.value)));
                Json::Object(map)
            };
            add("elements", members.iter().map(member_json).collect());
        }
        Type::Variant(types) if !types.is_empty() => add("types", deep(|| types.iter().map(type_json).collect())),
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Type(Some(inner))
        | Type::Sensitive(Some(inner)) => add("type", deep(|| type_json(inner))),
        Type::Iterable(Some(inner)) | Type::Iterator(Some(inner)) => add("element_type", deep(|| type_json(inner))),
        Type::Callable(Some(callable)) => {
            for (key, value) in callable_json(callable) {
                add(key, value);
            }
        }
        Type::Resource(Some(name), None) => add("type_name", Json::String(name.to_string())),
        Type::Timestamp(Some(bounds)) => {
            bounds.min.into_iter().for_each(|min| add("from", rich_json(&Value::Timestamp(min))));
            bounds.max.into_iter().for_each(|max| add("to", rich_json(&Value::Timestamp(max))));
        }
        Type::Timespan(Some(bounds)) => {
            bounds.min.into_iter().for_each(|min| add("from", rich_json(&Value::Timespan(min))));
            bounds.max.into_iter().for_each(|max| add("to", rich_json(&Value::Timespan(max))));
        }
        Type::SemVer(ranges) if !ranges.is_empty() => {
            add(
                "ranges",
                ranges.iter().map(|range| object("SemVerRange", Some(Json::String(range.to_string())))).collect(),
            );
        }
        Type::Uri(Some(parts)) => add("parameters", deep(|| rich_json(parts))),
        Type::Init(Some(init)) => {
            add("type", deep(|| type_json(&init.ty)));
            if !init.arguments.is_empty() {
                add("init_args", deep(|| init.arguments.iter().map(rich_json).collect()));
            }
        }
        Type::Runtime(Some(names)) => {
            add("runtime", Json::String(names.0.to_string()));
            add("name_or_pattern", Json::String(names.1.to_string()));
        }
        Type::ObjectType(object) => add("_pcore_init_hash", deep(|| hash_json(&object.definition))),
        Type::Reference(name) => add("type_string", Json::String(name.to_string())),
        _ => {}
    }
    Json::Object(map)
}

fn size_key(ty: &Type) -> &'static str {
    if let Type::String(_) = ty { "size_type_or_value" } else { "size_type" }
}

fn size_json(size: Size) -> Json {
    let bound = |length: u64| i64::try_from(length).ok();
    type_json(&Type::integer(bound(size.min), bound(size.max)))
}

fn callable_json(callable: &Callable) -> Vec<(&'static str, Json)> {
    let mut attributes = Vec::new();
    let parameters = Type::Tuple(std::sync::Arc::new(callable.parameters.clone()));
    attributes.push(("param_types", deep(|| type_json(&parameters))));
    attributes.extend(callable.block.iter().map(|block| ("block_type", deep(|| type_json(block)))));
    attributes.extend(callable.returns.iter().map(|returns| ("return_type", deep(|| type_json(returns)))));
    attributes
}

/// Returns the value of plain JSON, as facts are.
#[must_use]
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::from(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(elements) => Value::array(deep(|| elements.iter().map(from_json).collect())),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| (Value::from(key.as_str()), from_json(value));
            Value::hash(deep(|| entries.iter().map(entry).collect()))
        }
    }
}
