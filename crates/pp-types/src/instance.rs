//! Whether a value is an instance of a type.

use crate::assignable::{has_string, is_assignable, is_part, is_required};
use crate::definition::definition;
use crate::infer::infer;
use crate::stack::with_stack;
use crate::types::{HashType, Size, StructMember, TupleType, Type};
use crate::uri::Uri;
use crate::value::{Hash, Value};

/// Returns whether a value is an instance of a type (`value =~ Type`).
#[must_use]
pub fn is_instance(ty: &Type, value: &Value) -> bool {
    check(ty, value, None)
}

/// The aliases whose definitions lead to a type without a step into the value. One that comes up again adds nothing: `type A =
/// Variant[A, Integer]` has the instances of `Integer`.
#[derive(Clone, Copy)]
struct Entered<'a> {
    alias: &'a Type,
    outer: Option<&'a Entered<'a>>,
}

fn check(ty: &Type, value: &Value, entered: Option<&Entered<'_>>) -> bool {
    match ty {
        Type::Any => true,
        Type::Undef => *value == Value::Undef,
        Type::Default => *value == Value::Default,
        Type::Optional(None) => *value == Value::Undef,
        Type::Optional(Some(inner)) => *value == Value::Undef || with_stack(|| check(inner, value, entered)),
        Type::NotUndef(None) => *value != Value::Undef,
        Type::NotUndef(Some(inner)) => *value != Value::Undef && with_stack(|| check(inner, value, entered)),
        Type::Variant(types) => with_stack(|| types.iter().any(|ty| check(ty, value, entered))),
        Type::Alias(_) | Type::Data | Type::RichData => {
            let mut outer = entered;
            while let Some(inner) = outer {
                if inner.alias == ty {
                    return false;
                }
                outer = inner.outer;
            }
            let entered = Entered { alias: ty, outer: entered };
            with_stack(|| definition(ty).is_some_and(|definition| check(&definition, value, Some(&entered))))
        }
        // Without strings an enumeration is a supertype of all of them, and still has no instances.
        Type::Enum(strings) if strings.values.is_empty() => false,
        Type::String(_) | Type::StringValue(_) | Type::Enum(_) | Type::Pattern(_) => {
            matches!(value, Value::String(text) if has_string(ty, text))
        }
        Type::Collection(size) => match value {
            Value::Array(elements) => has_size(*size, elements.len()),
            Value::Hash(entries) => has_size(*size, entries.len()),
            _ => false,
        },
        Type::Array(element, size) => match value {
            Value::Array(elements) => {
                has_size(*size, elements.len())
                    && (**element == Type::Any
                        || with_stack(|| elements.iter().all(|value| is_instance(element, value))))
            }
            _ => false,
        },
        Type::Tuple(tuple) => matches!(value, Value::Array(elements) if with_stack(|| is_tuple(tuple, elements))),
        Type::Hash(hash) => matches!(value, Value::Hash(entries) if with_stack(|| is_hash(hash, entries))),
        Type::Struct(members) => matches!(value, Value::Hash(entries) if with_stack(|| is_struct(members, entries))),
        Type::Iterable(element) => is_iterable(element.as_deref().filter(|element| **element != Type::Any), value),
        Type::SemVer(ranges) => match value {
            Value::SemVer(version) => ranges.is_empty() || ranges.iter().any(|range| range.contains(version)),
            _ => false,
        },
        Type::Uri(Some(parts)) => match (value, &**parts) {
            (Value::Uri(uri), Value::Hash(parts)) => has_parts(parts, uri),
            _ => false,
        },
        Type::Init(None) => with_stack(|| check(&Type::RichData, value, entered)),
        Type::Init(Some(init)) => {
            with_stack(|| check(&init.ty, value, entered)) || crate::constructor::can_create(init, value)
        }
        Type::Object(name) if **name == *"Object" => {
            matches!(value, Value::Type(_) | Value::Deferred(_) | Value::Error(_) | Value::Object(_))
        }
        Type::Object(name) if **name == *"TypeSet" => {
            matches!(value, Value::Type(Type::TypeSet(_))) || is_assignable(ty, &infer(value))
        }
        Type::ObjectExtension(extension) => matches!(value, Value::Object(value) if extension.has_instance(value)),
        Type::ObjectType(object) => matches!(value, Value::Object(value) if value.ty.inherits(object)),
        Type::Sensitive(None) => matches!(value, Value::Sensitive(_)),
        Type::Sensitive(Some(inner)) if **inner == Type::Any => matches!(value, Value::Sensitive(_)),
        Type::Sensitive(Some(_)) | Type::Unit => is_assignable(ty, &infer(value)),
        // Every type that has containers as instances is above; inferring the type of a large one takes long.
        _ if matches!(value, Value::Array(_) | Value::Hash(_) | Value::Sensitive(_)) => false,
        _ => is_assignable(ty, &infer(value)),
    }
}

/// Returns whether a URI has the parts that a type `URI[{…}]` asks for.
fn has_parts(asked: &Hash, uri: &Uri) -> bool {
    asked.iter().all(|(name, part)| match name {
        Value::String(name) => is_part(part, &uri.attribute(name).unwrap_or(Value::Undef)),
        _ => false,
    })
}

fn has_size(size: Option<Size>, length: usize) -> bool {
    size.is_none_or(|size| size.contains(length as u64))
}

fn is_tuple(tuple: &TupleType, elements: &[Value]) -> bool {
    tuple.length().contains(elements.len() as u64)
        && elements.iter().enumerate().all(|(at, element)| tuple.at(at).is_none_or(|ty| is_instance(ty, element)))
}

fn is_hash(hash: &HashType, entries: &Hash) -> bool {
    has_size(hash.size, entries.len())
        && entries.iter().all(|(key, value)| is_instance(&hash.key, key) && is_instance(&hash.value, value))
}

fn is_struct(members: &[StructMember], entries: &Hash) -> bool {
    let mut present = 0;
    let fits = members.iter().all(|member| match entries.get(&Value::String(member.name.clone())) {
        Some(value) => {
            present += 1;
            is_instance(&member.value, value)
        }
        None => !is_required(member),
    });
    fits && present == entries.len()
}

fn is_iterable(element: Option<&Type>, value: &Value) -> bool {
    match value {
        Value::Integer(value) if element.is_none() => *value >= 0,
        Value::Hash(_) | Value::String(_) if element.is_none() => true,
        // Types of which the instances can be listed.
        Value::Type(Type::Integer(bounds)) => {
            let listed = bounds.min.is_some() && bounds.max.is_some();
            listed && element.is_none_or(|element| is_assignable(element, &Type::Integer(*bounds)))
        }
        Value::Type(Type::Enum(strings)) => {
            !strings.values.is_empty()
                && element.is_none_or(|element| strings.values.iter().all(|text| has_string(element, text)))
        }
        // The elements of an array count by what they have in common: `[1, 'a']` iterates over `ScalarData`.
        other => is_assignable(&Type::Iterable(element.map(|element| element.clone().into())), &infer(other)),
    }
}
