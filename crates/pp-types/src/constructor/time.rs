//! `Timestamp`, `Timespan`.

use crate::constructor::signatures;
use crate::error::{Error, ErrorKind};
use crate::time::{DAY, NANOSECONDS, Timespan, Timestamp};
use crate::time_parse::{parse_timespan, parse_timestamp, timespan_of, timestamp_of};
use crate::value::{Hash, Value};

const ALIASES: &[(&str, &str)] = &[("Formats", "Variant[String[2], Array[String[2], 1]]")];

const TIMESTAMP_SIGNATURES: &[&str] = &[
    "",
    "Variant[Integer, Float] seconds",
    "String[1] string, Formats ?format, String[1] ?timezone",
    "Struct[{'string' => String[1], Optional['format'] => Formats, Optional['timezone'] => String[1]}] hash_arg",
];

const TIMESPAN_SIGNATURES: &[&str] = &[
    "Variant[Integer, Float] seconds",
    "String[1] string, Formats ?format",
    "Integer days, Integer hours, Integer minutes, Integer seconds, Integer ?milliseconds, Integer ?microseconds, \
     Integer ?nanoseconds",
    "Struct[{'string' => String[1], Optional['format'] => Formats}] hash_arg",
    "Struct[{Optional['negative'] => Boolean, Optional['days'] => Integer, Optional['hours'] => Integer, \
     Optional['minutes'] => Integer, Optional['seconds'] => Integer, Optional['milliseconds'] => Integer, \
     Optional['microseconds'] => Integer, Optional['nanoseconds'] => Integer}] hash_arg",
];

fn named<'a>(entries: &'a Hash, name: &str) -> Option<&'a Value> {
    entries.get(&Value::from(name))
}

fn text(value: Option<&Value>) -> Option<&str> {
    match value {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

pub(super) fn timestamp(arguments: &[Value]) -> Result<Value, Error> {
    let time = match arguments {
        [Value::Timestamp(time)] => *time,
        [] => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            Timestamp(now.map_or(0, |since| since.as_nanos() as i128))
        }
        arguments if !signatures::accepts(ALIASES, TIMESTAMP_SIGNATURES, arguments) => {
            return Err(signatures::rejected("new_timestamp", ALIASES, TIMESTAMP_SIGNATURES, arguments));
        }
        [Value::Hash(entries)] => {
            let source = text(named(entries, "string")).unwrap_or_default();
            parse_timestamp(source, named(entries, "format"), text(named(entries, "timezone")))?
        }
        [Value::String(source), rest @ ..] => parse_timestamp(source, rest.first(), text(rest.get(1)))?,
        [seconds, ..] => timestamp_of(seconds)?,
    };
    Ok(Value::Timestamp(time))
}

pub(super) fn timespan(arguments: &[Value]) -> Result<Value, Error> {
    let span = match arguments {
        [Value::Timespan(span)] => *span,
        arguments if !signatures::accepts(ALIASES, TIMESPAN_SIGNATURES, arguments) => {
            return Err(signatures::rejected("new_timespan", ALIASES, TIMESPAN_SIGNATURES, arguments));
        }
        [Value::Hash(entries)] => match text(named(entries, "string")) {
            Some(source) => parse_timespan(source, named(entries, "format"))?,
            None => from_parts(&UNITS.map(|(name, _)| named(entries, name)), named(entries, "negative"))?,
        },
        [Value::String(source), rest @ ..] => parse_timespan(source, rest.first())?,
        [_, _, ..] => from_parts(&std::array::from_fn(|at| arguments.get(at)), None)?,
        [seconds] => timespan_of(seconds)?,
        [] => return Err(signatures::rejected("new_timespan", ALIASES, TIMESPAN_SIGNATURES, arguments)),
    };
    Ok(Value::Timespan(span))
}

const UNITS: [(&str, i128); 7] = [
    ("days", DAY),
    ("hours", 3600 * NANOSECONDS),
    ("minutes", 60 * NANOSECONDS),
    ("seconds", NANOSECONDS),
    ("milliseconds", 1_000_000),
    ("microseconds", 1_000),
    ("nanoseconds", 1),
];

fn from_parts(parts: &[Option<&Value>; 7], negative: Option<&Value>) -> Result<Timespan, Error> {
    let too_large = || Error::new(ErrorKind::Arithmetic, "the Timespan is too large");
    let mut total: i128 = 0;
    for (part, (_, unit)) in parts.iter().zip(UNITS) {
        if let Some(Value::Integer(count)) = part {
            let part = i128::from(*count).checked_mul(unit).ok_or_else(too_large)?;
            total = total.checked_add(part).ok_or_else(too_large)?;
        }
    }
    Ok(Timespan(if negative == Some(&Value::Boolean(true)) { -total } else { total }))
}
