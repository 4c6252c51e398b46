//! The common type of several types.

use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::assignable::is_assignable;
use crate::stack::with_stack;
use crate::types::{EnumType, FloatBounds, IntegerBounds, Size, Type};

/// The common type of the types that are added: the narrowest that has all their instances, as far as Puppet looks for it.
///
/// Strings are collected in a set, so that the common type of many stays linear.
#[derive(Default)]
pub(crate) struct CommonType {
    strings: FxHashSet<Arc<str>>,
    other: Option<Type>,
}

impl CommonType {
    /// Adds the type of a string.
    pub fn add_string(&mut self, text: &Arc<str>) {
        match &self.other {
            None | Some(Type::Undef) => {
                self.strings.insert(text.clone());
            }
            Some(other) => self.other = Some(common_type(other, &Type::StringValue(text.clone()))),
        }
    }

    /// Adds a type.
    pub fn add(&mut self, ty: Type) {
        if !self.strings.is_empty() {
            if ty == Type::Undef {
                return;
            }
            let strings = self.take_strings();
            self.other = Some(common_type(&strings, &ty));
            return;
        }
        self.other = Some(match self.other.take() {
            None => ty,
            Some(other) => common_type(&other, &ty),
        });
    }

    /// Returns the common type; `Unit` if nothing was added.
    pub fn finish(mut self) -> Type {
        if self.strings.is_empty() { self.other.unwrap_or(Type::Unit) } else { self.take_strings() }
    }

    fn take_strings(&mut self) -> Type {
        let mut values: Vec<Arc<str>> = self.strings.drain().collect();
        values.sort();
        match values.pop() {
            Some(only) if values.is_empty() => Type::StringValue(only),
            last => {
                values.extend(last);
                Type::Enum(Arc::new(EnumType { values, ignore_case: false }))
            }
        }
    }
}

/// Returns the common type of two types.
pub(crate) fn common_type(left: &Type, right: &Type) -> Type {
    with_stack(|| step(left, right))
}

fn step(left: &Type, right: &Type) -> Type {
    // Undef is left out, and the type of a whole number is the range of all of them.
    match (left, right) {
        (Type::Undef, other) | (other, Type::Undef) => return other.clone(),
        (Type::Integer(a), Type::Integer(b)) => {
            return Type::Integer(IntegerBounds {
                min: a.min.zip(b.min).map(|(a, b)| a.min(b)),
                max: a.max.zip(b.max).map(|(a, b)| a.max(b)),
            });
        }
        _ => {}
    }
    if is_assignable(left, right) {
        return left.clone();
    }
    if is_assignable(right, left) {
        return right.clone();
    }
    match (left, right) {
        (Type::Float(a), Type::Float(b)) => Type::Float(FloatBounds {
            min: a.min.zip(b.min).map(|(a, b)| if a.0 <= b.0 { a } else { b }),
            max: a.max.zip(b.max).map(|(a, b)| if a.0 >= b.0 { a } else { b }),
        }),
        (Type::StringValue(_) | Type::Enum(_), Type::StringValue(_) | Type::Enum(_)) => common_enum(left, right),
        (Type::String(a), Type::String(b)) => {
            let (a, b) = (a.unwrap_or_default(), b.unwrap_or_default());
            Type::String(Some(Size { min: a.min.min(b.min), max: a.max.max(b.max) }))
        }
        (Type::String(_), Type::StringValue(_) | Type::Enum(_))
        | (Type::StringValue(_) | Type::Enum(_), Type::String(_)) => {
            Type::Enum(Arc::new(EnumType { values: Vec::new(), ignore_case: false }))
        }
        (Type::Pattern(a), Type::Pattern(b)) => {
            let more = b.iter().filter(|pattern| !a.contains(pattern));
            Type::Pattern(a.iter().chain(more).cloned().collect())
        }
        (Type::Regexp(_), Type::Regexp(_)) => Type::Regexp(None),
        (Type::Boolean(_), Type::Boolean(_)) => Type::ScalarData,
        (Type::Array(a, _), Type::Array(b, _)) => Type::array(common_type(a, b), None),
        (Type::Hash(a), Type::Hash(b)) => {
            Type::hash(common_type(&a.key, &b.key), common_type(&a.value, &b.value), None)
        }
        (Type::Variant(a), Type::Variant(b)) => one_of(a.iter().chain(b.iter()).cloned()),
        (Type::Type(Some(a)), Type::Type(Some(b))) => Type::Type(Some(common_type(a, b).into())),
        (Type::Callable(_), Type::Callable(_)) => Type::Callable(None),
        (Type::Resource(Some(a), _), Type::Resource(Some(b), _)) if a == b => Type::Resource(Some(a.clone()), None),
        (Type::Resource(..), Type::Resource(..)) => Type::Resource(None, None),
        (Type::Class(_), Type::Class(_)) => Type::Class(None),
        _ => wider(left, right),
    }
}

fn wider(left: &Type, right: &Type) -> Type {
    [Type::Numeric, Type::ScalarData, Type::Scalar, Type::Data, Type::RichData]
        .into_iter()
        .find(|wide| is_assignable(wide, left) && is_assignable(wide, right))
        .unwrap_or(Type::Any)
}

fn common_enum(left: &Type, right: &Type) -> Type {
    let mut values: Vec<Arc<str>> = Vec::new();
    for ty in [left, right] {
        match ty {
            Type::StringValue(text) => values.push(text.clone()),
            Type::Enum(strings) => values.extend(strings.values.iter().cloned()),
            _ => {}
        }
    }
    values.sort();
    values.dedup();
    Type::Enum(Arc::new(EnumType { values, ignore_case: false }))
}

/// Returns the type that has the instances of all the types: one type itself, or a `Variant` of the different ones.
pub(crate) fn one_of(types: impl Iterator<Item = Type>) -> Type {
    let mut members: IndexSet<Type, FxBuildHasher> = IndexSet::default();
    for ty in types {
        match ty {
            Type::Variant(nested) if !nested.is_empty() => members.extend(nested.iter().cloned()),
            other => {
                members.insert(other);
            }
        }
    }
    match members.len() {
        1 => members.pop().unwrap_or(Type::Any),
        _ => Type::Variant(members.into_iter().collect()),
    }
}
