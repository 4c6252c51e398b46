//! Methods of hashes that change them.

use crate::interpreter::Interpreter;
use crate::key::Key;
use crate::methods::Dispatch;
use crate::methods::args::{Args, changeable_hash, enumerator, to_hash};
use crate::methods::hash::{hash, merge_into};
use crate::methods::method::{Method, method, variadic};
use crate::stop::Eval;
use crate::value::Value;

pub(super) static HASH: &[Method] = &[
    method("[]=", 2, 2, store).constant(),
    method("clear", 0, 0, |vm, this, _| {
        drop(std::mem::take(&mut *changeable_hash(vm, this)?.entries_mut()));
        Ok(this.clone())
    })
    .constant(),
    method("compact!", 0, 0, |vm, this, args| changed_by(vm, this, "compact", args)),
    method("default=", 1, 1, |vm, this, args| {
        changeable_hash(vm, this)?.default.replace(Some(args.get(0).clone()));
        Ok(args.get(0).clone())
    })
    .constant(),
    method("delete", 1, 1, |vm, this, args| {
        let removed = changeable_hash(vm, this)?.entries_mut().shift_remove(&Key::to_find(&vm.work, args.get(0)));
        vm.step(hash(this).entries().len() / 16)?;
        match (removed, args.block) {
            (Some(value), _) => Ok(value),
            (None, Some(block)) => vm.yield_one(block, args.get(0).clone()),
            (None, None) => Ok(Value::Nil),
        }
    }),
    method("delete_if", 0, 0, |vm, this, args| replace_by(vm, this, "reject", args)),
    method("filter!", 0, 0, |vm, this, args| changed_by(vm, this, "select", args)),
    method("keep_if", 0, 0, |vm, this, args| replace_by(vm, this, "select", args)),
    variadic("merge!", 0, update),
    method("reject!", 0, 0, |vm, this, args| changed_by(vm, this, "reject", args)),
    method("replace", 1, 1, |vm, this, args| {
        let new = to_hash(args.get(0))?.entries().clone();
        *changeable_hash(vm, this)?.entries_mut() = new;
        Ok(this.clone())
    }),
    method("select!", 0, 0, |vm, this, args| changed_by(vm, this, "select", args)),
    method("shift", 0, 0, |vm, this, _| {
        let removed = changeable_hash(vm, this)?.entries_mut().shift_remove_index(0);
        match removed {
            Some((key, value)) => vm.list(vec![key.into_value(), value]),
            None => Ok(Value::Nil),
        }
    }),
    method("store", 2, 2, store).constant(),
    method("transform_keys!", 0, 1, |vm, this, args| replace_by(vm, this, "transform_keys", args)),
    method("transform_values!", 0, 0, |vm, this, args| replace_by(vm, this, "transform_values", args)),
    variadic("update", 0, update),
];

fn store(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    vm.charge(2 * size_of::<Value>())?;
    let old =
        changeable_hash(vm, this)?.entries_mut().insert(Key::new(&vm.work, args.get(0).clone()), args.get(1).clone());
    drop(old);
    Ok(args.get(1).clone())
}

fn update(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let mut merged = changeable_hash(vm, this)?.entries().clone();
    for other in args.list {
        merge_into(vm, &mut merged, &*to_hash(other)?, args.block)?;
    }
    let old = std::mem::replace(&mut *changeable_hash(vm, this)?.entries_mut(), merged);
    drop(old);
    Ok(this.clone())
}

/// Puts the entries that another method returns in the place of those of the hash.
fn replace_by(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    if args.block.is_none() && args.len() == 0 && name != "compact" {
        return enumerator(this, &format!("{name}!"), args);
    }
    changeable_hash(vm, this)?;
    let result = vm.invoke(this, &Dispatch::new(name.into()), args.list, args.block)?;
    let new = hash(&result).entries().clone();
    let old = std::mem::replace(&mut *changeable_hash(vm, this)?.entries_mut(), new);
    drop(old);
    Ok(this.clone())
}

/// The same; nil if nothing has changed.
fn changed_by(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    let before = hash(this).entries().len();
    let result = replace_by(vm, this, name, args)?;
    let is_same = matches!(result, Value::Hash(_)) && hash(this).entries().len() == before;
    Ok(if is_same { Value::Nil } else { result })
}
