//! `Integer`, `Float`, `Numeric`, `Boolean`.

use crate::constructor::error::{conversion_error, not_convertible};
use crate::constructor::signatures;
use crate::error::{Error, ErrorKind};
use crate::mismatch::describe_mismatch;
use crate::number::{integer_of, number_of, split_radix};
use crate::text::ruby_inspect;
use crate::time::NANOSECONDS;
use crate::value::{Value, entry};

const INTEGER_ALIASES: &[(&str, &str)] = &[
    (
        "Convertible",
        "Variant[Numeric, Boolean, Pattern[/\\A[+-]?\\s*(?:(?:\\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\\z/], Timespan, \
         Timestamp]",
    ),
    ("Radix", "Variant[Default, Integer[2, 2], Integer[8, 8], Integer[10, 10], Integer[16, 16]]"),
    ("NamedArgs", "Struct[{'from' => Convertible, Optional['radix'] => Radix, Optional['abs'] => Boolean}]"),
];

const INTEGER_SIGNATURES: &[&str] = &["Convertible from, Radix ?radix, Boolean ?abs", "NamedArgs hash_args"];

const FLOAT_PATTERN: &str = "Pattern[/\\A[+-]?\\s*(?:(?:(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE]-?\\d+)?)|\
    (?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\\z/]";

const FLOAT_SIGNATURES: &[&str] = &["Convertible from, Boolean ?abs", "NamedArgs hash_args"];

/// The arguments of a constructor of numbers.
struct Arguments<'a> {
    from: &'a Value,
    radix: Option<&'a Value>,
    abs: Option<&'a Value>,
}

pub(super) fn integer(arguments: &[Value]) -> Result<Value, Error> {
    let rejected = || signatures::rejected("new", INTEGER_ALIASES, INTEGER_SIGNATURES, arguments);
    let arguments = match arguments {
        [Value::Hash(entries)] => {
            let Some(from) = entry(entries, "from").filter(|_| {
                entries
                    .keys()
                    .all(|key| matches!(key, Value::String(name) if ["from", "radix", "abs"].contains(&&**name)))
            }) else {
                return Err(wrong_names(&arguments[0]));
            };
            Arguments { from, radix: entry(entries, "radix"), abs: entry(entries, "abs") }
        }
        [from, rest @ ..] if rest.len() <= 2 => Arguments { from, radix: rest.first(), abs: rest.get(1) },
        _ => return Err(rejected()),
    };
    let cannot = |text: &str| conversion_error(format!("'new' The string '{text}' cannot be converted to Integer"));
    let radix = match arguments.radix {
        None | Some(Value::Default) => None,
        Some(Value::Integer(radix @ (2 | 8 | 10 | 16))) => u32::try_from(*radix).ok(),
        Some(Value::Integer(radix)) => {
            return Err(conversion_error(format!("Illegal radix: {radix}, expected 2, 8, 10, 16, or default")));
        }
        Some(_) => return Err(rejected()),
    };
    let value = match arguments.from {
        Value::Integer(integer) => i128::from(*integer),
        Value::Float(float) if float.0.is_finite() => float.0.trunc() as i128,
        Value::Boolean(value) => i128::from(*value),
        Value::Timestamp(time) => time.0.div_euclid(NANOSECONDS),
        Value::Timespan(span) => span.0.div_euclid(NANOSECONDS),
        Value::String(text) => integer_from_text(text, radix, cannot)?,
        other => return Err(not_convertible("'new' ", other, "Integer")),
    };
    let value = match arguments.abs {
        None | Some(Value::Boolean(false)) => value,
        Some(Value::Boolean(true)) => value.abs(),
        Some(_) => return Err(rejected()),
    };
    i64::try_from(value).map(Value::Integer).map_err(|_| {
        let message = format!("The number {value} is outside of the range of an Integer");
        Error::new(ErrorKind::Arithmetic, message).help("integers have 64 bits; use a Float")
    })
}

fn wrong_names(argument: &Value) -> Error {
    match signatures::named_type(INTEGER_ALIASES, "NamedArgs") {
        Ok(ty) => Error::new(ErrorKind::Mismatch, describe_mismatch("Integer.new has wrong type,", &ty, argument)),
        Err(error) => error,
    }
}

fn integer_from_text(text: &str, radix: Option<u32>, cannot: impl Fn(&str) -> Error) -> Result<i128, Error> {
    let is_negative = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = if digits.len() < text.len() { digits.trim_start() } else { digits };
    let invalid = || conversion_error(format!("invalid value for Integer(): {}", ruby_inspect(&text.into())));
    let prefixed = ["0x", "0X", "0b", "0B"].iter().find_map(|prefix| digits.strip_prefix(prefix));
    let is_hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
    let all = |digits: &str, radix: u32| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    match prefixed {
        Some(digits) if !all(digits, if is_hexadecimal { 16 } else { 2 }) => return Err(cannot(text)),
        Some(_) => {}
        None if !all(digits, 10) => return Err(cannot(text)),
        None => {}
    }
    let (own_radix, rest) = match (radix, prefixed) {
        (None, _) => split_radix(digits).unwrap_or((10, digits)),
        (Some(radix), Some(rest)) if radix == if is_hexadecimal { 16 } else { 2 } => (radix, rest),
        (Some(_), Some(_)) => return Err(invalid()),
        (Some(radix), None) => (radix, digits),
    };
    if !all(rest, own_radix) {
        return Err(invalid());
    }
    let value = i128::from_str_radix(rest, own_radix).map_err(|_| {
        Error::new(ErrorKind::Arithmetic, format!("The number {text} is outside of the range of an Integer"))
    })?;
    Ok(if is_negative { -value } else { value })
}

fn number(name: &str, target: &str, numbers: &str, arguments: &[Value]) -> Result<Value, Error> {
    let convertible = format!("Variant[{numbers}, Boolean, {FLOAT_PATTERN}, Timespan, Timestamp]");
    let aliases = [
        ("Convertible", convertible.as_str()),
        ("NamedArgs", "Struct[{'from' => Convertible, Optional['abs'] => Boolean}]"),
    ];
    let rejected = || signatures::rejected(name, &aliases, FLOAT_SIGNATURES, arguments);
    let (from, abs) = match arguments {
        [Value::Hash(entries)]
            if entry(entries, "from").is_some()
                && entries
                    .keys()
                    .all(|key| matches!(key, Value::String(name) if ["from", "abs"].contains(&&**name))) =>
        {
            (entry(entries, "from").unwrap_or(&Value::Undef), entry(entries, "abs"))
        }
        [from] => (from, None),
        [from, abs] => (from, Some(abs)),
        _ => return Err(rejected()),
    };
    let value = match from {
        Value::Integer(_) | Value::Float(_) => from.clone(),
        Value::Boolean(value) => Value::Integer(i64::from(*value)),
        Value::Timestamp(time) => Value::from(time.seconds()),
        Value::Timespan(span) => Value::from(span.seconds()),
        Value::String(text) => match number_of(text.trim_start()) {
            Some(number) => number,
            None => {
                return Err(conversion_error(format!("'{name}' The string '{text}' cannot be converted to {target}")));
            }
        },
        other => return Err(not_convertible(&format!("'{name}' "), other, target)),
    };
    match (abs, value) {
        (None | Some(Value::Boolean(false)), value) => Ok(value),
        (Some(Value::Boolean(true)), Value::Integer(integer)) => {
            integer.checked_abs().map(Value::Integer).ok_or_else(|| not_convertible("", from, target))
        }
        (Some(Value::Boolean(true)), Value::Float(float)) => Ok(Value::from(float.0.abs())),
        _ => Err(rejected()),
    }
}

pub(super) fn numeric(arguments: &[Value]) -> Result<Value, Error> {
    number("new_numeric", "Numeric", "Integer, Float", arguments)
}

pub(super) fn float(arguments: &[Value]) -> Result<Value, Error> {
    // A leading zero does not mean octal digits here.
    let decimal = |text: &str| {
        let text = text.trim_start();
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_octal =
            split_radix(unsigned).is_some_and(|(radix, digits)| radix == 8 && integer_of(digits, 8, false).is_some());
        if is_octal { text.parse::<f64>().ok() } else { None }
    };
    if let [Value::String(text)] = arguments
        && let Some(float) = decimal(text)
    {
        return Ok(Value::from(float));
    }
    Ok(match number("new_float", "Float", "Numeric", arguments)? {
        Value::Integer(integer) => Value::from(integer as f64),
        other => other,
    })
}

pub(super) fn boolean(arguments: &[Value]) -> Result<Value, Error> {
    let [from] = arguments else {
        return Err(signatures::rejected("new_boolean", &[], &["Any from"], arguments));
    };
    Ok(Value::Boolean(match from {
        Value::Boolean(value) => *value,
        Value::Integer(integer) => *integer != 0,
        Value::Float(float) => float.0 != 0.0,
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" => true,
            "false" | "no" | "n" => false,
            _ => {
                let message = format!("'new_boolean' The string '{text}' cannot be converted to Boolean");
                return Err(conversion_error(message));
            }
        },
        other => return Err(not_convertible("'new_boolean' ", other, "Boolean")),
    }))
}
