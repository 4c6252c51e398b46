//! Values of Ruby.
//!
//! Values of Puppet become values of Ruby level by level, when they are first looked into: most of the facts of a node are
//! never seen by a template.

mod containers;
mod text;

use std::rc::Rc;

use crate::classes::Class;
use crate::proc::Proc;
pub(crate) use crate::value::containers::{Array, Entries, Hash};
pub(crate) use crate::value::text::{Frozen, Str};

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
