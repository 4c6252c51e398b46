//! The values that attributes take, as far as a constant shows it.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;

use pp_types::WEEKDAYS;

/// What values an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Anything; the provider decides.
    Any,
    /// None: the attribute is only reported.
    ReadOnly,
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these words, or a text of a form.
    WordsOr(&'static [&'static str], Pattern),
    /// A text of a form.
    Matching(Pattern),
}

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A string, not a number or a hash.
    Text,
    /// Not empty.
    NotEmpty,
    /// Digits.
    Digits,
    /// Digits, or `-1`.
    DigitsOrMinusOne,
    /// A whole number from 1.
    Positive,
    /// A whole number.
    Whole,
    /// What fragments of a file are sorted by: a text without `/`, `:` and line breaks, or a whole number.
    FragmentOrder,
    /// A number that may have a sign and a fraction.
    Number,
    /// A number from 0 that may have a fraction.
    NonNegative,
    /// A path that starts with `/`, or with a drive such as `C:/`.
    AbsolutePath,
    /// An absolute path, or a URI of the schemes `puppet`, `file`, `http` and `https`.
    Source,
    /// A mode of a file: octal digits, or symbolic such as `u=rw,go-w`.
    Mode,
    /// At most four octal digits.
    Umask,
    /// A date such as `2030-12-31`.
    Date,
    /// No whitespace.
    Word,
    /// One line.
    Line,
    /// No colon.
    NoColon,
    /// The name of a group: no number, no list.
    GroupName,
    /// A number, or a text of digits.
    Id,
    /// `NAME=value`
    Assignment,
    /// A number and a unit of time, such as `2d`.
    Age,
    /// A number and a unit of size, such as `10m`.
    FileSize,
    /// A day of the week by its number from 0 to 6, or its name.
    Weekday,
    /// A range of times of day, such as `2 - 4:30`.
    TimeRange,
    /// An IP address.
    Address,
    /// An absolute path, or one that starts with `%h` or `~` for a home directory.
    KeyFile,
    /// An option of an SSH key: `name` or `name="value"`.
    KeyOption,
    /// Times of a crontab from a number to a number, or with names whose first three letters count.
    Crontab(u8, u8, &'static [&'static str]),
}

/// A value that is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Scalar<'a> {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
    /// A hash.
    Hash,
}

impl Values {
    /// Returns whether a value is accepted.
    #[must_use]
    pub fn accepts(&self, value: Scalar<'_>) -> bool {
        let text = value.text();
        match *self {
            Values::Any => true,
            Values::ReadOnly => false,
            Values::Words(words) => words.contains(&&*text),
            Values::WordsOr(words, pattern) => words.contains(&&*text) || pattern.matches(value, &text),
            Values::Matching(pattern) => pattern.matches(value, &text),
        }
    }
}

impl<'a> Scalar<'a> {
    pub(crate) fn text(self) -> Cow<'a, str> {
        match self {
            Scalar::Boolean(true) => Cow::Borrowed("true"),
            Scalar::Boolean(false) => Cow::Borrowed("false"),
            Scalar::Integer(value) => Cow::Owned(value.to_string()),
            Scalar::Float(value) => Cow::Owned(value.to_string()),
            Scalar::Text(text) => Cow::Borrowed(text),
            Scalar::Hash => Cow::Borrowed("{}"),
        }
    }
}

impl Pattern {
    fn matches(self, value: Scalar<'_>, text: &str) -> bool {
        let is_text = matches!(value, Scalar::Text(_));
        match self {
            Pattern::Text => is_text,
            Pattern::NotEmpty => !text.is_empty(),
            Pattern::Digits => is_digits(text),
            Pattern::DigitsOrMinusOne => is_digits(text) || text == "-1",
            Pattern::Whole => text.parse::<i64>().is_ok(),
            Pattern::FragmentOrder => {
                matches!(value, Scalar::Integer(_)) || (is_text && !text.contains(['/', ':', '\n']))
            }
            Pattern::Positive => text.parse().is_ok_and(|n: i64| n > 0),
            Pattern::Number => text.trim().parse().is_ok_and(f64::is_finite),
            Pattern::NonNegative => text.trim().parse().is_ok_and(|n: f64| n.is_finite() && n >= 0.0),
            Pattern::AbsolutePath => is_absolute(text),
            Pattern::Source => {
                is_absolute(text) || ["puppet:", "file:", "http:", "https:"].iter().any(|s| text.starts_with(s))
            }
            Pattern::Mode => is_text && (is_octal_mode(text) || is_symbolic_mode(text)),
            Pattern::Umask => is_text && is_octal_mode(text),
            Pattern::Date => is_date(text),
            Pattern::Word => is_text && !text.contains(char::is_whitespace),
            Pattern::Line => !text.contains('\n'),
            Pattern::NoColon => !text.contains(':'),
            Pattern::GroupName => is_text && !text.is_empty() && !is_digits(text) && !text.contains(','),
            Pattern::Id => is_digits(text.strip_prefix('-').unwrap_or(text)),
            Pattern::Assignment => {
                let name = text.split_once('=').map_or("", |(name, _)| name);
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            }
            Pattern::Age => is_text && (is_amount(text, "smhdw") || is_digits(text)),
            Pattern::FileSize => is_amount(text, "bkmgt") || is_digits(text),
            Pattern::Weekday => is_weekday(text),
            Pattern::TimeRange => is_time_range(text),
            Pattern::KeyFile => is_absolute(text) || text.starts_with("%h") || text.starts_with('~'),
            Pattern::KeyOption => {
                let (name, value) = text.split_once('=').unwrap_or((text, "\"\""));
                let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
                let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
                text == "absent" || (!name.is_empty() && is_name && value.is_some_and(|v| !v.contains("\",")))
            }
            Pattern::Address => text.split('%').next().is_some_and(|address| address.parse::<IpAddr>().is_ok()),
            Pattern::Crontab(first, last, names) => is_crontab(text, first, last, names),
        }
    }
}

/// What is expected, as a message says it: `one of: present, absent`.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Any => f.write_str("any value"),
            Values::ReadOnly => f.write_str("no value: the attribute is read-only"),
            Values::Words(words) => write!(f, "one of: {}", words.join(", ")),
            Values::WordsOr(words, pattern) => write!(f, "{pattern}, or one of: {}", words.join(", ")),
            Values::Matching(pattern) => pattern.fmt(f),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pattern::Text => "a string",
            Pattern::NotEmpty => "a string that is not empty",
            Pattern::Digits => "a whole number",
            Pattern::DigitsOrMinusOne => "a whole number or -1",
            Pattern::Positive => "a whole number from 1",
            Pattern::Whole => "a whole number",
            Pattern::FragmentOrder => "a whole number, or a string without `/`, `:` and line breaks",
            Pattern::Number => "a number",
            Pattern::NonNegative => "a number from 0",
            Pattern::AbsolutePath => "a fully qualified path",
            Pattern::Source => "a fully qualified path, or a puppet:, file:, http: or https: URI",
            Pattern::Mode => "a mode as a string, such as '0644' or 'u=rw,go=r'",
            Pattern::Umask => "octal digits as a string, such as '022'",
            Pattern::Date => "a date such as 2030-12-31",
            Pattern::Word => "a string without whitespace",
            Pattern::Line => "a single line",
            Pattern::NoColon => "a string without ':'",
            Pattern::GroupName => "the name of a group, or an array of names",
            Pattern::Id => "a number",
            Pattern::Assignment => "a setting such as 'NAME=value'",
            Pattern::Age => "a number and one of the units s, m, h, d, w, such as '2d'",
            Pattern::FileSize => "a number and one of the units b, k, m, g, t, such as '10m'",
            Pattern::Weekday => "a day of the week: 0 to 6, or a name",
            Pattern::TimeRange => "a range of times such as '2 - 4:30'",
            Pattern::Address => "an IP address",
            Pattern::KeyFile => "a fully qualified path, or one in the home directory (%h)",
            Pattern::KeyOption => "an option such as 'no-pty' or 'from=\"host\"', or an array of options",
            Pattern::Crontab(first, last, names) => {
                write!(f, "a number from {first} to {last}")?;
                return if names.is_empty() { Ok(()) } else { f.write_str(" or a name") };
            }
        })
    }
}

/// The value as messages quote it.
impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Text(text) => write!(f, "{text:?}"),
            Scalar::Hash => f.write_str("a hash"),
            other => f.write_str(&other.text()),
        }
    }
}

fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive =
        bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\');
    text.starts_with('/') || text.starts_with(r"\\") || drive
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// At most four octal digits after an optional `0`.
fn is_octal_mode(text: &str) -> bool {
    let octal = text.bytes().all(|b| (b'0'..=b'7').contains(&b));
    octal && (1..=4).contains(&text.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(text).len())
}

/// A number and the first letter of a unit.
fn is_amount(text: &str, units: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < text.len() && unit.chars().next().is_some_and(|u| units.contains(u.to_ascii_lowercase()))
}

fn is_weekday(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0'..=b'6']) || is_one_of(&WEEKDAYS, text)
}

/// Returns whether a text is one of the names, or the first three letters of one.
fn is_one_of(names: &[&str], text: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(text) || name[..3].eq_ignore_ascii_case(text))
}

/// `2 - 4:30`: two times with hours below 24 and minutes below 60, and seconds.
fn is_time_range(text: &str) -> bool {
    let is_time = |time: &str| {
        let parts: Vec<&str> = time.trim().split(':').collect();
        parts.len() <= 3
            && parts.iter().enumerate().all(|(at, part)| {
                let limit = if at == 0 { 24 } else { 60 };
                is_digits(part) && part.len() <= 2 && part.parse().is_ok_and(|n: u8| n < limit)
            })
    };
    text.split_once('-').is_some_and(|(start, end)| is_time(start) && is_time(end))
}

/// `*`, `absent`, a number, a name, a range, a list, each with a step.
fn is_crontab(text: &str, first: u8, last: u8, names: &[&str]) -> bool {
    let in_range = |n: &str| n.parse().is_ok_and(|n: u8| (first..=last).contains(&n));
    let is_value = |n: &str| in_range(n) || is_one_of(names, n);
    text == "absent"
        || text.split(',').all(|part| {
            let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
            let range_is_valid = match range.split_once('-') {
                Some((start, end)) => is_value(start) && is_value(end),
                None => range == "*" || is_value(range),
            };
            range_is_valid && step.is_none_or(is_digits)
        })
}

/// `u=rw,go-w`: clauses of who, an operator, and permissions.
fn is_symbolic_mode(text: &str) -> bool {
    !text.is_empty()
        && text.split(',').all(|clause| {
            let rest = clause.trim_start_matches(['u', 'g', 'o', 'a']);
            let mut rest = rest.chars();
            rest.next().is_some_and(|op| matches!(op, '+' | '-' | '='))
                && rest.all(|c| matches!(c, 'r' | 'w' | 'x' | 'X' | 's' | 't' | 'u' | 'g' | 'o' | '+' | '-' | '='))
        })
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: Pattern, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(Values::Matching(pattern).accepts(Scalar::Text(text)), "{pattern:?} {text}");
        }
        for text in bad {
            assert!(!Values::Matching(pattern).accepts(Scalar::Text(text)), "{pattern:?} {text}");
        }
    }

    #[test]
    fn forms() {
        check(
            Pattern::Mode,
            &["0644", "7777", "07777", "u=rw,go-w", "+x", "a=rX"],
            &["0999", "rw", "", "u=rw,", "10644"],
        );
        check(Pattern::AbsolutePath, &["/", "/a", "C:/x", r"c:\x", r"\\host\x"], &["a", "", "./a", "C:x"]);
        check(Pattern::Umask, &["022", "0022", "7"], &["000022", "8", ""]);
        check(Pattern::Date, &["2030-12-31"], &["2030-1-1", "2030/12/31"]);
        check(Pattern::Number, &["1", "-1.5", "3e2"], &["x", "", "inf"]);
        check(Pattern::DigitsOrMinusOne, &["-1", "30"], &["-2"]);
    }

    #[test]
    fn words_may_be_booleans() {
        let values = Values::Words(&["true", "false"]);
        assert!(values.accepts(Scalar::Boolean(true)));
        assert!(values.accepts(Scalar::Text("false")));
        assert!(!values.accepts(Scalar::Integer(1)));
    }

    #[test]
    fn a_mode_is_a_string() {
        assert!(!Values::Matching(Pattern::Mode).accepts(Scalar::Integer(644)));
    }
}
