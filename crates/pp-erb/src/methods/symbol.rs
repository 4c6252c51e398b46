//! Methods of symbols. Those that symbols share with strings are made of those of the string.

use crate::interpreter::Interpreter;
use crate::methods::args::{Args, text};
use crate::methods::method::{Method, method};
use crate::methods::operator;
use crate::proc::Proc;
use crate::stop::Eval;
use crate::value::Value;

pub(super) static SYMBOL: &[Method] = &[
    method("[]", 1, 2, |vm, this, args| as_string(vm, this, "[]", args)),
    method("capitalize", 0, 0, |vm, this, args| as_symbol(vm, this, "capitalize", args)),
    method("downcase", 0, 0, |vm, this, args| as_symbol(vm, this, "downcase", args)),
    method("empty?", 0, 0, |_, this, _| Ok(Value::Bool(text(this).is_empty()))),
    method("end_with?", 0, 9, |vm, this, args| as_string(vm, this, "end_with?", args)),
    method("id2name", 0, 0, |_, this, _| Ok(Value::str(&*text(this)))),
    method("length", 0, 0, |_, this, _| Ok(Value::int(text(this).chars().count()))),
    method("match", 1, 2, |vm, this, args| as_string(vm, this, "match", args)),
    method("match?", 1, 2, |vm, this, args| as_string(vm, this, "match?", args)),
    method("=~", 1, 1, |vm, this, args| as_string(vm, this, "=~", args)),
    method("name", 0, 0, |_, this, _| Ok(Value::str(&*text(this)))),
    method("size", 0, 0, |_, this, _| Ok(Value::int(text(this).chars().count()))),
    method("start_with?", 0, 9, |vm, this, args| as_string(vm, this, "start_with?", args)),
    method("succ", 0, 0, |vm, this, args| as_symbol(vm, this, "succ", args)),
    method("swapcase", 0, 0, |vm, this, args| as_symbol(vm, this, "swapcase", args)),
    method("to_proc", 0, 0, |_, this, _| {
        let name = text(this);
        let dispatch = crate::methods::Dispatch::new((*name).into());
        Ok(Value::Proc(Proc::Symbol(dispatch.into()).into()))
    }),
    method("to_sym", 0, 0, |_, this, _| Ok(this.clone())),
    method("upcase", 0, 0, |vm, this, args| as_symbol(vm, this, "upcase", args)),
];

fn as_string(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    operator(vm, &Value::str(&*text(this)), name, args.list)
}

fn as_symbol(vm: &mut Interpreter<'_>, this: &Value, name: &str, args: Args<'_>) -> Eval {
    let changed = as_string(vm, this, name, args)?;
    Ok(Value::symbol(&*text(&changed)))
}
