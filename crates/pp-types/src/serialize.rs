//! Values as rich JSON data (spec 07 §1.4).

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::assignable::accepts_undef;
use crate::regexp::Regexp;
use crate::semver::SemVerRange;
use crate::stack::with_stack;
use crate::types::{Callable, Presence, Size, StructMember, TupleType, Type};
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
        Value::Array(elements) => Json::Array(with_stack(|| elements.iter().map(rich_json).collect())),
        Value::Hash(entries) => with_stack(|| hash_json(entries)),
        Value::Regexp(regexp) => object("Regexp", Some(Json::String(regexp.source().to_string()))),
        Value::Type(ty) => type_json(ty),
        Value::Sensitive(inner) => object("Sensitive", Some(with_stack(|| rich_json(inner)))),
        Value::Binary(bytes) => object("Binary", Some(Json::String(crate::binary::encode_base64(bytes)))),
        Value::Timestamp(time) => object("Timestamp", Some(Json::String(time.to_string()))),
        Value::Timespan(span) => object("Timespan", Some(Json::String(span.to_string()))),
        Value::SemVer(version) => object("SemVer", Some(Json::String(version.to_string()))),
        Value::SemVerRange(range) => object("SemVerRange", Some(Json::String(range.to_string()))),
        Value::Uri(uri) => object("URI", Some(Json::String(uri.source.to_string()))),
        Value::Iterator(iterator) => Json::Array(with_stack(|| iterator.all().iter().map(rich_json).collect())),
        Value::Deferred(deferred) => object_json("Deferred", &deferred.attributes()),
        Value::Error(error) => object_json("Error", &error.attributes()),
        Value::Object(object) => object_json(object.ty.label(), &object.given()),
    }
}

fn object_json(name: &str, attributes: &Hash) -> Json {
    let mut map = typed(name);
    for (key, value) in attributes {
        map.insert(crate::text::interpolate(key), with_stack(|| rich_json(value)));
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
        Type::Alias(alias) => return object("Type", Some(string(alias.name()))),
        Type::Data | Type::RichData => return object("Type", Some(string(ty.simple_name()))),
        Type::StringValue(_) => "String",
        Type::Resource(..) => "Resource",
        Type::Reference(_) => "TypeReference",
        Type::ObjectType(_) => "Object",
        Type::ObjectExtension(_) => "ObjectTypeExten",
        Type::TypeSet(_) => "TypeSet",
        other => other.simple_name(),
    };
    let mut map = typed(&format!("Pcore::{name}Type"));
    for (key, value) in with_stack(|| type_attributes(ty)) {
        map.insert(key.to_owned(), value);
    }
    Json::Object(map)
}

/// The attributes of a type or of an element of it, by their names.
type Attributes = Vec<(&'static str, Json)>;

/// Returns the parameters of a type as attributes.
fn type_attributes(ty: &Type) -> Attributes {
    match ty {
        Type::Integer(bounds) => bounds_json(bounds.min, bounds.max, Json::from),
        Type::Float(bounds) => bounds_json(bounds.min, bounds.max, |bound| Json::from(bound.0)),
        Type::Timestamp(Some(bounds)) => bounds_json(bounds.min, bounds.max, |time| rich_json(&Value::Timestamp(time))),
        Type::Timespan(Some(bounds)) => bounds_json(bounds.min, bounds.max, |span| rich_json(&Value::Timespan(span))),
        Type::String(Some(size)) => vec![("size_type_or_value", size_json(*size))],
        Type::Collection(Some(size)) => vec![("size_type", size_json(*size))],
        Type::StringValue(text) => vec![("size_type_or_value", string(text))],
        Type::Enum(strings) => {
            let mut attributes = vec![("values", strings.values.iter().map(|text| string(text)).collect())];
            attributes.extend(strings.ignore_case.then_some(("case_insensitive", Json::Bool(true))));
            attributes
        }
        Type::Pattern(patterns) => {
            let regexp = |pattern: &Regexp| type_json(&Type::Regexp(Some(pattern.clone())));
            vec![("patterns", patterns.iter().map(regexp).collect())]
        }
        Type::Regexp(Some(regexp)) => vec![("pattern", string(regexp.source()))],
        // What has its default is left out, if nothing that has not follows it.
        Type::Array(element, size) => {
            let is_written = **element != Type::Any || size.is_some();
            let element = is_written.then(|| ("element_type", type_json(element)));
            element.into_iter().chain(size_attribute(*size)).collect()
        }
        Type::Hash(hash) => {
            let has_value = *hash.value != Type::Any || hash.size.is_some();
            let key = (*hash.key != Type::Any || has_value).then(|| ("key_type", type_json(&hash.key)));
            let value = has_value.then(|| ("value_type", type_json(&hash.value)));
            key.into_iter().chain(value).chain(size_attribute(hash.size)).collect()
        }
        Type::Tuple(tuple) => tuple_attributes(tuple.types.iter().map(type_json).collect(), tuple.size),
        Type::Struct(members) => vec![("elements", members.iter().map(member_json).collect())],
        Type::Variant(types) => vec![("types", types.iter().map(type_json).collect())],
        // Puppet leaves out the parameters of `Sensitive` and `Boolean`.
        Type::Optional(Some(inner))
        | Type::NotUndef(Some(inner))
        | Type::Type(Some(inner))
        | Type::Iterable(Some(inner))
        | Type::Iterator(Some(inner)) => vec![("type", type_json(inner))],
        Type::Callable(callable) => callable_attributes(callable.as_deref()),
        Type::Resource(Some(name), None) => vec![("type_name", string(name))],
        Type::SemVer(ranges) if !ranges.is_empty() => {
            let range = |range: &SemVerRange| object("SemVerRange", Some(Json::String(range.to_string())));
            vec![("ranges", ranges.iter().map(range).collect())]
        }
        Type::Uri(Some(parts)) => vec![("parameters", rich_json(parts))],
        Type::Init(Some(init)) => {
            let arguments = || ("init_args", init.arguments.iter().map(rich_json).collect());
            let arguments = (!init.arguments.is_empty()).then(arguments);
            std::iter::once(("type", type_json(&init.ty))).chain(arguments).collect()
        }
        Type::Runtime(Some(names)) => vec![("runtime", string(&names.0)), ("name_or_pattern", string(&names.1))],
        Type::ObjectType(object) => vec![("_pcore_init_hash", hash_json(&object.definition))],
        Type::ObjectExtension(extension) => {
            let base = type_json(&Type::ObjectType(Arc::clone(&extension.base)));
            vec![("base_type", base), ("init_parameters", extension.arguments().iter().map(rich_json).collect())]
        }
        Type::TypeSet(set) => vec![("_pcore_init_hash", hash_json(&set.definition))],
        Type::Reference(name) => vec![("type_string", string(name))],
        _ => Vec::new(),
    }
}

fn string(text: &str) -> Json {
    Json::String(text.to_owned())
}

fn bounds_json<T>(min: Option<T>, max: Option<T>, json: impl Fn(T) -> Json) -> Attributes {
    let max = max.map(|bound| ("to", json(bound)));
    // A lower bound that is missing is written if an upper one follows.
    let min = match min {
        Some(bound) => Some(("from", json(bound))),
        None => max.is_some().then_some(("from", Json::Null)),
    };
    min.into_iter().chain(max).collect()
}

fn tuple_attributes(types: Vec<Json>, size: Option<Size>) -> Attributes {
    std::iter::once(("types", Json::Array(types))).chain(size_attribute(size)).collect()
}

fn size_attribute(size: Option<Size>) -> Option<(&'static str, Json)> {
    size.map(|size| ("size_type", size_json(size)))
}

fn member_json(member: &StructMember) -> Json {
    let key = Type::StringValue(member.name.clone());
    let key = match member.presence {
        Presence::Plain if accepts_undef(&member.value) => Type::optional(key),
        Presence::Optional => Type::optional(key),
        Presence::Plain | Presence::Required => key,
    };
    let mut map = typed("Pcore::StructElement");
    map.insert("key_type".to_owned(), type_json(&key));
    map.insert("value_type".to_owned(), type_json(&member.value));
    Json::Object(map)
}

fn size_json(size: Size) -> Json {
    let bound = |length: u64| i64::try_from(length).ok();
    type_json(&Type::integer(bound(size.min), bound(size.max)))
}

fn callable_attributes(callable: Option<&Callable>) -> Attributes {
    let parameters = callable.map(|callable| {
        let TupleType { types, size } = &callable.parameters;
        let mut types: Vec<Json> = types.iter().map(type_json).collect();
        // Parameters whose number alone is known.
        if types.is_empty() && size.is_some_and(|size| size.max > 0) {
            types.push(Json::Object(typed("Pcore::UnitType")));
        }
        let mut map = typed("Pcore::TupleType");
        map.extend(tuple_attributes(types, *size).into_iter().map(|(key, value)| (key.to_owned(), value)));
        Json::Object(map)
    });
    let block = callable.and_then(|callable| callable.block.as_deref()).map(type_json);
    let returns = callable.and_then(|callable| callable.returns.as_deref()).filter(|ty| **ty != Type::Any);
    let or_null = |json: Option<Json>| json.unwrap_or(Json::Null);
    vec![
        ("param_types", or_null(parameters)),
        ("block_type", or_null(block)),
        ("return_type", or_null(returns.map(type_json))),
    ]
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
        Json::Array(elements) => Value::array(with_stack(|| elements.iter().map(from_json).collect())),
        Json::Object(entries) => {
            let entry = |(key, value): (&String, &Json)| (Value::from(key.as_str()), from_json(value));
            Value::hash(with_stack(|| entries.iter().map(entry).collect()))
        }
    }
}
