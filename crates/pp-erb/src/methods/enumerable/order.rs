//! Sorting, and the least and greatest elements.

use std::cmp::Ordering;
use std::rc::Rc;

use pp_functions::ruby::sort::merge_sort;

use crate::compare::{comparison_failed, order};
use crate::interpreter::Interpreter;
use crate::methods::Dispatch;
use crate::methods::args::{Args, enumerator, items};
use crate::methods::method::{Method, method};
use crate::proc::Proc;
use crate::stop::{Eval, Raise, Stop};
use crate::value::Value;

pub(in crate::methods) static ORDER: &[Method] = &[
    method("max", 0, 1, |vm, this, args| extreme(vm, this, args, Ordering::Greater)),
    method("max_by", 0, 1, |vm, this, args| extreme_by(vm, this, args, "max_by", Ordering::Greater)),
    method("min", 0, 1, |vm, this, args| extreme(vm, this, args, Ordering::Less)),
    method("min_by", 0, 1, |vm, this, args| extreme_by(vm, this, args, "min_by", Ordering::Less)),
    method("minmax", 0, 0, |vm, this, args| {
        let min = extreme(vm, this, args, Ordering::Less)?;
        let max = extreme(vm, this, args, Ordering::Greater)?;
        vm.list(vec![min, max])
    }),
    method("sort", 0, 0, |vm, this, args| {
        let list = vm.elements(this)?;
        let sorted = sort(vm, list, args.block)?;
        vm.list(sorted)
    }),
    method("sort_by", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "sort_by", args) };
        let mut keyed = Vec::new();
        for item in vm.elements(this)? {
            keyed.push((vm.yield_one(block, item.clone())?, item));
        }
        vm.step(keyed.len() * 4)?;
        merge_sort(&mut keyed, &mut |left: &(Value, Value), right| {
            Ok::<bool, Raise>(order(&vm.work, &left.0, &right.0)?.is_gt())
        })?;
        vm.list(keyed.into_iter().map(|(_, item)| item).collect())
    }),
];

/// The order that a block gives to two values.
fn block_order(vm: &mut Interpreter<'_>, block: &Rc<Proc>, left: &Value, right: &Value) -> Eval<Ordering> {
    match vm.call_proc(block, &[left.clone(), right.clone()])? {
        Value::Int(order) => Ok(order.cmp(&0)),
        Value::Nil => Err(comparison_failed(left, right).into()),
        other => Ok(order(&vm.work, &other, &Value::Int(0))?),
    }
}

/// Sorts by `<=>`, or by a block.
pub(in crate::methods) fn sort(
    vm: &mut Interpreter<'_>,
    mut list: Vec<Value>,
    block: Option<&Rc<Proc>>,
) -> Eval<Vec<Value>> {
    vm.step(list.len() * 4)?;
    match block {
        Some(block) => {
            merge_sort(&mut list, &mut |left, right| Ok::<bool, Stop>(block_order(vm, block, left, right)?.is_gt()))?
        }
        None => merge_sort(&mut list, &mut |left, right| Ok::<bool, Raise>(order(&vm.work, left, right)?.is_gt()))?,
    }
    Ok(list)
}

/// `max`, `min`
fn extreme(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, wanted: Ordering) -> Eval {
    let list = vm.elements(this)?;
    let is_array = matches!(this, Value::Array(_));
    if args.len() > 0 && !matches!(args.get(0), Value::Nil) {
        let count = args.count(0)?;
        let mut sorted = sort(vm, list, args.block)?;
        if wanted == Ordering::Greater {
            sorted.reverse();
        }
        sorted.truncate(count);
        return vm.list(sorted);
    }
    let mut best: Option<Value> = None;
    for item in list {
        let is_better = match (&best, args.block) {
            (None, _) => true,
            (Some(best), Some(block)) => block_order(vm, block, &item, best)? == wanted,
            // Only messages tell the order of the operands.
            (Some(best), None) if is_array => order(&vm.work, best, &item)? == wanted.reverse(),
            (Some(best), None) => order(&vm.work, &item, best)? == wanted,
        };
        if is_better {
            best = Some(item);
        }
    }
    Ok(Value::or_nil(best))
}

/// `max_by`, `min_by`
fn extreme_by(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, name: &str, wanted: Ordering) -> Eval {
    let Some(block) = args.block else { return enumerator(this, name, args) };
    let list = vm.elements(this)?;
    if args.len() > 0 {
        let count = args.count(0)?;
        let mut sorted = sorted_by(vm, list, block)?;
        if wanted == Ordering::Greater {
            sorted.reverse();
        }
        sorted.truncate(count);
        return vm.list(sorted);
    }
    let mut best: Option<(Value, Value)> = None;
    for item in list {
        let key = vm.yield_one(block, item.clone())?;
        let is_better = match &best {
            None => true,
            Some((best, _)) => order(&vm.work, &key, best)? == wanted,
        };
        if is_better {
            best = Some((key, item));
        }
    }
    Ok(Value::or_nil(best.map(|(_, item)| item)))
}

fn sorted_by(vm: &mut Interpreter<'_>, list: Vec<Value>, block: &Rc<Proc>) -> Eval<Vec<Value>> {
    let list = vm.list(list)?;
    let sorted = vm.invoke(&list, &Dispatch::new("sort_by".into()), &[], Some(block))?;
    let sorted = items(&sorted).to_vec();
    Ok(sorted)
}
