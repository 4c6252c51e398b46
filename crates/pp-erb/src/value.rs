//! Values of Ruby.
//!
//! Values of Puppet become values of Ruby level by level, when they are first looked into: most of the facts of a node are
//! never seen by a template.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use pp_functions::ruby::inspect::with_stack;
use pp_types::{ArrayValue, HashValue};
use rustc_hash::FxBuildHasher;

use crate::classes::Class;
use crate::convert::from_puppet;
use crate::key::Key;
use crate::proc::Proc;

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Nil,
    Bool(bool),
    Int(i128),
    Float(f64),
    Symbol(Rc<str>),
    Str(Rc<Str>),
    Array(Rc<Array>),
    Hash(Rc<Hash>),
    Range(Rc<Range>),
    Regexp(Rc<Regexp>),
    Match(Rc<Match>),
    Proc(Rc<Proc>),
    Enumerator(Rc<Enumerator>),
    Exception(Rc<Exception>),
    Class(Class),
    /// A value that Ruby's own classes have nothing for.
    Puppet(pp_types::Value),
    /// `scope`
    Scope,
    /// `self` of the template.
    Main,
}

/// A string.
#[derive(Debug)]
pub(crate) struct Str {
    text: RefCell<Text>,
    is_frozen: Cell<bool>,
}

#[derive(Debug)]
enum Text {
    Shared(Arc<str>),
    Owned(String),
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            Text::Shared(text) => text,
            Text::Owned(text) => text,
        }
    }
}

impl Str {
    /// Creates a frozen string without copying it.
    pub fn shared(text: Arc<str>) -> Str {
        Str { text: RefCell::new(Text::Shared(text)), is_frozen: Cell::new(true) }
    }

    /// Creates a string.
    pub fn new(text: impl Into<String>) -> Str {
        Str { text: RefCell::new(Text::Owned(text.into())), is_frozen: Cell::new(false) }
    }

    /// Borrows the text. The borrow must end before anything of the template runs.
    pub fn get(&self) -> Ref<'_, str> {
        Ref::map(self.text.borrow(), Text::as_str)
    }

    /// Appends to the text.
    pub fn push(&self, added: &str) {
        let mut text = self.text.borrow_mut();
        match &mut *text {
            Text::Owned(text) => text.push_str(added),
            Text::Shared(shared) => *text = Text::Owned(format!("{shared}{added}")),
        }
    }

    /// Replaces the text.
    pub fn set(&self, text: String) {
        *self.text.borrow_mut() = Text::Owned(text);
    }

    /// Returns whether the string cannot be changed.
    pub fn is_frozen(&self) -> bool {
        self.is_frozen.get()
    }

    /// Makes the string unchangeable.
    pub fn freeze(&self) {
        self.is_frozen.set(true);
    }

    /// Returns the text for a value of Puppet.
    pub fn to_shared(&self) -> Arc<str> {
        match &*self.text.borrow() {
            Text::Shared(text) => text.clone(),
            Text::Owned(text) => text.as_str().into(),
        }
    }
}

/// An array.
#[derive(Debug, Default)]
pub(crate) struct Array {
    items: RefCell<Vec<Value>>,
    source: RefCell<Option<Arc<ArrayValue>>>,
    pub is_frozen: Cell<bool>,
}

impl Array {
    /// Creates an array.
    pub fn new(items: Vec<Value>) -> Array {
        Array { items: RefCell::new(items), source: RefCell::default(), is_frozen: Cell::default() }
    }

    /// Creates an array whose elements are made when they are needed.
    pub fn of_puppet(source: Arc<ArrayValue>) -> Array {
        Array { items: RefCell::default(), source: RefCell::new(Some(source)), is_frozen: Cell::default() }
    }

    fn load(&self) {
        if let Some(source) = self.source.take() {
            *self.items.borrow_mut() = source.iter().map(from_puppet).collect();
        }
    }

    /// The value of Puppet that nothing has looked into yet.
    pub fn source(&self) -> Option<Arc<ArrayValue>> {
        self.source.borrow().clone()
    }

    /// Borrows the elements. The borrow must end before anything of the template runs.
    pub fn items(&self) -> Ref<'_, Vec<Value>> {
        self.load();
        self.items.borrow()
    }

    /// Borrows the elements to change them. The borrow must end before anything of the template runs.
    pub fn items_mut(&self) -> RefMut<'_, Vec<Value>> {
        self.load();
        self.items.borrow_mut()
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        let items = std::mem::take(self.items.get_mut());
        if items.iter().any(Value::is_container) {
            with_stack(|| drop(items));
        }
    }
}

/// The entries of a hash, in the order of insertion.
pub(crate) type Entries = IndexMap<Key, Value, FxBuildHasher>;

/// A hash.
#[derive(Debug, Default)]
pub(crate) struct Hash {
    entries: RefCell<Entries>,
    source: RefCell<Option<Arc<HashValue>>>,
    /// The value of missing keys.
    pub default: RefCell<Option<Value>>,
    /// Makes the value of missing keys.
    pub default_proc: RefCell<Option<Rc<Proc>>>,
    pub is_frozen: Cell<bool>,
}

impl Hash {
    /// Creates a hash.
    pub fn new(entries: Entries) -> Hash {
        let hash = Hash::default();
        hash.entries.replace(entries);
        hash
    }

    /// Creates a hash whose entries are made when they are needed.
    pub fn of_puppet(source: Arc<HashValue>) -> Hash {
        let hash = Hash::default();
        hash.source.replace(Some(source));
        hash
    }

    fn load(&self) {
        if let Some(source) = self.source.take() {
            let entries = source.iter().map(|(key, value)| (Key(from_puppet(key)), from_puppet(value)));
            *self.entries.borrow_mut() = entries.collect();
        }
    }

    /// The value of Puppet that nothing has looked into yet.
    pub fn source(&self) -> Option<Arc<HashValue>> {
        self.source.borrow().clone()
    }

    /// Borrows the entries. The borrow must end before anything of the template runs.
    pub fn entries(&self) -> Ref<'_, Entries> {
        self.load();
        self.entries.borrow()
    }

    /// Borrows the entries to change them. The borrow must end before anything of the template runs.
    pub fn entries_mut(&self) -> RefMut<'_, Entries> {
        self.load();
        self.entries.borrow_mut()
    }

    /// Returns the pairs.
    pub fn pairs(&self) -> Vec<(Value, Value)> {
        self.entries().iter().map(|(key, value)| (key.0.clone(), value.clone())).collect()
    }
}

impl Drop for Hash {
    fn drop(&mut self) {
        let entries = std::mem::take(self.entries.get_mut());
        if entries.iter().any(|(key, value)| key.0.is_container() || value.is_container()) {
            with_stack(|| drop(entries));
        }
    }
}

/// A range.
#[derive(Debug)]
pub(crate) struct Range {
    pub from: Value,
    pub to: Value,
    pub is_exclusive: bool,
}

/// A regular expression.
#[derive(Debug)]
pub(crate) struct Regexp {
    /// The source, without slashes and options.
    pub source: Rc<str>,
    /// The options: `m`, `i`, `x` as they are written.
    pub options: Rc<str>,
    /// The same with its options inside.
    pub compiled: pp_types::Regexp,
}

impl Regexp {
    /// Creates a regular expression with some of the options `m`, `i`, `x`.
    pub fn new(source: Rc<str>, options: &str) -> Regexp {
        let options: String = "mix".chars().filter(|option| options.contains(*option)).collect();
        let compiled = match options.as_str() {
            "" => pp_types::Regexp::new(&*source),
            options => pp_types::Regexp::new(format!("(?{options}:{source})")),
        };
        Regexp { source, options: options.into(), compiled }
    }
}

/// What a regular expression matched.
#[derive(Debug)]
pub(crate) struct Match {
    /// The text that was searched.
    pub text: Rc<str>,
    /// Where the match and its groups are, in bytes.
    pub groups: Vec<Option<(usize, usize)>>,
    /// The names of groups.
    pub names: Vec<(Rc<str>, usize)>,
    /// The regular expression.
    pub regexp: Rc<Regexp>,
}

impl Match {
    /// Returns the text of a group.
    pub fn group(&self, index: usize) -> Option<&str> {
        let (start, end) = (*self.groups.get(index)?)?;
        self.text.get(start..end)
    }

    /// Returns the text before the match.
    pub fn before(&self) -> &str {
        self.groups.first().copied().flatten().map_or("", |(start, _)| &self.text[..start])
    }

    /// Returns the text after the match.
    pub fn after(&self) -> &str {
        self.groups.first().copied().flatten().map_or("", |(_, end)| &self.text[end..])
    }
}

/// What an iterating method without a block gives: the call, to be made with another block.
#[derive(Debug)]
pub(crate) struct Enumerator {
    pub receiver: Value,
    pub method: Rc<str>,
    pub arguments: Vec<Value>,
}

/// An exception as an object.
#[derive(Debug)]
pub(crate) struct Exception {
    pub class: Class,
    pub message: String,
}

impl Value {
    /// Creates a string that can be changed.
    pub fn str(text: impl Into<String>) -> Value {
        Value::Str(Rc::new(Str::new(text)))
    }

    /// Creates a symbol.
    pub fn symbol(text: impl Into<Rc<str>>) -> Value {
        Value::Symbol(text.into())
    }

    /// Creates an array.
    pub fn array(items: Vec<Value>) -> Value {
        Value::Array(Rc::new(Array::new(items)))
    }

    /// Creates a hash.
    pub fn hash(entries: Entries) -> Value {
        Value::Hash(Rc::new(Hash::new(entries)))
    }

    /// Creates an integer.
    pub fn int(value: usize) -> Value {
        Value::Int(value as i128)
    }

    /// Creates nil or a value.
    pub fn or_nil(value: Option<Value>) -> Value {
        value.unwrap_or(Value::Nil)
    }

    /// Returns whether the value counts as true.
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Nil | Value::Bool(false))
    }

    /// Returns whether other values are in this one.
    pub fn is_container(&self) -> bool {
        matches!(self, Value::Array(_) | Value::Hash(_) | Value::Range(_) | Value::Proc(_) | Value::Enumerator(_))
    }
}
