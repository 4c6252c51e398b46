//! Methods of ranges.

use std::rc::Rc;

use pp_functions::ruby::successor::successor;

use crate::compare::{compare, equal, order};
use crate::interpreter::Interpreter;
use crate::methods::args::{Args, enumerator, float_to_int, text, to_int, too_large};
use crate::methods::method::{Method, method};
use crate::stop::{Eval, Raise};
use crate::value::{Range, Value};
use crate::work::Work;

pub(super) static RANGE: &[Method] = &[
    method("%", 1, 1, step),
    method("===", 1, 1, |vm, this, args| Ok(Value::Bool(covers(&vm.work, this, args.get(0))))),
    method("begin", 0, 0, |_, this, _| Ok(range(this)?.from.clone())),
    method("cover?", 1, 1, |vm, this, args| Ok(Value::Bool(covers(&vm.work, this, args.get(0))))),
    method("each", 0, 0, |vm, this, args| {
        let Some(block) = args.block else { return enumerator(this, "each", args) };
        let range = range(this)?;
        if let (Value::Int(from), true) =
            (&range.from, matches!(range.to, Value::Nil | Value::Int(_) | Value::Float(_)))
        {
            let mut current = *from;
            while is_before_end(&range, current) {
                vm.step(1)?;
                vm.yield_one(block, Value::Int(current))?;
                current = current.checked_add(1).ok_or_else(too_large)?;
            }
            return Ok(this.clone());
        }
        for value in vm.elements(this)? {
            vm.yield_one(block, value)?;
        }
        Ok(this.clone())
    }),
    method("end", 0, 0, |_, this, _| Ok(range(this)?.to.clone())),
    method("exclude_end?", 0, 0, |_, this, _| Ok(Value::Bool(range(this)?.is_exclusive))),
    method("first", 0, 1, |vm, this, args| {
        let range = range(this)?;
        if matches!(range.from, Value::Nil) {
            return Err(Raise::range("cannot get the first element of beginless range").into());
        }
        if args.len() == 0 {
            return Ok(range.from.clone());
        }
        let negative = |_| Raise::argument("negative array size (or size too big)");
        let count = usize::try_from(args.int(0)?).map_err(negative)?;
        let elements = match (&range.from, &range.to) {
            (Value::Int(from), Value::Nil) => {
                vm.step(count)?;
                let end = from.checked_add(count as i128).ok_or_else(too_large)?;
                (*from..end).map(Value::Int).collect()
            }
            _ => vm.elements(this)?,
        };
        vm.list(elements.into_iter().take(count).collect())
    }),
    method("include?", 1, 1, |vm, this, args| Ok(Value::Bool(covers(&vm.work, this, args.get(0))))),
    method("last", 0, 1, |vm, this, args| {
        if args.len() == 0 {
            return Ok(range(this)?.to.clone());
        }
        let count = args.count(0)?;
        let elements = vm.elements(this)?;
        let start = elements.len().saturating_sub(count);
        vm.list(elements[start..].to_vec())
    }),
    method("member?", 1, 1, |vm, this, args| Ok(Value::Bool(covers(&vm.work, this, args.get(0))))),
    method("size", 0, 0, |_, this, _| {
        let range = range(this)?;
        match (&range.from, &range.to) {
            (Value::Int(from), Value::Int(to)) if from > to => Ok(Value::Int(0)),
            (Value::Int(from), Value::Int(to)) => {
                let size = to.checked_sub(*from).and_then(|size| size.checked_add(i128::from(!range.is_exclusive)));
                size.map(Value::Int).ok_or_else(too_large)
            }
            (Value::Int(_), Value::Nil) => Ok(Value::Float(f64::INFINITY)),
            _ => Ok(Value::Nil),
        }
    }),
    method("step", 1, 1, step),
];

fn range(value: &Value) -> Eval<Rc<Range>> {
    match value {
        Value::Range(range) => Ok(Rc::clone(range)),
        other => Err(crate::methods::args::no_conversion(other, "Range").into()),
    }
}

/// Creates a range.
///
/// # Errors
/// Ends without an order.
pub(crate) fn new_range(work: &Work, from: Value, to: Value, is_exclusive: bool) -> Eval {
    let is_open = matches!(from, Value::Nil) || matches!(to, Value::Nil);
    if !is_open && compare(work, &from, &to).is_none() {
        return Err(Raise::argument("bad value for range").into());
    }
    Ok(crate::eval::range_of(from, to, is_exclusive))
}

fn covers(work: &Work, this: &Value, value: &Value) -> bool {
    let Value::Range(range) = this else { return false };
    let is_after = match &range.from {
        Value::Nil => true,
        from => compare(work, from, value).is_some_and(|order| order.is_le()),
    };
    let is_before = match &range.to {
        Value::Nil => true,
        to => {
            compare(work, value, to).is_some_and(|order| if range.is_exclusive { order.is_lt() } else { order.is_le() })
        }
    };
    is_after && is_before
}

fn is_before_end(range: &Range, current: i128) -> bool {
    match &range.to {
        Value::Int(end) => current < *end || current == *end && !range.is_exclusive,
        Value::Float(end) => (current as f64) < *end || current as f64 == *end && !range.is_exclusive,
        _ => true,
    }
}

fn step(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let Some(block) = args.block else { return enumerator(this, "step", args) };
    let range = range(this)?;
    let by = args.get(0);
    if equal(&vm.work, by, &Value::Int(0)) {
        return Err(Raise::argument("step can't be 0").into());
    }
    if order(&vm.work, by, &Value::Int(0))?.is_lt() {
        return Err(Raise::argument("step can't be negative").into());
    }
    if matches!(range.from, Value::Str(_)) {
        let by = to_int(by)?;
        for (at, value) in vm.elements(this)?.into_iter().enumerate() {
            if at as i128 % by == 0 {
                vm.yield_one(block, value)?;
            }
        }
        return Ok(this.clone());
    }
    let mut index = 0;
    loop {
        vm.step(1)?;
        let offset = super::numeric::arithmetic(by, '*', &Value::Int(index))?;
        let current = super::numeric::arithmetic(&range.from, '+', &offset)?;
        if !covers(&vm.work, this, &current) {
            return Ok(this.clone());
        }
        vm.yield_one(block, current)?;
        index += 1;
    }
}

impl Interpreter<'_> {
    /// Returns the elements of a range.
    pub fn range_elements(&mut self, range: &Range) -> Eval<Vec<Value>> {
        match (&range.from, &range.to) {
            (Value::Int(from), Value::Int(_) | Value::Float(_)) => {
                let last = match &range.to {
                    Value::Float(end) => float_to_int(end.floor())?,
                    other => to_int(other)?,
                };
                let is_exclusive = range.is_exclusive && equal(&self.work, &Value::Int(last), &range.to);
                let end = if is_exclusive { last } else { last.saturating_add(1) };
                let count = usize::try_from(end.saturating_sub(*from).max(0)).unwrap_or(usize::MAX);
                self.step(count)?;
                self.charge(count.saturating_mul(size_of::<Value>()))?;
                Ok((*from..end).map(Value::Int).collect())
            }
            (Value::Int(_), Value::Nil) => Err(Raise::range("cannot convert endless range to an array").into()),
            (Value::Str(from), Value::Str(to)) => {
                let (from, to) = (from.get().to_owned(), to.get().to_owned());
                self.string_range(&from, &to, range.is_exclusive)
            }
            (from, _) => {
                let class = crate::classes::class_of(from).name();
                Err(Raise::type_error(format!("can't iterate from {class}")).into())
            }
        }
    }

    /// The strings from one to another, as `succ` goes.
    pub fn string_range(&mut self, from: &str, to: &str, is_exclusive: bool) -> Eval<Vec<Value>> {
        let mut elements = Vec::new();
        let is_number =
            |text: &str| !text.is_empty() && text.len() < 30 && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number(from) && is_number(to) {
            let width = from.len();
            let (from, to): (i128, i128) = (from.parse().unwrap_or(0), to.parse().unwrap_or(0));
            for number in from..if is_exclusive { to } else { to + 1 } {
                self.step(1)?;
                self.charge(width)?;
                elements.push(Value::str(format!("{number:0width$}")));
            }
            return Ok(elements);
        }
        if from > to {
            return Ok(elements);
        }
        let mut current = from.to_owned();
        let limit = to.chars().count();
        loop {
            self.step(1)?;
            let is_last = current == to;
            let is_too_long = current.chars().count() > limit && !elements.is_empty();
            if is_last && is_exclusive || is_too_long {
                break;
            }
            self.charge(current.len())?;
            elements.push(Value::str(current.clone()));
            if is_last {
                break;
            }
            current = successor(&text(&Value::str(current)));
        }
        Ok(elements)
    }
}
