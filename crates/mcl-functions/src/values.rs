//! `value` and `net/http`: values that resources of the same program provide (spec 03 §5.21, §5.14).

use mcl_value::{Type, Value};

use crate::args::Args;
use crate::table::{Outcome, fatal, ok, streaming};
use crate::{Function, FunctionError, Stream, StreamContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    streaming("value.get", "func(key str) struct{value ?1; ready bool}", DOC, || Box::<Get>::default())
        .of_program()
        .example(r#"value.get("answer")->value + 1"#),
    streaming("value.get_bool", "func(key str) struct{value bool; ready bool}", DOC, || Box::<Get>::default())
        .of_program()
        .example(r#"value.get_bool("answer")->value"#),
    streaming("value.get_float", "func(key str) struct{value float; ready bool}", DOC, || Box::<Get>::default())
        .of_program()
        .example(r#"value.get_float("answer")->value"#),
    streaming("value.get_int", "func(key str) struct{value int; ready bool}", DOC, || Box::<Get>::default())
        .of_program()
        .example(r#"value.get_int("answer")->value"#),
    streaming("value.get_str", "func(key str) struct{value str; ready bool}", DOC, || Box::<Get>::default())
        .of_program()
        .example(r#"value.get_str("answer")->value"#),
];

const DOC: &str = "Returns the value of the `value` resource named `key`, and whether it has one yet.";

pub(crate) static HTTP: &[Function] = &[streaming(
    "net/http.response",
    "func(uid str) struct{status int; output str}",
    "Returns the response that the `http:client` resource named `uid` received.",
    || Box::<Response>::default(),
)
.of_program()
.example(r#"http.response("health")->status == 200"#)];

/// An argument that must not change while the program runs.
#[derive(Default)]
struct Key(Option<Vec<u8>>);

impl Key {
    fn check<'a>(&mut self, what: &str, key: &'a [u8]) -> Result<std::borrow::Cow<'a, str>, FunctionError> {
        if key.is_empty() {
            return Err(FunctionError::fatal(format!("can't use an empty {what}")));
        }
        let previous = self.0.get_or_insert_with(|| key.to_vec());
        if previous != key {
            let previous = String::from_utf8_lossy(previous);
            return Err(FunctionError::fatal(format!("can't change {what}, previously: `{previous}`")));
        }
        Ok(String::from_utf8_lossy(key))
    }
}

#[derive(Default)]
struct Get {
    key: Key,
}

impl Stream for Get {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let key = self.key.check("key", args.bytes(0)?)?;
        let wanted = match &cx.call_context().ty.result {
            Type::Struct(fields) => fields.first().map_or(Type::Str, |field| field.ty.clone()),
            _ => Type::Str,
        };
        let value = cx.shared_value("value", &key);
        let ready = value.is_some();
        let value = value.unwrap_or_else(|| Value::zero(&wanted));
        if !value.has_type(&wanted) {
            let found = value.type_of().map_or_else(|| value.kind().to_owned(), |ty| ty.to_string());
            return fatal(format!("type mismatch, check type in Value[{key}]: expected {wanted}, got {found}"));
        }
        ok(Value::strukt([("value", value), ("ready", ready.into())]))
    }
}

#[derive(Default)]
struct Response {
    uid: Key,
}

impl Stream for Response {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let uid = self.uid.check("uid", args.bytes(0)?)?;
        let nothing_yet = || Value::strukt([("status", 0.into()), ("output", "".into())]);
        ok(cx.shared_value("http:client", &uid).unwrap_or_else(nothing_yet))
    }
}
