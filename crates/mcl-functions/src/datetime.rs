//! `datetime` (spec 03 §5.2). Times are Unix timestamps in seconds, shown in the time zone of the process.

use std::time::Duration;

use go_compat::time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure, streaming};
use crate::{Function, FunctionError, Stream, StreamContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure(
        "datetime.format",
        "func(a int, b str) str",
        "Formats a Unix timestamp in local time with a Go layout such as `2006-01-02 15:04:05`.",
        |_, args| ok(time::format(&local(args.int(0)?)?, &args.text(1)?)),
    )
    .on_host()
    .example(r#"datetime.format(datetime.now(), "2006-01-02")"#),
    pure(
        "datetime.hour",
        "func(a int) int",
        "Returns the hour of a Unix timestamp in local time, 0 to 23.",
        |_, args| ok(i64::from(local(args.int(0)?)?.hour())),
    )
    .on_host()
    .example("datetime.hour(datetime.now()) >= 8"),
    streaming("datetime.now", "func() int", "Returns the current Unix timestamp. Updates every second.", || {
        Box::new(Now(false))
    }),
    pure(
        "datetime.print",
        "func(a int) str",
        "Formats a Unix timestamp in local time as `2006-01-02 15:04:05 -0700 MST`.",
        |_, args| ok(time::format(&local(args.int(0)?)?, "2006-01-02 15:04:05 -0700 MST")),
    )
    .on_host()
    .example("datetime.print(datetime.now())"),
    streaming(
        "datetime.str_now",
        "func() str",
        "Returns the current Unix timestamp in decimal. Updates every second.",
        || Box::new(Now(true)),
    ),
    pure(
        "datetime.weekday",
        "func(a int) str",
        "Returns the day of the week of a Unix timestamp in local time: `monday` to `sunday`.",
        |_, args| ok(weekday(&local(args.int(0)?)?)),
    )
    .on_host()
    .example(r#"datetime.weekday(datetime.now()) == "sunday""#),
    streaming(
        "datetime.weekday_fast",
        "func() str",
        "Returns the current day of the week in local time: `monday` to `sunday`. Updates at midnight.",
        || Box::new(Weekday),
    ),
];

/// The last timestamp that the calendar supports, in the year 9999.
const LAST: i64 = 253_402_207_200;

fn local(seconds: i64) -> Result<Zoned, FunctionError> {
    if seconds < 0 {
        return Err(FunctionError::fatal("epoch delta must be positive"));
    }
    // Later times are clamped.
    let timestamp = Timestamp::from_second(seconds.min(LAST)).unwrap_or(Timestamp::UNIX_EPOCH);
    Ok(timestamp.to_zoned(TimeZone::system()))
}

fn weekday(time: &Zoned) -> &'static str {
    use jiff::civil::Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    match time.weekday() {
        Monday => "monday",
        Tuesday => "tuesday",
        Wednesday => "wednesday",
        Thursday => "thursday",
        Friday => "friday",
        Saturday => "saturday",
        Sunday => "sunday",
    }
}

fn seconds(time: Duration) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(LAST)
}

/// Updates at each full second.
struct Now(bool);

impl Stream for Now {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        let now = cx.now();
        cx.wake_after(Duration::from_secs(1) - Duration::from_nanos(now.subsec_nanos().into()));
        let now = seconds(now);
        if self.0 { ok(now.to_string()) } else { ok(now) }
    }
}

/// Updates at each local midnight.
struct Weekday;

/// How long a change of the clock or a suspended machine may go unnoticed.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_secs(60);

impl Stream for Weekday {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        let now = cx.now();
        let time = local(seconds(now))?;
        let midnight = time.date().saturating_add(1.day()).to_zoned(time.time_zone().clone());
        let Ok(midnight) = midnight else { return fatal("the next midnight is out of range") };
        let until = u64::try_from(midnight.timestamp().as_second() - seconds(now)).unwrap_or(1).max(1);
        let until = Duration::from_secs(until) - Duration::from_nanos(now.subsec_nanos().into());
        cx.wake_after(until.min(CLOCK_CHECK_INTERVAL));
        ok(weekday(&time))
    }
}
