//! `golang.template`: the language of Go's `text/template` (spec 03 §9).
//!
//! A template goes through [`lexer`] and [`parser`] to a tree ([`tree`]), which [`execute`] walks over the data. Data have
//! Go's types, not mcl's, because templates can tell them apart: see [`data`] for the conversion.

mod builtins;
mod data;
mod execute;
mod format;
mod functions;
mod lexer;
mod parser;
mod tree;

use mcl_value::{Type, Value};

use self::data::Data;
use crate::args::Args;
use crate::table::{Outcome, call_site, ok};
use crate::{CallContext, CallSite, Function, FunctionError};

pub(crate) static FUNCTIONS: &[Function] = &[call_site(
    "golang.template",
    CallSite::Template,
    "Fills in a template in the language of Go's `text/template`, with the second argument as its data.",
    template,
)
.not_inlinable()];

fn template(cx: &CallContext<'_>, args: &[Value]) -> Outcome {
    let data = match args.get(1) {
        None => Data::Nil,
        Some(value) => {
            let declared = cx.ty.args.get(1).map(|arg| arg.ty.clone()).filter(|ty| !ty.has_unknowns());
            let ty = declared.or_else(|| value.type_of()).unwrap_or(Type::Var(1));
            data::convert(value, &ty).ok_or_else(|| FunctionError::fatal("template: can't use a function as data"))?
        }
    };
    let text = args.bytes(0)?;
    let templates = parser::parse(text)
        .map_err(|error| FunctionError::fatal(format!("template: parse error: template: {error}")))?;
    match execute::execute(cx, text, &templates, data) {
        Ok(output) => ok(output),
        Err(error) => Err(FunctionError {
            message: format!("template: execution error: template: {}", error.message),
            catchable: error.catchable,
        }),
    }
}
