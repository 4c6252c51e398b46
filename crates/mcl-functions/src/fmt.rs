//! `fmt.printf` (spec 03 §5.6).

use go_compat::strconv::{format_float, quote};
use mcl_value::{FuncType, Type, Value};

use crate::args::Args;
use crate::table::{Outcome, call_site, fatal, ok};
use crate::{CallContext, CallSite, Function, FunctionError};

pub(crate) static FUNCTIONS: &[Function] = &[call_site(
    "fmt.printf",
    CallSite::Printf,
    "Formats values: `%s`, `%q` str; `%d` int; `%f` float; `%t` bool; `%v` any value; `%T` its type; `%%`.",
    printf,
)
.example(r#"fmt.printf("%s has %d sites", "web1", 2) == "web1 has 2 sites""#)];

/// A formatting verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Str,
    Quoted,
    Int,
    Float,
    Bool,
    Value,
    Type,
}

impl Verb {
    /// Returns the type that the verb requires; `None` if it accepts any type.
    fn argument_type(self) -> Option<Type> {
        match self {
            Verb::Str | Verb::Quoted => Some(Type::Str),
            Verb::Int => Some(Type::Int),
            Verb::Float => Some(Type::Float),
            Verb::Bool => Some(Type::Bool),
            Verb::Value | Verb::Type => None,
        }
    }
}

/// A part of a format.
enum Piece<'a> {
    Text(&'a [u8]),
    Verb(Verb),
}

/// Splits a format string. A `%` at the very end is dropped.
fn pieces(format: &[u8]) -> Result<Vec<Piece<'_>>, usize> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    while let Some(percent) = memchr::memchr(b'%', &format[start..]).map(|at| start + at) {
        pieces.push(Piece::Text(&format[start..percent]));
        pieces.push(match format.get(percent + 1) {
            None => return Ok(pieces),
            Some(b'%') => Piece::Text(b"%"),
            Some(b's') => Piece::Verb(Verb::Str),
            Some(b'q') => Piece::Verb(Verb::Quoted),
            Some(b'd') => Piece::Verb(Verb::Int),
            Some(b'f') => Piece::Verb(Verb::Float),
            Some(b't') => Piece::Verb(Verb::Bool),
            Some(b'v') => Piece::Verb(Verb::Value),
            Some(b'T') => Piece::Verb(Verb::Type),
            Some(_) => return Err(percent + 1),
        });
        start = percent + 2;
    }
    pieces.push(Piece::Text(&format[start..]));
    Ok(pieces)
}

fn printf(cx: &CallContext<'_>, args: &[Value]) -> Outcome {
    let pieces = pieces(args.bytes(0)?).map_err(|at| FunctionError::fatal(format!("invalid format string at {at}")))?;
    let specifiers = pieces.iter().filter(|piece| matches!(piece, Piece::Verb(_))).count();
    let values = args.len() - 1;
    if specifiers > values {
        return fatal(format!("more specifiers ({specifiers}) than values ({values})"));
    }
    let (mut out, mut next) = (Vec::new(), 1);
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Verb(verb) => {
                print(&mut out, verb, args.any(next)?, next, cx.ty)?;
                next += 1;
            }
        }
    }
    ok(out)
}

fn print(out: &mut Vec<u8>, verb: Verb, value: &Value, index: usize, ty: &FuncType) -> Result<(), FunctionError> {
    let text = match (verb, value) {
        (Verb::Type, _) => match ty.args.get(index).filter(|arg| !arg.ty.has_unknowns()) {
            Some(arg) => arg.ty.to_string(),
            None => value.type_of().map_or_else(|| value.kind().to_owned(), |ty| ty.to_string()),
        },
        (Verb::Str | Verb::Value, Value::Str(text)) => {
            out.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        (Verb::Value, Value::Func(_)) => return Err(FunctionError::fatal("panic in process: can't print a function")),
        (Verb::Value, _) | (Verb::Int, Value::Int(_)) | (Verb::Bool, Value::Bool(_)) => value.to_string(),
        (Verb::Quoted, Value::Str(text)) => quote(text.as_bytes()),
        (Verb::Float, Value::Float(number)) => format_float(*number),
        (verb, value) => {
            let wanted = verb.argument_type().map_or("any", |ty| ty.kind());
            let message = format!("unexpected type: base kind does not match ({wanted} != {})", value.kind());
            return Err(FunctionError::fatal(message));
        }
    };
    out.extend_from_slice(text.as_bytes());
    Ok(())
}
