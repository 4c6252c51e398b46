//! Functions of numbers.

use pp_types::{Error, ErrorKind, Float, Value, parse_number};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::random::MersenneTwister;

pub(crate) static ABS: Function = Function::typed(
    "abs",
    &["Numeric val", "String val"],
    "Returns the absolute value of a number. Calling it with a string is deprecated.",
    |call| match call.argument(0) {
        Value::String(text) => {
            deprecate_conversion(call, "abs", "Numeric");
            match decimal(text) {
                Some(number) => absolute(&number),
                None => Err(fail("abs(): Requires float or integer to work with - was given non decimal string")),
            }
        }
        number => absolute(number),
    },
);

/// Warns that a function converts a string.
fn deprecate_conversion(call: &mut Call<'_>, name: &str, kind: &str) {
    let message = format!(
        "The {name}() function's auto conversion of String to {kind} is deprecated - change to convert input before calling"
    );
    call.host.deprecate(&format!("{name}-string-conversion"), &message);
}

/// Reads a decimal number: digits with a minus sign and a fraction.
pub(crate) fn decimal(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match digits.split_once('.') {
        None if all_digits(digits) => text.parse().ok().map(Value::Integer),
        Some((whole, fraction)) if all_digits(whole) && all_digits(fraction) => {
            text.parse::<f64>().ok().map(Value::from)
        }
        _ => None,
    }
}

fn absolute(number: &Value) -> Result<Value, Interrupt> {
    match number {
        Value::Integer(integer) => match integer.checked_abs() {
            Some(integer) => Ok(Value::Integer(integer)),
            None => Err(out_of_range("abs", "9223372036854775808")),
        },
        Value::Float(Float(float)) => Ok(Value::from(float.abs())),
        other => Ok(other.clone()),
    }
}

fn out_of_range(function: &str, number: &str) -> Interrupt {
    let message = format!("{function}(): the result {number} is outside the range of 64-bit integers");
    Error::new(ErrorKind::Arithmetic, message).into()
}

pub(crate) static CEILING: Function = Function::typed(
    "ceiling",
    &["Numeric val", "String val"],
    "Returns the smallest integer that is not less than a number. Calling it with a string is deprecated.",
    |call| rounded(call, "ceiling", f64::ceil),
);

pub(crate) static FLOOR: Function = Function::typed(
    "floor",
    &["Numeric val", "String val"],
    "Returns the greatest integer that is not greater than a number. Calling it with a string is deprecated.",
    |call| rounded(call, "floor", f64::floor),
);

pub(crate) static ROUND: Function = Function::typed(
    "round",
    &["Numeric val"],
    "Returns the integer that is nearest to a number; of two, the one that is further from zero.",
    |call| {
        // Adding one half, as Puppet does, also rounds 0.49999999999999994 up.
        let nearest = |float: f64| if float > 0.0 { (float + 0.5).floor() } else { (float - 0.5).ceil() };
        rounded(call, "round", nearest)
    },
);

fn rounded(call: &mut Call<'_>, name: &str, round: fn(f64) -> f64) -> Result<Value, Interrupt> {
    match call.argument(0) {
        Value::String(text) => {
            deprecate_conversion(call, name, "Float");
            match parse_float(text) {
                Some(float) => integer(name, round(float)),
                None => Err(fail(format!("{name}(): cannot convert given value to a floating point value."))),
            }
        }
        Value::Float(Float(float)) => integer(name, round(*float)),
        other => Ok(other.clone()),
    }
}

/// Reads a number as Ruby's `Float()` does: whitespace around it, exponents and hexadecimal numbers are fine.
fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some(Value::Integer(integer)) = parse_number(text) {
        let is_prefixed = text.trim_start_matches(['-', '+']).starts_with("0x");
        return if is_prefixed { Some(integer as f64) } else { text.parse().ok() };
    }
    let starts_and_ends_with_digits = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit())
        && text.ends_with(|c: char| c.is_ascii_digit());
    if starts_and_ends_with_digits && !text.contains(".e") { text.parse().ok() } else { None }
}

fn integer(name: &str, float: f64) -> Result<Value, Interrupt> {
    // The limits are exact as floats: -2^63 is an integer of 64 bits, 2^63 is not.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&float) {
        return Ok(Value::Integer(float as i64));
    }
    Err(out_of_range(name, &format!("{float:.0}")))
}

pub(crate) static FQDN_RAND: Function = Function::counted(
    "fqdn_rand",
    1,
    None,
    "Returns a number from zero up to, but not including, the first argument. It depends only on the name of the node, the \
     first argument and the second, a seed; so it is random among nodes and stays the same on each. If the third argument \
     is true, upper and lower case in the name of the node are equal.",
    fqdn_rand,
);

fn fqdn_rand(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let max =
        leading_integer(call.argument(0)).ok_or_else(|| fail("fqdn_rand(): expects a number as the first argument"))?;
    if max <= 0 {
        return Err(fail(format!("invalid argument - {max}")));
    }
    let mut name = match call.host.variable("::fqdn") {
        Some(name @ Value::String(_)) => pp_types::interpolate(&name),
        _ => call.host.node_name().to_string(),
    };
    if call.argument(2).is_true() {
        name = crate::ruby::titlecase::downcase(&name);
    }
    let seed = match call.argument(1) {
        Value::Undef => String::new(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(pp_types::interpolate).collect();
            texts.join(":")
        }
        Value::Hash(_) => crate::ruby::inspect::inspect(call.argument(1)),
        seed => pp_types::interpolate(seed),
    };
    let digest = crate::core::crypto::md5_bytes(format!("{name}:{max}:{seed}").as_bytes());
    let mut words: Vec<u32> =
        digest.chunks(4).map(|word| word.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))).collect();
    words.reverse();
    let limit = u64::try_from(max - 1).unwrap_or(0);
    let number = MersenneTwister::new(&words).up_to(limit);
    Ok(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// Converts as Ruby's `to_i` does: a string by the digits at its start, a float without its fraction.
fn leading_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(integer) => Some(*integer),
        // The conversion saturates.
        Value::Float(Float(float)) => Some(*float as i64),
        Value::String(text) => {
            let text = text.trim_start();
            let digits_from = usize::from(text.starts_with(['-', '+']));
            let digits = text[digits_from..].bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 { Some(0) } else { text[..digits_from + digits].parse().ok() }
        }
        _ => None,
    }
}
