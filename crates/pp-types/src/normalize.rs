//! Variants in their simplest form.

use std::sync::Arc;

use crate::common::one_of;
use crate::definition::definition;
use crate::stack::with_stack;
use crate::types::{EnumType, IntegerBounds, Nested, Type};

/// Returns a type with its variants simplified: enumerations in one, patterns in one, ranges that touch in one, and undef as
/// `Optional`.
pub(crate) fn normalize(ty: &Type) -> Type {
    match ty {
        Type::Variant(types) if !types.is_empty() => with_stack(|| normalize_variant(types)),
        Type::Optional(Some(inner)) => match with_stack(|| normalize(inner)) {
            already @ Type::Optional(_) => already,
            other => Type::optional(other),
        },
        Type::NotUndef(Some(inner)) => match with_stack(|| without_undef(&normalize(inner))) {
            other if crate::assignable::accepts_undef(&other) => Type::NotUndef(Some(other.into())),
            other => other,
        },
        other => other.clone(),
    }
}

fn without_undef(ty: &Type) -> Type {
    match ty {
        Type::Optional(Some(inner)) => (**inner).clone(),
        other => other.clone(),
    }
}

fn normalize_variant(types: &[Type]) -> Type {
    let mut is_optional = false;
    let mut members: Vec<Type> = Vec::new();
    let mut patterns = Vec::new();
    let mut add = |ty: Type| match ty {
        Type::Undef => is_optional = true,
        Type::Pattern(more) if !more.is_empty() => patterns.push(more),
        Type::Enum(strings) if !strings.values.is_empty() => {
            let same = members.iter_mut().find_map(|member| match member {
                Type::Enum(other) if !other.values.is_empty() && other.ignore_case == strings.ignore_case => {
                    Some(other)
                }
                _ => None,
            });
            match same {
                Some(other) => {
                    let mut values: Vec<Arc<str>> = other.values.iter().chain(strings.values.iter()).cloned().collect();
                    values.sort();
                    values.dedup();
                    *other = Arc::new(EnumType { values, ignore_case: strings.ignore_case });
                }
                None => members.push(Type::Enum(strings)),
            }
        }
        Type::Integer(bounds) => {
            let touching = members.iter_mut().find_map(|member| match member {
                Type::Integer(other) if touches(other, &bounds) => Some(other),
                _ => None,
            });
            match touching {
                Some(other) => {
                    other.min = other.min.zip(bounds.min).map(|(a, b)| a.min(b));
                    other.max = other.max.zip(bounds.max).map(|(a, b)| a.max(b));
                }
                None => members.push(Type::Integer(bounds)),
            }
        }
        other => members.push(other),
    };
    let mut optional_inside = false;
    for ty in types {
        match normalize(ty) {
            Type::Optional(Some(inner)) => {
                optional_inside = true;
                match &*inner {
                    Type::Variant(nested) => nested.iter().cloned().for_each(&mut add),
                    other => add(other.clone()),
                }
            }
            Type::Variant(nested) => nested.iter().cloned().for_each(&mut add),
            other => add(other),
        }
    }
    is_optional |= optional_inside;
    match patterns.as_slice() {
        [] => {}
        // A single pattern stays where it is.
        [only] => {
            let at = types.iter().take_while(|ty| !matches!(ty, Type::Pattern(_))).count().min(members.len());
            members.insert(at, Type::Pattern(only.clone()));
        }
        several => {
            members.push(Type::Pattern(several.iter().flat_map(|patterns| patterns.iter().cloned()).collect()));
        }
    }
    let joined = one_of(members.into_iter());
    match joined {
        Type::Variant(types) if types.is_empty() => Type::Undef,
        joined if is_optional => Type::optional(joined),
        joined => joined,
    }
}

fn touches(a: &IntegerBounds, b: &IntegerBounds) -> bool {
    let before = |a: Option<i64>, b: Option<i64>| match (a, b) {
        (Some(end), Some(start)) => end.saturating_add(1) < start,
        _ => false,
    };
    !before(a.max, b.min) && !before(b.max, a.min)
}

/// Returns the members of a choice in the order in which messages list them, undef first; `None` if the type is not a choice.
pub(crate) fn choices(ty: &Type) -> Option<Vec<Type>> {
    match ty {
        Type::Variant(types) if !types.is_empty() => Some(types.to_vec()),
        // Undef among the choices of data is not worth a line.
        Type::Data | Type::RichData => match definition(ty).as_deref() {
            Some(Type::Variant(types)) => Some(types.iter().filter(|ty| **ty != Type::Undef).cloned().collect()),
            _ => None,
        },
        Type::Optional(Some(inner)) => variant_members(inner).map(|members| {
            let mut choices = vec![Type::Undef];
            choices.extend(members);
            choices
        }),
        _ => None,
    }
}

fn variant_members(inner: &Nested) -> Option<Vec<Type>> {
    match &**inner {
        Type::Variant(types) if !types.is_empty() => Some(types.to_vec()),
        _ => None,
    }
}
