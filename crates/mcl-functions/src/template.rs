//! `golang.template`: the language of Go's `text/template` (spec 03 §9).

mod data;
mod functions;

use go_template::{Data, Limits, Template};
use mcl_value::{Type, Value};

use crate::args::Args;
use crate::table::{Outcome, call_site, ok};
use crate::template::data::convert;
use crate::template::functions::Functions;
use crate::{CallContext, CallSite, Function, FunctionError};

pub(crate) static FUNCTIONS: &[Function] = &[call_site(
    "golang.template",
    CallSite::Template,
    "Executes a template of Go's `text/template`, with the second argument as its data.",
    template,
)
.not_inlinable()
.example(r#"golang.template("{{ .Name }}: {{ .Port }}", struct{name => "web", port => 80}) == "web: 80""#)];

fn template(cx: &CallContext<'_>, args: &[Value]) -> Outcome {
    let data = match args.get(1) {
        None => Data::Nil,
        Some(value) => {
            let declared = cx.ty.args.get(1).map(|arg| arg.ty.clone()).filter(|ty| !ty.has_unknowns());
            let ty = declared.or_else(|| value.type_of()).unwrap_or(Type::Var(1));
            convert(value, &ty).ok_or_else(|| FunctionError::fatal("template: can't use a function as data"))?
        }
    };
    let text = args.bytes(0)?;
    let functions = Functions(cx);
    let template = Template::parse(text, &functions)
        .map_err(|error| FunctionError::fatal(format!("template: parse error: template: {error}")))?;
    // Limits for templates that do not terminate, or would block everything else.
    let limits = if cx.deploy.is_some() { RUNTIME_LIMITS } else { COMPILER_LIMITS };
    template.execute(data, &functions, limits).map_or_else(
        |error| {
            let message = format!("template: execution error: template: {error}");
            if let Some(cause @ FunctionError::Unanswered { .. }) = error.cause {
                return Err(cause);
            }
            let catchable = error.cause.is_some_and(|cause| cause.is_catchable());
            Err(if catchable { FunctionError::Catchable(message) } else { FunctionError::Fatal(message) })
        },
        ok,
    )
}

/// Limits for templates that do not terminate, or would block everything else.
const RUNTIME_LIMITS: Limits = Limits { steps: 50_000_000, output: 1 << 28 };
const COMPILER_LIMITS: Limits = Limits { steps: 100_000, output: 1 << 20 };
