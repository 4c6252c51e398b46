//! Functions of types and conversions.

use std::cell::RefCell;

use pp_types::{
    Error, ErrorKind, Type, Value, describe_mismatch, generalize, infer, infer_detailed, is_instance, new_instance,
    parse_type,
};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;

pub(crate) static TYPE: Function = Function::typed(
    "type",
    &[
        "Any value, Enum['detailed'] ?inference_method",
        "Any value, Enum['reduced'] inference_method",
        "Any value, Enum['generalized'] inference_method",
    ],
    "Returns the type of a value: `detailed` with the types of all elements, `reduced` with one type for all elements, \
     `generalized` without limits.",
    |call| {
        let value = call.argument(0);
        let ty = match call.signature {
            0 => infer_detailed(value),
            1 => infer(value),
            _ => generalize(&infer(value)),
        };
        Ok(Value::Type(ty))
    },
);

pub(crate) static NEW: Function = Function::typed(
    "new",
    &["Type type, Any *args, Callable ?&block"],
    "Creates a value of a type: `Integer.new('42')`, which can also be written `Integer('42')`. A block gets the value, and \
     its result is the result.",
    |call| match call.argument(0) {
        Value::Type(ty) => {
            let value = new_instance(ty, call.arguments.get(1..).unwrap_or(&[]))?;
            pass_to_block(call, value)
        }
        _ => Ok(Value::Undef),
    },
);

pub(crate) static CONVERT_TO: Function = Function::typed(
    "convert_to",
    &["Any value, Type type, Any *args, Callable[1, 1] ?&block"],
    "Converts a value to a type: `$x.convert_to(Integer)` is `Integer($x)`. A block gets the value, and its result is the \
     result.",
    |call| match call.argument(1) {
        Value::Type(ty) => {
            let mut arguments = vec![call.argument(0).clone()];
            arguments.extend_from_slice(call.arguments.get(2..).unwrap_or(&[]));
            let value = new_instance(ty, &arguments)?;
            pass_to_block(call, value)
        }
        _ => Ok(Value::Undef),
    },
);

fn pass_to_block(call: &mut Call<'_>, value: Value) -> Result<Value, Interrupt> {
    if call.block.is_some() { call.yield_block(&[value]) } else { Ok(value) }
}

pub(crate) static UNWRAP: Function = Function::typed(
    "unwrap",
    &["Sensitive arg, Callable ?&block", "Any arg, Callable ?&block"],
    "Returns what a `Sensitive` contains, and any other value as it is. A block gets it, and its result is the result.",
    |call| {
        let value = match call.argument(0) {
            Value::Sensitive(inner) => (**inner).clone(),
            value => value.clone(),
        };
        pass_to_block(call, value)
    },
);

pub(crate) static ASSERT_TYPE: Function = Function::typed(
    "assert_type",
    &[
        "Type type, Any value, Callable[Type, Type] ?&block",
        "String type_string, Any value, Callable[Type, Type] ?&block",
    ],
    "Returns the value if it is of the type. Otherwise a block gets the type and the type of the value, and its result is \
     the result; without a block that is an error.",
    assert_type,
);

fn assert_type(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let expected = match call.argument(0) {
        Value::Type(ty) => ty.clone(),
        _ => type_of_text(call, call.string(0))?,
    };
    let value = call.argument(1);
    if is_instance(&expected, value) {
        return Ok(value.clone());
    }
    if call.block.is_some() {
        let actual = infer_detailed(value);
        return call.yield_block(&[Value::Type(expected), Value::Type(actual)]);
    }
    if let Type::Reference(name) = &expected {
        return Err(fail(format!("assert_type(): references an unresolved type '{name}'")));
    }
    let message = describe_mismatch("assert_type():", &expected, value);
    Err(Error::new(ErrorKind::Mismatch, message).into())
}

/// Reads a type from its text, with the names of the program.
pub(crate) fn type_of_text(call: &mut Call<'_>, text: &str) -> Result<Type, Interrupt> {
    if !text.trim_start_matches("::").starts_with(|first: char| first.is_ascii_uppercase()) {
        return Err(fail(format!("The expression <{text}> is not a valid type specification.")));
    }
    let host = RefCell::new(&mut *call.host);
    let interrupt = RefCell::new(None);
    let resolve = |name: &str| match host.borrow_mut().resolve_type(name) {
        Ok(ty) => ty.or_else(|| Some(Type::Reference(name.into()))),
        Err(error) => {
            interrupt.replace(Some(error));
            None
        }
    };
    let parsed = parse_type(text, &resolve);
    match interrupt.into_inner() {
        Some(interrupt) => Err(interrupt),
        None => Ok(parsed?),
    }
}
