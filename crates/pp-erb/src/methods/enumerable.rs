//! Methods of everything that has elements: arrays, hashes (pairs), ranges, enumerators. Those that order elements are in
//! `order.rs`, those that put them into groups in `groups.rs`.

pub(super) mod groups;
pub(super) mod order;

use std::rc::Rc;

use crate::compare::equal;
use crate::eval::call::END_OF_COLLECTION;
use crate::interpreter::Interpreter;
use crate::methods::Dispatch;
use crate::methods::args::{Args, enumerator, items, to_int};
use crate::methods::method::{Method, method};
use crate::proc::Proc;
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Enumerator, Value};

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
                (Some(wanted), _) => equal(&vm.work, &item, wanted),
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
    method("each_entry", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_entry", args) };
        for item in vm.elements(this)? {
            vm.yield_one(block, item)?;
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
    method("filter", 0, 0, |vm, this, args| select(vm, this, args, "filter", Kept::Passing)),
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
    method("find_all", 0, 0, |vm, this, args| select(vm, this, args, "find_all", Kept::Passing)),
    method("find_index", 0, 1, find_index),
    method("first", 0, 1, |vm, this, args| {
        if args.len() == 0 {
            return Ok(Value::or_nil(vm.first_elements(this, 1)?.into_iter().next()));
        }
        let message = match this {
            Value::Range(_) => "negative array size (or size too big)",
            _ => "attempt to take negative size",
        };
        let count = usize::try_from(args.int(0)?).map_err(|_| Raise::argument(message))?;
        let list = vm.first_elements(this, count)?;
        vm.list(list)
    }),
    method("flat_map", 0, 0, flat_map),
    method("grep", 1, 1, |vm, this, args| grep(vm, this, args, Kept::Passing)),
    method("grep_v", 1, 1, |vm, this, args| grep(vm, this, args, Kept::Failing)),
    method("include?", 1, 1, include),
    method("inject", 0, 2, inject),
    method("lazy", 0, 0, |_, _, _| Err(Stop::refused("`lazy`"))),
    method("map", 0, 0, map),
    method("member?", 1, 1, include),
    method("none?", 0, 1, |vm, this, args| Ok(Value::Bool(!any(vm, this, args)?))),
    method("one?", 0, 1, |vm, this, args| {
        let mut count = 0;
        for item in vm.elements(this)? {
            count += usize::from(passes(vm, args, item)?);
        }
        Ok(Value::Bool(count == 1))
    }),
    method("reduce", 0, 2, inject),
    method("reject", 0, 0, |vm, this, args| select(vm, this, args, "reject", Kept::Failing)),
    method("reverse_each", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "reverse_each", args) };
        for item in vm.elements(this)?.into_iter().rev() {
            vm.yield_one(block, item)?;
        }
        Ok(this.clone())
    }),
    method("select", 0, 0, |vm, this, args| select(vm, this, args, "select", Kept::Passing)),
    method("sum", 0, 1, |vm, this, args| {
        let mut sum = if args.len() > 0 { args.get(0).clone() } else { Value::Int(0) };
        let plus = Dispatch::new("+".into());
        let (mut total, mut lost) = (0.0, 0.0);
        let (mut is_float, mut is_numeric) = (false, true);
        for item in vm.elements(this)? {
            let item = match args.block {
                Some(block) => vm.yield_one(block, item)?,
                None => item,
            };
            // Floats are added with the error that was lost, as Ruby does until it meets something else.
            if !matches!(item, Value::Int(_) | Value::Float(_)) && is_numeric {
                is_numeric = false;
                if std::mem::take(&mut is_float) {
                    sum = Value::Float(total);
                }
            }
            if let (Value::Float(_), false, true, Value::Int(_) | Value::Float(_)) = (&item, is_float, is_numeric, &sum)
            {
                is_float = true;
                total = super::numeric::float(&sum)?;
            }
            if is_float {
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
    method("to_a", 0, 0, to_a),
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
                let message = format!("undefined method `each' for {}", crate::show::subject(&self.work, other));
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
            Ok(_) => {}
            Err(Stop::Break(jump)) if jump.0 == END_OF_COLLECTION => {}
            Err(other) => return Err(other),
        }
        match &*block {
            Proc::Collect { items, .. } => Ok(items.take()),
            _ => Ok(Vec::new()),
        }
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
            Value::Array(inner) => {
                vm.charge(inner.len() * size_of::<Value>())?;
                mapped.extend(inner.items().iter().cloned());
            }
            other => mapped.push(other),
        }
        vm.step(1)?;
    }
    vm.list(mapped)
}

/// Which elements a method keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// Those that pass a test.
    Passing,
    /// Those that fail it.
    Failing,
}

impl Kept {
    pub(super) fn includes(self, passes: bool) -> bool {
        passes == (self == Kept::Passing)
    }
}

fn select(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, name: &str, kept: Kept) -> Eval {
    let Some(block) = args.block else { return enumerator(this, name, args) };
    let mut selected = Vec::new();
    for item in vm.elements(this)? {
        if kept.includes(vm.yield_one(block, item.clone())?.is_true()) {
            selected.push(item);
        }
    }
    vm.list(selected)
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

pub(super) fn find_index(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    if args.len() == 0 && args.block.is_none() {
        return enumerator(this, "find_index", args);
    }
    for (index, item) in vm.elements(this)?.into_iter().enumerate() {
        let is_found = match (args.list.first(), args.block) {
            (Some(wanted), _) => equal(&vm.work, &item, wanted),
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
        return Ok(Value::Bool(items(this).iter().any(|item| equal(&vm.work, item, args.get(0)))));
    }
    let list = vm.elements(this)?;
    Ok(Value::Bool(list.iter().any(|item| equal(&vm.work, item, args.get(0)))))
}

fn grep(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, kept: Kept) -> Eval {
    let mut found = Vec::new();
    for item in vm.elements(this)? {
        if kept.includes(vm.case_equal(args.get(0), &item)?) {
            found.push(match args.block {
                Some(block) => vm.yield_one(block, item)?,
                None => item,
            });
        }
    }
    vm.list(found)
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
