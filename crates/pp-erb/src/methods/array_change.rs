//! Methods of arrays that change them.

use std::rc::Rc;

use crate::compare::equal;
use crate::interpreter::Interpreter;
use crate::methods::Dispatch;
use crate::methods::args::{Args, changeable_array, enumerator, items, range_span, span, to_ary, to_int};
use crate::methods::method::{Method, method, variadic};
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Array, Value};
use crate::work::ITEMS_PER_STEP;

/// The most elements that an assignment past the end may add.
const MAX_GAP: usize = 1 << 24;

pub(super) static ARRAY: &[Method] = &[
    method("<<", 1, 1, |vm, this, args| {
        push(vm, this, args.list)?;
        Ok(this.clone())
    })
    .constant(),
    method("[]=", 2, 3, assign),
    variadic("append", 0, |vm, this, args| {
        push(vm, this, args.list)?;
        Ok(this.clone())
    })
    .constant(),
    method("clear", 0, 0, |vm, this, _| {
        drop(std::mem::take(&mut *changeable_array(vm, this)?.items_mut()));
        Ok(this.clone())
    })
    .constant(),
    method("collect!", 0, 0, |vm, this, args| replace_by(vm, this, "collect", args)),
    method("compact!", 0, 0, |vm, this, args| changed_by(vm, this, "compact", args)),
    variadic("concat", 0, |vm, this, args| {
        for other in args.list {
            let other = to_ary(other)?.items().clone();
            push(vm, this, &other)?;
        }
        Ok(this.clone())
    })
    .constant(),
    method("delete", 1, 1, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        let old = array.items().clone();
        let found = old.iter().rfind(|item| equal(&vm.work, item, args.get(0))).cloned();
        let kept = old.into_iter().filter(|item| !equal(&vm.work, item, args.get(0))).collect();
        *array.items_mut() = kept;
        match (found, args.block) {
            (Some(found), _) => Ok(found),
            (None, Some(block)) => vm.yield_one(block, args.get(0).clone()),
            (None, None) => Ok(Value::Nil),
        }
    }),
    method("delete_at", 1, 1, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        let size = array.items().len();
        match span(args.int(0)?, 1, size).filter(|(at, _)| *at < size) {
            Some((at, _)) => Ok(array.items_mut().remove(at)),
            None => Ok(Value::Nil),
        }
    }),
    method("delete_if", 0, 0, |vm, this, args| replace_by(vm, this, "reject", args)),
    method("fill", 0, 3, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        if args.block.is_some() || args.len() != 1 {
            return Err(Stop::refused("`fill` with a range or a block"));
        }
        let size = array.items().len();
        let filled = vec![args.get(0).clone(); size];
        vm.step(size)?;
        *array.items_mut() = filled;
        Ok(this.clone())
    }),
    method("flatten!", 0, 1, |vm, this, args| changed_by(vm, this, "flatten", args)),
    variadic("insert", 1, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        let size = array.items().len() as i128;
        let index = args.int(0)?;
        let at = if index < 0 { index + size + 1 } else { index };
        if at < 0 {
            let message = format!("index {index} too small for array; minimum: -{}", size + 1);
            return Err(Raise::index(message).into());
        }
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        grow(vm, array, at)?;
        let added = args.list[1..].to_vec();
        vm.step(added.len())?;
        array.items_mut().splice(at..at, added);
        Ok(this.clone())
    }),
    method("keep_if", 0, 0, |vm, this, args| replace_by(vm, this, "select", args)),
    method("map!", 0, 0, |vm, this, args| replace_by(vm, this, "collect", args)),
    method("pop", 0, 1, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        if args.len() == 0 {
            let last = array.items_mut().pop();
            return Ok(Value::or_nil(last));
        }
        let count = args.count(0)?;
        let size = array.items().len();
        let removed = array.items_mut().split_off(size.saturating_sub(count));
        vm.list(removed)
    })
    .constant(),
    variadic("prepend", 0, unshift),
    variadic("push", 0, |vm, this, args| {
        push(vm, this, args.list)?;
        Ok(this.clone())
    })
    .constant(),
    method("reject!", 0, 0, |vm, this, args| changed_by(vm, this, "reject", args)),
    method("filter!", 0, 0, |vm, this, args| changed_by(vm, this, "select", args)),
    method("replace", 1, 1, |vm, this, args| {
        let new = to_ary(args.get(0))?.items().clone();
        vm.step(new.len())?;
        *changeable_array(vm, this)?.items_mut() = new;
        Ok(this.clone())
    }),
    method("reverse!", 0, 0, |vm, this, args| replace_by(vm, this, "reverse", args)),
    method("rotate!", 0, 1, |vm, this, args| replace_by(vm, this, "rotate", args)),
    method("select!", 0, 0, |vm, this, args| changed_by(vm, this, "select", args)),
    method("shift", 0, 1, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        let count = if args.len() == 0 { 1 } else { args.count(0)? };
        let size = array.items().len();
        let removed: Vec<Value> = array.items_mut().drain(..count.min(size)).collect();
        vm.step(size / 16)?;
        if args.len() == 0 { Ok(Value::or_nil(removed.into_iter().next())) } else { vm.list(removed) }
    }),
    method("slice!", 1, 2, |vm, this, args| {
        let array = changeable_array(vm, this)?;
        let size = array.items().len();
        let (found, is_single) = match (args.get(0), args.len()) {
            (Value::Range(range), 1) => (range_span(range, size)?, false),
            (index, 1) => (span(to_int(index)?, 1, size).filter(|(at, _)| *at < size), true),
            (index, _) => (span(to_int(index)?, args.int(1)?, size), false),
        };
        let Some((start, length)) = found else { return Ok(Value::Nil) };
        let removed: Vec<Value> = array.items_mut().drain(start..start + length).collect();
        if is_single { Ok(Value::or_nil(removed.into_iter().next())) } else { vm.list(removed) }
    }),
    method("sort!", 0, 0, |vm, this, args| replace_by(vm, this, "sort", args)),
    method("sort_by!", 0, 0, |vm, this, args| replace_by(vm, this, "sort_by", args)),
    method("uniq!", 0, 0, |vm, this, args| changed_by(vm, this, "uniq", args)),
    variadic("unshift", 0, unshift),
];

fn push(vm: &mut Interpreter<'_>, this: &Value, added: &[Value]) -> Eval<()> {
    let array = changeable_array(vm, this)?;
    vm.charge(added.len().saturating_mul(size_of::<Value>()))?;
    array.items_mut().extend_from_slice(added);
    Ok(())
}

fn unshift(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let array = changeable_array(vm, this)?;
    vm.step(args.len() + array.items().len() / 16)?;
    array.items_mut().splice(0..0, args.list.iter().cloned());
    Ok(this.clone())
}

fn grow(vm: &mut Interpreter<'_>, array: &Rc<Array>, size: usize) -> Eval<()> {
    let old = array.items().len();
    if size > old {
        if size - old > MAX_GAP {
            return Err(Raise::index(format!("index {size} too big")).into());
        }
        vm.charge((size - old) * size_of::<Value>())?;
        array.items_mut().resize(size, Value::Nil);
    }
    Ok(())
}

/// `array[…] = value`
fn assign(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let array = changeable_array(vm, this)?;
    let size = array.items().len();
    let value = args.get(args.len() - 1).clone();
    let (start, length) = match (args.get(0), args.len()) {
        (Value::Range(range), 2) => match range_span(range, size)? {
            Some(found) => found,
            None => {
                // A range past the end appends.
                let from = to_int(&range.from)?;
                let Ok(from) = usize::try_from(from) else {
                    let text = crate::show::inspect(&vm.work, args.get(0));
                    return Err(Raise::range(format!("{text} out of range")).into());
                };
                (from, 0)
            }
        },
        (index, 2) => {
            let index = to_int(index)?;
            let at = if index < 0 { index + size as i128 } else { index };
            let Ok(at) = usize::try_from(at) else {
                let message = format!("index {index} too small for array; minimum: -{size}");
                return Err(Raise::index(message).into());
            };
            grow(vm, array, at.saturating_add(1))?;
            let old = std::mem::replace(&mut array.items_mut()[at], value.clone());
            drop(old);
            return Ok(value);
        }
        (index, _) => {
            let index = to_int(index)?;
            let at = if index < 0 { index + size as i128 } else { index };
            let length = args.int(1)?;
            let (Ok(at), Ok(length)) = (usize::try_from(at), usize::try_from(length)) else {
                return Err(Raise::index(format!("index {index} too small for array; minimum: -{size}")).into());
            };
            (at, length)
        }
    };
    grow(vm, array, start)?;
    let size = array.items().len();
    let end = start.saturating_add(length).min(size);
    let new = match &value {
        Value::Array(values) => values.items().clone(),
        other => vec![other.clone()],
    };
    vm.charge(new.len() * size_of::<Value>())?;
    vm.step(size / ITEMS_PER_STEP)?;
    let removed: Vec<Value> = array.items_mut().splice(start..end, new).collect();
    drop(removed);
    Ok(value)
}

/// Puts what another method returns in the place of the elements.
fn replace_by(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    if matches!(name, "collect" | "select" | "reject" | "sort_by") && args.block.is_none() {
        return enumerator(this, &format!("{name}!"), args);
    }
    changeable_array(vm, this)?;
    let result = vm.invoke(this, &Dispatch::new(name.into()), args.list, args.block)?;
    let new = items(&result).to_vec();
    let old = std::mem::replace(&mut *changeable_array(vm, this)?.items_mut(), new);
    drop(old);
    Ok(this.clone())
}

/// The same; nil if nothing has changed.
fn changed_by(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    let before = items(this).len();
    let has_arrays = name == "flatten" && items(this).iter().any(|item| matches!(item, Value::Array(_)));
    let result = replace_by(vm, this, name, args)?;
    if matches!(result, Value::Array(_)) && items(this).len() == before && !has_arrays {
        return Ok(Value::Nil);
    }
    Ok(result)
}
