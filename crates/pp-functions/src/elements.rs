//! The elements of an iterable value, one after the other: a range of a billion integers is never an array.

use pp_types::{Hash, IteratorValue, Size, TupleType, Type, Value, infer_detailed, with_stack};

/// An element of an iteration.
pub(crate) struct Element {
    /// The key, if the value is a hash.
    key: Option<Value>,
    value: Value,
}

impl Element {
    /// Returns the value of an element, without the key of an entry.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the key of an entry, the index of any other element.
    pub(crate) fn key(&self, index: usize) -> Value {
        self.key.clone().unwrap_or_else(|| index_value(index))
    }

    /// Returns the element as one value: an entry of a hash is an array of key and value.
    pub(crate) fn into_single(self) -> Value {
        match self.key {
            Some(key) => Value::array(vec![key, self.value]),
            None => self.value,
        }
    }

    /// Returns the element as two values: key or index, and value.
    pub(crate) fn into_pair(self, index: usize) -> [Value; 2] {
        [self.key.unwrap_or_else(|| index_value(index)), self.value]
    }
}

/// Returns an index as a value.
pub(crate) fn index_value(index: usize) -> Value {
    Value::Integer(i64::try_from(index).unwrap_or(i64::MAX))
}

/// Whether an iteration over an iterator uses it up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// It does, as `each`, `map` and `filter` do.
    Consume,
    /// It does not: all other functions.
    Keep,
}

/// An iteration.
pub(crate) enum Elements<'a> {
    Values(std::slice::Iter<'a, Value>),
    Entries(indexmap::map::Iter<'a, Value, Value>),
    Characters(std::str::Chars<'a>),
    Integers(std::ops::RangeInclusive<i64>),
    Strings(std::vec::IntoIter<std::sync::Arc<str>>),
    Remaining(&'a IteratorValue),
    Nothing,
}

impl<'a> Elements<'a> {
    /// Starts an iteration over a value that is an instance of `Iterable`.
    pub(crate) fn of(value: &'a Value, pass: Pass) -> Elements<'a> {
        match value {
            Value::Array(values) => Elements::Values(values.iter()),
            Value::Hash(entries) => Elements::Entries(entries.iter()),
            Value::String(text) => Elements::Characters(text.chars()),
            Value::Integer(count) => Elements::Integers(0..=count.saturating_sub(1)),
            Value::Type(ty) => Elements::of_type(ty),
            Value::Iterator(iterator) if pass == Pass::Consume => Elements::Remaining(iterator),
            Value::Iterator(iterator) => Elements::Values(iterator.all().iter()),
            _ => Elements::Nothing,
        }
    }

    fn of_type(ty: &Type) -> Elements<'a> {
        match ty {
            Type::Alias(alias) => match alias.resolved() {
                Some(resolved) => with_stack(|| Elements::of_type(&resolved)),
                None => Elements::Nothing,
            },
            Type::Integer(bounds) => {
                let (Some(min), Some(max)) = (bounds.min, bounds.max) else { return Elements::Nothing };
                Elements::Integers(min..=max)
            }
            Type::Enum(strings) => Elements::Strings(strings.values.clone().into_iter()),
            _ => Elements::Nothing,
        }
    }
}

impl Iterator for Elements<'_> {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        let value = match self {
            Elements::Values(values) => values.next()?.clone(),
            Elements::Entries(entries) => {
                let (key, value) = entries.next()?;
                return Some(Element { key: Some(key.clone()), value: value.clone() });
            }
            Elements::Characters(characters) => {
                let character = characters.next()?;
                Value::string(character.encode_utf8(&mut [0; 4]) as &str)
            }
            Elements::Integers(range) => Value::Integer(range.next()?),
            Elements::Strings(strings) => Value::String(strings.next()?),
            Elements::Remaining(iterator) => iterator.take_next()?,
            Elements::Nothing => return None,
        };
        Some(Element { key: None, value })
    }

    fn nth(&mut self, skip: usize) -> Option<Element> {
        match self {
            Elements::Values(values) => values.nth(skip).map(|value| Element { key: None, value: value.clone() }),
            Elements::Integers(range) => {
                range.nth(skip).map(|value| Element { key: None, value: Value::Integer(value) })
            }
            _ => {
                for _ in 0..skip {
                    self.next()?;
                }
                self.next()
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Elements::Values(values) => values.size_hint(),
            Elements::Entries(entries) => entries.size_hint(),
            Elements::Characters(characters) => characters.size_hint(),
            Elements::Integers(range) => range.size_hint(),
            Elements::Strings(strings) => strings.size_hint(),
            Elements::Remaining(_) => (0, None),
            Elements::Nothing => (0, Some(0)),
        }
    }
}

/// Returns the type of the elements of an iterable value, in detail.
pub(crate) fn element_type(value: &Value) -> Type {
    match value {
        Value::Array(values) => variant(values),
        Value::Hash(entries) => entry_type(entries),
        Value::String(_) => Type::String(Some(Size { min: 1, max: 1 })),
        Value::Integer(0) => Type::Unit,
        Value::Integer(count) => {
            Type::Integer(pp_types::IntegerBounds { min: Some(0), max: Some(count.saturating_sub(1)) })
        }
        Value::Type(ty) => ty.clone(),
        Value::Iterator(iterator) => iterator.element.clone(),
        _ => Type::Any,
    }
}

fn entry_type(entries: &Hash) -> Type {
    let keys: Vec<Value> = entries.keys().cloned().collect();
    let values: Vec<Value> = entries.values().cloned().collect();
    let types = vec![variant(&keys), variant(&values)];
    Type::Tuple(std::sync::Arc::new(TupleType { types, size: Some(Size { min: 2, max: 2 }) }))
}

fn variant(values: &[Value]) -> Type {
    match values {
        [] => Type::Unit,
        [value] => infer_detailed(value),
        _ => Type::Variant(values.iter().map(infer_detailed).collect()),
    }
}
