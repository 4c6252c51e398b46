//! Methods of every object, of nil, true and false, of what can be compared, and of exceptions.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::classes::{Class, class_of};
use crate::compare::{compare, compare_numbers, equal, order};
use crate::interpreter::Interpreter;
use crate::key::eql;
use crate::methods::args::{Args, is_frozen, to_str};
use crate::methods::method::{Method, method, variadic};
use crate::methods::{Dispatch, responds_to};
use crate::show::{inspect, to_s};
use crate::stop::{Eval, Raise, Stop};
use crate::value::{Array, Frozen, Hash, Str, Value};
use crate::work::Work;

pub(super) static OBJECT: &[Method] = &[
    method("!", 0, 0, |_, this, _| Ok(Value::Bool(!this.is_true()))).constant(),
    method("!=", 1, 1, |vm, this, args| Ok(Value::Bool(!equal(&vm.work, this, args.get(0))))).constant(),
    method("!~", 1, 1, |vm, this, args| Ok(Value::Bool(!super::operator(vm, this, "=~", args.list)?.is_true()))),
    method("<=>", 1, 1, |vm, this, args| {
        Ok(compare(&vm.work, this, args.get(0)).map_or(Value::Nil, |order| Value::Int(order as i128)))
    })
    .constant(),
    method("=~", 1, 1, |_, _, _| Ok(Value::Nil)),
    method("==", 1, 1, |vm, this, args| Ok(Value::Bool(equal(&vm.work, this, args.get(0))))).constant(),
    method("===", 1, 1, |vm, this, args| Ok(Value::Bool(equal(&vm.work, this, args.get(0))))).constant(),
    method("class", 0, 0, |_, this, _| Ok(Value::Class(class_of(this)))).constant(),
    method("clone", 0, 1, |vm, this, _| {
        let frozen = if is_frozen(vm, this) { Frozen::Yes } else { Frozen::No };
        Ok(duplicate(this, frozen))
    }),
    method("display", 0, 0, |_, _, _| Err(Stop::refused("`display`"))),
    method("dup", 0, 0, |_, this, _| Ok(duplicate(this, Frozen::No))),
    method("eql?", 1, 1, |vm, this, args| Ok(Value::Bool(eql(&vm.work, this, args.get(0))))).constant(),
    method("equal?", 1, 1, |vm, this, args| Ok(Value::Bool(is_same(&vm.work, this, args.get(0))))).constant(),
    method("freeze", 0, 0, |_, this, _| {
        match this {
            Value::Str(text) => text.frozen.set(Frozen::Yes),
            Value::Array(array) => array.frozen.set(Frozen::Yes),
            Value::Hash(hash) => hash.frozen.set(Frozen::Yes),
            _ => {}
        }
        Ok(this.clone())
    })
    .constant(),
    method("frozen?", 0, 0, |vm, this, _| Ok(Value::Bool(is_frozen(vm, this)))).constant(),
    method("inspect", 0, 0, |vm, this, _| {
        let text = match this {
            Value::Scope => format!("Scope({})", vm.scope.resource()),
            // The same strings as those of `to_s`.
            Value::Bool(_) => return Ok(Value::Str(Rc::new(Str::frozen(inspect(&vm.work, this))))),
            other => inspect(&vm.work, other),
        };
        vm.string(text)
    })
    .constant(),
    method("instance_of?", 1, 1, |_, this, args| match args.get(0) {
        Value::Class(class) => Ok(Value::Bool(class_of(this) == *class)),
        _ => Err(Raise::type_error("class or module required").into()),
    })
    .constant(),
    method("instance_variable_get", 1, 1, |vm, this, args| {
        let name = to_s(&vm.work, args.get(0));
        match (this, name.strip_prefix('@')) {
            (Value::Main, Some(name)) => Ok(vm.instance_variable(&name.into())),
            (_, Some(_)) => Ok(Value::Nil),
            (_, None) => {
                let message = format!("'{name}' is not allowed as an instance variable name");
                Err(Raise::new(Class::NameError, message).into())
            }
        }
    }),
    method("instance_variable_defined?", 1, 1, |vm, this, args| {
        let name = to_s(&vm.work, args.get(0));
        let name = name.trim_start_matches('@');
        let is_set = vm.has_instance_variable(name);
        Ok(Value::Bool(matches!(this, Value::Main) && is_set))
    }),
    method("is_a?", 1, 1, is_a).constant(),
    method("itself", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    method("kind_of?", 1, 1, is_a).constant(),
    method("nil?", 0, 0, |_, this, _| Ok(Value::Bool(matches!(this, Value::Nil)))).constant(),
    variadic("public_send", 1, send).constant(),
    method("respond_to?", 1, 2, |vm, this, args| Ok(Value::Bool(responds_to(this, &to_s(&vm.work, args.get(0))))))
        .constant(),
    variadic("send", 1, send).constant(),
    method("tap", 0, 0, |vm, this, args| {
        let Some(block) = args.block else {
            return Err(Raise::new(Class::LocalJumpError, "no block given (yield)").into());
        };
        vm.yield_one(block, this.clone())?;
        Ok(this.clone())
    })
    .constant(),
    method("then", 0, 0, |vm, this, args| match args.block {
        Some(block) => vm.yield_one(block, this.clone()),
        None => super::args::enumerator(this, "then", args),
    })
    .constant(),
    method("to_json", 0, 1, |vm, this, _| convert_with(vm, "to_json", this)).constant(),
    method("to_s", 0, 0, |vm, this, _| {
        let text = match this {
            Value::Scope => format!("Scope({})", vm.scope.resource()),
            // These three are the same string each time, which must not be changed.
            Value::Nil | Value::Bool(_) => {
                return Ok(Value::Str(Rc::new(Str::frozen(to_s(&vm.work, this)))));
            }
            other => to_s(&vm.work, other),
        };
        vm.string(text)
    })
    .constant(),
    method("to_yaml", 0, 1, |vm, this, _| convert_with(vm, "to_yaml", this)).constant(),
    method("yield_self", 0, 0, |vm, this, args| match args.block {
        Some(block) => vm.yield_one(block, this.clone()),
        None => super::args::enumerator(this, "yield_self", args),
    })
    .constant(),
];

/// Calls a function of Puppet that does what the method does.
pub(super) fn convert_with(vm: &mut Interpreter<'_>, function: &str, value: &Value) -> Eval {
    let value = crate::convert::to_puppet(&vm.work, value)?;
    super::scope::convert(vm, function, &value)
}

fn is_a(_: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    match args.get(0) {
        Value::Class(class) => Ok(Value::Bool(class_of(this).is_a(*class))),
        _ => Err(Raise::type_error("class or module required").into()),
    }
}

/// `value.send(:name, …)`, for the methods that templates may call.
fn send(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    let name = match args.get(0) {
        Value::Symbol(name) => Rc::clone(name),
        other => (*to_str(other)?).into(),
    };
    if matches!(this, Value::Main)
        && let Some(definition) = vm.methods.get(&name).cloned()
    {
        return vm.call_definition(&definition, &args.list[1..], args.block);
    }
    vm.invoke(this, &Dispatch::new(name), &args.list[1..], args.block)
}

fn is_same(work: &Work, left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Str(left), Value::Str(right)) => Rc::ptr_eq(left, right),
        (Value::Array(left), Value::Array(right)) => Rc::ptr_eq(left, right),
        (Value::Hash(left), Value::Hash(right)) => Rc::ptr_eq(left, right),
        (Value::Range(left), Value::Range(right)) => Rc::ptr_eq(left, right),
        (left, right) => eql(work, left, right),
    }
}

/// Copies a value; the copy of `clone` is frozen if the value is.
fn duplicate(value: &Value, frozen: Frozen) -> Value {
    match value {
        Value::Str(text) => {
            let copy = Str::new(text.get().to_owned());
            copy.frozen.set(frozen);
            Value::Str(Rc::new(copy))
        }
        Value::Array(array) => {
            let copy = Array::new(array.items().clone());
            copy.frozen.set(frozen);
            Value::Array(Rc::new(copy))
        }
        Value::Hash(hash) => {
            let copy = Hash::new(hash.entries().clone());
            copy.default.replace(hash.default.borrow().clone());
            copy.default_proc.replace(hash.default_proc.borrow().clone());
            copy.frozen.set(frozen);
            Value::Hash(Rc::new(copy))
        }
        other => other.clone(),
    }
}

pub(super) static NIL: &[Method] = &[
    method("&", 1, 1, |_, _, _| Ok(Value::Bool(false))),
    method("to_a", 0, 0, |_, _, _| Ok(Value::array(Vec::new()))),
    method("to_f", 0, 0, |_, _, _| Ok(Value::Float(0.0))),
    method("to_h", 0, 0, |_, _, _| Ok(Value::hash(Default::default()))),
    method("to_i", 0, 0, |_, _, _| Ok(Value::Int(0))),
    method("|", 1, 1, |_, _, args| Ok(Value::Bool(args.get(0).is_true()))),
];

pub(super) static BOOL: &[Method] = &[
    method("&", 1, 1, |_, this, args| Ok(Value::Bool(this.is_true() && args.get(0).is_true()))),
    method("^", 1, 1, |_, this, args| Ok(Value::Bool(this.is_true() != args.get(0).is_true()))),
    method("|", 1, 1, |_, this, args| Ok(Value::Bool(this.is_true() || args.get(0).is_true()))),
];

pub(super) static COMPARABLE: &[Method] = &[
    method("<", 1, 1, |vm, this, args| is_ordered(vm, this, args, Ordering::is_lt)).constant(),
    method("<=", 1, 1, |vm, this, args| is_ordered(vm, this, args, Ordering::is_le)).constant(),
    method(">", 1, 1, |vm, this, args| is_ordered(vm, this, args, Ordering::is_gt)).constant(),
    method(">=", 1, 1, |vm, this, args| is_ordered(vm, this, args, Ordering::is_ge)).constant(),
    method("between?", 2, 2, |vm, this, args| {
        Ok(Value::Bool(order(&vm.work, this, args.get(0))?.is_ge() && order(&vm.work, this, args.get(1))?.is_le()))
    })
    .constant(),
    method("clamp", 1, 2, |vm, this, args| {
        let (min, max) = match (args.get(0), args.len()) {
            (Value::Range(range), 1) => (range.from.clone(), range.to.clone()),
            (_, 1) => {
                let class = class_of(args.get(0)).name();
                return Err(Raise::type_error(format!("wrong argument type {class} (expected Range)")).into());
            }
            _ => (args.get(0).clone(), args.get(1).clone()),
        };
        let has = |value: &Value| !matches!(value, Value::Nil);
        if has(&min) && has(&max) && order(&vm.work, &min, &max)?.is_gt() {
            return Err(Raise::argument("min argument must be less than or equal to max argument").into());
        }
        if has(&min) && order(&vm.work, this, &min)?.is_lt() {
            return Ok(min);
        }
        if has(&max) && order(&vm.work, this, &max)?.is_gt() {
            return Ok(max);
        }
        Ok(this.clone())
    })
    .constant(),
];

/// `left < right` and the like. Numbers are never in an order with what is not a number.
fn is_ordered(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, is_so: fn(Ordering) -> bool) -> Eval {
    let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
    let right = args.get(0);
    if is_number(this) && is_number(right) {
        return Ok(Value::Bool(compare_numbers(this, right).is_some_and(is_so)));
    }
    Ok(Value::Bool(is_so(order(&vm.work, this, right)?)))
}

pub(super) static EXCEPTION: &[Method] = &[
    method("backtrace", 0, 0, |_, _, _| Ok(Value::Nil)),
    method("full_message", 0, 1, |vm, this, _| vm.string(to_s(&vm.work, this))),
    method("message", 0, 0, |vm, this, _| vm.string(to_s(&vm.work, this))),
];
