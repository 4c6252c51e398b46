//! `Timestamp`, `Timespan`.

use crate::constructor::signatures;
use crate::error::Error;
use crate::time::Timestamp;
use crate::time_parse::{parse_timespan, parse_timestamp, text, timespan_of, timespan_of_parts, timestamp_of};
use crate::value::Value;

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
        [Value::String(source), rest @ ..] => parse_timestamp(source, rest.first(), rest.get(1).and_then(text))?,
        [seconds_or_hash, ..] => timestamp_of(seconds_or_hash)?,
    };
    Ok(Value::Timestamp(time))
}

pub(super) fn timespan(arguments: &[Value]) -> Result<Value, Error> {
    let span = match arguments {
        [Value::Timespan(span)] => *span,
        arguments if !signatures::accepts(ALIASES, TIMESPAN_SIGNATURES, arguments) => {
            return Err(signatures::rejected("new_timespan", ALIASES, TIMESPAN_SIGNATURES, arguments));
        }
        [Value::String(source), rest @ ..] => parse_timespan(source, rest.first())?,
        [_, _, ..] => timespan_of_parts(&std::array::from_fn(|at| arguments.get(at)), None)?,
        [seconds_or_hash] => timespan_of(seconds_or_hash)?,
        [] => return Err(signatures::rejected("new_timespan", ALIASES, TIMESPAN_SIGNATURES, arguments)),
    };
    Ok(Value::Timespan(span))
}
