//! Paths into nested data, as `dig`, `get` and `getvar` follow them.

use std::sync::Arc;

use pp_types::{Error, ErrorKind, ErrorValue, Hash, Type, Value, describe_signatures, infer_detailed};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::inspect;

pub(crate) static DIG: Function = Function::typed(
    "dig",
    &["Optional[Collection] data, Any *arg"],
    "Follows keys and indexes into nested hashes and arrays: `$h.dig('a', 0)` is `$h['a'][0]`, but `undef` if something on \
     the way is missing.",
    |call| dig_path(call.argument(0), call.arguments.get(1..).unwrap_or(&[])).map_err(Interrupt::from),
);

pub(crate) static GET: Function = Function::typed(
    "get",
    &["Any value, String dotted_string, Any ?default_value, Callable[1, 1] ?&block"],
    "Follows a path such as `'a.0.b'` into nested hashes and arrays. A segment that is an integer is an integer key or an \
     index; quote a segment to make it a string or to have dots in it: `\"'a.b'.c\"`. If something on the way is missing, the \
     result is the default. If it is neither an array nor a hash, that is an error; a block gets it as an `Error`.",
    |call| navigate(call, call.argument(0).clone(), call.string(1), call.argument(2)),
);

pub(crate) static GETVAR: Function = Function::typed(
    "getvar",
    &[
        r"Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/] get_string, Any ?default_value, Callable[1, 1] ?&block",
        "String get_string, Any ?default_value, Callable ?&block",
    ],
    "Returns the value of the variable with the given name, without its dollar sign, or the default if it is unknown. The \
     name may go on with a path as `get` takes it: `'facts.os.name'`.",
    getvar,
);

fn getvar(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    if call.signature != 0 {
        return Err(fail("'getvar' The given string does not start with a valid variable name"));
    }
    let (name, path) = call.string(0).split_once('.').unwrap_or((call.string(0), ""));
    let value = call.host.variable(name).unwrap_or(Value::Undef);
    navigate(call, value, path, call.argument(1))
}

/// Why a path cannot be followed.
struct PathError {
    message: String,
    issue_code: &'static str,
    walked: Vec<Value>,
    /// The name of the detail, and its value.
    detail: (&'static str, Type),
}

impl From<PathError> for Interrupt {
    fn from(error: PathError) -> Interrupt {
        Error::new(ErrorKind::Evaluation, error.message).into()
    }
}

impl From<PathError> for Value {
    fn from(error: PathError) -> Value {
        let mut details = Hash::default();
        details.insert("walked_path".into(), Value::array(error.walked));
        details.insert(error.detail.0.into(), Value::Type(error.detail.1));
        Value::Error(Arc::new(ErrorValue {
            message: error.message.into(),
            kind: Some("SLICE_ERROR".into()),
            issue_code: Some(error.issue_code.into()),
            partial_result: Value::Undef,
            details: Some(details),
        }))
    }
}

/// Follows keys and indexes. What is missing is `undef`.
fn dig_path(data: &Value, path: &[Value]) -> Result<Value, PathError> {
    let mut data = data;
    for (at, key) in path.iter().enumerate() {
        data = match data {
            Value::Undef => return Ok(Value::Undef),
            Value::Hash(entries) => entries.get(key).unwrap_or(&Value::Undef),
            Value::Array(values) => match key {
                Value::Undef => &Value::Undef,
                Value::Integer(index) => element(values, *index).unwrap_or(&Value::Undef),
                _ => {
                    let walked = path[..=at].to_vec();
                    let ty = infer_detailed(key);
                    let message =
                        format!("The given data requires an Integer index at {}, got '{ty}'", inspect_path(&walked));
                    let issue_code = "EXPECTED_INTEGER_INDEX";
                    return Err(PathError { message, issue_code, walked, detail: ("index_type", ty) });
                }
            },
            other => {
                let walked = path[..at].to_vec();
                let ty = infer_detailed(other);
                let message =
                    format!("The given data does not contain a Collection at {}, got '{ty}'", inspect_path(&walked));
                return Err(PathError {
                    message,
                    issue_code: "EXPECTED_COLLECTION",
                    walked,
                    detail: ("value_type", ty),
                });
            }
        };
    }
    Ok(data.clone())
}

/// Returns an element by its index, from the end if it is negative.
fn element(values: &[Value], index: i64) -> Option<&Value> {
    let offset = usize::try_from(index.unsigned_abs()).ok()?;
    let at = if index < 0 { values.len().checked_sub(offset)? } else { offset };
    values.get(at)
}

fn inspect_path(path: &[Value]) -> String {
    inspect(&Value::array(path.to_vec()))
}

/// Follows a dotted path from a value. The block of the call gets what is wrong on the way.
fn navigate(call: &mut Call<'_>, value: Value, path: &str, default: &Value) -> Result<Value, Interrupt> {
    let Some(path) = split_path(path) else {
        return Err(fail("Syntax error in dotted-navigation string"));
    };
    if path.is_empty() {
        return Ok(if value == Value::Undef { default.clone() } else { value });
    }
    if !matches!(value, Value::Undef | Value::Array(_) | Value::Hash(_)) {
        let message = describe_signatures(DIG.name, DIG.signatures()?, &[value], None);
        return Err(Error::new(ErrorKind::Arguments, message).into());
    }
    match dig_path(&value, &path) {
        Ok(Value::Undef) => Ok(default.clone()),
        Ok(found) => Ok(found),
        Err(error) if call.block.is_some() => call.yield_block(&[error.into()]),
        Err(error) => Err(error.into()),
    }
}

/// Splits a path at its dots; `None` if it is malformed.
fn split_path(path: &str) -> Option<Vec<Value>> {
    let mut segments = Vec::new();
    let mut rest = path;
    if rest.is_empty() {
        return Some(segments);
    }
    loop {
        let quote = rest.chars().next().filter(|first| matches!(first, '\'' | '"'));
        let (segment, tail) = match quote {
            Some(quote) => {
                let (segment, tail) = rest[1..].split_once(quote)?;
                (Value::from(segment), tail)
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                (plain_segment(&rest[..end])?, &rest[end..])
            }
        };
        if segment == Value::from("") {
            return None;
        }
        segments.push(segment);
        match tail.strip_prefix('.') {
            Some(tail) => rest = tail,
            None if tail.is_empty() => return Some(segments),
            None => return None,
        }
    }
}

/// Reads a segment without quotes: an integer, or a string.
fn plain_segment(segment: &str) -> Option<Value> {
    if segment.contains(['\'', '"']) {
        return None;
    }
    let segment = segment.trim();
    let digits = segment.strip_prefix('-').unwrap_or(segment);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match segment.parse::<i64>() {
        Ok(index) if is_integer => Some(Value::Integer(index)),
        _ => Some(Value::from(segment)),
    }
}
