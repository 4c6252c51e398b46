//! Keys of hashes: equality as `eql?` has it, where `1` and `1.0` differ.

use std::hash::{BuildHasher, Hash, Hasher};
use std::mem::discriminant;
use std::rc::Rc;

use indexmap::IndexSet;
use pp_types::{KeyState, with_stack};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::value::{Frozen, Str, Value};
use crate::work::{ITEMS_PER_STEP, Work};

/// The greatest depth of structures that are compared.
const MAX_DEPTH: u32 = 10_000;
/// From this depth on, a comparison looks whether it is inside of itself.
const MIN_TRACKED_DEPTH: u32 = 64;
/// The weight of a key: how many values hashing and comparing it visits. Nothing can be paid while a table of keys does that.
const MAX_WEIGHT: usize = 100_000;
/// How many containers around a part of a key are compared with it one by one; the others are in a table.
const MAX_LISTED: usize = 16;

/// A key. Its weight was paid, and is limited.
#[derive(Clone, Debug)]
pub(crate) struct Key(Value);

impl Key {
    /// Makes a key. Strings are copied, so that a later change does not reach them.
    pub fn new(work: &Work, value: Value) -> Key {
        match value {
            Value::Str(text) if text.frozen.get() != Frozen::Yes => {
                work.charge(text.get().len());
                Key(Value::Str(Rc::new(Str::frozen(&*text.get()))))
            }
            value => Key::to_find(work, &value),
        }
    }

    /// Makes a key that is only looked for.
    pub fn to_find(work: &Work, value: &Value) -> Key {
        let is_payable = match value {
            Value::Str(text) => work.read(&text.get()),
            Value::Symbol(name) => work.read(name),
            value if value.is_container() => weigh(work, value),
            _ => true,
        };
        // Without payment any key does.
        Key(if is_payable { value.clone() } else { Value::Nil })
    }

    /// Makes a key of a value that needs no payment: a name, or a key that Puppet has hashed before.
    pub fn known(value: Value) -> Key {
        Key(value)
    }

    /// Returns the value.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// Returns the value.
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// A set of keys.
pub(crate) type Keys = IndexSet<Key, KeyState>;

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        Walk { work: None, depth: 0, visited: 0, open: FxHashSet::default() }.is_same(&self.0, &other.0, Sameness::Eql)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut left = MAX_WEIGHT;
        hash(&self.0, state, &mut left);
    }
}

/// `left.eql?(right)`
pub(crate) fn eql(work: &Work, left: &Value, right: &Value) -> bool {
    Walk::new(work).is_same(left, right, Sameness::Eql)
}

/// Pays for hashing and comparing a value. Returns false if that is not possible.
fn weigh(work: &Work, value: &Value) -> bool {
    let mut scales = Scales { work, weight: 0, open: Vec::new(), deep: FxHashMap::default(), contains_itself: false };
    let mut is_payable = scales.add(value, 1);
    if scales.contains_itself {
        // Walks go round until they have visited as many values as the heaviest key has.
        is_payable = is_payable && work.step(MAX_WEIGHT / ITEMS_PER_STEP);
    }
    is_payable
}

/// The weighing of a key.
struct Scales<'w> {
    work: &'w Work,
    weight: usize,
    /// The outermost containers around the value, and in which level of keys each is.
    open: Vec<(*const (), usize)>,
    /// The other ones.
    deep: FxHashMap<*const (), usize>,
    contains_itself: bool,
}

impl Scales<'_> {
    /// Adds a value. `level` is the number of hashes of which it is part of a key, and one: to compare two hashes, each key of
    /// the one is looked up in the other, so that keys of keys are visited again for each level.
    fn add(&mut self, value: &Value, level: usize) -> bool {
        self.weight = self.weight.saturating_add(level);
        if self.weight > MAX_WEIGHT {
            return self.refuse();
        }
        if !self.work.step(1) {
            return false;
        }
        let at: *const () = match value {
            Value::Str(text) => return self.work.read(&text.get()),
            Value::Symbol(name) => return self.work.read(name),
            Value::Array(array) => Rc::as_ptr(array).cast(),
            Value::Hash(hash) => Rc::as_ptr(hash).cast(),
            Value::Range(range) => Rc::as_ptr(range).cast(),
            _ => return true,
        };
        let listed = self.open.iter().find(|(open, _)| *open == at).map(|(_, outer)| *outer);
        if let Some(outer) = listed.or_else(|| self.deep.get(&at).copied()) {
            self.contains_itself = true;
            return outer == level || self.refuse();
        }
        let is_deep = self.open.len() == MAX_LISTED;
        if is_deep {
            self.deep.insert(at, level);
        } else {
            self.open.push((at, level));
        }
        let is_payable = with_stack(|| match value {
            Value::Array(array) => array.items().iter().all(|item| self.add(item, level)),
            Value::Hash(hash) => hash.try_entries().is_none_or(|entries| {
                entries.iter().all(|(key, value)| self.add(&key.0, level + 1) && self.add(value, level))
            }),
            Value::Range(range) => self.add(&range.from, level) && self.add(&range.to, level),
            _ => true,
        });
        if is_deep {
            self.deep.remove(&at);
        } else {
            self.open.pop();
        }
        is_payable
    }

    fn refuse(&self) -> bool {
        self.work.refuse("a key of a hash has more than 100000 values in it, or is a key of itself");
        false
    }
}

/// What counts as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// `eql?`
    Eql,
    /// `==`: numbers across classes.
    Equal,
}

/// The work of comparing two structures, which may share their parts or contain themselves.
#[derive(Debug)]
pub(crate) struct Walk<'w> {
    /// Who pays; nobody if the weight of both was paid before.
    work: Option<&'w Work>,
    depth: u32,
    visited: usize,
    /// The deep pairs that are being compared.
    open: FxHashSet<Pair>,
}

/// The addresses of two structures.
pub(crate) type Pair = (*const (), *const ());

impl<'w> Walk<'w> {
    /// Creates a walk that pays for itself.
    pub fn new(work: &'w Work) -> Walk<'w> {
        Walk { work: Some(work), depth: 0, visited: 0, open: FxHashSet::default() }
    }

    /// Enters a structure of a size. False if it goes too deep, or takes too long.
    pub fn enter(&mut self, size: usize) -> bool {
        self.depth += 1;
        self.visited += 1;
        let Some(work) = self.work else { return self.visited <= MAX_WEIGHT };
        if self.depth > MAX_DEPTH {
            work.refuse("arrays and hashes that are nested more than 10000 deep are compared or given to Puppet");
        }
        work.step(1 + size / ITEMS_PER_STEP)
    }

    /// Leaves a structure.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns whether two values are the same.
    pub fn is_same(&mut self, left: &Value, right: &Value, sameness: Sameness) -> bool {
        let work = self.work;
        let is_payable = |text: &str| work.is_none_or(|work| work.read(text));
        match (left, right) {
            (Value::Nil, Value::Nil) | (Value::Scope, Value::Scope) | (Value::Main, Value::Main) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::Float(left), Value::Float(right)) => left == right,
            (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => {
                sameness == Sameness::Equal
                    && crate::compare::compare_numbers(left, right).is_some_and(|order| order.is_eq())
            }
            (Value::Symbol(left), Value::Symbol(right)) => {
                Rc::ptr_eq(left, right) || left.len() == right.len() && is_payable(left) && left == right
            }
            (Value::Str(left), Value::Str(right)) => {
                Rc::ptr_eq(left, right)
                    || left.get().len() == right.get().len() && is_payable(&left.get()) && *left.get() == *right.get()
            }
            (Value::Array(left), Value::Array(right)) => {
                if Rc::ptr_eq(left, right) {
                    return true;
                }
                let pair = (Rc::as_ptr(left).cast(), Rc::as_ptr(right).cast());
                let (left, right) = (left.items(), right.items());
                left.len() == right.len()
                    && self.within(pair, left.len(), true, |this| {
                        left.iter().zip(right.iter()).all(|(left, right)| this.is_same(left, right, sameness))
                    })
            }
            (Value::Hash(left), Value::Hash(right)) => {
                if Rc::ptr_eq(left, right) {
                    return true;
                }
                let pair = (Rc::as_ptr(left).cast(), Rc::as_ptr(right).cast());
                let (Some(left), Some(right)) = (left.try_entries(), right.try_entries()) else { return false };
                left.len() == right.len()
                    && self.within(pair, left.len(), true, |this| {
                        left.iter().all(|(key, left)| {
                            this.pays_for(&key.0)
                                && right.get(key).is_some_and(|right| this.is_same(left, right, sameness))
                        })
                    })
            }
            (Value::Range(left), Value::Range(right)) => {
                let pair = (Rc::as_ptr(left).cast(), Rc::as_ptr(right).cast());
                left.is_exclusive == right.is_exclusive
                    && self.within(pair, 0, true, |this| {
                        this.is_same(&left.from, &right.from, sameness) && this.is_same(&left.to, &right.to, sameness)
                    })
            }
            (Value::Regexp(left), Value::Regexp(right)) => left.source == right.source && left.options == right.options,
            (Value::Match(left), Value::Match(right)) => Rc::ptr_eq(left, right),
            (Value::Proc(left), Value::Proc(right)) => Rc::ptr_eq(left, right),
            (Value::Enumerator(left), Value::Enumerator(right)) => Rc::ptr_eq(left, right),
            (Value::Exception(left), Value::Exception(right)) => {
                left.class == right.class && left.message == right.message
            }
            (Value::Class(left), Value::Class(right)) => left == right,
            (Value::Puppet(left), Value::Puppet(right)) => left == right,
            _ => false,
        }
    }

    /// Pays for looking a key up.
    fn pays_for(&self, key: &Value) -> bool {
        match (self.work, key) {
            (Some(work), Value::Str(text)) => work.read(&text.get()),
            (Some(work), key) if key.is_container() => weigh(work, key),
            _ => true,
        }
    }

    /// Compares the parts of two structures of a size. Where that is being done already, because both contain themselves, the
    /// result is `same`, as in Ruby: a difference is found elsewhere.
    pub fn within<T>(&mut self, pair: Pair, size: usize, same: T, compare: impl FnOnce(&mut Walk<'w>) -> T) -> T {
        let is_tracked = self.depth >= MIN_TRACKED_DEPTH;
        if is_tracked && !self.open.insert(pair) {
            return same;
        }
        let result = if self.enter(size) { with_stack(|| compare(self)) } else { same };
        self.leave();
        if is_tracked {
            self.open.remove(&pair);
        }
        result
    }
}

fn hash<H: Hasher>(value: &Value, state: &mut H, left: &mut usize) {
    let Some(less) = left.checked_sub(1) else { return };
    *left = less;
    discriminant(value).hash(state);
    match value {
        Value::Bool(value) => value.hash(state),
        Value::Int(value) => value.hash(state),
        // Zero and negative zero are equal.
        Value::Float(value) => (if *value == 0.0 { 0 } else { value.to_bits() }).hash(state),
        Value::Symbol(value) => value.hash(state),
        Value::Str(value) => value.get().hash(state),
        Value::Array(value) => with_stack(|| {
            let items = value.items();
            items.len().hash(state);
            for item in items.iter() {
                hash(item, state, left);
            }
        }),
        Value::Hash(value) => {
            let Some(entries) = value.try_entries() else { return };
            // Equal hashes may have their entries in another order.
            let mut sum = entries.len() as u64;
            with_stack(|| {
                for (key, value) in entries.iter() {
                    let mut entry = KeyState.build_hasher();
                    hash(&key.0, &mut entry, left);
                    hash(value, &mut entry, left);
                    sum = sum.wrapping_add(entry.finish());
                }
            });
            sum.hash(state);
        }
        Value::Range(value) => with_stack(|| {
            hash(&value.from, state, left);
            hash(&value.to, state, left);
        }),
        Value::Regexp(value) => value.source.hash(state),
        Value::Class(value) => value.hash(state),
        Value::Puppet(value) => value.hash(state),
        Value::Exception(value) => value.message.hash(state),
        Value::Nil | Value::Match(_) | Value::Proc(_) | Value::Enumerator(_) | Value::Scope | Value::Main => {}
    }
}
