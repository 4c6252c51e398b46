//! Methods of arrays that leave them as they are.

use std::rc::Rc;

use crate::classes::Class;
use crate::compare::equal;
use crate::interpreter::Interpreter;
use crate::key::{Key, Keys};
use crate::methods::args::{Args, enumerator, items, no_conversion, range_span, span, to_ary, to_int, to_str};
use crate::methods::method::{Method, method, variadic};
use crate::methods::operator;
use crate::show::push_to_s;
use crate::stop::{Eval, Raise};
use crate::value::{Array, Value};
use crate::work::{ITEMS_PER_STEP, Work};

/// How deep `flatten` and `join` look before they take an array for one that contains itself.
const MAX_DEPTH: usize = 10_000;

pub(super) static ARRAY: &[Method] = &[
    method("&", 1, 1, |vm, this, args| {
        let other = to_ary(args.get(0))?;
        let keys = keys(&vm.work, &other.items());
        let common: Vec<Value> =
            items(this).iter().filter(|item| keys.contains(&Key::to_find(&vm.work, item))).cloned().collect();
        let common = unique(&vm.work, &common);
        vm.list(common)
    }),
    method("*", 1, 1, |vm, this, args| match args.get(0) {
        Value::Str(separator) => {
            let separator = separator.get().to_owned();
            let text = join(vm, this, &separator)?;
            vm.string(text)
        }
        other => {
            let count =
                usize::try_from(to_int(other)?).map_err(|_| Raise::argument("argument must be non-negative"))?;
            let list = items(this).to_vec();
            vm.charge(list.len().saturating_mul(count).saturating_mul(size_of::<Value>()))?;
            Ok(Value::array(list.iter().cycle().take(list.len() * count).cloned().collect()))
        }
    }),
    method("+", 1, 1, |vm, this, args| {
        let mut list = items(this).to_vec();
        list.extend(to_ary(args.get(0))?.items().iter().cloned());
        vm.list(list)
    }),
    method("-", 1, 1, |vm, this, args| {
        let list = without(vm, this, &[args.get(0).clone()])?;
        vm.list(list)
    }),
    method("[]", 1, 2, slice).constant(),
    method("assoc", 1, 1, |vm, this, args| {
        let found = items(this)
            .iter()
            .find(|item| items(item).first().is_some_and(|key| equal(&vm.work, key, args.get(0))))
            .cloned();
        Ok(Value::or_nil(found))
    }),
    variadic("at", 1, slice).constant(),
    method("combination", 1, 1, |vm, this, args| {
        let list = items(this).to_vec();
        let size = args.count(0)?;
        let mut found = Vec::new();
        combine(vm, &list, size, 0, &mut Vec::new(), &mut found)?;
        over(vm, this, args, found)
    }),
    method("compact", 0, 0, |vm, this, _| {
        let list = items(this).iter().filter(|item| !matches!(item, Value::Nil)).cloned().collect();
        vm.list(list)
    }),
    variadic("difference", 0, |vm, this, args| {
        let list = without(vm, this, args.list)?;
        vm.list(list)
    }),
    variadic("dig", 1, dig).constant(),
    method("drop", 1, 1, |vm, this, args| {
        let count = usize::try_from(args.int(0)?).map_err(|_| Raise::argument("attempt to drop negative size"))?;
        let list = items(this).iter().skip(count).cloned().collect();
        vm.list(list)
    }),
    method("each", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each", args) };
        let mut index = 0;
        loop {
            let item = items(this).get(index).cloned();
            let Some(item) = item else { return Ok(this.clone()) };
            vm.step(1)?;
            vm.yield_one(block, item)?;
            index += 1;
        }
    })
    .constant(),
    method("each_index", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each_index", args) };
        for index in 0..items(this).len() {
            vm.step(1)?;
            vm.yield_one(block, Value::int(index))?;
        }
        Ok(this.clone())
    }),
    method("empty?", 0, 0, |_, this, _| Ok(Value::Bool(items(this).is_empty()))).constant(),
    method("fetch", 1, 2, |vm, this, args| {
        let index = args.int(0)?;
        let size = items(this).len();
        if let Some((at, _)) = span(index, 1, size).filter(|(at, _)| *at < size) {
            return Ok(Value::or_nil(items(this).get(at).cloned()));
        }
        match (args.block, args.list.get(1)) {
            (Some(block), _) => vm.yield_one(block, Value::Int(index)),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => {
                let message = format!("index {index} outside of array bounds: {}...{size}", -(size as i128));
                Err(Raise::index(message).into())
            }
        }
    })
    .constant(),
    method("first", 0, 1, |vm, this, args| match args.len() {
        0 => Ok(Value::or_nil(items(this).first().cloned())),
        _ => {
            let count = args.count(0)?;
            let list = items(this).iter().take(count).cloned().collect();
            vm.list(list)
        }
    })
    .constant(),
    method("flatten", 0, 1, |vm, this, args| {
        let depth = args.int_or(0, -1)?;
        let list = flatten(vm, this, usize::try_from(depth).ok())?;
        vm.list(list)
    }),
    method("index", 0, 1, super::enumerable::find_index),
    variadic("intersection", 0, |vm, this, args| {
        let mut result = vm.list(unique(&vm.work, &items(this)))?;
        for other in args.list {
            result = operator(vm, &result, "&", std::slice::from_ref(other))?;
        }
        Ok(result)
    }),
    method("intersect?", 1, 1, |vm, this, args| {
        let common = operator(vm, this, "&", args.list)?;
        Ok(Value::Bool(!items(&common).is_empty()))
    }),
    method("join", 0, 1, |vm, this, args| {
        let separator = match args.get(0) {
            Value::Nil => String::new(),
            // Without elements the separator does not matter.
            _ if items(this).is_empty() => String::new(),
            other => to_str(other)?.to_owned(),
        };
        let text = join(vm, this, &separator)?;
        vm.string(text)
    }),
    method("last", 0, 1, |vm, this, args| match args.len() {
        0 => Ok(Value::or_nil(items(this).last().cloned())),
        _ => {
            let count = args.count(0)?;
            let size = items(this).len();
            let list = items(this)[size.saturating_sub(count)..].to_vec();
            vm.list(list)
        }
    })
    .constant(),
    method("length", 0, 0, |_, this, _| Ok(Value::int(items(this).len()))).constant(),
    method("pack", 1, 2, |_, _, _| Err(crate::stop::Stop::refused("`pack`"))),
    method("permutation", 0, 1, |vm, this, args| {
        let list = items(this).to_vec();
        let size = if args.len() == 0 { list.len() } else { args.count(0)? };
        let mut found = Vec::new();
        permute(vm, &list, size, &mut Vec::new(), &mut found)?;
        over(vm, this, args, found)
    }),
    variadic("product", 0, |vm, this, args| {
        let mut rows: Vec<Vec<Value>> = items(this).iter().map(|item| vec![item.clone()]).collect();
        for other in args.list {
            let other = to_ary(other)?.items().clone();
            let width = (rows.first().map_or(0, Vec::len) + 2) * size_of::<Value>();
            vm.charge(rows.len().saturating_mul(other.len()).saturating_mul(width))?;
            let longer = rows.iter().flat_map(|row| {
                other.iter().map(move |item| row.iter().chain([item]).cloned().collect::<Vec<Value>>())
            });
            rows = longer.collect();
        }
        let rows = rows.into_iter().map(Value::array).collect();
        vm.list(rows)
    }),
    method("rassoc", 1, 1, |vm, this, args| {
        let found = items(this)
            .iter()
            .find(|item| items(item).get(1).is_some_and(|key| equal(&vm.work, key, args.get(0))))
            .cloned();
        Ok(Value::or_nil(found))
    }),
    method("reverse", 0, 0, |vm, this, _| {
        let list = items(this).iter().rev().cloned().collect();
        vm.list(list)
    }),
    method("rindex", 0, 1, |vm, this, args| {
        let list = items(this).to_vec();
        for (at, item) in list.iter().enumerate().rev() {
            let is_found = match args.block {
                Some(block) => vm.yield_one(block, item.clone())?.is_true(),
                None => equal(&vm.work, item, args.get(0)),
            };
            if is_found {
                return Ok(Value::int(at));
            }
        }
        Ok(Value::Nil)
    }),
    method("rotate", 0, 1, |vm, this, args| {
        let mut list = items(this).to_vec();
        if !list.is_empty() {
            let by = args.int_or(0, 1)?.rem_euclid(list.len() as i128);
            list.rotate_left(by as usize);
        }
        vm.list(list)
    }),
    method("sample", 0, 2, |_, _, _| Err(crate::stop::Stop::refused("random numbers (`sample`)"))),
    method("shuffle", 0, 1, |_, _, _| Err(crate::stop::Stop::refused("random numbers (`shuffle`)"))),
    method("size", 0, 0, |_, this, _| Ok(Value::int(items(this).len()))).constant(),
    method("slice", 1, 2, slice).constant(),
    method("take", 1, 1, |vm, this, args| {
        let count = usize::try_from(args.int(0)?).map_err(|_| Raise::argument("attempt to take negative size"))?;
        let list = items(this).iter().take(count).cloned().collect();
        vm.list(list)
    })
    .constant(),
    method("to_a", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("to_ary", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("transpose", 0, 0, transpose),
    variadic("union", 0, |vm, this, args| {
        let mut list = items(this).to_vec();
        for other in args.list {
            list.extend(to_ary(other)?.items().iter().cloned());
        }
        let list = unique(&vm.work, &list);
        vm.list(list)
    }),
    variadic("values_at", 0, |vm, this, args| {
        let mut values = Vec::with_capacity(args.len());
        for index in args.list {
            match index {
                Value::Range(range) => {
                    let list = items(this);
                    if let Some((start, length)) = range_span(range, list.len())? {
                        vm.charge(length * size_of::<Value>())?;
                        values.extend_from_slice(&list[start..start + length]);
                    }
                }
                index => values.push(at(this, to_int(index)?)),
            }
        }
        vm.list(values)
    })
    .constant(),
    method("|", 1, 1, |vm, this, args| {
        let mut list = items(this).to_vec();
        list.extend(to_ary(args.get(0))?.items().iter().cloned());
        let list = unique(&vm.work, &list);
        vm.list(list)
    }),
];

/// Returns the element at an index.
pub(super) fn at(this: &Value, index: i128) -> Value {
    let list = items(this);
    let index = if index < 0 { index + list.len() as i128 } else { index };
    Value::or_nil(usize::try_from(index).ok().and_then(|index| list.get(index).cloned()))
}

fn slice(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let size = items(this).len();
    let found = match (args.get(0), args.len()) {
        (Value::Int(index), 1) => return Ok(at(this, *index)),
        (Value::Range(range), 1) => range_span(range, size)?,
        (index, 1) => return Ok(at(this, to_int(index)?)),
        (index, _) => span(to_int(index)?, args.int(1)?, size),
    };
    match found {
        Some((start, length)) => {
            let list = items(this)[start..start + length].to_vec();
            vm.list(list)
        }
        None => Ok(Value::Nil),
    }
}

/// `value.dig(a, b)`, for everything that has it.
pub(super) fn dig(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let mut value = this.clone();
    for key in args.list {
        value = match &value {
            Value::Nil => return Ok(Value::Nil),
            Value::Array(_) | Value::Hash(_) => operator(vm, &value, "[]", std::slice::from_ref(key))?,
            other => {
                let class = match other {
                    Value::Class(class) => format!("#<Class:{}>", class.name()),
                    other => crate::classes::class_of(other).name().to_owned(),
                };
                return Err(Raise::type_error(format!("{class} does not have #dig method")).into());
            }
        };
    }
    Ok(value)
}

/// Removes repeated elements.
pub(super) fn unique(work: &Work, list: &[Value]) -> Vec<Value> {
    keys(work, list).into_iter().map(Key::into_value).collect()
}

fn keys(work: &Work, list: &[Value]) -> Keys {
    list.iter().map(|item| Key::to_find(work, item)).collect()
}

fn without(vm: &Interpreter<'_>, this: &Value, others: &[Value]) -> Eval<Vec<Value>> {
    let mut removed = Keys::default();
    for other in others {
        removed.extend(keys(&vm.work, &to_ary(other)?.items()));
    }
    Ok(items(this).iter().filter(|item| !removed.contains(&Key::to_find(&vm.work, item))).cloned().collect())
}

/// Goes on with the elements of an array inside of those that are visited; it must not be one of them.
fn open_inner(open: &mut Vec<(Rc<Array>, usize)>, inner: Rc<Array>, recursive: &'static str) -> Eval<()> {
    // Deeper arrays are found by the limit.
    let contains_itself = open.len() < 64 && open.iter().any(|(outer, _)| Rc::ptr_eq(outer, &inner));
    if contains_itself || open.len() > MAX_DEPTH {
        return Err(Raise::argument(recursive).into());
    }
    open.push((inner, 0));
    Ok(())
}

/// Puts the elements of inner arrays in their place.
pub(super) fn flatten(vm: &mut Interpreter<'_>, this: &Value, depth: Option<usize>) -> Eval<Vec<Value>> {
    let mut flat = Vec::new();
    let mut open: Vec<(Rc<Array>, usize)> = Vec::new();
    if let Value::Array(array) = this {
        open.push((Rc::clone(array), 0));
    }
    while let Some((array, index)) = open.last_mut() {
        let item = array.items().get(*index).cloned();
        *index += 1;
        vm.step(1)?;
        match item {
            None => {
                open.pop();
            }
            Some(Value::Array(inner)) if depth.is_none_or(|depth| open.len() <= depth) => {
                open_inner(&mut open, inner, "tried to flatten recursive array")?;
            }
            Some(other) => {
                vm.charge(size_of::<Value>())?;
                flat.push(other);
            }
        }
    }
    Ok(flat)
}

/// Joins the texts of the elements, those of inner arrays too.
pub(super) fn join(vm: &mut Interpreter<'_>, this: &Value, separator: &str) -> Eval<String> {
    let mut out = String::new();
    let mut is_first = true;
    let mut open: Vec<(Rc<Array>, usize)> = Vec::new();
    if let Value::Array(array) = this {
        open.push((Rc::clone(array), 0));
    }
    while let Some((array, index)) = open.last_mut() {
        let item = array.items().get(*index).cloned();
        *index += 1;
        vm.step(1)?;
        match item {
            None => {
                open.pop();
            }
            Some(Value::Array(inner)) => {
                // An empty array is an element, too: its text is empty.
                if inner.items().is_empty() {
                    if !std::mem::take(&mut is_first) {
                        out.push_str(separator);
                    }
                    continue;
                }
                open_inner(&mut open, inner, "recursive array join")?;
            }
            Some(other) => {
                if !std::mem::take(&mut is_first) {
                    out.push_str(separator);
                }
                push_to_s(&vm.work, &mut out, &other);
                if out.len() > crate::stop::MAX_TEXT {
                    return Err(crate::stop::Stop::limit("a string is too long"));
                }
            }
        }
    }
    Ok(out)
}

fn transpose(vm: &mut Interpreter<'_>, this: &Value, _: Args<'_>) -> Eval {
    let mut rows = Vec::new();
    for row in items(this).iter() {
        match row {
            Value::Array(row) => {
                // Twice: in rows, and in columns.
                vm.charge(2 * row.len() * size_of::<Value>())?;
                rows.push(row.items().clone());
            }
            other => return Err(no_conversion(other, "Array").into()),
        }
    }
    let width = rows.first().map_or(0, Vec::len);
    if let Some(other) = rows.iter().find(|row| row.len() != width) {
        let message = format!("element size differs ({} should be {width})", other.len());
        return Err(Raise::new(Class::IndexError, message).into());
    }
    let columns = (0..width).map(|column| Value::array(rows.iter().map(|row| row[column].clone()).collect())).collect();
    vm.list(columns)
}

fn combine(
    vm: &mut Interpreter<'_>,
    list: &[Value],
    size: usize,
    from: usize,
    chosen: &mut Vec<Value>,
    found: &mut Vec<Value>,
) -> Eval<()> {
    if size > list.len() {
        return Ok(());
    }
    if chosen.len() == size {
        vm.charge(size_of::<Value>() * (size + 1))?;
        found.push(Value::array(chosen.clone()));
        return Ok(());
    }
    for at in from..list.len() {
        vm.step(1)?;
        chosen.push(list[at].clone());
        vm.nested(|vm| combine(vm, list, size, at + 1, chosen, found))?;
        chosen.pop();
    }
    Ok(())
}

fn permute(
    vm: &mut Interpreter<'_>,
    list: &[Value],
    size: usize,
    chosen: &mut Vec<usize>,
    found: &mut Vec<Value>,
) -> Eval<()> {
    if chosen.len() == size {
        vm.charge(size_of::<Value>() * (size + 1))?;
        found.push(Value::array(chosen.iter().map(|at| list[*at].clone()).collect()));
        return Ok(());
    }
    for at in 0..list.len() {
        vm.step(1 + chosen.len() / ITEMS_PER_STEP)?;
        if !chosen.contains(&at) {
            chosen.push(at);
            vm.nested(|vm| permute(vm, list, size, chosen, found))?;
            chosen.pop();
        }
    }
    Ok(())
}

/// Passes results to the block, or returns an enumerator of them.
fn over(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, found: Vec<Value>) -> Eval {
    match args.block {
        Some(block) => {
            for item in found {
                vm.yield_one(block, item)?;
            }
            Ok(this.clone())
        }
        None => enumerator(&Value::array(found), "each", Args { list: &[], block: None }),
    }
}
