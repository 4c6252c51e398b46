//! Values.

use std::hash::{BuildHasher, Hash as StdHash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use indexmap::IndexMap;

use crate::key_state::KeyState;
use crate::object_type::ObjectValue;
use crate::regexp::Regexp;
use crate::semver::{SemVer, SemVerRange};
use crate::stack::with_stack;
use crate::time::{Timespan, Timestamp};
use crate::types::Type;
use crate::uri::Uri;

/// A hash in insertion order.
pub type Hash = IndexMap<Value, Value, KeyState>;

/// A value (spec 07 §5.5, §5.6). Immutable and cheap to clone.
///
/// Equality and hashing are those of hash keys: exact strings, `1` and `1.0` differ. The operator `==` of the language is
/// looser.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Value {
    Undef,
    /// The `default` literal.
    Default,
    Boolean(bool),
    Integer(i64),
    Float(Float),
    String(Arc<str>),
    Regexp(Regexp),
    Array(Arc<ArrayValue>),
    Hash(Arc<HashValue>),
    /// A type, which is also what a resource reference is.
    Type(Type),
    Sensitive(Arc<Value>),
    Binary(Arc<[u8]>),
    Timestamp(Timestamp),
    Timespan(Timespan),
    SemVer(Arc<SemVer>),
    SemVerRange(Arc<SemVerRange>),
    Uri(Arc<Uri>),
    Iterator(IteratorValue),
    Deferred(Arc<Deferred>),
    Error(Arc<ErrorValue>),
    /// An instance of an object type that the program defines.
    Object(Arc<ObjectValue>),
}

/// An array as a value. Derefs to a vector.
#[derive(Clone, Debug, Default)]
pub struct ArrayValue(
    /// The elements.
    pub Vec<Value>,
    /// Their [`Value::weight`].
    u64,
);

impl ArrayValue {
    /// Creates an array.
    #[must_use]
    pub fn new(elements: Vec<Value>) -> ArrayValue {
        let weight = elements.iter().fold(0, |sum: u64, element| sum.saturating_add(element.weight()));
        ArrayValue(elements, weight)
    }

    /// Adds an element.
    pub fn push(&mut self, element: Value) {
        self.1 = self.1.saturating_add(element.weight());
        self.0.push(element);
    }
}

impl std::ops::Deref for ArrayValue {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl PartialEq for ArrayValue {
    fn eq(&self, other: &ArrayValue) -> bool {
        self.1 == other.1 && with_stack(|| self.0 == other.0)
    }
}

impl Eq for ArrayValue {}

impl StdHash for ArrayValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        with_stack(|| self.0.hash(state));
    }
}

impl Drop for ArrayValue {
    fn drop(&mut self) {
        if self.0.iter().any(Value::is_container) {
            let elements = std::mem::take(&mut self.0);
            with_stack(|| drop(elements));
        }
    }
}

/// A hash as a value. Derefs to a map.
#[derive(Clone, Debug, Default)]
pub struct HashValue(
    /// The entries.
    pub Hash,
    /// Their [`Value::weight`].
    u64,
);

impl HashValue {
    fn new(entries: Hash) -> HashValue {
        let weigh =
            |sum: u64, (key, value): (&Value, &Value)| sum.saturating_add(key.weight()).saturating_add(value.weight());
        let weight = entries.iter().fold(0, weigh);
        HashValue(entries, weight)
    }
}

impl PartialEq for HashValue {
    fn eq(&self, other: &HashValue) -> bool {
        self.1 == other.1 && with_stack(|| self.0 == other.0)
    }
}

impl Eq for HashValue {}

impl Drop for HashValue {
    fn drop(&mut self) {
        if self.0.iter().any(|(key, value)| key.is_container() || value.is_container()) {
            let entries = std::mem::take(&mut self.0);
            with_stack(|| drop(entries));
        }
    }
}

impl StdHash for HashValue {
    /// Of nested values only the weight counts: whole ones would be hashed again at each level of a hash whose keys are hashes.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let shallow = |value: &Value| if value.is_container() { value.weight() } else { KeyState.hash_one(value) };
        // Equal hashes may differ in their order.
        let entries = self.0.iter().map(|(key, value)| KeyState.hash_one((shallow(key), shallow(value))));
        state.write_usize(self.0.len());
        state.write_u64(entries.fold(0, u64::wrapping_add));
    }
}

impl std::ops::Deref for HashValue {
    type Target = Hash;

    fn deref(&self) -> &Hash {
        &self.0
    }
}

/// A float, compared and hashed by its bits, except zero, which equals negative zero.
#[derive(Clone, Copy, Debug)]
pub struct Float(pub f64);

impl Float {
    fn key(self) -> u64 {
        if self.0 == 0.0 { 0 } else { self.0.to_bits() }
    }
}

impl PartialEq for Float {
    fn eq(&self, other: &Float) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Float {}

impl StdHash for Float {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key());
    }
}

/// A call that the agent makes before it applies the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Deferred {
    /// The name of the function, or of a variable with its dollar sign.
    pub name: Arc<str>,
    /// The arguments, if any are given.
    pub arguments: Option<Arc<ArrayValue>>,
}

impl Deferred {
    /// Returns the attributes that are set.
    pub(crate) fn attributes(&self) -> Hash {
        let mut attributes = Hash::default();
        attributes.insert("name".into(), Value::String(self.name.clone()));
        if let Some(arguments) = &self.arguments {
            attributes.insert("arguments".into(), Value::Array(Arc::clone(arguments)));
        }
        attributes
    }
}

/// An instance of the type `Error`: what the block of `get` receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorValue {
    /// The attribute `msg`.
    pub message: Arc<str>,
    /// The attribute `kind`.
    pub kind: Option<Arc<str>>,
    /// The attribute `issue_code`.
    pub issue_code: Option<Arc<str>>,
    /// The attribute `partial_result`.
    pub partial_result: Value,
    /// The attribute `details`.
    pub details: Option<Hash>,
}

impl ErrorValue {
    /// Returns the attributes that are set.
    pub(crate) fn attributes(&self) -> Hash {
        let mut attributes = Hash::default();
        attributes.insert("msg".into(), Value::String(self.message.clone()));
        if let Some(kind) = &self.kind {
            attributes.insert("kind".into(), Value::String(kind.clone()));
        }
        if let Some(details) = &self.details {
            attributes.insert("details".into(), Value::hash(details.clone()));
        }
        if let Some(issue_code) = &self.issue_code {
            attributes.insert("issue_code".into(), Value::String(issue_code.clone()));
        }
        attributes
    }
}

impl StdHash for ErrorValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.message.hash(state);
    }
}

/// The value of `step`, `reverse_each` and `tree_each` without a block. Equal only to itself.
///
/// `each`, `map`, `filter` and `step` take its elements one after the other, once and for all; the other functions see all
/// of them each time.
#[derive(Clone, Debug)]
pub struct IteratorValue {
    /// The type of an element.
    pub element: Type,
    elements: Arc<IteratorElements>,
}

#[derive(Debug)]
struct IteratorElements {
    all: ArrayValue,
    taken: AtomicUsize,
}

impl IteratorValue {
    /// Creates an iterator over elements.
    #[must_use]
    pub fn new(element: Type, elements: Vec<Value>) -> IteratorValue {
        let all = ArrayValue::new(elements);
        IteratorValue { element, elements: Arc::new(IteratorElements { all, taken: AtomicUsize::new(0) }) }
    }

    /// Returns all elements, those that were taken included.
    #[must_use]
    pub fn all(&self) -> &[Value] {
        &self.elements.all
    }

    /// Takes the next element; `None` if all were taken.
    #[must_use]
    pub fn take_next(&self) -> Option<Value> {
        let at = self.elements.taken.fetch_add(1, Ordering::Relaxed);
        let element = self.elements.all.get(at).cloned();
        if element.is_none() {
            self.elements.taken.store(self.elements.all.len(), Ordering::Relaxed);
        }
        element
    }
}

impl PartialEq for IteratorValue {
    fn eq(&self, other: &IteratorValue) -> bool {
        Arc::ptr_eq(&self.elements, &other.elements)
    }
}

impl Eq for IteratorValue {}

impl StdHash for IteratorValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.elements) as usize).hash(state);
    }
}

/// Returns the entry of a hash whose key is a string.
pub(crate) fn entry<'a>(entries: &'a Hash, name: &str) -> Option<&'a Value> {
    entries.get(&Value::from(name))
}

impl Value {
    /// Creates a string.
    #[must_use]
    pub fn string(text: impl Into<Arc<str>>) -> Value {
        Value::String(text.into())
    }

    /// Creates an array.
    #[must_use]
    pub fn array(values: Vec<Value>) -> Value {
        Value::Array(Arc::new(ArrayValue::new(values)))
    }

    /// Creates a hash.
    #[must_use]
    pub fn hash(entries: Hash) -> Value {
        Value::Hash(Arc::new(HashValue::new(entries)))
    }

    /// Returns how much work it is to visit all of the value: one for each value in it, as often as it is there, and more for
    /// long strings. Values share their parts, so a few lines can make an array of 10^12 elements.
    #[must_use]
    pub fn weight(&self) -> u64 {
        const BYTES: usize = 64;
        match self {
            Value::String(text) => 1 + (text.len() / BYTES) as u64,
            Value::Binary(bytes) => 1 + (bytes.len() / BYTES) as u64,
            Value::Array(elements) => elements.1.saturating_add(1),
            Value::Hash(entries) => entries.1.saturating_add(1),
            Value::Sensitive(inner) => inner.weight().saturating_add(1),
            Value::Undef
            | Value::Default
            | Value::Boolean(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Regexp(_)
            | Value::Type(_)
            | Value::Timestamp(_)
            | Value::Timespan(_)
            | Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Uri(_)
            | Value::Error(_) => 1,
            Value::Iterator(iterator) => iterator.elements.all.1.saturating_add(1),
            Value::Deferred(deferred) => deferred.arguments.as_ref().map_or(1, |given| given.1.saturating_add(1)),
            Value::Object(object) => object.values.1.saturating_add(1),
        }
    }

    /// Returns whether the value is an integer or a float.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Value::Integer(_) | Value::Float(_))
    }

    /// Returns whether other values are in this one.
    fn is_container(&self) -> bool {
        matches!(
            self,
            Value::Array(_)
                | Value::Hash(_)
                | Value::Sensitive(_)
                | Value::Iterator(_)
                | Value::Deferred(_)
                | Value::Error(_)
                | Value::Object(_)
                | Value::Type(_)
        )
    }

    /// Returns whether the value counts as true: everything but `undef` and `false` does.
    #[must_use]
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Undef | Value::Boolean(false))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(Float(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::string(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::string(value)
    }
}

impl From<Type> for Value {
    fn from(value: Type) -> Value {
        Value::Type(value)
    }
}
