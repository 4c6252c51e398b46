//! Keys of hashes: equality as `eql?` has it, where `1` and `1.0` differ.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::rc::Rc;

use pp_types::with_stack;

use crate::value::Value;

/// Structures are compared down to this depth; deeper ones can only be made by a program that nests without end.
const MAX_DEPTH: u32 = 10_000;
/// Containers that one comparison looks into; more can only be made by a program that puts containers into several others.
const MAX_VISITED: u64 = 10_000_000;
/// Hashing stops earlier: equal values still have equal hashes.
const MAX_HASH_DEPTH: u32 = 8;
/// Values that are hashed of one key: arrays that hold the same arrays many times have any number of them.
const MAX_HASHED: u32 = 1_000;

/// A key.
#[derive(Clone, Debug)]
pub(crate) struct Key(pub Value);

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        eql(&self.0, &other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut left = MAX_HASHED;
        hash(&self.0, state, 0, &mut left);
    }
}

/// `left.eql?(right)`
pub(crate) fn eql(left: &Value, right: &Value) -> bool {
    Walk::default().is_same(left, right, Sameness::Eql)
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
#[derive(Debug, Default)]
pub(crate) struct Walk {
    depth: u32,
    visited: u64,
}

impl Walk {
    /// Enters a structure. False if it goes too deep, or takes too long.
    pub fn enter(&mut self) -> bool {
        self.depth += 1;
        self.visited += 1;
        self.depth <= MAX_DEPTH && self.visited <= MAX_VISITED
    }

    /// Leaves a structure.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns whether two values are the same.
    pub fn is_same(&mut self, left: &Value, right: &Value, sameness: Sameness) -> bool {
        match (left, right) {
            (Value::Nil, Value::Nil) | (Value::Scope, Value::Scope) | (Value::Main, Value::Main) => true,
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Int(left), Value::Int(right)) => left == right,
            (Value::Float(left), Value::Float(right)) => left == right,
            (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => {
                sameness == Sameness::Equal && crate::compare::compare(left, right).is_some_and(|order| order.is_eq())
            }
            (Value::Symbol(left), Value::Symbol(right)) => left == right,
            (Value::Str(left), Value::Str(right)) => Rc::ptr_eq(left, right) || *left.get() == *right.get(),
            (Value::Array(left), Value::Array(right)) => {
                Rc::ptr_eq(left, right)
                    || self.inside(|this| {
                        let (left, right) = (left.items(), right.items());
                        left.len() == right.len()
                            && left.iter().zip(right.iter()).all(|(left, right)| this.is_same(left, right, sameness))
                    })
            }
            (Value::Hash(left), Value::Hash(right)) => {
                Rc::ptr_eq(left, right)
                    || self.inside(|this| {
                        let (Some(left), Some(right)) = (left.try_entries(), right.try_entries()) else { return false };
                        left.len() == right.len()
                            && left.iter().all(|(key, left)| {
                                right.get(key).is_some_and(|right| this.is_same(left, right, sameness))
                            })
                    })
            }
            (Value::Range(left), Value::Range(right)) => {
                left.is_exclusive == right.is_exclusive
                    && self.inside(|this| {
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

    fn inside(&mut self, compare: impl FnOnce(&mut Walk) -> bool) -> bool {
        let result = self.enter() && with_stack(|| compare(self));
        self.leave();
        result
    }
}

fn hash<H: Hasher>(value: &Value, state: &mut H, depth: u32, left: &mut u32) {
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
        Value::Array(value) if depth < MAX_HASH_DEPTH => {
            for value in value.items().iter() {
                hash(value, state, depth + 1, left);
            }
        }
        Value::Hash(value) => value.try_entries().map_or(0, |entries| entries.len()).hash(state),
        Value::Regexp(value) => value.source.hash(state),
        Value::Class(value) => value.hash(state),
        Value::Puppet(value) => value.hash(state),
        Value::Exception(value) => value.message.hash(state),
        Value::Nil
        | Value::Array(_)
        | Value::Range(_)
        | Value::Match(_)
        | Value::Proc(_)
        | Value::Enumerator(_)
        | Value::Scope
        | Value::Main => {}
    }
}
