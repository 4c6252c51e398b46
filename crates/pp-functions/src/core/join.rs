//! `join`.

use pp_types::{Value, interpolate, with_stack};

use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::inspect_into;

pub(crate) static JOIN: Function = Function::typed(
    "join",
    &["Array arg, String ?delimiter"],
    "Joins the elements of an array to a string, with the delimiter, by default nothing, between them. Nested arrays are \
     joined too; `undef` is an empty string; a hash looks as in Ruby: `{\"a\"=>1}`.",
    |call| {
        let mut text = String::new();
        join_into(call, call.array(0), call.string(1), &mut text)?;
        Ok(Value::string(text))
    },
);

fn join_into(call: &mut Call<'_>, values: &[Value], delimiter: &str, text: &mut String) -> Result<(), Interrupt> {
    for (at, value) in values.iter().enumerate() {
        let before = text.len();
        if at > 0 {
            text.push_str(delimiter);
        }
        match value {
            Value::Undef => {}
            Value::String(string) => text.push_str(string),
            Value::Regexp(regexp) => {
                text.push_str("(?-mix:");
                text.push_str(regexp.source());
                text.push(')');
            }
            Value::Array(inner) => {
                with_stack(|| join_into(call, inner, delimiter, text))?;
                continue;
            }
            Value::Hash(_) => inspect_into(value, text),
            other => text.push_str(&interpolate(other)),
        }
        call.charge(1, text.len() - before)?;
    }
    Ok(())
}
