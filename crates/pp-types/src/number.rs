//! Numbers from text.

use crate::value::Value;

/// Reads a number as the operators do: decimal, hexadecimal, octal, with a sign and with whitespace around; `None` for other
/// texts.
#[must_use]
pub fn parse_number(text: &str) -> Option<Value> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with("0b") || unsigned.starts_with("0B") {
        return None;
    }
    number_of(text)
}

/// Reads a number as the constructors do: also binary, with whitespace after the sign, but not around.
pub(crate) fn number_of(text: &str) -> Option<Value> {
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.trim_start_matches(|c: char| c.is_ascii_whitespace());
    if digits.len() != unsigned.len() && unsigned.len() == text.len() {
        return None;
    }
    if let Some((radix, digits)) = split_radix(digits) {
        return integer_of(digits, radix, is_negative).map(Value::Integer);
    }
    if is_decimal(digits) {
        return integer_of(digits, 10, is_negative).map(Value::Integer);
    }
    float_of(digits).map(|float| Value::from(if is_negative { -float } else { float }))
}

/// Splits the prefix of a radix off.
pub(crate) fn split_radix(digits: &str) -> Option<(u32, &str)> {
    let prefixed = |prefix: &[&str]| prefix.iter().find_map(|prefix| digits.strip_prefix(prefix));
    if let Some(digits) = prefixed(&["0x", "0X"]) {
        return Some((16, digits));
    }
    if let Some(digits) = prefixed(&["0b", "0B"]) {
        return Some((2, digits));
    }
    (digits.len() > 1 && digits.starts_with('0') && is_decimal(digits)).then(|| (8, &digits[1..]))
}

fn is_decimal(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Reads digits as an integer of 64 bits.
pub(crate) fn integer_of(digits: &str, radix: u32, is_negative: bool) -> Option<i64> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    i64::try_from(if is_negative { -value } else { value }).ok()
}

/// Reads a decimal float with digits on both sides of the point; the exponent has no plus sign.
fn float_of(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let valid = is_decimal(whole)
        && fraction.is_none_or(is_decimal)
        && exponent.is_none_or(|e| is_decimal(e.strip_prefix('-').unwrap_or(e)));
    if !valid {
        return None;
    }
    digits.parse::<f64>().ok().filter(|float| float.is_finite())
}
