//! Methods of everything that has elements: arrays, hashes (pairs), ranges, enumerators.

use std::cmp::Ordering;
use std::rc::Rc;

use pp_functions::ruby::sort::merge_sort;

use crate::compare::{comparison_failed, equal, order};
use crate::eval::call::ENOUGH;
use crate::eval::frozen_key;
use crate::interpreter::Interpreter;
use crate::key::Key;
use crate::methods::args::{Args, enumerator, items, to_int};
use crate::methods::{Dispatch, Method, method, variadic};
use crate::proc::Proc;
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Entries, Enumerator, Value};

pub(super) static ENUMERABLE: &[Method] = &[
    method("all?", 0, 1, |vm, this, args| {
        for item in vm.elements(this)? {
            if !passes(vm, args, item)? {
                return Ok(Value::Bool(false));
            }
        }
        Ok(Value::Bool(true))
    }),
    method("any?", 0, 1, |vm, this, args| Ok(Value::Bool(any(vm, this, args)?))),
    method("chunk_while", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return Err(Raise::argument("no block given").into()) };
        let mut chunks: Vec<Vec<Value>> = Vec::new();
        for item in vm.elements(this)? {
            let joins = match chunks.last().and_then(|chunk| chunk.last().cloned()) {
                Some(last) => vm.call_proc(block, &[last, item.clone()])?.is_true(),
                None => false,
            };
            match chunks.last_mut().filter(|_| joins) {
                Some(chunk) => chunk.push(item),
                None => chunks.push(vec![item]),
            }
        }
        enumerator(
            &Value::array(chunks.into_iter().map(Value::array).collect()),
            "each",
            Args { list: &[], block: None },
        )
    }),
    method("collect", 0, 0, map),
    method("collect_concat", 0, 0, flat_map),
    method("compact", 0, 0, |vm, this, _| {
        let list = vm.elements(this)?.into_iter().filter(|item| !matches!(item, Value::Nil)).collect();
        vm.list(list)
    }),
    method("count", 0, 1, |vm, this, args| {
        let list = vm.elements(this)?;
        if args.len() == 0 && args.block.is_none() {
            return Ok(Value::int(list.len()));
        }
        let mut count = 0;
        for item in list {
            let counts = match (args.list.first(), args.block) {
                (Some(wanted), _) => equal(&item, wanted),
                (None, Some(block)) => vm.yield_one(block, item)?.is_true(),
                (None, None) => true,
            };
            count += usize::from(counts);
        }
        Ok(Value::int(count))
    }),
    method("cycle", 0, 1, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "cycle", args) };
        let list = vm.elements(this)?;
        let mut rounds = match args.get(0) {
            Value::Nil => None,
            other => Some(to_int(other)?),
        };
        while !list.is_empty() && rounds.is_none_or(|rounds| rounds > 0) {
            for item in &list {
                vm.step(1)?;
                vm.yield_one(block, item.clone())?;
            }
            rounds = rounds.map(|rounds| rounds - 1);
        }
        Ok(Value::Nil)
    }),
    method("detect", 0, 1, find),
    method("drop", 1, 1, |vm, this, args| {
        let count = usize::try_from(args.int(0)?).map_err(|_| Raise::argument("attempt to drop negative size"))?;
        let list = vm.elements(this)?.into_iter().skip(count).collect();
        vm.list(list)
    }),
    method("drop_while", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "drop_while", args) };
        let mut kept = Vec::new();
        for item in vm.elements(this)? {
            if !kept.is_empty() || !vm.yield_one(block, item.clone())?.is_true() {
                kept.push(item);
            }
        }
        vm.list(kept)
    }),
    method("each_cons", 1, 1, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_cons", args) };
        let size = positive(args.int(0)?, "invalid size")?;
        for window in vm.elements(this)?.windows(size) {
            let window = vm.list(window.to_vec())?;
            vm.yield_one(block, window)?;
        }
        Ok(this.clone())
    }),
    method("each_entry", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_entry", args) };
        for item in vm.elements(this)? {
            vm.yield_one(block, item)?;
        }
        Ok(this.clone())
    }),
    method("each_slice", 1, 1, |vm, this, args| {
        let size = positive(args.int(0)?, "invalid slice size")?;
        let Some(block) = args.block else { return enumerator(this, "each_slice", args) };
        for slice in vm.elements(this)?.chunks(size) {
            let slice = vm.list(slice.to_vec())?;
            vm.yield_one(block, slice)?;
        }
        Ok(this.clone())
    }),
    method("each_with_index", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_with_index", args) };
        for (index, item) in vm.elements(this)?.into_iter().enumerate() {
            vm.step(1)?;
            vm.call_proc(block, &[item, Value::int(index)])?;
        }
        Ok(this.clone())
    }),
    method("each_with_object", 1, 1, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_with_object", args) };
        for item in vm.elements(this)? {
            vm.call_proc(block, &[item, args.get(0).clone()])?;
        }
        Ok(args.get(0).clone())
    }),
    method("entries", 0, 0, to_a),
    method("filter", 0, 0, |vm, this, args| select(vm, this, args, "filter", true)),
    method("filter_map", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "filter_map", args) };
        let mut kept = Vec::new();
        for item in vm.elements(this)? {
            let value = vm.yield_one(block, item)?;
            if value.is_true() {
                kept.push(value);
            }
        }
        vm.list(kept)
    }),
    method("find", 0, 1, find),
    method("find_all", 0, 0, |vm, this, args| select(vm, this, args, "find_all", true)),
    method("find_index", 0, 1, find_index),
    method("index", 0, 1, find_index),
    method("first", 0, 1, |vm, this, args| {
        if args.len() == 0 {
            return Ok(Value::or_nil(vm.first_elements(this, 1)?.into_iter().next()));
        }
        let count = args.count(0)?;
        let list = vm.first_elements(this, count)?;
        vm.list(list)
    }),
    method("flat_map", 0, 0, flat_map),
    method("grep", 1, 1, |vm, this, args| grep(vm, this, args, true)),
    method("grep_v", 1, 1, |vm, this, args| grep(vm, this, args, false)),
    method("group_by", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "group_by", args) };
        let mut groups: indexmap::IndexMap<Key, Vec<Value>> = indexmap::IndexMap::default();
        for item in vm.elements(this)? {
            let key = vm.yield_one(block, item.clone())?;
            groups.entry(frozen_key(key)).or_default().push(item);
        }
        Ok(Value::hash(groups.into_iter().map(|(key, items)| (key, Value::array(items))).collect()))
    }),
    method("include?", 1, 1, include),
    method("inject", 0, 2, inject),
    method("lazy", 0, 0, |_, _, _| Err(Stop::refused("`lazy`"))),
    method("map", 0, 0, map),
    method("max", 0, 1, |vm, this, args| extreme(vm, this, args, Ordering::Greater)),
    method("max_by", 0, 1, |vm, this, args| extreme_by(vm, this, args, "max_by", Ordering::Greater)),
    method("member?", 1, 1, include),
    method("min", 0, 1, |vm, this, args| extreme(vm, this, args, Ordering::Less)),
    method("min_by", 0, 1, |vm, this, args| extreme_by(vm, this, args, "min_by", Ordering::Less)),
    method("minmax", 0, 0, |vm, this, args| {
        let min = extreme(vm, this, args, Ordering::Less)?;
        let max = extreme(vm, this, args, Ordering::Greater)?;
        vm.list(vec![min, max])
    }),
    method("none?", 0, 1, |vm, this, args| Ok(Value::Bool(!any(vm, this, args)?))),
    method("one?", 0, 1, |vm, this, args| {
        let mut count = 0;
        for item in vm.elements(this)? {
            count += usize::from(passes(vm, args, item)?);
        }
        Ok(Value::Bool(count == 1))
    }),
    method("partition", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "partition", args) };
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for item in vm.elements(this)? {
            if vm.yield_one(block, item.clone())?.is_true() { yes.push(item) } else { no.push(item) }
        }
        vm.list(vec![Value::array(yes), Value::array(no)])
    }),
    method("reduce", 0, 2, inject),
    method("reject", 0, 0, |vm, this, args| select(vm, this, args, "reject", false)),
    method("reverse_each", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "reverse_each", args) };
        for item in vm.elements(this)?.into_iter().rev() {
            vm.yield_one(block, item)?;
        }
        Ok(this.clone())
    }),
    method("select", 0, 0, |vm, this, args| select(vm, this, args, "select", true)),
    method("slice_when", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return Err(Raise::argument("no block given").into()) };
        let mut chunks: Vec<Vec<Value>> = Vec::new();
        for item in vm.elements(this)? {
            let splits = match chunks.last().and_then(|chunk| chunk.last().cloned()) {
                Some(last) => vm.call_proc(block, &[last, item.clone()])?.is_true(),
                None => true,
            };
            match chunks.last_mut().filter(|_| !splits) {
                Some(chunk) => chunk.push(item),
                None => chunks.push(vec![item]),
            }
        }
        enumerator(
            &Value::array(chunks.into_iter().map(Value::array).collect()),
            "each",
            Args { list: &[], block: None },
        )
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
            Ok::<bool, Raise>(order(&left.0, &right.0)?.is_gt())
        })?;
        vm.list(keyed.into_iter().map(|(_, item)| item).collect())
    }),
    method("sum", 0, 1, |vm, this, args| {
        let mut sum = if args.len() > 0 { args.get(0).clone() } else { Value::Int(0) };
        let plus = Dispatch::new("+".into());
        let (mut total, mut lost) = (0.0, 0.0);
        let mut is_float = false;
        for item in vm.elements(this)? {
            let item = match args.block {
                Some(block) => vm.yield_one(block, item)?,
                None => item,
            };
            // Floats are added with the error that was lost, as Ruby does.
            if let (Value::Float(_), false, Value::Int(_) | Value::Float(_)) = (&item, is_float, &sum) {
                is_float = true;
                total = super::numeric::float(&sum)?;
            }
            if is_float && matches!(item, Value::Int(_) | Value::Float(_)) {
                let value = super::numeric::float(&item)?;
                let next: f64 = total + value;
                lost += if total.abs() >= value.abs() { (total - next) + value } else { (value - next) + total };
                total = next;
                continue;
            }
            sum = vm.invoke(&sum, &plus, &[item], None)?;
        }
        Ok(if is_float { Value::Float(if lost.is_finite() { total + lost } else { total }) } else { sum })
    }),
    method("take", 1, 1, |vm, this, args| {
        let count = usize::try_from(args.int(0)?).map_err(|_| Raise::argument("attempt to take negative size"))?;
        let list = vm.first_elements(this, count)?;
        vm.list(list)
    }),
    method("take_while", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "take_while", args) };
        let mut taken = Vec::new();
        for item in vm.elements(this)? {
            if !vm.yield_one(block, item.clone())?.is_true() {
                break;
            }
            taken.push(item);
        }
        vm.list(taken)
    }),
    method("tally", 0, 0, |vm, this, _| {
        let mut counts = Entries::default();
        for item in vm.elements(this)? {
            let count = counts.entry(frozen_key(item)).or_insert(Value::Int(0));
            if let Value::Int(count) = count {
                *count += 1;
            }
        }
        Ok(Value::hash(counts))
    }),
    method("to_a", 0, 0, to_a),
    method("to_h", 0, 0, |vm, this, args| {
        let mut entries = Entries::default();
        for (at, item) in vm.elements(this)?.into_iter().enumerate() {
            let pair = match args.block {
                Some(block) => vm.yield_one(block, item)?,
                None => item,
            };
            let Value::Array(array) = &pair else {
                let class = crate::classes::class_of(&pair).name();
                let message = match args.block {
                    Some(_) => format!("wrong element type {class} (expected array)"),
                    None => format!("wrong element type {class} at {at} (expected array)"),
                };
                return Err(Raise::type_error(message).into());
            };
            let [key, value] = array.items()[..].to_vec().try_into().map_err(|list: Vec<Value>| {
                Raise::argument(format!("wrong array length at {at} (expected 2, was {})", list.len()))
            })?;
            entries.insert(frozen_key(key), value);
        }
        vm.charge(entries.len() * size_of::<Value>())?;
        Ok(Value::hash(entries))
    }),
    method("uniq", 0, 0, |vm, this, args| {
        let list = vm.elements(this)?;
        let Some(block) = args.block else { return vm.list(super::array::unique(list)) };
        let mut seen = indexmap::IndexSet::new();
        let mut kept = Vec::new();
        for item in list {
            let key = vm.yield_one(block, item.clone())?;
            if seen.insert(Key(key)) {
                kept.push(item);
            }
        }
        vm.list(kept)
    }),
    variadic("zip", 0, |vm, this, args| {
        let mut others = Vec::with_capacity(args.len());
        for other in args.list {
            others.push(vm.elements(other)?);
        }
        let mut rows = Vec::new();
        for (index, item) in vm.elements(this)?.into_iter().enumerate() {
            let mut row = vec![item];
            row.extend(others.iter().map(|other| Value::or_nil(other.get(index).cloned())));
            rows.push(vm.list(row)?);
        }
        match args.block {
            Some(block) => {
                for row in rows {
                    vm.yield_one(block, row)?;
                }
                Ok(Value::Nil)
            }
            None => vm.list(rows),
        }
    }),
];

impl Interpreter<'_> {
    /// Returns the elements of a value that has some: pairs of a hash, numbers of a range.
    pub fn elements(&mut self, value: &Value) -> Eval<Vec<Value>> {
        match value {
            Value::Array(array) => {
                let list = array.items().clone();
                self.step(list.len())?;
                Ok(list)
            }
            Value::Hash(hash) => {
                let pairs = hash.pairs();
                self.step(pairs.len())?;
                self.charge(pairs.len() * 2 * size_of::<Value>())?;
                Ok(pairs.into_iter().map(|(key, value)| Value::array(vec![key, value])).collect())
            }
            Value::Range(range) => self.range_elements(range),
            Value::Enumerator(enumerator) => self.collect(enumerator, None),
            other => {
                let message = format!("undefined method `each' for {}", crate::show::subject(other));
                Err(Raise::new(crate::classes::Class::NoMethodError, message).into())
            }
        }
    }

    /// Returns the first elements of a value.
    fn first_elements(&mut self, value: &Value, count: usize) -> Eval<Vec<Value>> {
        let mut list = match value {
            Value::Enumerator(_) if count == 0 => Vec::new(),
            Value::Enumerator(enumerator) => self.collect(enumerator, Some(count))?,
            other => self.elements(other)?,
        };
        list.truncate(count);
        Ok(list)
    }

    fn collect(&mut self, enumerator: &Enumerator, limit: Option<usize>) -> Eval<Vec<Value>> {
        let block = Rc::new(Proc::Collect { items: Default::default(), limit });
        let method = Dispatch::new(Rc::clone(&enumerator.method));
        let call = |this: &mut Self| this.invoke(&enumerator.receiver, &method, &enumerator.arguments, Some(&block));
        match self.nested(call) {
            Ok(_) | Err(Stop::Break(ENOUGH, _)) => {}
            Err(other) => return Err(other),
        }
        match &*block {
            Proc::Collect { items, .. } => Ok(items.take()),
            _ => Ok(Vec::new()),
        }
    }
}

fn positive(size: i128, message: &str) -> Eval<usize> {
    match usize::try_from(size) {
        Ok(size) if size > 0 => Ok(size),
        _ => Err(Raise::argument(message).into()),
    }
}

/// Returns whether an element passes.
fn any(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval<bool> {
    for item in vm.elements(this)? {
        if passes(vm, args, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What `all?`, `any?` and the like ask about an element.
fn passes(vm: &mut Interpreter<'_>, args: Args<'_>, item: Value) -> Eval<bool> {
    match (args.list.first(), args.block) {
        (Some(pattern), _) => vm.case_equal(pattern, &item),
        (None, Some(block)) => Ok(vm.yield_one(block, item)?.is_true()),
        (None, None) => Ok(item.is_true()),
    }
}

fn to_a(vm: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    let list = vm.elements(this)?;
    vm.list(list)
}

fn map(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let Some(block) = args.block else { return enumerator(this, "map", args) };
    let list = vm.elements(this)?;
    let mut mapped = Vec::with_capacity(list.len());
    for item in list {
        mapped.push(vm.yield_one(block, item)?);
    }
    vm.list(mapped)
}

fn flat_map(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let Some(block) = args.block else { return enumerator(this, "flat_map", args) };
    let mut mapped = Vec::new();
    for item in vm.elements(this)? {
        match vm.yield_one(block, item)? {
            Value::Array(inner) => mapped.extend(inner.items().iter().cloned()),
            other => mapped.push(other),
        }
        vm.step(1)?;
    }
    vm.list(mapped)
}

fn select(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, name: &str, keeps: bool) -> Eval {
    let Some(block) = args.block else { return enumerator(this, name, args) };
    let mut kept = Vec::new();
    for item in vm.elements(this)? {
        if vm.yield_one(block, item.clone())?.is_true() == keeps {
            kept.push(item);
        }
    }
    vm.list(kept)
}

fn find(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let Some(block) = args.block else { return enumerator(this, "find", args) };
    for item in vm.elements(this)? {
        if vm.yield_one(block, item.clone())?.is_true() {
            return Ok(item);
        }
    }
    Ok(Value::Nil)
}

fn find_index(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    if args.len() == 0 && args.block.is_none() {
        return enumerator(this, "find_index", args);
    }
    for (index, item) in vm.elements(this)?.into_iter().enumerate() {
        let is_found = match (args.list.first(), args.block) {
            (Some(wanted), _) => equal(&item, wanted),
            (None, Some(block)) => vm.yield_one(block, item)?.is_true(),
            (None, None) => false,
        };
        if is_found {
            return Ok(Value::int(index));
        }
    }
    Ok(Value::Nil)
}

fn include(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    if let Value::Array(_) = this {
        vm.step(items(this).len() / 8)?;
        return Ok(Value::Bool(items(this).iter().any(|item| equal(item, args.get(0)))));
    }
    let list = vm.elements(this)?;
    Ok(Value::Bool(list.iter().any(|item| equal(item, args.get(0)))))
}

fn grep(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, keeps: bool) -> Eval {
    let mut kept = Vec::new();
    for item in vm.elements(this)? {
        if vm.case_equal(args.get(0), &item)? == keeps {
            kept.push(match args.block {
                Some(block) => vm.yield_one(block, item)?,
                None => item,
            });
        }
    }
    vm.list(kept)
}

fn inject(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let mut list = vm.elements(this)?.into_iter();
    let (initial, operation) = match (args.list, args.block) {
        ([], Some(_)) => (None, None),
        ([initial], Some(_)) => (Some(initial.clone()), None),
        ([operation], None) => (None, Some(operation)),
        ([initial, operation, ..], _) => (Some(initial.clone()), Some(operation)),
        ([], None) => return Err(Raise::new(crate::classes::Class::LocalJumpError, "no block given").into()),
    };
    let dispatch = match operation {
        Some(Value::Symbol(name)) => Some(Dispatch::new(Rc::clone(name))),
        Some(other) => Some(Dispatch::new((*crate::methods::args::to_str(other)?).into())),
        None => None,
    };
    let Some(mut result) = initial.or_else(|| list.next()) else { return Ok(Value::Nil) };
    for item in list {
        vm.step(1)?;
        result = match (&dispatch, args.block) {
            (Some(dispatch), _) => vm.invoke(&result, dispatch, &[item], None)?,
            (None, Some(block)) => vm.call_proc(block, &[result, item])?,
            (None, None) => result,
        };
    }
    Ok(result)
}

/// The order that a block gives to two values.
fn block_order(vm: &mut Interpreter<'_>, block: &Rc<Proc>, left: &Value, right: &Value) -> Eval<Ordering> {
    match vm.call_proc(block, &[left.clone(), right.clone()])? {
        Value::Int(order) => Ok(order.cmp(&0)),
        Value::Nil => Err(comparison_failed(left, right).into()),
        other => Ok(order(&other, &Value::Int(0))?),
    }
}

/// Sorts by `<=>`, or by a block.
pub(super) fn sort(vm: &mut Interpreter<'_>, mut list: Vec<Value>, block: Option<&Rc<Proc>>) -> Eval<Vec<Value>> {
    vm.step(list.len() * 4)?;
    match block {
        Some(block) => {
            merge_sort(&mut list, &mut |left, right| Ok::<bool, Stop>(block_order(vm, block, left, right)?.is_gt()))?
        }
        None => merge_sort(&mut list, &mut |left, right| Ok::<bool, Raise>(order(left, right)?.is_gt()))?,
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
            (Some(best), None) if is_array => order(best, &item)? == wanted.reverse(),
            (Some(best), None) => order(&item, best)? == wanted,
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
            Some((best, _)) => order(&key, best)? == wanted,
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
