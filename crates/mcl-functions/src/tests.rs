//! Tests of all functions through their public entries.

mod answers;
mod examples;
mod literal;
mod random_arguments;
mod streaming;
mod templates;

use std::cell::Cell;

use expect_test::Expect;
use mcl_value::{Field, FuncType, Type, Value};

use crate::{CallContext, FunctionError, Implementation, Signature, function};

/// Calls a function the way a program does. `result` is the type of the call where the arguments do not determine it.
fn call(name: &str, args: &[Value], result: Option<Type>) -> Result<Value, FunctionError> {
    let function = function(name).unwrap_or_else(|| panic!("there is no function {name}"));
    let Implementation::Plain(plain) = function.implementation else { panic!("{name} is not a plain function") };
    let declared = match &function.signature {
        Signature::Fixed(text) => FuncType::parse(text).map(|ty| ty.result),
        Signature::CallSite(_) => None,
    };
    let args_type = args.iter().map(|arg| Field { name: "".into(), ty: arg.type_of().unwrap_or(Type::Var(1)) });
    let ty = FuncType { args: args_type.collect(), result: result.or(declared).unwrap_or(Type::Nil) };
    plain(&CallContext { ty: &ty, deploy: None, module_dir: "/", answers: None, sensitive: Cell::default() }, args)
}

/// Returns the outcome of a call as the tests write it.
fn outcome(name: &str, args: &str, result: Option<Type>) -> String {
    show(call(name, &literal::parse_all(args), result))
}

fn show(outcome: Result<Value, FunctionError>) -> String {
    match outcome {
        Ok(value) => value.to_string(),
        Err(FunctionError::Catchable(message)) => format!("catchable: {message}"),
        Err(FunctionError::Fatal(message)) => format!("fatal: {message}"),
        Err(FunctionError::Unanswered { message, .. }) => format!("unanswered: {message}"),
    }
}

/// Makes the calls on the left of the `=>`, and compares what they return with the right. A row is
/// `NAME(ARGUMENTS) => OUTCOME`, or `NAME(ARGUMENTS): TYPE => OUTCOME` where the type of the result decides; values are in
/// their display form (spec 03 §1.3). `UPDATE_EXPECT=1` writes the outcomes.
#[track_caller]
fn check(rows: Expect) {
    let mut actual = String::new();
    for row in rows.data().lines().map(str::trim).filter(|row| !row.is_empty()) {
        let call = row.split_once(" => ").map_or(row, |(call, _)| call);
        let (call, ty) = match call.rsplit_once("): ") {
            Some((call, ty)) if !call.is_empty() && Type::parse(ty).is_some() => (call, Some(ty)),
            _ => (call.strip_suffix(')').unwrap_or_else(|| panic!("not a call: {call}")), None),
        };
        let (name, args) = call.split_once('(').unwrap_or_else(|| panic!("not a call: {call}"));
        let outcome = outcome(name, args, ty.and_then(Type::parse));
        let ty = ty.map_or_else(String::new, |ty| format!(": {ty}"));
        actual.push_str(&format!("{name}({args}){ty} => {outcome}\n"));
    }
    rows.assert_eq(&actual);
}
