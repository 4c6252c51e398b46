//! `Array`, `Hash`.

use crate::constructor::error::{conversion_error, not_convertible};
use crate::constructor::signatures;
use crate::error::{Error, ErrorKind};
use crate::types::Type;
use crate::value::{Hash, Value};

/// The most elements that an integer or a range is expanded to.
const MAX_ELEMENTS: i128 = 16 * 1024 * 1024;

pub(super) fn array(arguments: &[Value]) -> Result<Value, Error> {
    let (from, wrap) = match arguments {
        [from] => (from, false),
        [from, Value::Boolean(wrap)] => (from, *wrap),
        _ => return Err(signatures::rejected("new_array", &[], &["Any from, Boolean ?wrap"], arguments)),
    };
    match (from, wrap) {
        (Value::Array(_), _) => Ok(from.clone()),
        (Value::Undef, true) => Ok(Value::array(Vec::new())),
        (from, true) => Ok(Value::array(vec![from.clone()])),
        (from, false) => {
            elements_of(from)?.map(Value::array).ok_or_else(|| not_convertible("'new_array' ", from, "Array"))
        }
    }
}

/// Returns the elements of an iterable value; `None` for other values.
fn elements_of(value: &Value) -> Result<Option<Vec<Value>>, Error> {
    Ok(Some(match value {
        Value::Array(elements) => elements.to_vec(),
        Value::Hash(entries) => {
            entries.iter().map(|(key, value)| Value::array(vec![key.clone(), value.clone()])).collect()
        }
        Value::String(text) => text.chars().map(|c| Value::from(c.to_string())).collect(),
        Value::Integer(count) if *count >= 0 => range(0, i128::from(*count) - 1)?,
        Value::Iterator(iterator) => iterator.all().to_vec(),
        Value::Binary(bytes) => bytes.iter().map(|byte| Value::Integer(i64::from(*byte))).collect(),
        Value::Type(Type::Integer(bounds)) => match (bounds.min, bounds.max) {
            (Some(min), Some(max)) => range(i128::from(min), i128::from(max))?,
            _ => return Ok(None),
        },
        Value::Type(Type::Enum(strings)) if !strings.values.is_empty() => {
            strings.values.iter().cloned().map(Value::String).collect()
        }
        _ => return Ok(None),
    }))
}

fn range(min: i128, max: i128) -> Result<Vec<Value>, Error> {
    if max - min >= MAX_ELEMENTS {
        let message = format!("an Array of {} elements is too large", max - min + 1);
        return Err(Error::new(ErrorKind::Limit, message));
    }
    Ok((min..=max).filter_map(|integer| i64::try_from(integer).ok()).map(Value::Integer).collect())
}

const HASH_ALIASES: &[(&str, &str)] = &[
    ("KeyValueArray", "Array[Tuple[Any, Any], 1]"),
    ("TreeArray", "Array[Tuple[Array, Any], 1]"),
    ("NewHashOption", "Enum['tree', 'hash_tree']"),
];

const HASH_SIGNATURES: &[&str] = &["TreeArray from, NewHashOption ?build_option", "KeyValueArray from", "Any from"];

pub(super) fn hash(arguments: &[Value]) -> Result<Value, Error> {
    let from = match arguments {
        [from] => from,
        [Value::Array(paths), Value::String(option)]
            if signatures::accepts(HASH_ALIASES, &HASH_SIGNATURES[..1], arguments) =>
        {
            return tree(paths, **option == *"hash_tree");
        }
        _ => return Err(signatures::rejected("new_hash", HASH_ALIASES, HASH_SIGNATURES, arguments)),
    };
    let elements = match from {
        Value::Hash(_) => return Ok(from.clone()),
        Value::Binary(_) => return Err(not_convertible("", from, "Hash")),
        from => elements_of(from)?.ok_or_else(|| not_convertible("", from, "Hash"))?,
    };
    let pairs: Option<Vec<(Value, Value)>> = elements.iter().map(pair).collect();
    if let Some(pairs) = pairs {
        return Ok(Value::hash(pairs.into_iter().collect()));
    }
    if elements.len() % 2 != 0 {
        return Err(conversion_error("odd number of arguments for Hash"));
    }
    Ok(Value::hash(elements.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()))
}

fn pair(element: &Value) -> Option<(Value, Value)> {
    match element {
        Value::Array(pair) => match pair.as_slice() {
            [key, value] => Some((key.clone(), value.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// A container that is being built.
enum Node {
    Value(Value),
    Array(Vec<Node>),
    Hash(indexmap::IndexMap<Value, Node, crate::key_state::KeyState>),
}

impl Node {
    fn of(value: &Value, all_hashes: bool) -> Node {
        match value {
            Value::Array(elements) if all_hashes => {
                let entry = |(at, value): (usize, &Value)| (Value::Integer(at as i64), Node::Value(value.clone()));
                Node::Hash(elements.iter().enumerate().map(entry).collect())
            }
            Value::Array(elements) => Node::Array(elements.iter().map(|value| Node::of(value, false)).collect()),
            Value::Hash(entries) => {
                Node::Hash(entries.iter().map(|(key, value)| (key.clone(), Node::of(value, all_hashes))).collect())
            }
            other => Node::Value(other.clone()),
        }
    }

    fn finish(self) -> Value {
        match self {
            Node::Value(value) => value,
            Node::Array(elements) => Value::array(elements.into_iter().map(Node::finish).collect()),
            Node::Hash(entries) => {
                let entries: Hash = entries.into_iter().map(|(key, node)| (key, node.finish())).collect();
                Value::hash(entries)
            }
        }
    }

    /// Returns the node at a key, made if it is not there.
    fn child(&mut self, key: &Value) -> Result<&mut Node, Error> {
        match (self, key) {
            (Node::Hash(entries), key) => {
                Ok(entries.entry(key.clone()).or_insert_with(|| Node::Hash(Default::default())))
            }
            (Node::Array(elements), Value::Integer(at)) if (0..MAX_ELEMENTS as i64).contains(at) => {
                let at = usize::try_from(*at).unwrap_or(0);
                while elements.len() <= at {
                    elements.push(Node::Value(Value::Undef));
                }
                if let Node::Value(Value::Undef) = elements[at] {
                    elements[at] = Node::Hash(Default::default());
                }
                Ok(&mut elements[at])
            }
            (Node::Array(_), key) => {
                let found = crate::text::source_form(key);
                Err(conversion_error(format!("an Array has no element {found}")).help("its keys are integers from 0"))
            }
            (Node::Value(value), key) => {
                let (found, key) = (crate::text::source_form(value), crate::text::source_form(key));
                Err(conversion_error(format!("the value {found} has no entry {key}")))
            }
        }
    }
}

/// Builds nested containers of paths and values.
fn tree(paths: &[Value], all_hashes: bool) -> Result<Value, Error> {
    let mut root = Node::Hash(Default::default());
    for entry in paths {
        let Some((Value::Array(path), value)) = pair(entry) else { continue };
        let mut at = &mut root;
        for key in path.iter() {
            at = at.child(key)?;
        }
        *at = Node::of(&value, all_hashes);
    }
    // The keys of an array at the root are its indices.
    Ok(match root {
        Node::Array(elements) => {
            let entry = |(at, node): (usize, Node)| (Value::Integer(at as i64), node.finish());
            Value::hash(elements.into_iter().enumerate().map(entry).collect())
        }
        other => other.finish(),
    })
}
