//! The type of a value.

use std::sync::Arc;

use crate::common::{CommonType, one_of};
use crate::object_type::ObjectExtension;
use crate::semver::SemVerRange;
use crate::stack::with_stack;
use crate::types::{Callable, FloatBounds, Nested, Presence, Size, StructMember, TimestampBounds, TupleType, Type};
use crate::value::{Hash, Value};

/// Returns the most specific type of a value, in detail: `Integer[5, 5]`, `Tuple[…]`, `Struct[…]`.
#[must_use]
pub fn infer_detailed(value: &Value) -> Type {
    match value {
        Value::Array(elements) if !elements.is_empty() => {
            let types = with_stack(|| elements.iter().map(infer_detailed).collect());
            Type::Tuple(Arc::new(TupleType { types, size: None }))
        }
        Value::Hash(entries) if !entries.is_empty() => with_stack(|| infer_entries(entries)),
        Value::SemVer(version) => Type::SemVer(Arc::new([SemVerRange::exactly(version)])),
        other => infer(other),
    }
}

fn infer_entries(entries: &Hash) -> Type {
    let is_name = |key: &Value| matches!(key, Value::String(name) if !name.is_empty());
    if entries.keys().all(is_name) {
        let members = entries.iter().filter_map(|(key, value)| match key {
            Value::String(name) => {
                let presence = if *value == Value::Undef { Presence::Required } else { Presence::Plain };
                Some(StructMember { name: name.clone(), presence, value: infer_detailed(value).into() })
            }
            _ => None,
        });
        return Type::Struct(members.collect());
    }
    let size = Some(Size::exactly(entries.len() as u64));
    Type::hash(one_of(entries.keys().map(infer_detailed)), one_of(entries.values().map(infer_detailed)), size)
}

/// Returns the type of a value with its elements reduced to one type: `Array[Integer[1, 5], 2, 2]`.
#[must_use]
pub fn infer(value: &Value) -> Type {
    match value {
        Value::Undef => Type::Undef,
        Value::Default => Type::Default,
        Value::Boolean(value) => Type::Boolean(Some(*value)),
        Value::Integer(value) => Type::integer(Some(*value), Some(*value)),
        Value::Float(value) => Type::Float(FloatBounds { min: Some(*value), max: Some(*value) }),
        Value::String(text) => Type::StringValue(text.clone()),
        Value::Regexp(regexp) => Type::Regexp(Some(regexp.clone())),
        Value::Array(elements) => {
            let size = Some(Size::exactly(elements.len() as u64));
            Type::array(with_stack(|| common_type_of(elements.iter())), size)
        }
        Value::Hash(entries) => {
            let size = Some(Size::exactly(entries.len() as u64));
            with_stack(|| Type::hash(common_type_of(entries.keys()), common_type_of(entries.values()), size))
        }
        Value::Type(ty) => Type::Type(Some(ty.clone().into())),
        Value::Sensitive(inner) => Type::Sensitive(Some(with_stack(|| generalize(&infer(inner))).into())),
        Value::Binary(_) => Type::Binary,
        Value::Timestamp(time) => {
            Type::Timestamp(Some(Arc::new(TimestampBounds { min: Some(*time), max: Some(*time) })))
        }
        Value::Timespan(span) => Type::Timespan(Some(Arc::new(TimestampBounds { min: Some(*span), max: Some(*span) }))),
        Value::SemVer(_) => Type::SemVer(Arc::new([])),
        Value::SemVerRange(_) => Type::SemVerRange,
        Value::Uri(uri) => Type::Uri(Some(Arc::new(Value::hash(uri.type_parts())))),
        Value::Iterator(iterator) => Type::Iterator(Some(iterator.element.clone().into())),
        Value::Deferred(_) => Type::Object("Deferred".into()),
        Value::Error(_) => Type::Object("Error".into()),
        Value::Object(object) => match ObjectExtension::of_instance(object) {
            Some(extension) => Type::ObjectExtension(Arc::new(extension)),
            None => Type::ObjectType(Arc::clone(&object.ty)),
        },
    }
}

fn common_type_of<'a>(values: impl Iterator<Item = &'a Value>) -> Type {
    let mut common = CommonType::default();
    for value in values {
        match value {
            Value::String(text) => common.add_string(text),
            other => common.add(infer(other)),
        }
    }
    common.finish()
}

/// Returns the type without bounds and sizes.
#[must_use]
pub fn generalize(ty: &Type) -> Type {
    with_stack(|| step(ty))
}

fn step(ty: &Type) -> Type {
    match ty {
        Type::Boolean(_) => Type::Boolean(None),
        Type::Integer(_) => Type::any_integer(),
        Type::Float(_) => Type::any_float(),
        Type::String(_) | Type::StringValue(_) => Type::String(None),
        Type::Enum(strings) => {
            let lengths = || strings.values.iter().map(|text| text.chars().count() as u64);
            Type::String(lengths().min().zip(lengths().max()).map(|(min, max)| Size { min, max }))
        }
        Type::Collection(_) => Type::Collection(None),
        Type::Array(_, Some(Size { max: 0, .. })) => Type::array(Type::Unit, None),
        Type::Array(element, _) => Type::array(generalize(element), None),
        Type::Hash(hash) if hash.size == Some(Size::exactly(0)) => ty.clone(),
        Type::Hash(hash) => Type::hash(generalize(&hash.key), generalize(&hash.value), None),
        Type::Tuple(tuple) => Type::Tuple(Arc::new(generalize_tuple(tuple))),
        Type::Struct(members) => {
            let general = |member: &StructMember| StructMember {
                name: member.name.clone(),
                presence: member.presence,
                value: generalize(&member.value).into(),
            };
            Type::Struct(members.iter().map(general).collect())
        }
        Type::Variant(types) if types.is_empty() => ty.clone(),
        Type::Variant(types) => one_of(types.iter().map(generalize)),
        Type::Optional(inner) => Type::Optional(generalize_nested(inner.as_ref())),
        Type::NotUndef(inner) => Type::NotUndef(generalize_nested(inner.as_ref())),
        Type::Type(inner) => Type::Type(generalize_nested(inner.as_ref())),
        Type::Sensitive(inner) => Type::Sensitive(generalize_nested(inner.as_ref())),
        Type::Iterable(inner) => Type::Iterable(generalize_nested(inner.as_ref())),
        Type::Iterator(inner) => Type::Iterator(generalize_nested(inner.as_ref())),
        Type::Callable(Some(callable)) => Type::Callable(Some(Arc::new(Callable {
            parameters: generalize_tuple(&callable.parameters),
            block: generalize_nested(callable.block.as_ref()),
            returns: generalize_nested(callable.returns.as_ref()),
        }))),
        Type::ObjectExtension(extension) => Type::ObjectType(Arc::clone(&extension.base)),
        Type::Timestamp(_) => Type::Timestamp(None),
        Type::Timespan(_) => Type::Timespan(None),
        Type::Uri(_) => Type::Uri(None),
        Type::Any
        | Type::Unit
        | Type::Undef
        | Type::Default
        | Type::Scalar
        | Type::ScalarData
        | Type::Data
        | Type::RichData
        | Type::Numeric
        | Type::CatalogEntry
        | Type::Binary
        | Type::Pattern(_)
        | Type::Regexp(_)
        | Type::Callable(None)
        | Type::Resource(..)
        | Type::Class(_)
        | Type::SemVer(_)
        | Type::SemVerRange
        | Type::Init(_)
        | Type::Runtime(_)
        | Type::Object(_)
        | Type::ObjectType(_)
        | Type::TypeSet(_)
        | Type::Alias(_)
        | Type::Reference(_) => ty.clone(),
    }
}

fn generalize_nested(inner: Option<&Nested>) -> Option<Nested> {
    inner.map(|inner| generalize(inner).into())
}

fn generalize_tuple(tuple: &TupleType) -> TupleType {
    TupleType { types: tuple.types.iter().map(generalize).collect(), size: tuple.size }
}
