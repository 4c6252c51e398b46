//! Conversions between booleans, numbers and strings.

use pp_types::{Float, Value, interpolate};

use crate::arguments::reject;
use crate::function::{Call, Function};
use crate::host::Interrupt;

pub(crate) static BOOL2STR: Function = Function::counted(
    "bool2str",
    1,
    Some(3),
    "Returns `true` or `false`, or the second or third argument, for a boolean.",
    |call| {
        let Value::Boolean(value) = call.argument(0) else {
            return Err(reject("bool2str(): Requires a boolean to work with"));
        };
        match call.arguments {
            [_] => Ok(Value::string(value.to_string())),
            [_, yes @ Value::String(_), no @ Value::String(_)] => Ok(if *value { yes.clone() } else { no.clone() }),
            _ => Err(reject("bool2str(): Requires strings to convert to")),
        }
    },
);

pub(crate) static STR2BOOL: Function = Function::counted(
    "str2bool",
    1,
    None,
    "Converts a string to a boolean: `1`, `t`, `y`, `true` and `yes` are true; an empty string, `0`, `f`, `n`, `false`, `no`, \
     `undef` and `undefined` are false. Booleans stay.",
    |call| str2bool(call.argument(0)).map(Value::Boolean),
);

/// Converts a string to a boolean. One line of it decides.
pub(crate) fn str2bool(value: &Value) -> Result<bool, Interrupt> {
    let text = match value {
        Value::Boolean(value) => return Ok(*value),
        Value::String(text) => text,
        _ => return Err(reject("str2bool(): Requires string to work with")),
    };
    let any_line = |words: &[&str]| {
        text.is_empty() && words.contains(&"")
            || text.lines().any(|line| words.iter().any(|word| line.eq_ignore_ascii_case(word)))
    };
    if any_line(&["", "0", "f", "n", "false", "no", "undef", "undefined"]) {
        Ok(false)
    } else if any_line(&["1", "t", "y", "true", "yes"]) {
        Ok(true)
    } else {
        Err(reject("str2bool(): Unknown type of boolean given"))
    }
}

pub(crate) static BOOL2NUM: Function = Function::counted(
    "bool2num",
    1,
    None,
    "Returns 1 or 0 for a boolean, or for a string that `str2bool` converts.",
    |call| Ok(Value::Integer(str2bool(call.argument(0))?.into())),
);

pub(crate) static NUM2BOOL: Function = Function::counted(
    "num2bool",
    1,
    Some(1),
    "Returns whether a number, or a string that is one, is greater than zero.",
    |call| {
        let number = match call.argument(0) {
            Value::Integer(integer) => *integer as f64,
            Value::Float(Float(float)) => *float,
            Value::String(text) => match text.trim().parse() {
                Ok(number) => number,
                Err(_) => {
                    return Err(reject(format!(
                        "num2bool(): '{text}' does not look like a number: invalid value for Float(): \"{text}\""
                    )));
                }
            },
            Value::Boolean(value) => f64::from(u8::from(*value)),
            _ => 0.0,
        };
        Ok(Value::Boolean(number > 0.0))
    },
);

pub(crate) static ANY2BOOL: Function = Function::counted(
    "any2bool",
    1,
    None,
    "Converts to a boolean: a number is true if it is greater than zero, an array or a hash always, a string as `str2bool` \
     converts it.",
    any2bool,
);

fn any2bool(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let value = match call.argument(0) {
        Value::Boolean(value) => *value,
        Value::Integer(integer) => *integer > 0,
        Value::Float(Float(float)) => *float > 0.0,
        value @ Value::String(text) => match text.parse::<f64>() {
            Ok(number) => number > 0.0,
            Err(_) => str2bool(value)?,
        },
        _ => true,
    };
    Ok(Value::Boolean(value))
}

pub(crate) static TO_BYTES: Function = Function::counted(
    "to_bytes",
    1,
    Some(1),
    "Converts a size such as `4 kB` or `1.5M` to bytes; the units are powers of 1024.",
    |call| {
        let text = match call.argument(0) {
            number @ (Value::Integer(_) | Value::Float(_)) => return Ok(number.clone()),
            value => interpolate(value),
        };
        let unit_at = text
            .char_indices()
            .find(|(at, character)| {
                let is_exponent = *character == 'e' && text[at + 1..].starts_with(|next: char| next.is_ascii_digit());
                !(character.is_ascii_digit() || matches!(character, '.' | '-' | ' ') || is_exponent)
            })
            .map_or(text.len(), |(at, _)| at);
        let (number, unit) = text.split_at(unit_at);
        let prefix = unit.trim_end_matches(['B', 'b']);
        let powers = ["", "k", "M", "G", "T", "P", "E"];
        let Some(power) = powers.iter().position(|known| *known == prefix) else {
            return Err(reject(format!("to_bytes(): Unknown prefix {prefix}")));
        };
        let Ok(number) = number.trim().parse::<f64>() else {
            return Err(reject(format!("to_bytes(): Unknown number {}", number.trim())));
        };
        // The conversion saturates.
        Ok(Value::Integer((number * 1024_f64.powi(i32::try_from(power).unwrap_or(0))) as i64))
    },
);
