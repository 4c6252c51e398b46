//! Durations as text.
//!
//! The largest unit of a format takes the whole duration: in `%H:%M` a day is 24 hours.

use pp_types::Timespan;

/// The greatest width that a format may ask for.
const MAX_WIDTH: usize = 1024;

/// A format that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadFormat {
    /// What was read of the directive.
    pub(crate) directive: String,
    /// The index of the character at which it is wrong.
    pub(crate) position: usize,
}

/// How a number is filled up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Default,
    None,
    Spaces,
    Zeros,
}

enum Segment {
    Literal(String),
    Field { unit: Unit, padding: Padding, width: Option<usize> },
}

/// From the smallest to the largest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Nanoseconds,
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
}

impl Unit {
    fn of(letter: char) -> Option<Unit> {
        match letter {
            'D' => Some(Unit::Days),
            'H' => Some(Unit::Hours),
            'M' => Some(Unit::Minutes),
            'S' => Some(Unit::Seconds),
            'L' => Some(Unit::Milliseconds),
            'N' => Some(Unit::Nanoseconds),
            _ => None,
        }
    }

    fn nanoseconds(self) -> u128 {
        match self {
            Unit::Nanoseconds => 1,
            Unit::Milliseconds => 1_000_000,
            Unit::Seconds => 1_000_000_000,
            Unit::Minutes => 60_000_000_000,
            Unit::Hours => 3_600_000_000_000,
            Unit::Days => 86_400_000_000_000,
        }
    }

    /// How many of the unit are one of the next larger one.
    fn modulus(self) -> u128 {
        match self {
            Unit::Nanoseconds => 1_000_000_000,
            Unit::Milliseconds => 1_000,
            Unit::Seconds | Unit::Minutes => 60,
            Unit::Hours => 24,
            Unit::Days => u128::MAX,
        }
    }
}

/// Formats a duration.
///
/// # Errors
/// A directive that does not exist.
pub(crate) fn format_timespan(format: &str, span: Timespan) -> Result<String, BadFormat> {
    let segments = parse(format)?;
    let largest = segments
        .iter()
        .filter_map(|segment| match segment {
            Segment::Field { unit, .. } => Some(*unit),
            Segment::Literal(_) => None,
        })
        .max();
    let mut text = String::new();
    if span.0 < 0 {
        text.push('-');
    }
    for segment in &segments {
        match segment {
            Segment::Literal(literal) => text.push_str(literal),
            Segment::Field { unit, padding, width } => {
                let total = span.0.unsigned_abs() / unit.nanoseconds();
                let number = if largest == Some(*unit) { total } else { total % unit.modulus() };
                match unit {
                    Unit::Nanoseconds => {
                        let width = width.unwrap_or(9);
                        let scale = u32::try_from(9_usize.saturating_sub(width)).unwrap_or(0);
                        push_fraction(number / 10_u128.pow(scale), *padding, width, &mut text);
                    }
                    Unit::Milliseconds => push_fraction(number, *padding, width.unwrap_or(3), &mut text),
                    Unit::Days => push_number(number, *padding, width.unwrap_or(1), &mut text),
                    _ => push_number(number, *padding, width.unwrap_or(2), &mut text),
                }
            }
        }
    }
    Ok(text)
}

fn push_number(number: u128, padding: Padding, width: usize, text: &mut String) {
    let digits = number.to_string();
    let missing = width.saturating_sub(digits.len());
    match padding {
        Padding::None => {}
        Padding::Spaces => text.extend(std::iter::repeat_n(' ', missing)),
        Padding::Default | Padding::Zeros => text.extend(std::iter::repeat_n('0', missing)),
    }
    text.push_str(&digits);
}

/// Appends a part of a second, which is filled up with spaces after it.
fn push_fraction(number: u128, padding: Padding, width: usize, text: &mut String) {
    let digits = number.to_string();
    let digits = match padding {
        Padding::None | Padding::Spaces if number != 0 => digits.trim_end_matches('0'),
        _ => &digits,
    };
    text.push_str(digits);
    if padding != Padding::None {
        text.extend(std::iter::repeat_n(' ', width.saturating_sub(digits.len())));
    }
}

fn parse(format: &str) -> Result<Vec<Segment>, BadFormat> {
    let characters: Vec<char> = format.chars().collect();
    let mut segments = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        if character != '%' {
            literal.push(character);
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let padding = match characters.get(at) {
            Some('-') => Padding::None,
            Some('_') => Padding::Spaces,
            Some('0') => Padding::Zeros,
            _ => Padding::Default,
        };
        at += usize::from(padding != Padding::Default);
        let mut width = None;
        while let Some(digit) = characters.get(at).and_then(|character| character.to_digit(10)) {
            width = Some((width.unwrap_or(0) * 10 + digit as usize).min(MAX_WIDTH));
            at += 1;
        }
        match characters.get(at) {
            Some('%') => literal.push('%'),
            letter => match letter.and_then(|&letter| Unit::of(letter)) {
                Some(unit) => {
                    if !literal.is_empty() {
                        segments.push(Segment::Literal(std::mem::take(&mut literal)));
                    }
                    segments.push(Segment::Field { unit, padding, width });
                }
                None => {
                    let position = at.min(characters.len() - 1);
                    let directive = characters[start..position].iter().collect();
                    return Err(BadFormat { directive, position });
                }
            },
        }
        at += 1;
    }
    if !literal.is_empty() {
        segments.push(Segment::Literal(literal));
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nanoseconds: i128, format: &str, expected: &str) {
        assert_eq!(format_timespan(format, Timespan(nanoseconds)).as_deref(), Ok(expected), "{format}");
    }

    /// 3-11:05:06.789
    const SPAN: i128 = 299_106_789_000_000;

    #[test]
    fn the_largest_unit_takes_the_whole_duration() {
        check(SPAN, "%D %H %M %S %L %N %%", "3 11 05 06 789 789000000 %");
        check(SPAN, "%-H:%M", "83:05");
        check(SPAN, "%M", "4985");
        check(SPAN, "%S.%L", "299106.789");
        check(SPAN, "%L", "299106789");
        check(90_061_000_000_000, "%D %M", "1 01");
    }

    #[test]
    fn numbers_are_padded() {
        check(SPAN, "%D|%5D|%_5D|%-5D|%05H", "3|00003|    3|3|00011");
        check(90_061_000_000_000, "%D-%-H-%_H-%3H-%03M-%_3S", "1-1- 1-001-001-  1");
        check(-5_250_000_000, "%H:%M:%S.%L", "-00:00:05.250");
        check(-5_250_000_000, "%D", "-0");
    }

    #[test]
    fn fractions_are_padded_on_the_right() {
        check(50_000_000, "%L", "50 ");
        check(5_000_000, "%S.%L|%S.%N|", "00.5  |00.5000000  |");
        check(5_250_000_000, "%S.%_L|%S.%6L|%S.%1L|%S.%N", "05.25 |05.250   |05.250|05.250000000");
        check(1_234_567, "%S|%6N|%-6N|%_6N|%1N|%12N|%-12N", "00|1234  |1234|1234  |0|1234567     |1234567");
        check(500_000_000, "%S.%-L|%S.%_L|", "00.5|00.5  |");
    }

    #[test]
    fn unknown_directives_are_reported_with_their_position() {
        let error = |format: &str| format_timespan(format, Timespan(5)).unwrap_err();
        assert_eq!(error("%q"), BadFormat { directive: "%".into(), position: 1 });
        assert_eq!(error("%"), BadFormat { directive: String::new(), position: 0 });
        assert_eq!(error("%5"), BadFormat { directive: "%".into(), position: 1 });
        assert_eq!(error("%é"), BadFormat { directive: "%".into(), position: 1 });
    }
}
