//! `range`, `values_at`, `clamp`, `convert_base`.

use pp_types::{Float, Value, interpolate};

use crate::arguments::reject;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::{class_name, inspect};
use crate::ruby::successor::successor;

pub(crate) static RANGE: Function = Function::counted(
    "range",
    0,
    None,
    "Returns the integers or strings from the first argument to the second; the third is the step. One argument such as `a-e`, \
     `host01..host04` or `1...5` is a range, too.",
    range,
);

fn range(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let (start, stop, excludes_end) = match call.arguments {
        [] => return Err(reject("range(): Wrong number of arguments given (0 for 1)")),
        [Value::String(text)] => {
            if text.is_empty() {
                return Err(reject("range(): Unknown range format: "));
            }
            let parts = split_range(text)
                .ok_or_else(|| reject(format!("range(): Unable to compute range from the value: {text}")))?;
            (Value::from(parts.0), Value::from(parts.1), parts.2)
        }
        [only] => {
            return Err(reject(format!("range(): Unable to compute range from the value: {}", interpolate(only))));
        }
        [start, stop, ..] => (start.clone(), stop.clone(), false),
    };
    let step = match call.arguments.get(2) {
        None => 1,
        Some(value) => match interpolate(value).parse::<i64>() {
            Ok(step) if step != 0 => step.unsigned_abs(),
            _ => return Err(reject("range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)")),
        },
    };
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    if let (Some(start), Some(stop)) = (natural(&start), natural(&stop)) {
        let stop = if excludes_end { stop.saturating_sub(1) } else { stop };
        let count = usize::try_from(stop.saturating_sub(start).max(-1) + 1).unwrap_or(usize::MAX) / step;
        call.charge(count, count.saturating_mul(size_of::<Value>()))?;
        return Ok(Value::array((start..=stop).step_by(step).map(Value::Integer).collect()));
    }
    let (start, stop) = (interpolate(&start), interpolate(&stop));
    let values = strings_between(call, start, &stop, excludes_end)?;
    Ok(Value::array(values.into_iter().step_by(step).collect()))
}

/// Returns what Ruby's `String#upto` gives: strings by their successors, until the end or until they get longer than it.
fn strings_between(
    call: &mut Call<'_>,
    start: String,
    stop: &str,
    excludes_end: bool,
) -> Result<Vec<Value>, Interrupt> {
    let mut values = Vec::new();
    if let (&[start], &[stop]) = (start.as_bytes(), stop.as_bytes())
        && start.is_ascii()
        && stop.is_ascii()
    {
        let last = if excludes_end { stop.saturating_sub(1) } else { stop };
        return Ok((start..=last).map(|byte| Value::string(char::from(byte).to_string())).collect());
    }
    if *start > *stop || (excludes_end && start == stop) {
        return Ok(values);
    }
    let longest = stop.chars().count();
    let mut current = start;
    loop {
        call.charge(1, current.len() + size_of::<Value>())?;
        let next = successor(&current);
        let is_end = current == stop;
        values.push(Value::string(current));
        let is_after = next.is_empty() || next.chars().count() > longest || (excludes_end && next == stop);
        if is_end || is_after {
            return Ok(values);
        }
        current = next;
    }
}

/// Splits `a..b`, `a...b` and `a-b`; the last part is true if the end does not belong to the range.
fn split_range(text: &str) -> Option<(&str, &str, bool)> {
    let is_word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    let candidates = [("...", true), ("..", false), ("-", false)];
    candidates.iter().find_map(|&(separator, excludes_end)| {
        let (start, stop) = text.split_once(separator)?;
        (is_word(start) && is_word(stop)).then_some((start, stop, excludes_end))
    })
}

/// Returns the integer that a value is, or that all digits of its text are.
fn natural(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(integer) => Some(*integer),
        Value::String(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

pub(crate) static VALUES_AT: Function = Function::counted(
    "values_at",
    0,
    None,
    "Returns the elements of an array at indexes, which may be ranges: `2`, `'0-2'`, `'1..3'`, `'1...3'`.",
    |call| {
        if call.arguments.len() < 2 {
            let count = call.arguments.len();
            return Err(reject(format!("values_at(): Wrong number of arguments given ({count} for 2)")));
        }
        let Value::Array(values) = call.argument(0) else {
            return Err(reject("values_at(): Requires array to work with"));
        };
        let mut found = Vec::new();
        let mut pending = vec![call.argument(1)];
        let mut is_empty = true;
        while let Some(index) = pending.pop() {
            if let Value::Array(inner) = index {
                pending.extend(inner.iter().rev());
                continue;
            }
            is_empty = false;
            let (start, stop) = indexes(&interpolate(index))?;
            if stop >= values.len() && start != stop {
                return Err(reject("values_at(): Stop index in given indices range exceeds array size"));
            }
            if start >= values.len() {
                return Err(reject("values_at(): Given index exceeds array size"));
            }
            call.charge(stop - start + 1, 0)?;
            found.extend_from_slice(&values[start..=stop]);
        }
        if is_empty {
            return Err(reject("values_at(): You must provide at least one positive index to collect"));
        }
        Ok(Value::array(found))
    },
);

fn indexes(text: &str) -> Result<(usize, usize), Interrupt> {
    let unknown = || reject("values_at(): Unknown format of given index");
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if is_number { Ok(text.parse::<usize>().unwrap_or(usize::MAX)) } else { Err(unknown()) }
    };
    let separators = [("...", 1), ("..", 0), ("-", 0)];
    let Some((start, stop, less)) =
        separators.iter().find_map(|&(by, less)| text.split_once(by).map(|(start, stop)| (start, stop, less)))
    else {
        let index = number(text)?;
        return Ok((index, index));
    };
    let (start, stop) = (number(start)?, number(stop)?);
    if stop < start + less {
        return Err(reject("values_at(): Stop index in given indices range is smaller than the start index"));
    }
    Ok((start, stop - less))
}

pub(crate) static CLAMP: Function =
    Function::counted("clamp", 0, None, "Returns the middle one of three numbers.", |call| {
        let mut numbers: Vec<(i64, &Value)> = Vec::new();
        let mut pending: Vec<&Value> = call.arguments.iter().rev().collect();
        while let Some(value) = pending.pop() {
            call.charge(1, 0)?;
            if let Value::Array(inner) = value {
                pending.extend(inner.iter().rev());
                continue;
            }
            let number = match value {
                Value::Integer(integer) => Some(*integer),
                // The conversion saturates.
                Value::Float(Float(float)) => Some(*float as i64),
                Value::Hash(_) => {
                    let text = inspect(value);
                    return Err(reject(format!("clamp(): The Hash type is not allowed ({text})")));
                }
                Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
                _ => None,
            };
            let number = number.ok_or_else(|| {
                let (text, class) = (interpolate(value), class_name(value));
                reject(format!("clamp(): Required explicit numeric ({text}:{class})"))
            })?;
            numbers.push((number, value));
        }
        if numbers.len() != 3 {
            return Err(reject("clamp(): Wrong number of arguments, need three to clamp"));
        }
        numbers.sort_by_key(|(number, _)| *number);
        Ok(Value::Integer(numbers[1].0))
    });

pub(crate) static CONVERT_BASE: Function = Function::counted(
    "convert_base",
    0,
    None,
    "Returns an integer, or a string of decimal digits, in another base, from 2 to 36.",
    |call| {
        if call.arguments.len() != 2 {
            let count = call.arguments.len();
            return Err(reject(format!("convert_base(): Wrong number of arguments given ({count} for 2)")));
        }
        let wrong_number = || {
            reject(
                "convert_base(): First argument must be an integer or a string corresponding to an integer in base 10",
            )
        };
        let digits = |value: &Value, which: &str| match value {
            Value::Integer(integer) => Ok(integer.to_string()),
            Value::String(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => Ok(text.to_string()),
            Value::String(_) => Err(wrong_number()),
            _ => Err(reject(format!("convert_base(): {which} argument must be either a string or an integer"))),
        };
        let number = digits(call.argument(0), "First")?;
        let base = digits(call.argument(1), "Second")?.parse::<u32>().unwrap_or(u32::MAX);
        if !(2..=36).contains(&base) {
            return Err(reject("convert_base(): base must be at least 2 and must not be greater than 36"));
        }
        call.charge(number.len().saturating_mul(number.len()), number.len() * 4)?;
        Ok(Value::string(in_base(&number, base)))
    },
);

/// Converts a decimal number of any length.
fn in_base(decimal: &str, base: u32) -> String {
    let (sign, digits) = decimal.strip_prefix('-').map_or(("", decimal), |digits| ("-", digits));
    let mut number: Vec<u32> = digits.bytes().map(|digit| u32::from(digit.wrapping_sub(b'0')) % 10).collect();
    let mut converted = Vec::new();
    while !number.is_empty() {
        let mut remainder = 0;
        for digit in &mut number {
            let value = remainder * 10 + *digit;
            *digit = value / base;
            remainder = value % base;
        }
        converted.extend(char::from_digit(remainder, base));
        let zeros = number.iter().take_while(|digit| **digit == 0).count();
        number.drain(..zeros);
    }
    let text: String = converted.iter().rev().collect();
    match text.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => format!("{sign}{digits}"),
    }
}
