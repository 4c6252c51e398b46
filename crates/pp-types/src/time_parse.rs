//! Times and durations from text, by formats in the notation of `strftime`.

use crate::error::{Error, ErrorKind};
use crate::text::ruby_text;
use crate::time::{Civil, DAY, MONTHS, NANOSECONDS, Timespan, Timestamp, WEEKDAYS, days_of_date};
use crate::time_zone::{zone_length, zone_offset};
use crate::value::{Hash, Value, entry};

/// The formats in which a timestamp is read if none is given, those with a time zone first.
const TIMESTAMP_FORMATS: [&str; 10] =
    ["%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%F %Z", "%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];

/// The number of formats with a time zone.
const ZONED_FORMATS: usize = 5;

/// The formats in which a duration is read if none is given.
const TIMESPAN_FORMATS: [&str; 8] =
    ["%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N", "%D-%H:%M:%S", "%H:%M:%S", "%D-%H:%M", "%S"];

fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Conversion, message)
}

/// Returns the formats of an argument: a string, or an array of strings; the default ones if there is none.
fn formats<'a>(argument: Option<&'a Value>, default: &[&'a str]) -> Vec<&'a str> {
    match argument {
        Some(Value::String(format)) => vec![format],
        Some(Value::Array(formats)) => formats
            .iter()
            .filter_map(|format| match format {
                Value::String(format) => Some(&**format),
                _ => None,
            })
            .collect(),
        _ => default.to_vec(),
    }
}

fn unparsable(text: &str, argument: Option<&Value>, formats: &[&str]) -> Error {
    if let Some(Value::String(format)) = argument {
        return error(format!("Unable to parse '{text}' using format '{format}'"));
    }
    error(format!("Unable to parse '{text}' using any of the formats {}", formats.join(", ")))
}

/// Reads a point in time, in a zone that the text or the argument names; otherwise in UTC.
pub(crate) fn parse_timestamp(text: &str, format: Option<&Value>, zone: Option<&str>) -> Result<Timestamp, Error> {
    let default = if zone.is_some() { &TIMESTAMP_FORMATS[ZONED_FORMATS..] } else { &TIMESTAMP_FORMATS };
    let formats = formats(format, default);
    let is_single = matches!(format, Some(Value::String(_)));
    for candidate in &formats {
        let mut reader = Reader { rest: text, fields: Fields::default() };
        if reader.pattern(candidate).is_none() || !reader.rest.is_empty() {
            continue;
        }
        let fields = reader.fields;
        if zone.is_some() && fields.zone.is_some() {
            if is_single {
                return Err(error(
                    "Using a Timezone designator in format specification is mutually exclusive to providing an explicit \
                     timezone argument",
                ));
            }
            continue;
        }
        if let Some(time) = fields.timestamp() {
            let offset = match zone.or(fields.zone) {
                Some(name) => zone_offset(name).ok_or_else(|| error(format!("Illegal timezone '{name}'")))?,
                None => 0,
            };
            return Ok(Timestamp(time.0 - i128::from(offset)));
        }
    }
    Err(unparsable(text, format, &formats))
}

/// What a text says of a point in time.
#[derive(Default)]
struct Fields<'a> {
    year: Option<i128>,
    century: Option<i128>,
    month: Option<u32>,
    day: Option<u32>,
    day_of_year: Option<u32>,
    hour: Option<u32>,
    is_afternoon: Option<bool>,
    minute: Option<u32>,
    second: Option<u32>,
    nanosecond: Option<i128>,
    /// Seconds since 1970.
    seconds: Option<i128>,
    /// The time zone, as it is written.
    zone: Option<&'a str>,
}

impl Fields<'_> {
    /// Returns the point in time, as if it were in UTC.
    fn timestamp(&self) -> Option<Timestamp> {
        let nanosecond = self.nanosecond.unwrap_or(0);
        if let Some(seconds) = self.seconds {
            return Some(Timestamp(seconds * NANOSECONDS + nanosecond));
        }
        let has_date = self.year.is_some() || self.month.is_some() || self.day.is_some() || self.day_of_year.is_some();
        let year = match (self.year, self.century) {
            (Some(year), Some(century)) => century * 100 + year.rem_euclid(100),
            (Some(year), None) => year,
            (None, Some(century)) => century * 100,
            (None, None) => today().year,
        };
        let (month, day) = if has_date || self.century.is_some() {
            (self.month.unwrap_or(1), self.day.unwrap_or(1))
        } else {
            let today = today();
            (today.month, today.day)
        };
        let hour = match (self.hour.unwrap_or(0), self.is_afternoon) {
            (hour, None) => hour,
            (hour @ 0..=12, Some(is_afternoon)) => hour % 12 + if is_afternoon { 12 } else { 0 },
            _ => return None,
        };
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        let valid = (1..=12).contains(&month) && (1..=31).contains(&day) && hour <= 24 && minute < 60 && second <= 60;
        if !valid || hour == 24 && (minute > 0 || second > 0) {
            return None;
        }
        let days = match self.day_of_year {
            Some(day) if self.month.is_none() => days_of_date(year, 1, 1) + i128::from(day) - 1,
            _ => days_of_date(year, month, 1) + i128::from(day) - 1,
        };
        let seconds = i128::from(hour) * 3600 + i128::from(minute) * 60 + i128::from(second);
        Some(Timestamp(days * DAY + seconds * NANOSECONDS + nanosecond))
    }
}

fn today() -> Civil {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Civil::from_nanoseconds(now.map_or(0, |since| since.as_nanos() as i128))
}

struct Reader<'a> {
    rest: &'a str,
    fields: Fields<'a>,
}

impl Reader<'_> {
    fn pattern(&mut self, format: &str) -> Option<()> {
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '%' => {
                    // Flags and widths say how to print; they do not matter here.
                    let mut directive = chars.next()?;
                    while matches!(directive, '-' | '_' | '^' | '#' | ':') || directive.is_ascii_digit() {
                        directive = chars.next()?;
                    }
                    self.directive(directive)?;
                }
                c if c.is_whitespace() => self.rest = self.rest.trim_start(),
                c => self.rest = self.rest.strip_prefix(c)?,
            }
        }
        Some(())
    }

    fn digits(&mut self, max: usize) -> Option<u32> {
        let end = self.rest.bytes().take(max).take_while(u8::is_ascii_digit).count();
        let value = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        Some(value)
    }

    /// Returns whether the rest starts with a text, without regard to ASCII case.
    fn starts_with(&self, text: &str) -> bool {
        self.rest.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
    }

    fn name(&mut self, names: &[&str]) -> Option<u32> {
        let (at, length) = names.iter().enumerate().find_map(|(at, name)| {
            let form = [*name, &name[..3]].into_iter().find(|form| self.starts_with(form))?;
            Some((at, form.len()))
        })?;
        self.rest = &self.rest[length..];
        u32::try_from(at).ok()
    }

    fn fraction(&mut self, max: usize) -> Option<i128> {
        let end = self.rest.bytes().take(max).take_while(u8::is_ascii_digit).count();
        if end == 0 {
            return None;
        }
        let digits = format!("{:0<9}", &self.rest[..end.min(9)]);
        self.rest = &self.rest[end..];
        digits.parse().ok()
    }

    fn directive(&mut self, directive: char) -> Option<()> {
        match directive {
            'Y' => {
                let sign = if self.rest.starts_with('-') { -1 } else { 1 };
                self.rest = self.rest.strip_prefix(['-', '+']).unwrap_or(self.rest);
                self.fields.year = Some(sign * i128::from(self.digits(4)?));
            }
            'C' => self.fields.century = Some(i128::from(self.digits(2)?)),
            'y' => {
                let year = i128::from(self.digits(2)?);
                self.fields.year = Some(if year < 69 { 2000 + year } else { 1900 + year });
            }
            'm' => self.fields.month = Some(self.digits(2)?),
            'B' | 'b' | 'h' => self.fields.month = Some(self.name(&MONTHS)? + 1),
            'd' | 'e' => {
                self.rest = self.rest.trim_start();
                self.fields.day = Some(self.digits(2)?);
            }
            'j' => self.fields.day_of_year = Some(self.digits(3)?),
            'H' | 'I' | 'k' | 'l' => {
                self.rest = self.rest.trim_start();
                self.fields.hour = Some(self.digits(2)?);
            }
            'M' => self.fields.minute = Some(self.digits(2)?),
            'S' => self.fields.second = Some(self.digits(2)?),
            'N' => self.fields.nanosecond = Some(self.fraction(usize::MAX)?),
            'L' => self.fields.nanosecond = Some(self.fraction(3)?),
            'p' | 'P' => self.fields.is_afternoon = Some(self.meridian()? == 1),
            'A' | 'a' => {
                self.name(&WEEKDAYS)?;
            }
            'u' | 'w' => {
                self.digits(1)?;
            }
            's' => self.fields.seconds = Some(i128::from(self.long_number()?)),
            'Q' => {
                let milliseconds = i128::from(self.long_number()?);
                self.fields.seconds = Some(milliseconds.div_euclid(1000));
                self.fields.nanosecond = Some(milliseconds.rem_euclid(1000) * 1_000_000);
            }
            'z' | 'Z' => {
                let (zone, rest) = self.rest.split_at(zone_length(self.rest)?);
                self.fields.zone = Some(zone);
                self.rest = rest;
            }
            'F' => self.pattern("%Y-%m-%d")?,
            'T' | 'X' => self.pattern("%H:%M:%S")?,
            'R' => self.pattern("%H:%M")?,
            'r' => self.pattern("%I:%M:%S %p")?,
            'D' | 'x' => self.pattern("%m/%d/%y")?,
            'c' => self.pattern("%a %b %e %H:%M:%S %Y")?,
            'v' => self.pattern("%e-%b-%Y")?,
            '+' => self.pattern("%a %b %e %H:%M:%S %Z %Y")?,
            'n' | 't' => self.rest = self.rest.trim_start(),
            '%' => self.rest = self.rest.strip_prefix('%')?,
            _ => return None,
        }
        Some(())
    }

    fn meridian(&mut self) -> Option<u32> {
        let found = ["am", "pm", "a.m.", "p.m."].iter().position(|name| self.starts_with(name))?;
        self.rest = &self.rest[if found < 2 { 2 } else { 4 }..];
        Some(found as u32 % 2)
    }

    fn long_number(&mut self) -> Option<i64> {
        let sign = usize::from(self.rest.starts_with('-'));
        let end = sign + self.rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..end].parse().ok()?;
        self.rest = &self.rest[end..];
        Some(number)
    }
}

/// Reads a duration.
pub(crate) fn parse_timespan(text: &str, format: Option<&Value>) -> Result<Timespan, Error> {
    let formats = formats(format, &TIMESPAN_FORMATS);
    for candidate in &formats {
        if let Some(span) = timespan_by(text, candidate)? {
            return Ok(span);
        }
    }
    Err(unparsable(text, format, &formats))
}

fn timespan_by(text: &str, format: &str) -> Result<Option<Timespan>, Error> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let mut total: i128 = 0;
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            match rest.strip_prefix(c) {
                Some(after) => rest = after,
                None => return Ok(None),
            }
            continue;
        }
        let mut directive = chars.next();
        while matches!(directive, Some('-' | '_' | '0'..='9')) {
            directive = chars.next();
        }
        if directive == Some('%') {
            match rest.strip_prefix('%') {
                Some(after) => rest = after,
                None => return Ok(None),
            }
            continue;
        }
        let padded = rest.trim_start();
        let end = padded.bytes().take_while(u8::is_ascii_digit).count();
        let digits = &padded[..end];
        rest = &padded[end..];
        if digits.is_empty() {
            return Ok(None);
        }
        let Ok(number) = digits.parse::<i128>() else { return Ok(None) };
        let unit = match directive {
            Some('D') => DAY,
            Some('H') => 3600 * NANOSECONDS,
            Some('M') => 60 * NANOSECONDS,
            Some('S') => NANOSECONDS,
            Some('L' | 'N') => {
                let fraction = format!("{:0<9}", &digits[..end.min(9)]);
                total += fraction.parse::<i128>().unwrap_or(0);
                continue;
            }
            _ => {
                let message = format!(
                    "Bad format specifier '%{}' in '{format}'",
                    directive.map(String::from).unwrap_or_default()
                );
                return Err(error(message));
            }
        };
        match number.checked_mul(unit).and_then(|part| total.checked_add(part)) {
            Some(sum) => total = sum,
            None => return Ok(None),
        }
    }
    Ok(rest.is_empty().then_some(Timespan(sign * total)))
}

/// Reads a point in time as a bound of a type: seconds, or a text in one of the default formats.
pub(crate) fn timestamp_of(value: &Value) -> Result<Timestamp, Error> {
    match value {
        Value::Timestamp(time) => Ok(*time),
        Value::Integer(seconds) => Ok(Timestamp(i128::from(*seconds) * NANOSECONDS)),
        Value::Float(seconds) => Ok(Timestamp::from_seconds(seconds.0)),
        Value::String(text) => parse_timestamp(text, None, None),
        Value::Hash(entries) if let Some(text) = named_text(entries, "string") => {
            parse_timestamp(text, entry(entries, "format"), named_text(entries, "timezone"))
        }
        other => Err(cannot_create("Timestamp", other)),
    }
}

/// Reads a duration as a bound of a type: seconds, or a text in one of the default formats.
pub(crate) fn timespan_of(value: &Value) -> Result<Timespan, Error> {
    match value {
        Value::Timespan(span) => Ok(*span),
        Value::Integer(seconds) => Ok(Timespan(i128::from(*seconds) * NANOSECONDS)),
        Value::Float(seconds) => Ok(Timespan::from_seconds(seconds.0)),
        Value::String(text) => parse_timespan(text, None),
        Value::Hash(entries) => match named_text(entries, "string") {
            Some(text) => parse_timespan(text, entry(entries, "format")),
            None => timespan_of_parts(&UNITS.map(|(name, _)| entry(entries, name)), entry(entries, "negative")),
        },
        other => Err(cannot_create("Timespan", other)),
    }
}

fn cannot_create(ty: &str, value: &Value) -> Error {
    let found = crate::describe::with_article(crate::describe::class_name(value));
    let shown = if let Value::Undef = value { String::new() } else { format!(": {}", ruby_text(value)) };
    error(format!("Unable to create a {ty} from {found}{shown}"))
}

fn named_text<'a>(entries: &'a Hash, name: &str) -> Option<&'a str> {
    entry(entries, name).and_then(text)
}

/// Returns the text of a string.
pub(crate) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
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

/// Adds up days, hours, and so on.
pub(crate) fn timespan_of_parts(parts: &[Option<&Value>; 7], negative: Option<&Value>) -> Result<Timespan, Error> {
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
