//! Keys of lookups: `apache::vhosts.0.name` (spec 07 §5.13, §10.4).

use std::sync::Arc;

use pp_types::{Error, ErrorKind, Hash, Value, class_name};

/// A key: the name that is looked up, and a path into the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The key as it was written.
    pub text: Arc<str>,
    /// The name of the value.
    pub root: Arc<str>,
    /// The path into it.
    pub path: Vec<Segment>,
}

/// A part of the path of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// A string as the key of a hash.
    Name(Arc<str>),
    /// The index of an array, or an integer as the key of a hash.
    Index(i64),
}

/// A text whose dots and quotes do not make a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidKey;

impl Key {
    /// Reads a key: parts separated by dots, each of them in quotes or without any.
    pub(crate) fn parse(text: &str) -> Result<Key, InvalidKey> {
        let whole: Arc<str> = text.into();
        if !text.contains(['.', '"', '\'']) {
            return Ok(Key { root: Arc::clone(&whole), text: whole, path: Vec::new() });
        }
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, after) = match rest.chars().next() {
                Some(quote @ ('"' | '\'')) => rest[1..].split_once(quote).ok_or(InvalidKey)?,
                _ => rest.split_at(rest.find(['.', '"', '\'']).unwrap_or(rest.len())),
            };
            if part.is_empty() {
                return Err(InvalidKey);
            }
            parts.push(part);
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None if after.is_empty() => break,
                None => return Err(InvalidKey),
            }
        }
        let root = Arc::from(parts[0]);
        Ok(Key { text: whole, root, path: parts[1..].iter().map(|part| Segment::new(part)).collect() })
    }

    /// Returns the module that the key belongs to: `a` of `a::b`. A key that begins with `::` belongs to one that there is not.
    pub(crate) fn module(&self) -> Option<&str> {
        if self.root.starts_with("::") {
            return Some(&self.root);
        }
        self.root.split_once("::").map(|(module, _)| module).filter(|module| !module.is_empty())
    }

    /// Returns the path as it was written, without quotes.
    pub(crate) fn path_text(&self) -> String {
        self.path.iter().map(Segment::text).collect::<Vec<_>>().join(".")
    }

    /// Returns all parts as a backend of the kind `data_dig` gets them.
    pub(crate) fn segments(&self) -> Value {
        let path = self.path.iter().map(Segment::value);
        Value::array(std::iter::once(Value::String(Arc::clone(&self.root))).chain(path).collect())
    }

    /// Returns a value of the root key in which the path leads to `value`.
    pub(crate) fn wrap(&self, value: Value) -> Value {
        self.path.iter().rev().fold(value, |inner, segment| match segment {
            // The indices before it hold nothing.
            Segment::Index(index) if (0..1024).contains(index) => {
                let mut elements = vec![Value::Undef; usize::try_from(*index).unwrap_or(0)];
                elements.push(inner);
                Value::array(elements)
            }
            segment => Value::hash(Hash::from_iter([(segment.value(), inner)])),
        })
    }
}

impl Segment {
    fn new(text: &str) -> Segment {
        let is_index = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(index) if is_index => Segment::Index(index),
            _ => Segment::Name(text.into()),
        }
    }

    /// Returns the segment as text.
    pub(crate) fn text(&self) -> String {
        match self {
            Segment::Name(name) => name.to_string(),
            Segment::Index(index) => index.to_string(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Segment::Name(name) => Value::String(Arc::clone(name)),
            Segment::Index(index) => Value::Integer(*index),
        }
    }

    /// Takes one step into a value; `None` if there is nothing.
    ///
    /// # Errors
    /// A value that has no parts; `key` is for the message.
    pub(crate) fn step(&self, value: &Value, key: &str) -> Result<Option<Value>, Error> {
        match (value, self) {
            (Value::Undef, _) => Ok(None),
            (Value::Hash(entries), _) => Ok(entries.get(&self.value()).cloned()),
            (Value::Array(elements), Segment::Index(index)) => {
                Ok(usize::try_from(*index).ok().and_then(|index| elements.get(index)).cloned())
            }
            _ => {
                let message = format!(
                    "Data Provider type mismatch: Got {} when a hash-like object was expected to access value using '{}' \
                     from key '{key}'",
                    class_name(value),
                    self.text()
                );
                Err(Error::new(ErrorKind::Evaluation, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_split_at_dots_outside_quotes() {
        let parts = |text: &str| {
            Key::parse(text).map(|key| (key.root.to_string(), key.path.iter().map(Segment::text).collect::<Vec<_>>()))
        };
        let split = |root: &str, path: &[&str]| Ok((root.to_owned(), path.iter().map(|p| (*p).to_owned()).collect()));
        assert_eq!(parts("a"), split("a", &[]));
        assert_eq!(parts(""), split("", &[]));
        assert_eq!(parts("a.b.01"), split("a", &["b", "1"]));
        assert_eq!(parts("'a.b'.\"c.d\".e"), split("a.b", &["c.d", "e"]));
        for invalid in ["a..b", ".a", "a.", "'a", "''", "a'b'", "'a'b"] {
            assert_eq!(parts(invalid), Err(InvalidKey), "{invalid}");
        }
    }

    #[test]
    fn a_key_belongs_to_the_module_of_its_root() {
        let module = |text: &str| Key::parse(text).ok().and_then(|key| key.module().map(str::to_owned));
        assert_eq!(module("a::b::c.d"), Some("a".to_owned()));
        assert_eq!(module("a"), None);
        assert_eq!(module("::a"), Some("::a".to_owned()));
    }
}
