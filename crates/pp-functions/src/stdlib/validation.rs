//! `validate_legacy`, and the functions that types have replaced.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use pp_types::{Float, Regexp, Type, Value, describe_mismatch, interpolate, is_instance};

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::{Interrupt, Strict};
use crate::ruby::inspect::{class_name, inspect};
use crate::ruby::regexp::find;

pub(crate) static VALIDATE_LEGACY: Function = Function::typed(
    "validate_legacy",
    &["Variant[Type, String] target_type, String previous_validation, Any value, Any *args"],
    "Checks that a value is of a type. If only the older function accepts it, that is a warning, or an error with the \
     setting `strict=error`.",
    validate_legacy,
);

fn validate_legacy(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let ty = match call.argument(0) {
        Value::Type(ty) => ty.clone(),
        _ => crate::core::types::type_of_text(call, call.string(0))?,
    };
    if let Type::Reference(name) = &ty {
        return Err(fail(format!("validate_legacy(): references an unresolved type '{name}'")));
    }
    let (previous, value) = (call.string(1), call.argument(2));
    let check = Check::named(previous)
        .ok_or_else(|| fail(format!("validate_legacy(): the function '{previous}' is unknown")))?;
    if is_instance(&ty, value) {
        return Ok(Value::Undef);
    }
    let message = describe_mismatch(&format!("validate_legacy({previous})"), &ty, value);
    if check.run(value, call.arguments.get(3..).unwrap_or(&[]))?.is_some() {
        return Err(fail(message));
    }
    deprecate(call, previous, &message)?;
    Ok(Value::Undef)
}

/// Warns about something deprecated, or fails with the setting `strict=error`.
pub(crate) fn deprecate(call: &mut Call<'_>, key: &str, message: &str) -> Result<(), Interrupt> {
    if call.host.strict() == Strict::Error {
        return Err(fail(format!("deprecation. {key}. {message}")));
    }
    call.host.deprecate(key, message);
    Ok(())
}

/// A check of a value that a type has replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    AbsolutePath,
    Array,
    Bool,
    Hash,
    Integer,
    IpAddress,
    Ipv4Address,
    Ipv6Address,
    Numeric,
    Re,
    Slength,
    String,
}

impl Check {
    /// Returns the check of a function `validate_…`.
    fn named(name: &str) -> Option<Check> {
        Some(match name.strip_prefix("validate_")? {
            "absolute_path" => Check::AbsolutePath,
            "array" => Check::Array,
            "bool" => Check::Bool,
            "hash" => Check::Hash,
            "integer" => Check::Integer,
            "ip_address" => Check::IpAddress,
            "ipv4_address" => Check::Ipv4Address,
            "ipv6_address" => Check::Ipv6Address,
            "numeric" => Check::Numeric,
            "re" => Check::Re,
            "slength" => Check::Slength,
            "string" => Check::String,
            _ => return None,
        })
    }

    /// The type that replaces the check.
    fn replacement(self) -> &'static str {
        match self {
            Check::AbsolutePath => "Stdlib::Compat::Absolute_Path",
            Check::Array => "Stdlib::Compat::Array",
            Check::Bool => "Stdlib::Compat::Bool",
            Check::Hash => "Stdlib::Compat::Hash",
            Check::Integer => "Stdlib::Compat::Integer",
            Check::IpAddress => "Stdlib::Compat::Ip_Address",
            Check::Ipv4Address => "Stdlib::Compat::Ipv4_Address",
            Check::Ipv6Address => "Stdlib::Compat::Ipv6_address",
            Check::Numeric => "Stdlib::Compat::Numeric",
            Check::Re => "Stdlib::Compat::Re",
            Check::Slength => "String[]",
            Check::String => "Stdlib::Compat::String",
        }
    }

    /// Returns what is wrong with a value, `None` if nothing is.
    fn run(self, value: &Value, arguments: &[Value]) -> Result<Option<String>, Interrupt> {
        let unless = |is_valid: bool, message: String| if is_valid { None } else { Some(message) };
        let not_a = |noun: &str| format!("{} is not {noun}.  It looks to be a {}", inspect(value), class_name(value));
        Ok(match self {
            Check::Array => unless(matches!(value, Value::Array(_)), not_a("an Array")),
            Check::Hash => unless(matches!(value, Value::Hash(_)), not_a("a Hash")),
            Check::Bool => unless(matches!(value, Value::Boolean(_)), not_a("a boolean")),
            Check::String => unless(matches!(value, Value::String(_) | Value::Undef), not_a("a string")),
            Check::AbsolutePath => {
                let single = std::slice::from_ref(value);
                let paths = if let Value::Array(paths) = value { paths.as_slice() } else { single };
                let wrong = paths.iter().find(|path| !is_absolute_path(path));
                wrong.map(|path| format!("{} is not an absolute path.", inspect(path)))
            }
            Check::IpAddress => {
                unless(is_address(value, |_| true), format!("{} is not a valid IP address.", inspect(value)))
            }
            Check::Ipv4Address => {
                unless(is_address(value, |ip| ip.is_ipv4()), format!("{} is not a valid IPv4 address.", inspect(value)))
            }
            Check::Ipv6Address => {
                unless(is_address(value, |ip| ip.is_ipv6()), format!("{} is not a valid IPv6 address.", inspect(value)))
            }
            Check::Integer => check_number("validate_integer", "an Integer", value, arguments, integer_of),
            Check::Numeric => check_number("validate_numeric", "a Numeric", value, arguments, float_of),
            Check::Re => check_re(value, arguments)?,
            Check::Slength => check_length(value, arguments),
        })
    }
}

fn is_absolute_path(value: &Value) -> bool {
    let Value::String(path) = value else { return false };
    let is_separator = |byte: Option<&u8>| matches!(byte, Some(b'/' | b'\\'));
    let bytes = path.as_bytes();
    let is_unix = bytes.first() == Some(&b'/');
    let is_drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    let is_unc = is_separator(bytes.first()) && is_separator(bytes.get(1));
    is_unix || (is_drive && is_separator(bytes.get(2))) || is_unc
}

fn is_address(value: &Value, is_family: fn(&IpAddr) -> bool) -> bool {
    let Value::String(text) = value else { return false };
    let (address, length) = text.split_once('/').map_or((&**text, None), |(address, length)| (address, Some(length)));
    // A zone, such as that of `fe80::1%eth0`, is not part of the address.
    let address = address.split('%').next().unwrap_or_default();
    let address = address.parse::<Ipv4Addr>().map(IpAddr::V4).or_else(|_| address.parse::<Ipv6Addr>().map(IpAddr::V6));
    let Ok(address) = address else { return false };
    let greatest = if address.is_ipv4() { 32 } else { 128 };
    let fits = length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= greatest));
    fits && is_family(&address)
}

fn integer_of(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(integer) => Some(*integer as f64),
        Value::String(text) => text.parse::<i64>().ok().map(|integer| integer as f64),
        _ => None,
    }
}

fn float_of(value: &Value) -> Option<f64> {
    match value {
        Value::Float(Float(float)) => Some(*float),
        Value::String(text) => text.parse().ok(),
        other => integer_of(other),
    }
}

fn check_number(
    function: &str,
    noun: &str,
    value: &Value,
    arguments: &[Value],
    number: fn(&Value) -> Option<f64>,
) -> Option<String> {
    let single = std::slice::from_ref(value);
    let values = if let Value::Array(values) = value { values.as_slice() } else { single };
    let limit = |at: usize| arguments.get(at).and_then(number);
    for element in values {
        let Some(found) = number(element) else {
            return Some(format!(
                "{function}(): Expected first argument to be {noun} or Array, got {}",
                class_name(element)
            ));
        };
        let shown = inspect(value);
        if let Some(max) = limit(0).filter(|max| found > *max) {
            return Some(format!("{function}(): Expected {shown} to be smaller or equal to {max}, got {shown}."));
        }
        if let Some(min) = limit(1).filter(|min| found < *min) {
            return Some(format!("{function}(): Expected {shown} to be greater or equal to {min}, got {shown}."));
        }
    }
    None
}

fn check_re(value: &Value, arguments: &[Value]) -> Result<Option<String>, Interrupt> {
    let Value::String(text) = value else {
        return Ok(Some(format!("validate_re(): input needs to be a String, not a {}", class_name(value))));
    };
    let patterns = match arguments.first() {
        Some(Value::Array(patterns)) => patterns.as_slice(),
        Some(pattern) => std::slice::from_ref(pattern),
        None => &[],
    };
    for pattern in patterns {
        if find(&Regexp::new(interpolate(pattern)), text, 0)?.is_some() {
            return Ok(None);
        }
    }
    let shown = arguments.first().map(inspect).unwrap_or_default();
    let message = format!("validate_re(): {} does not match {shown}", inspect(value));
    Ok(Some(arguments.get(1).map_or(message, interpolate)))
}

fn check_length(value: &Value, arguments: &[Value]) -> Option<String> {
    let limit = |at: usize| arguments.get(at).and_then(integer_of);
    if arguments.first().is_some_and(|max| integer_of(max).is_none_or(|max| max < 0.0)) {
        return Some("validate_slength(): Expected second argument to be a positive Numeric".to_owned());
    }
    let single = std::slice::from_ref(value);
    let values = if let Value::Array(values) = value { values.as_slice() } else { single };
    for element in values {
        let Value::String(text) = element else {
            let class = class_name(element);
            return Some(format!("validate_slength(): Expected first argument to be a String or Array, got {class}"));
        };
        let length = text.chars().count() as f64;
        let (max, min) = (limit(0).unwrap_or(f64::INFINITY), limit(1).unwrap_or(0.0));
        if length > max || length < min {
            return Some(format!(
                "validate_slength(): Expected length of {} to be between {min} and {max}, was {length}",
                inspect(element)
            ));
        }
    }
    None
}

/// Declares a function that checks its arguments.
macro_rules! validate_function {
    ($function:ident, $name:literal, $noun:literal) => {
        pub(crate) static $function: Function = Function::counted(
            $name,
            1,
            None,
            concat!("Fails unless the argument is ", $noun, ". Deprecated: use the types of parameters."),
            |call| validate(call, $name),
        );
    };
}

validate_function!(VALIDATE_ABSOLUTE_PATH, "validate_absolute_path", "an absolute path");
validate_function!(VALIDATE_ARRAY, "validate_array", "an array");
validate_function!(VALIDATE_BOOL, "validate_bool", "a boolean");
validate_function!(VALIDATE_HASH, "validate_hash", "a hash");
validate_function!(
    VALIDATE_INTEGER,
    "validate_integer",
    "an integer, at most the second argument and at least the third"
);
validate_function!(VALIDATE_IP_ADDRESS, "validate_ip_address", "an IP address");
validate_function!(VALIDATE_IPV4_ADDRESS, "validate_ipv4_address", "an IPv4 address");
validate_function!(VALIDATE_IPV6_ADDRESS, "validate_ipv6_address", "an IPv6 address");
validate_function!(
    VALIDATE_NUMERIC,
    "validate_numeric",
    "a number, at most the second argument and at least the third"
);
validate_function!(VALIDATE_RE, "validate_re", "a string that a regular expression, or one of an array, matches");
validate_function!(VALIDATE_SLENGTH, "validate_slength", "a string, at most as long as the second argument");
validate_function!(VALIDATE_STRING, "validate_string", "a string");

fn validate(call: &mut Call<'_>, name: &str) -> Result<Value, Interrupt> {
    let Some(check) = Check::named(name) else { return Ok(Value::Undef) };
    let message = format!(
        "This method is deprecated, please use the stdlib validate_legacy function, with {}. There is further documentation \
         for validate_legacy function in the README.",
        check.replacement()
    );
    deprecate(call, name, &message)?;
    let takes_options = matches!(check, Check::Integer | Check::Numeric | Check::Re | Check::Slength);
    let (values, options) = call.arguments.split_at(if takes_options { 1 } else { call.arguments.len() });
    for value in values {
        if let Some(problem) = check.run(value, options)? {
            return Err(reject(problem));
        }
    }
    Ok(Value::Undef)
}

/// Declares a function that tells the kind of its argument.
macro_rules! is_function {
    ($function:ident, $name:literal, $noun:literal, $test:expr) => {
        pub(crate) static $function: Function = Function::counted(
            $name,
            1,
            Some(1),
            concat!("Returns whether the argument is ", $noun, ". Deprecated: match against a type."),
            |call| {
                let test: fn(&Value) -> bool = $test;
                Ok(Value::Boolean(test(call.argument(0))))
            },
        );
    };
}

is_function!(IS_ABSOLUTE_PATH, "is_absolute_path", "an absolute path", is_absolute_path);
is_function!(IS_ARRAY, "is_array", "an array", |value| matches!(value, Value::Array(_)));
is_function!(IS_BOOL, "is_bool", "a boolean", |value| matches!(value, Value::Boolean(_)));
is_function!(IS_FLOAT, "is_float", "a float, or a string that is one", |value| match value {
    Value::Float(_) => true,
    Value::String(text) => is_decimal(text) && text.contains('.'),
    _ => false,
});
is_function!(IS_HASH, "is_hash", "a hash", |value| matches!(value, Value::Hash(_)));
is_function!(IS_INTEGER, "is_integer", "an integer, or a string that is one", |value| match value {
    Value::Integer(_) => true,
    Value::String(text) => is_decimal(text) && !text.contains('.'),
    _ => false,
});
is_function!(IS_IP_ADDRESS, "is_ip_address", "an IP address", |value| is_address(value, |_| true));
is_function!(IS_IPV4_ADDRESS, "is_ipv4_address", "an IPv4 address", |value| is_address(value, IpAddr::is_ipv4));
is_function!(IS_IPV6_ADDRESS, "is_ipv6_address", "an IPv6 address", |value| is_address(value, IpAddr::is_ipv6));
is_function!(IS_NUMERIC, "is_numeric", "a number, or a string that is one", |value| match value {
    Value::Integer(_) | Value::Float(_) => true,
    Value::String(text) => match text.split_once(['e', 'E']) {
        Some((number, exponent)) => is_decimal(number) && is_decimal(exponent) && !exponent.contains('.'),
        None => is_decimal(text),
    },
    _ => false,
});
is_function!(IS_STRING, "is_string", "a string that is not a number", |value| match value {
    Value::String(text) => !is_decimal(text),
    _ => false,
});

/// Whether a text is a decimal number without leading zeros.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all_digits(whole) && all_digits(fraction) && (whole == "0" || !whole.starts_with('0'))
}

pub(crate) static TYPE_OF: Function =
    Function::typed("type_of", &["Any value"], "Returns the type of a value. Deprecated: use `type`.", |call| {
        Ok(Value::Type(pp_types::infer_detailed(call.argument(0))))
    });

pub(crate) static IS_A: Function =
    Function::typed("is_a", &["Any value, Type type"], "Returns whether a value is of a type.", |call| {
        match call.argument(1) {
            Value::Type(ty) => Ok(Value::Boolean(is_instance(ty, call.argument(0)))),
            _ => Ok(Value::Boolean(is_instance(&Type::Any, call.argument(0)))),
        }
    });
