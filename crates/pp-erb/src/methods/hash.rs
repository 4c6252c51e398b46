//! Methods of hashes that leave them as they are.

use std::rc::Rc;

use crate::classes::Class;
use crate::compare::equal;
use crate::interpreter::Interpreter;
use crate::key::{Key, Keys};
use crate::methods::args::{Args, enumerator, to_hash};
use crate::methods::enumerable::Kept;
use crate::methods::method::{Method, method, variadic};
use crate::proc::Proc;
use crate::show::inspect;
use crate::stop::{Eval, Raise};
use crate::value::{Entries, Hash, Value};

pub(super) static HASH: &[Method] = &[
    method("[]", 1, 1, |vm, this, args| get(vm, this, args.get(0))).constant(),
    method("any?", 0, 1, |vm, this, args| {
        if args.len() == 0 && args.block.is_none() {
            return Ok(Value::Bool(!hash(this).entries().is_empty()));
        }
        for item in vm.elements(this)? {
            let is_found = match (args.list.first(), args.block) {
                (Some(pattern), _) => vm.case_equal(pattern, &item)?,
                (None, Some(block)) => vm.yield_one(block, item)?.is_true(),
                (None, None) => true,
            };
            if is_found {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
    method("compact", 0, 0, |_, this, _| {
        let entries =
            hash(this).entries().iter().filter(|(_, value)| !matches!(value, Value::Nil)).map(cloned).collect();
        Ok(Value::hash(entries))
    }),
    method("default", 0, 1, |_, this, _| Ok(Value::or_nil(hash(this).default.borrow().clone()))).constant(),
    variadic("dig", 1, super::array::dig).constant(),
    method("each", 0, 0, |vm, this, args| each(vm, this, args, "each")),
    method("each_key", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_key", args) };
        for (key, _) in hash(this).pairs() {
            vm.yield_one(block, key)?;
        }
        Ok(this.clone())
    }),
    method("each_pair", 0, 0, |vm, this, args| each(vm, this, args, "each_pair")),
    method("each_value", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_value", args) };
        for (_, value) in hash(this).pairs() {
            vm.yield_one(block, value)?;
        }
        Ok(this.clone())
    }),
    method("empty?", 0, 0, |_, this, _| Ok(Value::Bool(hash(this).entries().is_empty()))).constant(),
    variadic("except", 0, |vm, this, args| {
        let keys: Keys = args.list.iter().map(|key| Key::to_find(&vm.work, key)).collect();
        let entries = hash(this).entries().iter().filter(|(key, _)| !keys.contains(*key)).map(cloned).collect();
        Ok(Value::hash(entries))
    }),
    method("fetch", 1, 2, |vm, this, args| {
        let found = hash(this).entries().get(&Key::to_find(&vm.work, args.get(0))).cloned();
        match (found, args.block, args.list.get(1)) {
            (Some(found), _, _) => Ok(found),
            (None, Some(block), _) => vm.yield_one(block, args.get(0).clone()),
            (None, None, Some(default)) => Ok(default.clone()),
            (None, None, None) => Err(key_not_found(vm, args.get(0)).into()),
        }
    })
    .constant(),
    variadic("fetch_values", 0, |vm, this, args| {
        let mut values = Vec::with_capacity(args.len());
        for key in args.list {
            let found = hash(this).entries().get(&Key::to_find(&vm.work, key)).cloned();
            values.push(match (found, args.block) {
                (Some(found), _) => found,
                (None, Some(block)) => vm.yield_one(block, key.clone())?,
                (None, None) => return Err(key_not_found(vm, key).into()),
            });
        }
        vm.list(values)
    })
    .constant(),
    method("filter", 0, 0, |vm, this, args| select(vm, this, args, "filter", Kept::Passing)),
    method("has_key?", 1, 1, has_key).constant(),
    method("has_value?", 1, 1, has_value),
    method("include?", 1, 1, has_key).constant(),
    method("invert", 0, 0, |vm, this, _| {
        let pairs = hash(this).pairs();
        let inverted = pairs.into_iter().map(|(key, value)| (Key::new(&vm.work, value), key)).collect();
        Ok(Value::hash(inverted))
    }),
    method("key", 1, 1, |vm, this, args| {
        let found = hash(this)
            .entries()
            .iter()
            .find(|(_, value)| equal(&vm.work, value, args.get(0)))
            .map(|(key, _)| key.value().clone());
        Ok(Value::or_nil(found))
    }),
    method("key?", 1, 1, has_key).constant(),
    method("keys", 0, 0, |vm, this, _| {
        let keys = hash(this).entries().keys().map(|key| key.value().clone()).collect();
        vm.list(keys)
    }),
    method("length", 0, 0, |_, this, _| Ok(Value::int(hash(this).entries().len()))).constant(),
    method("member?", 1, 1, has_key).constant(),
    variadic("merge", 0, |vm, this, args| {
        let mut merged = hash(this).entries().clone();
        vm.step(merged.len())?;
        for other in args.list {
            merge_into(vm, &mut merged, &*to_hash(other)?, args.block)?;
        }
        Ok(Value::hash(merged))
    }),
    method("reject", 0, 0, |vm, this, args| select(vm, this, args, "reject", Kept::Failing)),
    method("select", 0, 0, |vm, this, args| select(vm, this, args, "select", Kept::Passing)),
    method("size", 0, 0, |_, this, _| Ok(Value::int(hash(this).entries().len()))).constant(),
    variadic("slice", 0, |vm, this, args| {
        let hash = hash(this);
        let entries = hash.entries();
        let found = args.list.iter().filter_map(|key| entries.get_key_value(&Key::to_find(&vm.work, key)).map(cloned));
        let found = found.collect();
        Ok(Value::hash(found))
    })
    .constant(),
    method("sort", 0, 0, |vm, this, args| {
        let pairs = vm.elements(this)?;
        let sorted = super::enumerable::order::sort(vm, pairs, args.block)?;
        vm.list(sorted)
    }),
    method("to_a", 0, 0, |vm, this, _| {
        let pairs = vm.elements(this)?;
        vm.list(pairs)
    }),
    method("to_hash", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("to_h", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return Ok(this.clone()) };
        let mut pairs = Vec::new();
        for (key, value) in hash(this).pairs() {
            pairs.push(vm.call_proc(block, &[key, value])?);
        }
        let pairs = vm.list(pairs)?;
        super::operator(vm, &pairs, "to_h", &[])
    }),
    method("transform_keys", 0, 1, |vm, this, args| {
        if args.block.is_none() && args.len() == 0 {
            return enumerator(this, "transform_keys", args);
        }
        let mut entries = Entries::default();
        for (key, value) in hash(this).pairs() {
            let renamed = match args.get(0) {
                Value::Hash(names) => names.entries().get(&Key::to_find(&vm.work, &key)).cloned(),
                _ => None,
            };
            let key = match (renamed, args.block) {
                (Some(renamed), _) => renamed,
                (None, Some(block)) => vm.yield_one(block, key)?,
                (None, None) => key,
            };
            entries.insert(Key::new(&vm.work, key), value);
        }
        Ok(Value::hash(entries))
    }),
    method("transform_values", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "transform_values", args) };
        let mut entries = Entries::default();
        for (key, value) in hash(this).pairs() {
            let value = vm.yield_one(block, value)?;
            entries.insert(Key::new(&vm.work, key), value);
        }
        Ok(Value::hash(entries))
    }),
    method("value?", 1, 1, has_value),
    method("values", 0, 0, |vm, this, _| {
        let values = hash(this).entries().values().cloned().collect();
        vm.list(values)
    }),
    variadic("values_at", 0, |vm, this, args| {
        let mut values = Vec::with_capacity(args.len());
        for key in args.list {
            values.push(get(vm, this, key)?);
        }
        vm.list(values)
    })
    .constant(),
];

/// Returns a receiver that is a hash.
pub(super) fn hash(value: &Value) -> Rc<Hash> {
    match value {
        Value::Hash(hash) => Rc::clone(hash),
        _ => Rc::default(),
    }
}

fn cloned((key, value): (&Key, &Value)) -> (Key, Value) {
    (key.clone(), value.clone())
}

/// `hash[key]`
fn get(vm: &mut Interpreter<'_>, this: &Value, key: &Value) -> Eval {
    let hash = hash(this);
    if let Some(found) = hash.entries().get(&Key::to_find(&vm.work, key)) {
        return Ok(found.clone());
    }
    let default_proc = hash.default_proc.borrow().clone();
    if let Some(default) = default_proc {
        return vm.call_proc(&default, &[this.clone(), key.clone()]);
    }
    Ok(Value::or_nil(hash.default.borrow().clone()))
}

fn key_not_found(vm: &Interpreter<'_>, key: &Value) -> Raise {
    Raise::new(Class::KeyError, format!("key not found: {}", inspect(&vm.work, key)))
}

fn has_key(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    Ok(Value::Bool(hash(this).entries().contains_key(&Key::to_find(&vm.work, args.get(0)))))
}

fn has_value(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    vm.step(hash(this).entries().len())?;
    Ok(Value::Bool(hash(this).entries().values().any(|value| equal(&vm.work, value, args.get(0)))))
}

fn each(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, name: &str) -> Eval {
    let Some(block) = args.block else { return enumerator(this, name, args) };
    for (key, value) in hash(this).pairs() {
        vm.step(1)?;
        let pair = vm.list(vec![key, value])?;
        vm.yield_one(block, pair)?;
    }
    Ok(this.clone())
}

fn select(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, name: &str, kept: Kept) -> Eval {
    let Some(block) = args.block else { return enumerator(this, name, args) };
    let mut entries = Entries::default();
    for (key, value) in hash(this).pairs() {
        if kept.includes(vm.call_proc(block, &[key.clone(), value.clone()])?.is_true()) {
            entries.insert(Key::new(&vm.work, key), value);
        }
    }
    Ok(Value::hash(entries))
}

/// Adds the entries of another hash; the block decides about keys that both have.
pub(super) fn merge_into(
    vm: &mut Interpreter<'_>,
    merged: &mut Entries,
    other: &Hash,
    block: Option<&Rc<Proc>>,
) -> Eval<()> {
    for (key, value) in other.pairs() {
        vm.charge(size_of::<Value>())?;
        let old = merged.get(&Key::to_find(&vm.work, &key)).cloned();
        let value = match (old, block) {
            (Some(old), Some(block)) => vm.call_proc(block, &[key.clone(), old, value])?,
            _ => value,
        };
        merged.insert(Key::new(&vm.work, key), value);
    }
    Ok(())
}
