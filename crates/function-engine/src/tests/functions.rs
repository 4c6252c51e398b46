//! The functions of test programs.

use mcl_functions::{
    CallContext, EngineFunction, Function, FunctionError, Implementation, Purity, Sensitivity, Signature, Stream,
    StreamContext,
};
use mcl_value::Value;

type Result = std::result::Result<Value, FunctionError>;

/// `input(key)`: the input that the test has set. Not ready while it has set none.
struct Input;
impl Stream for Input {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Result {
        let Value::Str(key) = &args[0] else { return Err(FunctionError::fatal("key")) };
        let value = cx.shared_value("input", &key.to_text());
        if value.is_none() {
            cx.not_ready("the input is not set");
        }
        Ok(value.unwrap_or(Value::Nil))
    }
}

/// `ticks(ms)`: the number of calls so far. It is called again after `ms` milliseconds.
struct Ticks(i64);
impl Stream for Ticks {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Result {
        cx.wake_after(std::time::Duration::from_millis(args[0].as_int().unwrap_or(0) as u64));
        self.0 += 1;
        Ok(Value::Int(self.0))
    }
}

fn ints(args: &[Value]) -> (i64, i64) {
    (args[0].as_int().unwrap_or(0), args.get(1).and_then(Value::as_int).unwrap_or(0))
}

pub(super) fn add(_: &CallContext<'_>, args: &[Value]) -> Result {
    let (a, b) = ints(args);
    Ok(Value::Int(a.wrapping_add(b)))
}
fn sub(_: &CallContext<'_>, args: &[Value]) -> Result {
    let (a, b) = ints(args);
    Ok(Value::Int(a.wrapping_sub(b)))
}
fn div(_: &CallContext<'_>, args: &[Value]) -> Result {
    let (a, b) = ints(args);
    if b == 0 { Err(FunctionError::catchable(format!("{a} / 0"))) } else { Ok(Value::Int(a.wrapping_div(b))) }
}
fn fatal(_: &CallContext<'_>, args: &[Value]) -> Result {
    let (a, _) = ints(args);
    if a == 4 { Err(FunctionError::fatal("four")) } else { Ok(Value::Int(a)) }
}
fn less(_: &CallContext<'_>, args: &[Value]) -> Result {
    let (a, b) = ints(args);
    Ok(Value::Bool(a < b))
}
fn sum(_: &CallContext<'_>, args: &[Value]) -> Result {
    let list = args[0].as_list().unwrap_or(&[]);
    Ok(Value::Int(list.iter().filter_map(Value::as_int).fold(0, i64::wrapping_add)))
}
fn range(_: &CallContext<'_>, args: &[Value]) -> Result {
    Ok(Value::list(0..ints(args).0.clamp(0, 4)))
}
fn to_map(_: &CallContext<'_>, args: &[Value]) -> Result {
    let list = args[0].as_list().unwrap_or(&[]);
    Ok(Value::map(list.iter().enumerate().map(|(i, v)| (v.clone(), Value::Int(i as i64)))))
}

const fn function(name: &'static str, implementation: Implementation) -> Function {
    Function {
        name,
        doc: "",
        example: "",
        signature: Signature::Fixed(""),
        choices: &[],
        simple: true,
        purity: Purity::Impure,
        origin: mcl_functions::Origin::Program,
        sensitivity: Sensitivity::OfArguments,
        inlinable: true,
        implementation,
    }
}

static ALL: [Function; 14] = [
    function("add", Implementation::Plain(add)),
    function("sub", Implementation::Plain(sub)),
    function("div", Implementation::Plain(div)),
    function("fatal", Implementation::Plain(fatal)),
    function("less", Implementation::Plain(less)),
    function("sum", Implementation::Plain(sum)),
    function("range", Implementation::Plain(range)),
    function("to_map", Implementation::Plain(to_map)),
    function("input", Implementation::Streaming(|| Box::new(Input))),
    function("ticks", Implementation::Streaming(|| Box::new(Ticks(0)))),
    function("iter.map", Implementation::Engine(EngineFunction::Map)),
    function("iter.filter", Implementation::Engine(EngineFunction::Filter)),
    function("iter.reduce", Implementation::Engine(EngineFunction::Reduce)),
    function("iter.zip", Implementation::Engine(EngineFunction::Zip)),
];

pub(super) fn lookup(name: &str) -> Option<&'static Function> {
    ALL.iter().find(|f| f.name == name)
}
