//! Functions that put values in order: `sort`, `max`, `min`, `compare`.

use std::cmp::Ordering;

use pp_types::{Error, ErrorKind, Value, infer, interpolate, ruby_text};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::compare::{compare_numbers, comparison_failed, ruby_compare};
use crate::ruby::sort::merge_sort;

pub(crate) static SORT: Function = Function::typed(
    "sort",
    &["String string_value, Callable[2, 2] ?&block", "Array array_value, Callable[2, 2] ?&block"],
    "Sorts the elements of an array, or the characters of a string. Numbers are in order of their values, strings of their \
     code points; other kinds have no order with each other. A block compares two elements, as `compare` does.",
    sort,
);

fn sort(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let mut values: Vec<Value> = match call.argument(0) {
        Value::String(text) if call.block.is_none() => {
            call.charge(text.len(), text.len())?;
            let mut characters: Vec<char> = text.chars().collect();
            characters.sort_unstable();
            return Ok(Value::string(characters.into_iter().collect::<String>()));
        }
        Value::String(text) => text.chars().map(|character| Value::string(character.to_string())).collect(),
        _ => call.array(0).to_vec(),
    };
    let depth = usize::BITS - values.len().leading_zeros();
    call.charge(values.len() * depth as usize, values.len() * size_of::<Value>())?;
    let mut is_after = |left: &Value, right: &Value| -> Result<bool, Interrupt> {
        let ordering =
            if call.block.is_some() { compare_with_block(call, left, right)? } else { ruby_compare(left, right)? };
        Ok(ordering == Ordering::Greater)
    };
    merge_sort(&mut values, &mut is_after)?;
    if let Value::String(_) = call.argument(0) {
        return Ok(Value::string(values.iter().map(interpolate).collect::<String>()));
    }
    Ok(Value::array(values))
}

/// Compares values with the block, whose result is a number.
fn compare_with_block(call: &mut Call<'_>, left: &Value, right: &Value) -> Result<Ordering, Interrupt> {
    let result = call.yield_block(&[left.clone(), right.clone()])?;
    match result {
        Value::Undef => Err(comparison_failed(left, right).into()),
        number => compare_numbers(&number, &Value::Integer(0))
            .ok_or_else(|| comparison_failed(&number, &Value::Integer(0)).into()),
    }
}

/// The signatures of `max` and `min`.
const EXTREMUM: &[&str] = &[
    "Numeric *values",
    "String *values",
    "Array[Numeric] values, Callable[2, 2] ?&block",
    "Array[String] values, Callable[2, 2] ?&block",
    "Array values, Callable[2, 2] ?&block",
    "Any *values, Callable[2, 2] &block",
    "Any *values",
];

pub(crate) static MAX: Function = Function::typed(
    "max",
    EXTREMUM,
    "Returns the greatest of the arguments, or of the elements of an array. A block compares two values. Comparing values of \
     different kinds, or strings that are numbers, without a block is deprecated.",
    |call| extremum(call, "max", Ordering::Greater),
);

pub(crate) static MIN: Function = Function::typed(
    "min",
    EXTREMUM,
    "Returns the least of the arguments, or of the elements of an array. A block compares two values. Comparing values of \
     different kinds, or strings that are numbers, without a block is deprecated.",
    |call| extremum(call, "min", Ordering::Less),
);

fn extremum(call: &mut Call<'_>, name: &str, wanted: Ordering) -> Result<Value, Interrupt> {
    let values = if matches!(call.signature, 2..=4) { call.array(0) } else { call.arguments };
    call.charge(values.len(), 0)?;
    let Some((first, rest)) = values.split_first() else {
        if call.block.is_some() {
            return Ok(Value::Undef);
        }
        return Err(fail(format!("{name}(): Wrong number of arguments need at least one")));
    };
    let mut best = first;
    for value in rest {
        let ordering = match (call.block, call.signature) {
            (Some(_), _) => compare_with_block(call, value, best)?,
            (None, 0 | 2) => compare_numbers(value, best).unwrap_or(Ordering::Equal),
            (None, 1 | 3) => compare_strings(call, name, value, best),
            (None, _) => compare_any(call, name, value, best),
        };
        if ordering == wanted {
            best = value;
        }
    }
    Ok(best.clone())
}

/// Compares strings, as numbers if both look like them.
fn compare_strings(call: &mut Call<'_>, name: &str, left: &Value, right: &Value) -> Ordering {
    compare_as_numbers(call, name, left, right).unwrap_or_else(|| interpolate(left).cmp(&interpolate(right)))
}

/// Compares values of any kinds: as numbers if both look like them, otherwise by their texts.
fn compare_any(call: &mut Call<'_>, name: &str, left: &Value, right: &Value) -> Ordering {
    if let Some(ordering) = compare_as_numbers(call, name, left, right) {
        return ordering;
    }
    deprecate_conversion(call, name, "Any to String");
    compared_text(left).cmp(&compared_text(right))
}

fn compare_as_numbers(call: &mut Call<'_>, name: &str, left: &Value, right: &Value) -> Option<Ordering> {
    let (left, right) = (number(left)?, number(right)?);
    deprecate_conversion(call, name, "String to Numeric");
    Some(left.partial_cmp(&right).unwrap_or(Ordering::Equal))
}

/// Returns the text of Ruby's `to_s`.
fn compared_text(value: &Value) -> String {
    match value {
        Value::Regexp(regexp) => format!("(?-mix:{})", regexp.source()),
        other => ruby_text(other),
    }
}

/// Reads a value whose text looks like a number to Puppet: digits after an optional `-`, and at most one of `.`, `_` and `e` with
/// digits after it. So `1e-5` does not, nor do floats that are written in that way.
fn number(value: &Value) -> Option<f64> {
    let text = compared_text(value);
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let matches = match digits.split_once(['.', '_', 'e', 'E']) {
        Some((whole, rest)) => is_number(whole) && is_number(rest),
        None => is_number(digits),
    };
    if matches { text.replace('_', "").parse().ok() } else { None }
}

fn deprecate_conversion(call: &mut Call<'_>, name: &str, conversion: &str) {
    let message = format!(
        "The {name}() function's auto conversion of {conversion} is deprecated - change to convert input before calling, or \
         use lambda"
    );
    call.host.deprecate(&format!("{name}-{conversion}"), &message);
}

pub(crate) static COMPARE: Function = Function::with_aliases(
    "compare",
    &[
        ("TimeComparable", "Variant[Numeric, Timespan, Timestamp]"),
        ("Comparable", "Variant[String, SemVer, TimeComparable]"),
    ],
    &[
        "Numeric a, Numeric b",
        "String a, String b, Any ?ignore_case",
        "SemVer a, SemVer b",
        "Numeric a, Variant[Timespan, Timestamp] b",
        "Timestamp a, Variant[Timestamp, Numeric] b",
        "Timespan a, Variant[Timespan, Numeric] b",
        "Comparable a, Comparable b, Any *ignore_case",
        "Any a, Any b, Any *ignore_case",
    ],
    "Compares two values of one kind: -1 if the first is less, 0 if they are equal, 1 if it is greater. Upper and lower case \
     of strings are equal unless the third argument is `false`. Times and durations can be compared with numbers.",
    compare,
);

fn compare(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let (left, right) = (call.argument(0), call.argument(1));
    let ordering = match call.signature {
        0 => compare_numbers(left, right).unwrap_or(Ordering::Equal),
        1 => match call.arguments.get(2) {
            None | Some(Value::Boolean(true)) => {
                let lower = |index| call.string(index).to_ascii_lowercase();
                lower(0).cmp(&lower(1))
            }
            Some(Value::Boolean(false)) => call.string(0).cmp(call.string(1)),
            Some(other) => {
                let message = format!(
                    "'compare' compare(): the third argument (ignore case) must be a Boolean. Got {}",
                    describe(other)
                );
                return Err(Error::new(ErrorKind::Arguments, message).into());
            }
        },
        2..=5 => pp_types::compare(left, right)?.unwrap_or(Ordering::Equal),
        _ => return Err(Error::new(ErrorKind::Arguments, incomparable(call)).into()),
    };
    Ok(Value::Integer(ordering as i64))
}

fn incomparable(call: &Call<'_>) -> String {
    let kinds = format!("Got {} and {}", describe(call.argument(0)), describe(call.argument(1)));
    if call.arguments.len() > 3 {
        return format!("'compare' compare(): Accepts at most 3 arguments, got {}", call.arguments.len());
    }
    if call.signature == 7 {
        return format!(
            "'compare' compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and \
             Timestamp can be compared. {kinds}"
        );
    }
    if call.arguments.len() == 3 {
        let message = "The third argument (ignore case) can only be used when comparing strings";
        return format!("'compare' compare(): {message}");
    }
    format!(
        "'compare' compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). \
         {kinds}"
    )
}

/// Returns the name of the kind of a value, as messages of `compare` show it.
fn describe(value: &Value) -> String {
    match value {
        Value::Undef => "Undef Value".to_owned(),
        Value::SemVer(_) => "Semver".to_owned(),
        Value::Type(ty) => format!("{ty}-Type"),
        Value::Default => "Object".to_owned(),
        other => {
            let text = infer(other).to_string();
            text.split('[').next().unwrap_or_default().to_owned()
        }
    }
}
