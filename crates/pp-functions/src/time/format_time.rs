//! Points in time as text: Ruby's `strftime`.

use pp_types::{Civil, MONTHS, Timestamp, WEEKDAYS, days_of_date};

use crate::time::zone::Zone;

const NANOSECONDS: i128 = 1_000_000_000;

/// The greatest width that a format may ask for.
const MAX_WIDTH: usize = 1024;

/// A point in time, taken apart.
struct Parts {
    year: i64,
    /// From 1.
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i128,
    /// From Sunday, 0.
    weekday: i64,
    /// From 0.
    yearday: i64,
    /// Since 1970.
    epoch: i64,
    zone: Zone,
}

/// Takes a time apart in a zone; `None` if it is out of the range of years that fit.
fn parts(time: Timestamp, zone: Zone) -> Option<Parts> {
    let epoch = i64::try_from(time.0.div_euclid(NANOSECONDS)).ok()?;
    let local = time.0.checked_add(i128::from(zone.offset) * NANOSECONDS)?;
    let civil = Civil::from_nanoseconds(local);
    Some(Parts {
        year: i64::try_from(civil.year).ok()?,
        month: usize::try_from(civil.month).ok()?,
        day: civil.day.into(),
        hour: civil.hour.into(),
        minute: civil.minute.into(),
        second: civil.second.into(),
        nanosecond: civil.nanosecond.into(),
        weekday: civil.weekday.into(),
        yearday: i64::from(civil.day_of_year) - 1,
        epoch,
        zone,
    })
}

/// Returns year and week by ISO 8601: weeks begin on Mondays, and the first one has the first Thursday.
fn iso_week(parts: &Parts) -> (i64, i64) {
    let monday_based = (parts.weekday + 6) % 7;
    let thursday = parts.yearday - monday_based + 3;
    let first_day = |year: i64| days_of_date(year.into(), 1, 1);
    let days_of = |year: i64| i64::try_from(first_day(year + 1) - first_day(year)).unwrap_or(365);
    let (year, thursday) = if thursday < 0 {
        (parts.year - 1, thursday + days_of(parts.year - 1))
    } else if thursday >= days_of(parts.year) {
        (parts.year + 1, thursday - days_of(parts.year))
    } else {
        (parts.year, thursday)
    };
    (year, thursday / 7 + 1)
}

/// The flags and the width between the `%` of a directive and its letter.
#[derive(Default)]
struct Flags {
    padding: Option<char>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
    colons: usize,
}

impl Flags {
    /// Appends a number, padded with zeros or spaces.
    fn number(&self, number: i64, width: usize, padding: char, text: &mut String) {
        let digits = number.unsigned_abs().to_string();
        let sign = if number < 0 { "-" } else { "" };
        let width = if self.padding == Some('-') { 0 } else { self.width.unwrap_or(width) };
        let missing = width.saturating_sub(digits.len() + sign.len());
        if self.padding.unwrap_or(padding) == ' ' {
            text.extend(std::iter::repeat_n(' ', missing));
            text.push_str(sign);
        } else {
            text.push_str(sign);
            text.extend(std::iter::repeat_n('0', missing));
        }
        text.push_str(&digits);
    }

    /// Appends a word; the flag `#` makes it upper case.
    fn word(&self, word: &str, text: &mut String) {
        let is_upper = self.upper || self.swap;
        self.pad(word, text);
        if is_upper { text.push_str(&word.to_uppercase()) } else { text.push_str(word) }
    }

    /// Appends a word that is in upper case already; the flag `#` makes it lower case.
    fn upper_word(&self, word: &str, text: &mut String) {
        if self.swap {
            self.pad(word, text);
            text.push_str(&word.to_lowercase());
        } else {
            self.word(word, text);
        }
    }

    /// Appends what fills a word up to the width.
    fn pad(&self, word: &str, text: &mut String) {
        let missing = match self.width {
            Some(width) if self.padding != Some('-') => width.saturating_sub(word.chars().count()),
            _ => 0,
        };
        let padding = if self.padding == Some('0') { '0' } else { ' ' };
        text.extend(std::iter::repeat_n(padding, missing));
    }
}

/// Formats a time in a zone; `None` if the format ends in the middle of a directive, or asks for too much.
pub(crate) fn format_time(format: &str, time: Timestamp, zone: Zone) -> Option<String> {
    let parts = parts(time, zone)?;
    let mut text = String::with_capacity(format.len() + 16);
    format_parts(format, &parts, &mut text)?;
    Some(text)
}

fn format_parts(format: &str, parts: &Parts, text: &mut String) -> Option<()> {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let directive = &rest[at..];
        let (flags, modifier, letter, length) = read_directive(directive)?;
        let colons_end = directive[..length - letter.len_utf8()].ends_with(':');
        let known = is_modifier_allowed(modifier, letter) && (flags.colons == 0 || (letter == 'z' && colons_end));
        if !known || format_directive(letter, &flags, parts, text).is_none() {
            text.push_str(&directive[..length]);
        }
        rest = &directive[length..];
    }
    text.push_str(rest);
    Some(())
}

/// Reads a directive: its flags, its modifier, its letter, and its length in bytes.
fn read_directive(directive: &str) -> Option<(Flags, Option<char>, char, usize)> {
    let mut flags = Flags::default();
    let mut modifier = None;
    for (at, character) in directive.char_indices().skip(1) {
        match character {
            '-' => flags.padding = Some('-'),
            '_' => flags.padding = Some(' '),
            '0' if flags.width.is_none() => flags.padding = Some('0'),
            '^' => flags.upper = true,
            '#' => flags.swap = true,
            ':' => flags.colons += 1,
            '0'..='9' => {
                let digit = character as usize - '0' as usize;
                let width = flags.width.unwrap_or(0) * 10 + digit;
                if width > MAX_WIDTH {
                    return None;
                }
                flags.width = Some(width);
            }
            'E' | 'O'
                if modifier.is_none() && directive[at + 1..].starts_with(|next: char| next.is_ascii_alphabetic()) =>
            {
                modifier = Some(character);
            }
            letter => return Some((flags, modifier, letter, at + letter.len_utf8())),
        }
    }
    None
}

/// Whether a modifier for other calendars or digits, which changes nothing, is allowed before a letter.
fn is_modifier_allowed(modifier: Option<char>, letter: char) -> bool {
    match modifier {
        Some('E') => "cCxXyY".contains(letter),
        Some(_) => "deHkIlmMSuUVwWy".contains(letter),
        None => true,
    }
}

/// Appends what a letter stands for; `None` if it stands for nothing.
fn format_directive(letter: char, flags: &Flags, parts: &Parts, text: &mut String) -> Option<()> {
    let hour12 = (parts.hour + 11) % 12 + 1;
    let half = if parts.hour < 12 { "AM" } else { "PM" };
    let month = MONTHS.get(parts.month.wrapping_sub(1)).copied().unwrap_or_default();
    let day = WEEKDAYS.get(usize::try_from(parts.weekday).unwrap_or(0)).copied().unwrap_or_default();
    let year_width = if parts.year < 0 { 5 } else { 4 };
    match letter {
        'Y' => flags.number(parts.year, year_width, '0', text),
        'C' => flags.number(parts.year.div_euclid(100), 2, '0', text),
        'y' => flags.number(parts.year.rem_euclid(100), 2, '0', text),
        'm' => flags.number(i64::try_from(parts.month).unwrap_or(0), 2, '0', text),
        'B' => flags.word(month, text),
        'b' | 'h' => flags.word(&month[..month.len().min(3)], text),
        'j' => flags.number(parts.yearday + 1, 3, '0', text),
        'd' => flags.number(parts.day, 2, '0', text),
        'e' => flags.number(parts.day, 2, ' ', text),
        'H' => flags.number(parts.hour, 2, '0', text),
        'k' => flags.number(parts.hour, 2, ' ', text),
        'I' => flags.number(hour12, 2, '0', text),
        'l' => flags.number(hour12, 2, ' ', text),
        'M' => flags.number(parts.minute, 2, '0', text),
        'S' => flags.number(parts.second, 2, '0', text),
        'L' => push_fraction(parts.nanosecond, flags.width.unwrap_or(3), text),
        'N' => push_fraction(parts.nanosecond, flags.width.unwrap_or(9), text),
        'p' => flags.upper_word(half, text),
        'P' => flags.upper_word(&half.to_lowercase(), text),
        'A' => flags.word(day, text),
        'a' => flags.word(&day[..day.len().min(3)], text),
        'u' => flags.number((parts.weekday + 6) % 7 + 1, 1, '0', text),
        'w' => flags.number(parts.weekday, 1, '0', text),
        'G' => flags.number(iso_week(parts).0, year_width, '0', text),
        'g' => flags.number(iso_week(parts).0.rem_euclid(100), 2, '0', text),
        'V' => flags.number(iso_week(parts).1, 2, '0', text),
        'U' => flags.number((parts.yearday + 7 - parts.weekday) / 7, 2, '0', text),
        'W' => flags.number((parts.yearday + 7 - (parts.weekday + 6) % 7) / 7, 2, '0', text),
        's' => flags.number(parts.epoch, 1, '0', text),
        'z' => return push_offset(flags, parts.zone, text),
        'Z' => flags.upper_word(if parts.zone.is_utc { "UTC" } else { "" }, text),
        'n' => flags.word("\n", text),
        't' => flags.word("\t", text),
        '%' => flags.word("%", text),
        'c' => return composite("%a %b %e %H:%M:%S %Y", flags, parts, text),
        'D' | 'x' => return composite("%m/%d/%y", flags, parts, text),
        'F' => return composite("%Y-%m-%d", flags, parts, text),
        'T' | 'X' => return composite("%H:%M:%S", flags, parts, text),
        'R' => return composite("%H:%M", flags, parts, text),
        'r' => return composite("%I:%M:%S %p", flags, parts, text),
        'v' => return composite("%e-%^b-%4Y", flags, parts, text),
        _ => return None,
    }
    Some(())
}

fn composite(format: &str, flags: &Flags, parts: &Parts, text: &mut String) -> Option<()> {
    let mut inner = String::new();
    format_parts(format, parts, &mut inner)?;
    flags.word(&inner, text);
    Some(())
}

/// Appends the first digits of a fraction of a second.
fn push_fraction(nanosecond: i128, digits: usize, text: &mut String) {
    let all = format!("{nanosecond:09}");
    text.push_str(&all[..digits.min(9)]);
    text.extend(std::iter::repeat_n('0', digits.saturating_sub(9)));
}

/// Appends the offset from UTC: `+0200`, with colons `+02:00`, `+02:00:00`, `+02`.
fn push_offset(flags: &Flags, zone: Zone, text: &mut String) -> Option<()> {
    let offset = zone.offset.abs();
    let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
    let tail = match flags.colons {
        0 => format!("{minutes:02}"),
        1 => format!(":{minutes:02}"),
        2 => format!(":{minutes:02}:{seconds:02}"),
        3 if offset % 3600 == 0 => String::new(),
        3 if offset % 60 == 0 => format!(":{minutes:02}"),
        3 => format!(":{minutes:02}:{seconds:02}"),
        _ => return None,
    };
    let sign = if zone.offset < 0 || (zone.is_utc && flags.padding == Some('-')) { '-' } else { '+' };
    let width = flags.width.unwrap_or(0).max(tail.len() + 3) - tail.len() - 1;
    if flags.padding == Some(' ') {
        let hours = hours.to_string();
        text.extend(std::iter::repeat_n(' ', width.saturating_sub(hours.len())));
        text.push(sign);
        text.push_str(&hours);
    } else {
        text.push(sign);
        let hours = hours.to_string();
        text.extend(std::iter::repeat_n('0', width.saturating_sub(hours.len())));
        text.push_str(&hours);
    }
    text.push_str(&tail);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::zone::{UTC, parse_zone};

    /// 2020-02-03 04:05:06.123456789 UTC, a Monday.
    const MONDAY: Timestamp = Timestamp(1_580_702_706_123_456_789);

    fn check(format: &str, expected: &str) {
        assert_eq!(format_time(format, MONDAY, UTC).as_deref(), Some(expected), "{format}");
    }

    #[test]
    fn formats_fields_as_ruby_does() {
        check("%Y-%m-%d %H:%M:%S.%L", "2020-02-03 04:05:06.123");
        check("%a %A %b %B %j %U %u %p %I", "Mon Monday Feb February 034 05 1 AM 04");
        check(
            "%N %3N %6N %9N %12N %L %5L %s %Q",
            "123456789 123 123456 123456789 123456789000 123 12345 1580702706 %Q",
        );
        check("%-d %-m %e %_m %0e %^a %^B %#p %P %l %k", "3 2  3  2 03 MON FEBRUARY am am  4  4");
        check("%C %y %G %g %V %W %h %n%t%%", "20 20 2020 20 06 05 Feb \n\t%");
        check("%F %T %D %R %c", "2020-02-03 04:05:06 02/03/20 04:05 Mon Feb  3 04:05:06 2020");
        check("%r %R %v %x %X %+", "04:05:06 AM 04:05  3-FEB-2020 02/03/20 04:05:06 %+");
    }

    #[test]
    fn formats_with_widths_and_modifiers() {
        check(
            "%10Y|%-Y|%010d|%_10d|%^10a|%-10d|%10a|%_5H|%-H|%05e|%_m|%0k|%#a|%#b|%#Z|%^Z|%5%|%-5j|%3S",
            "0000002020|2020|0000000003|         3|       MON|3|       Mon|    4|4|00003| 2|04|MON|FEB|utc|UTC|    %|34|006",
        );
        check("%E|%Ey|%Od|%EC|%Oe|%EH", "%E|20|03|20| 3|%EH");
        check("%10F|%20c|%^c|%-I|%12T", "2020-02-03|Mon Feb  3 04:05:06 2020|MON FEB  3 04:05:06 2020|4|    04:05:06");
    }

    #[test]
    fn formats_offsets() {
        check("%z %:z %::z %:::z", "+0000 +00:00 +00:00:00 +00");
        check("%_8z|%-z|%010z|%_10z|%10:z|%:10z", "    +000|-0000|+000000000|      +000|+000000:00|%:10z");
        let zone = parse_zone("-01:30").unwrap();
        let text = format_time("%_z|%-z|%:z|%::z|%:::z|%Z", MONDAY, zone);
        assert_eq!(text.as_deref(), Some(" -130|-0130|-01:30|-01:30:00|-01:30|"));
    }

    #[test]
    fn handles_years_of_all_kinds() {
        let new_year = Timestamp(1_609_459_199 * NANOSECONDS);
        let text = format_time("%j %U %W %V %G %u %w", new_year, UTC);
        assert_eq!(text.as_deref(), Some("366 52 52 53 2020 4 4"));
        let text = format_time("%F %T %s", Timestamp(-NANOSECONDS), UTC);
        assert_eq!(text.as_deref(), Some("1969-12-31 23:59:59 -1"));
        assert_eq!(format_time("%F", Timestamp(i128::MAX), UTC), None);
    }

    #[test]
    fn refuses_unfinished_directives() {
        for format in ["a%", "%1", "%-", "%99999d"] {
            assert_eq!(format_time(format, MONDAY, UTC), None, "{format}");
        }
    }
}
