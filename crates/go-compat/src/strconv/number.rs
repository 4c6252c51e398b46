//! Parsing and formatting of numbers, exactly as in Go.

use crate::strconv::quote;

/// Why a string is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The syntax of the number is invalid.
    Syntax,
    /// The value is out of range.
    Range,
    /// The base is neither 0 nor from 2 to 36.
    Base(i64),
    /// The bit size is not from 0 to 64.
    BitSize(i64),
}

impl NumberError {
    /// Returns the message of Go's `*NumError` for a function.
    #[must_use]
    pub fn message(self, function: &str, text: &[u8]) -> String {
        let cause = match self {
            NumberError::Syntax => "invalid syntax".to_owned(),
            NumberError::Range => "value out of range".to_owned(),
            NumberError::Base(base) => format!("invalid base {base}"),
            NumberError::BitSize(bits) => format!("invalid bit size {bits}"),
        };
        format!("strconv.{function}: parsing {}: {cause}", quote(text))
    }
}

/// Parses an integer, as `ParseInt` does. Base 0 means that the prefix determines the base and underscores are allowed;
/// bit size 0 means 64.
///
/// # Errors
/// The conditions are Go's; [`NumberError::message`] returns the message.
pub fn parse_int(text: &[u8], base: i64, bits: i64) -> Result<i64, NumberError> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if text.is_empty() {
        return Err(NumberError::Syntax);
    }
    let magnitude = parse_magnitude(digits, base, bits)?;
    let bits = if bits == 0 { 64 } else { bits };
    let cutoff = 1u128 << (bits - 1);
    if magnitude > cutoff || (!negative && magnitude == cutoff) {
        return Err(NumberError::Range);
    }
    let signed = i128::try_from(magnitude).map_err(|_| NumberError::Range)?;
    i64::try_from(if negative { -signed } else { signed }).map_err(|_| NumberError::Range)
}

/// Parses a number without sign, as `ParseUint` does. Values above the bit size saturate, for the caller's range check.
fn parse_magnitude(text: &[u8], base: i64, bits: i64) -> Result<u128, NumberError> {
    let (radix, digits) = match (base, text) {
        (_, []) => return Err(NumberError::Syntax),
        (2..=36, _) => (base, text),
        (0, [b'0', b'x' | b'X', rest @ ..]) if !rest.is_empty() => (16, rest),
        (0, [b'0', b'b' | b'B', rest @ ..]) if !rest.is_empty() => (2, rest),
        (0, [b'0', b'o' | b'O', rest @ ..]) if !rest.is_empty() => (8, rest),
        (0, [b'0', rest @ ..]) => (8, if rest.is_empty() { text } else { rest }),
        (0, _) => (10, text),
        _ => return Err(NumberError::Base(base)),
    };
    if !(0..=64).contains(&bits) {
        return Err(NumberError::BitSize(bits));
    }
    let radix = u32::try_from(radix).map_err(|_| NumberError::Base(base))?;
    let (mut value, mut underscores) = (0u128, false);
    for &byte in digits {
        if byte == b'_' && base == 0 {
            underscores = true;
            continue;
        }
        let digit = char::from(byte).to_digit(radix).ok_or(NumberError::Syntax)?;
        // Continue with the syntax check after an overflow.
        value = value.saturating_mul(u128::from(radix)).saturating_add(u128::from(digit)).min(1 << 100);
    }
    if underscores && !underscores_ok(text) {
        return Err(NumberError::Syntax);
    }
    Ok(value)
}

/// Returns whether all underscores are between digits, or between a base prefix and a digit.
fn underscores_ok(text: &[u8]) -> bool {
    #[derive(PartialEq)]
    enum Saw {
        Start,
        Digit,
        Underscore,
        Other,
    }
    let text = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let (prefix, hex) = match text {
        [b'0', b'x' | b'X', ..] => (2, true),
        [b'0', b'b' | b'B' | b'o' | b'O', ..] => (2, false),
        _ => (0, false),
    };
    let mut saw = if prefix > 0 { Saw::Digit } else { Saw::Start };
    for &byte in &text[prefix..] {
        if byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit()) {
            saw = Saw::Digit;
        } else if byte == b'_' {
            if saw != Saw::Digit {
                return false;
            }
            saw = Saw::Underscore;
        } else if saw == Saw::Underscore {
            return false;
        } else {
            saw = Saw::Other;
        }
    }
    saw != Saw::Underscore
}

/// Formats an integer, as `FormatInt` does; `None` for a base outside 2–36.
#[must_use]
pub fn format_int(value: i64, base: i64) -> Option<String> {
    let radix = u32::try_from(base).ok().filter(|radix| (2..=36).contains(radix))?;
    let mut digits = Vec::new();
    let mut rest = value.unsigned_abs();
    loop {
        let digit = u32::try_from(rest % u64::from(radix)).ok()?;
        digits.push(char::from_digit(digit, radix)?);
        rest /= u64::from(radix);
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        digits.push('-');
    }
    Some(digits.iter().rev().collect())
}

/// Parses a float, as `ParseFloat` does for 64 bits or, if `single`, for 32 bits.
///
/// # Errors
/// The conditions are Go's; [`NumberError::message`] returns the message.
pub fn parse_float(text: &[u8], single: bool) -> Result<f64, NumberError> {
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let lower = unsigned.to_ascii_lowercase();
    let sign = if negative { -1.0 } else { 1.0 };
    if lower == b"inf" || lower == b"infinity" {
        return Ok(sign * f64::INFINITY);
    }
    if lower == b"nan" && unsigned.len() == text.len() {
        return Ok(f64::NAN);
    }
    if text.contains(&b'_') && !underscores_ok(text) {
        return Err(NumberError::Syntax);
    }
    let plain: Vec<u8> = lower.into_iter().filter(|&b| b != b'_').collect();
    let magnitude = match plain.strip_prefix(b"0x") {
        Some(digits) => parse_hex_float(digits, single)?,
        None => parse_decimal(&plain, single)?,
    };
    if magnitude.is_infinite() { Err(NumberError::Range) } else { Ok(sign * magnitude) }
}

fn parse_decimal(text: &[u8], single: bool) -> Result<f64, NumberError> {
    let syntax = |_| NumberError::Syntax;
    if !text.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-')) || matches!(text, [b'+' | b'-', ..]) {
        return Err(NumberError::Syntax);
    }
    let text = std::str::from_utf8(text).map_err(syntax)?;
    if single {
        text.parse::<f32>().map(f64::from).map_err(|_| NumberError::Syntax)
    } else {
        text.parse::<f64>().map_err(|_| NumberError::Syntax)
    }
}

/// Parses `H.HHHp±D`, in lower case and without its `0x`.
fn parse_hex_float(text: &[u8], single: bool) -> Result<f64, NumberError> {
    let split = text.iter().position(|&b| b == b'p').ok_or(NumberError::Syntax)?;
    let exponent = parse_int(&text[split + 1..], 10, 64).or_else(|error| match (error, text.get(split + 1)) {
        (NumberError::Range, Some(b'-')) => Ok(-(1 << 40)),
        (NumberError::Range, _) => Ok(1 << 40),
        (other, _) => Err(other),
    })?;
    let (mut mantissa, mut sticky, mut digits, mut scale, mut point) = (0u64, false, 0, 0i64, false);
    for &byte in &text[..split] {
        if byte == b'.' && !point {
            point = true;
            continue;
        }
        let digit = char::from(byte).to_digit(16).ok_or(NumberError::Syntax)?;
        digits += 1;
        if mantissa >> 58 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            scale -= if point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            scale += if point { 0 } else { 4 };
        }
    }
    if digits == 0 {
        return Err(NumberError::Syntax);
    }
    // One more bit records whether bits were dropped, so that rounding is exact.
    let mantissa = mantissa << 1 | u64::from(sticky);
    let exponent = exponent.clamp(-(1 << 40), 1 << 40).saturating_add(scale) - 1;
    Ok(scale_exactly(mantissa, exponent, single))
}

/// Returns `mantissa · 2^exponent`, rounded once, half to even, to 53 or 24 bits (fewer for subnormals).
fn scale_exactly(mantissa: u64, exponent: i64, single: bool) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let (precision, lowest, highest) = if single { (24, -149, 128) } else { (53, -1074, 1024) };
    let length = i64::from(64 - mantissa.leading_zeros());
    if length + exponent > highest {
        return f64::INFINITY;
    }
    // The exponent of the last bit that is kept.
    let unit = (length + exponent - precision).max(lowest);
    let drop = unit - exponent;
    let (kept, unit) = if drop <= 0 {
        (mantissa, exponent)
    } else if drop > 64 {
        (0, unit)
    } else {
        let wide = u128::from(mantissa);
        let (quotient, remainder, half) = (wide >> drop, wide & ((1 << drop) - 1), 1u128 << (drop - 1));
        let up = remainder > half || (remainder == half && quotient & 1 == 1);
        (u64::try_from(quotient).unwrap_or(u64::MAX) + u64::from(up), unit)
    };
    #[allow(clippy::cast_precision_loss)]
    let result = ldexp(kept as f64, unit);
    if single && result > f64::from(f32::MAX) { f64::INFINITY } else { result }
}

/// Returns `x · 2^exponent` if that is exact.
fn ldexp(mut x: f64, exponent: i64) -> f64 {
    let mut rest = exponent.clamp(-3000, 3000);
    while rest != 0 {
        let step = rest.clamp(-1000, 1000);
        x *= 2f64.powi(i32::try_from(step).unwrap_or(0));
        rest -= step;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_go_reads_them() {
        use NumberError::{Base, BitSize, Range, Syntax};
        for (text, base, bits, expected) in [
            ("-007", 10, 64, Ok(-7)),
            ("+7", 10, 64, Ok(7)),
            (" 7", 10, 64, Err(Syntax)),
            ("", 10, 64, Err(Syntax)),
            ("-", 10, 64, Err(Syntax)),
            ("1_0", 10, 64, Err(Syntax)),
            ("9223372036854775808", 10, 64, Err(Range)),
            ("-9223372036854775808", 10, 64, Ok(i64::MIN)),
            ("99999999999999999999999999999999999999999999999999", 10, 64, Err(Range)),
            ("0x1f", 0, 64, Ok(31)),
            ("0x1f", 16, 64, Err(Syntax)),
            ("1_000", 0, 0, Ok(1000)),
            ("0_7", 0, 0, Ok(7)),
            ("_7", 0, 0, Err(Syntax)),
            ("0x", 0, 0, Err(Syntax)),
            ("0b101", 0, 0, Ok(5)),
            ("017", 0, 0, Ok(15)),
            ("0", 0, 0, Ok(0)),
            ("zz", 36, 0, Ok(1295)),
            ("300", 10, 8, Err(Range)),
            ("-128", 10, 8, Ok(-128)),
            ("1", 1, 0, Err(Base(1))),
            ("1", 10, 65, Err(BitSize(65))),
        ] {
            assert_eq!(parse_int(text.as_bytes(), base, bits), expected, "{text:?} {base} {bits}");
        }
    }

    #[test]
    fn floats_are_read_as_go_reads_them() {
        for (text, expected) in [
            ("1e3", Some(1000.0)),
            ("0x1p-2", Some(0.25)),
            ("0x1.8p1", Some(3.0)),
            ("0x.8p1", Some(1.0)),
            ("0x1", None),
            ("0xp1", None),
            ("0x1p", None),
            ("1,5", None),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            (".", None),
            ("1e", None),
            ("e1", None),
            ("--1", None),
            ("+-1", None),
            ("1_000.5", Some(1000.5)),
            ("1__0", None),
            ("_1", None),
            ("1e400", None),
            ("-1e400", None),
            ("1e-400", Some(0.0)),
            ("inf", Some(f64::INFINITY)),
            ("-Infinity", Some(f64::NEG_INFINITY)),
            ("0x1p-1074", Some(5e-324)),
            ("0x1p-1075", Some(0.0)),
            ("0x1.8p-1075", Some(5e-324)),
            ("0x1.fffffffffffff8p1023", None),
            ("0x1.fffffffffffff7p1023", Some(f64::MAX)),
            ("0x1.00000000000008p0", Some(1.0)),
            ("0x1.000000000000080000000000000001p0", Some(1.000_000_000_000_000_2)),
            ("0x1p99999999999999999999", None),
        ] {
            assert_eq!(parse_float(text.as_bytes(), false).ok(), expected, "{text:?}");
        }
        assert_eq!(parse_float(b"3.14159", true), Ok(3.141_590_118_408_203));
        assert_eq!(parse_float(b"1e39", true), Err(NumberError::Range));
        assert!(parse_float(b"NaN", false).is_ok_and(f64::is_nan));
        assert_eq!(parse_float(b"+nan", false), Err(NumberError::Syntax));
    }

    #[test]
    fn integers_are_written_in_any_base() {
        for (value, base, text) in [(255, 16, Some("ff")), (-35, 36, Some("-z")), (0, 2, Some("0")), (1, 37, None)] {
            assert_eq!(format_int(value, base).as_deref(), text);
        }
        assert_eq!(format_int(i64::MIN, 10).as_deref(), Some("-9223372036854775808"));
    }
}
