//! Layouts of package `time`: a format is written as the reference time, 2006-01-02 15:04:05.

use std::fmt::Write as _;

use jiff::Zoned;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The elements of a layout. If several match, the first one in this list applies.
const ELEMENTS: [(&str, Element); 34] = [
    ("January", Element::LongMonth),
    ("Jan", Element::Month),
    ("Monday", Element::LongWeekday),
    ("Mon", Element::Weekday),
    ("MST", Element::Zone),
    ("002", Element::DayOfYear),
    ("01", Element::ZeroMonth),
    ("02", Element::ZeroDay),
    ("03", Element::ZeroHour12),
    ("04", Element::ZeroMinute),
    ("05", Element::ZeroSecond),
    ("06", Element::Year),
    ("15", Element::Hour),
    ("1", Element::NumMonth),
    ("2006", Element::LongYear),
    ("2", Element::Day),
    ("__2", Element::UnderDayOfYear),
    ("_2006", Element::UnderLongYear),
    ("_2", Element::UnderDay),
    ("3", Element::Hour12),
    ("4", Element::Minute),
    ("5", Element::Second),
    ("PM", Element::Noon("PM", "AM")),
    ("pm", Element::Noon("pm", "am")),
    ("-070000", Element::Offset(OffsetForm { zulu: false, colon: false, fields: 3 })),
    ("-07:00:00", Element::Offset(OffsetForm { zulu: false, colon: true, fields: 3 })),
    ("-0700", Element::Offset(OffsetForm { zulu: false, colon: false, fields: 2 })),
    ("-07:00", Element::Offset(OffsetForm { zulu: false, colon: true, fields: 2 })),
    ("-07", Element::Offset(OffsetForm { zulu: false, colon: false, fields: 1 })),
    ("Z070000", Element::Offset(OffsetForm { zulu: true, colon: false, fields: 3 })),
    ("Z07:00:00", Element::Offset(OffsetForm { zulu: true, colon: true, fields: 3 })),
    ("Z0700", Element::Offset(OffsetForm { zulu: true, colon: false, fields: 2 })),
    ("Z07:00", Element::Offset(OffsetForm { zulu: true, colon: true, fields: 2 })),
    ("Z07", Element::Offset(OffsetForm { zulu: true, colon: false, fields: 1 })),
];

#[derive(Clone, Copy)]
enum Element {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    UnderDay,
    ZeroDay,
    UnderDayOfYear,
    DayOfYear,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    UnderLongYear,
    Year,
    Noon(&'static str, &'static str),
    Zone,
    Offset(OffsetForm),
}

/// How an offset from UTC is written.
#[derive(Clone, Copy)]
struct OffsetForm {
    /// Whether UTC is `Z`.
    zulu: bool,
    /// Whether colons separate the fields.
    colon: bool,
    /// 1 for hours, 2 for minutes, 3 for seconds, too.
    fields: u8,
}

/// Formats a time with a layout.
#[must_use]
pub fn format(time: &Zoned, layout: &str) -> String {
    let (mut out, mut at) = (String::new(), 0);
    while let Some(c) = layout[at..].chars().next() {
        if let Some((length, zeros)) = fraction(layout, at) {
            // Times are whole seconds, for which a fraction of nines prints nothing.
            if zeros {
                out.push(c);
                out.extend(std::iter::repeat_n('0', length - 1));
            }
            at += length;
        } else if let Some((text, element)) = element(&layout[at..]) {
            write(&mut out, time, element);
            at += text.len();
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
    out
}

fn element(rest: &str) -> Option<(&'static str, Element)> {
    let found = ELEMENTS.iter().copied().find(|(text, _)| rest.starts_with(text));
    // `Jan` and `Mon` are not elements within a longer word such as `Janet`.
    found.filter(|(text, element)| match element {
        Element::Month | Element::Weekday => !rest[text.len()..].starts_with(|c: char| c.is_ascii_lowercase()),
        _ => true,
    })
}

/// Returns the length of a fraction `.000` or `,999` of any length, and whether it prints zeros. More digits must not
/// follow.
fn fraction(layout: &str, at: usize) -> Option<(usize, bool)> {
    let rest = &layout.as_bytes()[at..];
    let digit = *rest.get(1)?;
    if !matches!(rest[0], b'.' | b',') || !matches!(digit, b'0' | b'9') {
        return None;
    }
    let count = rest[1..].iter().take_while(|b| **b == digit).count();
    let more = rest.get(1 + count).is_some_and(u8::is_ascii_digit);
    (!more).then_some((1 + count, digit == b'0'))
}

fn write(out: &mut String, time: &Zoned, element: Element) {
    let month = usize::try_from(time.month()).unwrap_or(1);
    let weekday = usize::try_from(time.weekday().to_monday_zero_offset()).unwrap_or(0);
    let hour12 = match time.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let (long_month, long_weekday) = (MONTHS[(month - 1) % 12], DAYS[weekday % 7]);
    let written = match element {
        Element::LongMonth => write!(out, "{long_month}"),
        Element::Month => write!(out, "{}", &long_month[..3]),
        Element::NumMonth => write!(out, "{month}"),
        Element::ZeroMonth => write!(out, "{month:02}"),
        Element::LongWeekday => write!(out, "{long_weekday}"),
        Element::Weekday => write!(out, "{}", &long_weekday[..3]),
        Element::Day => write!(out, "{}", time.day()),
        Element::UnderDay => write!(out, "{:2}", time.day()),
        Element::ZeroDay => write!(out, "{:02}", time.day()),
        Element::UnderDayOfYear => write!(out, "{:3}", time.day_of_year()),
        Element::DayOfYear => write!(out, "{:03}", time.day_of_year()),
        Element::Hour => write!(out, "{:02}", time.hour()),
        Element::Hour12 => write!(out, "{hour12}"),
        Element::ZeroHour12 => write!(out, "{hour12:02}"),
        Element::Minute => write!(out, "{}", time.minute()),
        Element::ZeroMinute => write!(out, "{:02}", time.minute()),
        Element::Second => write!(out, "{}", time.second()),
        Element::ZeroSecond => write!(out, "{:02}", time.second()),
        Element::LongYear => write!(out, "{:04}", time.year()),
        Element::UnderLongYear => write!(out, "_{:04}", time.year()),
        Element::Year => write!(out, "{:02}", time.year() % 100),
        Element::Noon(after, before) => write!(out, "{}", if time.hour() >= 12 { after } else { before }),
        Element::Zone => write!(out, "{}", zone(time)),
        Element::Offset(form) => offset(out, time, form),
    };
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// Returns the abbreviation of the time zone, or its offset if it has none.
fn zone(time: &Zoned) -> String {
    let abbreviation = time.strftime("%Z").to_string();
    if abbreviation.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return abbreviation;
    }
    let mut out = String::new();
    let minutes = time.offset().seconds() / 60 % 60 != 0;
    let fields = if minutes { 2 } else { 1 };
    let _ = offset(&mut out, time, OffsetForm { zulu: false, colon: false, fields });
    out
}

fn offset(out: &mut String, time: &Zoned, form: OffsetForm) -> std::fmt::Result {
    let OffsetForm { zulu, colon, fields } = form;
    let seconds = time.offset().seconds();
    if zulu && seconds == 0 {
        out.push('Z');
        return Ok(());
    }
    let size = seconds.unsigned_abs();
    let colon = if colon { ":" } else { "" };
    write!(out, "{}{:02}", if seconds < 0 { '-' } else { '+' }, size / 3600)?;
    if fields > 1 {
        write!(out, "{colon}{:02}", size / 60 % 60)?;
    }
    if fields > 2 {
        write!(out, "{colon}{:02}", size % 60)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_follow_the_reference_time() {
        let utc = |seconds| jiff::Timestamp::from_second(seconds).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
        for (seconds, layout, text) in [
            (0, "2006-01-02 15:04:05 -0700 MST", "1970-01-01 00:00:00 +0000 UTC"),
            (1_700_000_000, "2006-01-02T15:04:05Z07:00", "2023-11-14T22:13:20Z"),
            (1_700_000_000, "Mon Jan _2 2006", "Tue Nov 14 2023"),
            (1_700_000_000, "Monday, January 2", "Tuesday, November 14"),
            (0, "_2 __2 002 06 1", " 1   1 001 70 1"),
            (0, "3:04PM 03pm", "12:00AM 12am"),
            (0, "15:04:05.000 .999 ,99", "00:00:00.000  "),
            (0, "Janet Monk", "Janet Monk"),
            (0, "-07 -07:00 -070000 Z0700", "+00 +00:00 +000000 Z"),
            (0, "", ""),
            (0, "é200", "é100"),
        ] {
            assert_eq!(format(&utc(seconds), layout), text, "{layout}");
        }
    }

    #[test]
    fn zones_west_of_greenwich_have_negative_offsets() {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(-3).saturating_sub(jiff::SignedDuration::from_mins(30)));
        let time = jiff::Timestamp::UNIX_EPOCH.to_zoned(zone);
        assert_eq!(format(&time, "15:04 -0700 Z07:00 MST"), "20:30 -0330 -03:30 -0330");
    }
}
