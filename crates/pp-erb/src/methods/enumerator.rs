//! Methods of enumerators, procs and lambdas.

use std::cell::Cell;
use std::rc::Rc;

use crate::interpreter::Interpreter;
use crate::methods::Dispatch;
use crate::methods::args::{Args, enumerator as make};
use crate::methods::method::{Method, method, variadic};
use crate::proc::Proc;
use crate::stop::Eval;
use crate::value::{Enumerator, Value};

pub(super) static ENUMERATOR: &[Method] = &[
    method("each", 0, 0, |vm, this, args| match args.block {
        Some(block) => run(vm, this, Rc::clone(block)),
        None => Ok(this.clone()),
    }),
    method("each_with_index", 0, 0, |vm, this, args| with_index(vm, this, args, 0)),
    method("rewind", 0, 0, |_, this, _| Ok(this.clone())),
    method("size", 0, 0, |vm, this, _| Ok(Value::int(vm.elements(this)?.len()))),
    method("with_index", 0, 1, |vm, this, args| {
        let offset = match args.get(0) {
            Value::Nil => 0,
            other => crate::methods::args::to_int(other)?,
        };
        with_index(vm, this, args, offset)
    }),
    method("with_object", 1, 1, |vm, this, args| {
        let Some(block) = args.block else { return make(this, "with_object", args) };
        run(vm, this, Rc::new(Proc::With { inner: Rc::clone(block), object: args.get(0).clone() }))?;
        Ok(args.get(0).clone())
    }),
];

fn with_index(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>, offset: i128) -> Eval {
    let Some(block) = args.block else { return make(this, "with_index", args) };
    run(vm, this, Rc::new(Proc::Indexed { inner: Rc::clone(block), next: Cell::new(offset) }))
}

/// Makes the call of the enumerator with a block.
fn run(vm: &mut Interpreter<'_>, this: &Value, block: Rc<Proc>) -> Eval {
    let Value::Enumerator(enumerator) = this else { return Ok(Value::Nil) };
    let Enumerator { receiver, method, arguments } = &**enumerator;
    vm.invoke(receiver, &Dispatch::new(Rc::clone(method)), arguments, Some(&block))
}

pub(super) static PROC: &[Method] = &[
    variadic("()", 0, call).constant(),
    variadic("===", 0, call).constant(),
    variadic("[]", 0, call).constant(),
    method("arity", 0, 0, |_, this, _| {
        let Value::Proc(proc) = this else { return Ok(Value::Nil) };
        Ok(Value::Int(match &**proc {
            Proc::Code { block, .. } => {
                let parameters = &block.parameters;
                let required = (parameters.required.len() + parameters.after.len()) as i128;
                let is_open = parameters.rest.is_some() || proc.is_lambda() && !parameters.optional.is_empty();
                if is_open { -required - 1 } else { required }
            }
            _ => -2,
        }))
    })
    .constant(),
    variadic("call", 0, call).constant(),
    method("curry", 0, 1, |_, _, _| Err(crate::stop::Stop::refused("`curry`"))),
    method("lambda?", 0, 0, |_, this, _| {
        let Value::Proc(proc) = this else { return Ok(Value::Nil) };
        Ok(Value::Bool(proc.is_lambda()))
    })
    .constant(),
    method("to_proc", 0, 0, |_, this, _| Ok(this.clone())).constant(),
    variadic("yield", 0, call).constant(),
];

fn call(vm: &mut Interpreter<'_>, this: &Value, args: Args<'_>) -> Eval {
    match this {
        Value::Proc(proc) => vm.call_proc(proc, args.list),
        _ => Ok(Value::Nil),
    }
}
