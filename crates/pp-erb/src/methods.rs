//! The methods of Ruby's classes, in tables: one for each class or module.

pub(crate) mod args;
mod array;
mod array_change;
pub(crate) mod constants;
mod enumerable;
mod enumerator;
mod hash;
mod hash_change;
mod kernel;
pub(crate) mod method;
pub(crate) mod names;
mod numeric;
mod object;
mod puppet;
pub(crate) mod range;
mod regexp;
pub(crate) mod scope;
mod singleton;
mod string;
mod string_change;
mod string_search;
mod symbol;

use std::rc::Rc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::interpreter::Interpreter;
use crate::methods::enumerable::{groups, order};
use crate::methods::method::Method;
use crate::stop::Eval;
use crate::value::Value;

/// The classes that have methods of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nil,
    Bool,
    Int,
    Float,
    Symbol,
    Str,
    Array,
    Hash,
    Range,
    Regexp,
    Match,
    Proc,
    Enumerator,
    Exception,
    Class,
    Puppet,
    Scope,
    Main,
}

const KINDS: usize = Kind::Main as usize + 1;

/// The tables of a kind, the most specific first.
fn tables(kind: usize) -> &'static [&'static [Method]] {
    const TABLES: [&[&[Method]]; KINDS] = [
        &[object::NIL, object::OBJECT],
        &[object::BOOL, object::OBJECT],
        &[numeric::INTEGER, numeric::NUMERIC, object::COMPARABLE, object::OBJECT],
        &[numeric::FLOAT, numeric::NUMERIC, object::COMPARABLE, object::OBJECT],
        &[symbol::SYMBOL, object::COMPARABLE, object::OBJECT],
        &[string::STRING, string_change::STRING, string_search::STRING, object::COMPARABLE, object::OBJECT],
        &[array::ARRAY, array_change::ARRAY, enumerable::ENUMERABLE, order::ORDER, groups::GROUPS, object::OBJECT],
        &[hash::HASH, hash_change::HASH, enumerable::ENUMERABLE, order::ORDER, groups::GROUPS, object::OBJECT],
        &[range::RANGE, enumerable::ENUMERABLE, order::ORDER, groups::GROUPS, object::OBJECT],
        &[regexp::REGEXP, object::OBJECT],
        &[regexp::MATCH, object::OBJECT],
        &[enumerator::PROC, object::OBJECT],
        &[enumerator::ENUMERATOR, enumerable::ENUMERABLE, order::ORDER, groups::GROUPS, object::OBJECT],
        &[object::EXCEPTION, object::OBJECT],
        &[singleton::CLASS, object::OBJECT],
        &[puppet::PUPPET, object::OBJECT],
        &[scope::SCOPE, object::OBJECT],
        &[kernel::KERNEL, object::OBJECT],
    ];
    TABLES.get(kind).copied().unwrap_or_default()
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Nil => Kind::Nil,
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) => Kind::Int,
        Value::Float(_) => Kind::Float,
        Value::Symbol(_) => Kind::Symbol,
        Value::Str(_) => Kind::Str,
        Value::Array(_) => Kind::Array,
        Value::Hash(_) => Kind::Hash,
        Value::Range(_) => Kind::Range,
        Value::Regexp(_) => Kind::Regexp,
        Value::Match(_) => Kind::Match,
        Value::Proc(_) => Kind::Proc,
        Value::Enumerator(_) => Kind::Enumerator,
        Value::Exception(_) => Kind::Exception,
        Value::Class(_) => Kind::Class,
        Value::Puppet(_) => Kind::Puppet,
        Value::Scope => Kind::Scope,
        Value::Main => Kind::Main,
    }
}

/// What a name means for each kind.
type Row = [Option<&'static Method>; KINDS];

/// All methods by name, computed once.
fn registry() -> &'static FxHashMap<&'static str, Row> {
    static REGISTRY: OnceLock<FxHashMap<&'static str, Row>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut registry: FxHashMap<&'static str, Row> = FxHashMap::default();
        for kind in 0..KINDS {
            for method in tables(kind).iter().copied().flatten() {
                let row = registry.entry(method.name).or_insert([None; KINDS]);
                // The most specific table comes first.
                row[kind] = row[kind].or(Some(method));
            }
        }
        registry
    })
}

/// A name of a method, and what it means for each kind.
#[derive(Debug)]
pub(crate) struct Dispatch {
    /// The name.
    pub name: Rc<str>,
    row: Option<&'static Row>,
}

impl Dispatch {
    /// Looks a name up.
    pub fn new(name: Rc<str>) -> Dispatch {
        let row = registry().get(&*name);
        Dispatch { name, row }
    }

    /// Returns the method of a value.
    pub fn of(&self, value: &Value) -> Option<&'static Method> {
        self.row?[kind(value) as usize]
    }
}

/// Returns whether a value has a method.
pub(crate) fn responds_to(value: &Value, name: &str) -> bool {
    registry().get(name).is_some_and(|row| row[kind(value) as usize].is_some())
}

/// Returns all methods of a value.
#[cfg(test)]
pub(crate) fn all_methods(value: &Value) -> Vec<&'static Method> {
    let mut methods: Vec<_> = registry().values().filter_map(|row| row[kind(value) as usize]).collect();
    methods.sort_by_key(|method| method.name);
    methods
}

/// Returns a method of a value with a similar name, as help.
pub(crate) fn similar_method(value: &Value, name: &str) -> Option<String> {
    if matches!(value, Value::Nil) {
        return Some("the value is nil, which is also what an undefined variable gives".to_owned());
    }
    let known = tables(kind(value) as usize).iter().copied().flatten().map(|method| method.name);
    let close =
        known.filter(|known| known.starts_with(name) || name.starts_with(known)).filter(|known| known.len() > 2);
    close
        .min_by_key(|known| known.len().abs_diff(name.len()))
        .map(|close| format!("did you mean the method `{close}`?"))
}

/// Calls an operator of Ruby itself.
pub(crate) fn operator(vm: &mut Interpreter<'_>, receiver: &Value, name: &str, arguments: &[Value]) -> Eval {
    vm.invoke(receiver, &Dispatch::new(name.into()), arguments, None)
}
