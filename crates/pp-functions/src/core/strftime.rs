//! `strftime`.

use std::time::{SystemTime, UNIX_EPOCH};

use pp_types::{Timespan, Timestamp, Value};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::time::format_time::format_time;
use crate::time::format_timespan::format_timespan;
use crate::time::zone::{UTC, ZoneError, parse_zone};

pub(crate) static STRFTIME: Function = Function::typed(
    "strftime",
    &[
        "Timespan time_object, String format",
        "Timestamp time_object, String format, String ?timezone",
        "String format, String ?timezone",
    ],
    "Formats a point in time, or a duration. For times the directives are those of Ruby and C, such as `%Y-%m-%d %H:%M:%S`; \
     the time zone is an offset such as `+02:00` or an abbreviation such as `CET`. For durations they are `%D`, `%H`, `%M`, \
     `%S`, `%L` (milliseconds) and `%N` (nanoseconds). Formatting the current time, without a time as argument, is \
     deprecated.",
    strftime,
);

fn strftime(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    match call.argument(0) {
        Value::Timespan(span) => timespan(*span, call.string(1)),
        Value::Timestamp(time) => timestamp(*time, call.string(1), call.arguments.get(2)),
        _ => {
            call.host.deprecate(
                "strftime-current-time",
                "The argument signature (String format, [String timezone]) is deprecated for #strftime. See #strftime \
                 documentation and Timespan type for more info",
            );
            let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let now = Timestamp(i128::try_from(since_epoch.as_nanos()).unwrap_or(0));
            timestamp(now, call.string(0), call.arguments.get(1))
        }
    }
}

fn timespan(span: Timespan, format: &str) -> Result<Value, Interrupt> {
    match format_timespan(format, span) {
        Ok(text) => Ok(Value::string(text)),
        Err(bad) => {
            Err(fail(format!("Bad format specifier '{}' in '{format}', at position {}", bad.directive, bad.position)))
        }
    }
}

fn timestamp(time: Timestamp, format: &str, zone: Option<&Value>) -> Result<Value, Interrupt> {
    let zone = match zone {
        None => UTC,
        Some(zone) => {
            let name = pp_types::interpolate(zone);
            parse_zone(&name).map_err(|error| match error {
                ZoneError::Unknown => fail(format!("Illegal timezone '{name}'")),
                ZoneError::OutOfRange => fail("utc_offset out of range"),
            })?
        }
    };
    match format_time(format, time, zone) {
        Some(text) => Ok(Value::string(text)),
        None => Err(fail(format!("invalid format: {format}"))),
    }
}
