//! Every pure function through its public entry, with the examples of spec 03 §10.
//!
//! Arguments and results are written as values are displayed (spec 03 §1.3); `C:` and `F:` before a text mean that the
//! call fails catchably or fatally with it.

mod arbitrary;
mod examples;
mod literal;
mod streaming;

use mcl_value::{Field, FuncType, Type, Value};

use crate::{CallContext, FunctionError, Implementation, Signature, function};

/// Calls a function the way a program does.
fn call(name: &str, args: &[Value], result: Type) -> Result<Value, FunctionError> {
    let function = function(name).unwrap_or_else(|| panic!("there is no function {name}"));
    let Implementation::Plain(plain) = function.implementation else { panic!("{name} is not a plain function") };
    let result = match (&function.signature, result) {
        (Signature::Fixed(text), Type::Nil) => FuncType::parse(text).map_or(Type::Nil, |ty| ty.result),
        (_, result) => result,
    };
    let args_type = args.iter().map(|arg| Field { name: "".into(), ty: arg.type_of().unwrap_or(Type::Var(1)) });
    let ty = FuncType { args: args_type.collect(), result };
    plain(&CallContext { ty: &ty, deploy: None, module_dir: "/" }, args)
}

/// Calls a function with arguments written as `1, "x"` and compares the result, or the error.
#[track_caller]
fn check(name: &str, args: &str, expected: &str) {
    check_typed(name, args, "", expected);
}

/// As [`check`], where the call has this result type.
#[track_caller]
fn check_typed(name: &str, args: &str, result: &str, expected: &str) {
    let result = if result.is_empty() { Type::Nil } else { Type::parse(result).expect(result) };
    let outcome = match call(name, &literal::parse_all(args), result) {
        Ok(value) => value.to_string(),
        Err(FunctionError::Catchable(message)) => format!("C: {message}"),
        Err(FunctionError::Fatal(message)) => format!("F: {message}"),
    };
    assert_eq!(outcome, expected, "{name}({args})");
}
