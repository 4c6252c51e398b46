//! The values that attributes take, as far as a constant shows it.

use std::fmt;

/// What values an attribute takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Anything; the provider decides.
    Any,
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
    /// Not empty.
    NotEmpty,
    /// Digits.
    Digits,
    /// Digits, or `-1`.
    DigitsOrMinusOne,
    /// A number that may have a sign and a fraction.
    Number,
    /// A path that starts with `/`, or with a drive such as `C:/`.
    AbsolutePath,
    /// A mode of a file: octal digits, or symbolic such as `u=rw,go-w`.
    Mode,
    /// At most four octal digits.
    Umask,
    /// A date such as `2030-12-31`.
    Date,
    /// No whitespace.
    Word,
}

/// A value that is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Scalar<'a> {
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
}

impl Values {
    /// Returns whether a value is accepted.
    #[must_use]
    pub fn accepts(&self, value: Scalar<'_>) -> bool {
        let text = value.to_string();
        match *self {
            Values::Any => true,
            Values::Words(words) => words.contains(&text.as_str()),
            Values::WordsOr(words, pattern) => words.contains(&text.as_str()) || pattern.matches(value, &text),
            Values::Matching(pattern) => pattern.matches(value, &text),
        }
    }
}

impl Pattern {
    fn matches(self, value: Scalar<'_>, text: &str) -> bool {
        let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        let octal = |t: &str| !t.is_empty() && t.bytes().all(|b| (b'0'..=b'7').contains(&b));
        match self {
            Pattern::NotEmpty => !text.is_empty(),
            Pattern::Digits => digits(text),
            Pattern::DigitsOrMinusOne => digits(text) || text == "-1",
            Pattern::Number => text.trim().parse::<f64>().is_ok_and(f64::is_finite),
            Pattern::AbsolutePath => is_absolute(text),
            Pattern::Mode => match value {
                Scalar::Text(text) => (octal(text) && text.len() <= 6) || is_symbolic_mode(text),
                Scalar::Boolean(_) | Scalar::Integer(_) | Scalar::Float(_) => false,
            },
            Pattern::Umask => octal(text) && text.len() <= 4,
            Pattern::Date => is_date(text),
            Pattern::Word => !text.is_empty() && !text.contains(char::is_whitespace),
        }
    }
}

/// What is expected, as a message says it: `one of: present, absent`.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Any => f.write_str("any value"),
            Values::Words(words) => write!(f, "one of: {}", words.join(", ")),
            Values::WordsOr(words, pattern) => write!(f, "{pattern}, or one of: {}", words.join(", ")),
            Values::Matching(pattern) => pattern.fmt(f),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pattern::NotEmpty => "a string that is not empty",
            Pattern::Digits => "a whole number",
            Pattern::DigitsOrMinusOne => "a whole number or -1",
            Pattern::Number => "a number",
            Pattern::AbsolutePath => "an absolute path",
            Pattern::Mode => "a mode as a string, such as '0644' or 'u=rw,go=r'",
            Pattern::Umask => "at most four octal digits",
            Pattern::Date => "a date such as 2030-12-31",
            Pattern::Word => "a word without whitespace",
        })
    }
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Boolean(value) => value.fmt(f),
            Scalar::Integer(value) => value.fmt(f),
            Scalar::Float(value) => value.fmt(f),
            Scalar::Text(text) => f.write_str(text),
        }
    }
}

pub(crate) fn is_absolute(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive =
        bytes.len() >= 3 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\');
    text.starts_with('/') || text.starts_with(r"\\") || drive
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
        check(Pattern::Mode, &["0644", "7777", "u=rw,go-w", "+x", "a=rX"], &["0999", "rw", "", "u=rw,", "08"]);
        check(Pattern::AbsolutePath, &["/", "/a", "C:/x", r"c:\x", r"\\host\x"], &["a", "", "./a", "C:x"]);
        check(Pattern::Umask, &["022", "0022", "7"], &["00022", "8", ""]);
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
