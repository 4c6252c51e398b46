//! What a plain scalar of YAML stands for: the rules of Ruby's Psych, which are those of YAML 1.1 with differences (spec 07
//! §10.4).

use std::sync::LazyLock;

use pp_types::Value;
use regex::Regex;

/// A scalar after resolution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    /// A value of the language.
    Value(Value),
    /// `:name`
    Symbol(String),
    /// An integer outside 64 bits.
    BigInteger(String),
    /// A class of Ruby that safe loading refuses: `Date`, `Time`.
    Forbidden(&'static str),
}

static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$")
        .ok()
});

static DATE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$").ok());

/// Resolves a plain scalar.
pub(crate) fn resolve(text: &str) -> Scalar {
    let Some(first) = text.bytes().next() else { return Scalar::Value(Value::Undef) };
    let string = || Scalar::Value(Value::from(text));
    match first {
        b'0'..=b'9' | b'-' | b'+' | b'.' => {
            if let Some(number) = number(text) {
                return number;
            }
            let is_match = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
            if text.len() >= 8 && text.contains('-') {
                if is_match(&DATE) {
                    return Scalar::Forbidden("Date");
                }
                if is_match(&TIME) {
                    return Scalar::Forbidden("Time");
                }
            }
            string()
        }
        b':' if text.len() > 1 => Scalar::Symbol(symbol_name(&text[1..]).to_owned()),
        _ if text.len() > 5 => string(),
        _ => match text.to_ascii_lowercase().as_str() {
            "~" | "null" => Scalar::Value(Value::Undef),
            "true" | "yes" | "on" => Scalar::Value(Value::Boolean(true)),
            "false" | "no" | "off" => Scalar::Value(Value::Boolean(false)),
            _ => string(),
        },
    }
}

/// Returns the name of a symbol without the quotes of `:"a b"`.
fn symbol_name(text: &str) -> &str {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(text)
}

fn number(text: &str) -> Option<Scalar> {
    let (is_negative, digits) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    match digits.to_ascii_lowercase().as_str() {
        ".inf" => return Some(float(if is_negative { f64::NEG_INFINITY } else { f64::INFINITY })),
        ".nan" if digits.len() == text.len() => return Some(float(f64::NAN)),
        _ => {}
    }
    let plain = |digits: &str| digits.replace(['_', ','], "");
    if digits.contains(':') {
        return base_60(text);
    }
    if digits.contains('.') {
        return decimal(digits).map(|value| float(if is_negative { -value } else { value }));
    }
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        [b'0'..=b'9', ..] if is_grouped(digits) => (10, digits),
        _ => return None,
    };
    let is_digit = |byte: u8| char::from(byte).is_digit(radix) || matches!(byte, b'_' | b',');
    if digits.is_empty() || !digits.bytes().all(is_digit) {
        return None;
    }
    let digits = plain(digits);
    let signed = if is_negative { format!("-{digits}") } else { digits };
    if signed.trim_start_matches('-').is_empty() {
        return None;
    }
    Some(match i64::from_str_radix(&signed, radix) {
        Ok(value) => Scalar::Value(Value::Integer(value)),
        Err(_) => Scalar::BigInteger(text.to_owned()),
    })
}

/// Whether each `_` and `,` is between two digits.
fn is_grouped(digits: &str) -> bool {
    let bytes = digits.as_bytes();
    let is_separator = |byte: u8| matches!(byte, b'_' | b',');
    bytes.iter().all(|byte| byte.is_ascii_digit() || is_separator(*byte))
        && !bytes.last().copied().is_some_and(is_separator)
        && !bytes.windows(2).any(|pair| is_separator(pair[0]) && is_separator(pair[1]))
}

/// Reads `1_000.5` and `1.5e+3`; an exponent needs its sign.
fn decimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = mantissa.split_once('.')?;
    let is_whole = whole.is_empty()
        || whole.starts_with(|c: char| c.is_ascii_digit())
            && whole.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b','));
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let is_exponent = exponent.is_none_or(|exponent| {
        exponent.strip_prefix(['+', '-']).is_some_and(|e| !e.is_empty() && e.bytes().all(|byte| byte.is_ascii_digit()))
    });
    if !is_whole || !is_fraction || !is_exponent || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    digits.replace(['_', ','], "").parse().ok()
}

/// Reads `12:30` and `1:2:3`: hours, minutes and seconds as seconds, as Psych does.
fn base_60(text: &str) -> Option<Scalar> {
    let parts: Vec<&str> = text.split(':').collect();
    let (last, middle) = parts.split_last()?;
    let head = middle.first()?.trim_start_matches(['-', '+']);
    let is_head = head.starts_with(|c: char| c.is_ascii_digit())
        && head.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let is_minute = |part: &str| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => (b'0'..=b'5').contains(tens) && digit.is_ascii_digit(),
        _ => false,
    };
    if !is_head || !middle[1..].iter().all(|part| is_minute(part)) {
        return None;
    }
    let weight = |at: usize| 60_f64.powi(i32::try_from(at).unwrap_or(i32::MAX).saturating_sub(2).abs());
    let sum = || -> Option<f64> {
        let terms = parts.iter().enumerate().map(|(at, part)| {
            let number: f64 = part.replace('_', "").parse().ok()?;
            Some(number * weight(at))
        });
        terms.sum()
    };
    match last.split_once('.') {
        Some((seconds, fraction)) => {
            let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
            (is_minute(seconds) && is_fraction).then(sum).flatten().map(float)
        }
        None if is_minute(last) && parts.len() <= 3 => {
            let value = sum()?;
            // Exact below 2^53, which 60^2 times the hours of any time is.
            if value.abs() < 9e15 { Some(Scalar::Value(Value::Integer(value as i64))) } else { None }
        }
        None => None,
    }
}

fn float(value: f64) -> Scalar {
    Scalar::Value(Value::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The input and the answers of Psych, as source text of the language.
    const RECORDED: &[(&str, &str)] = &[
        ("1,000", "1000"),
        ("+5", "5"),
        ("-5", "-5"),
        ("0b101", "5"),
        ("0o7", "'0o7'"),
        ("08", "'08'"),
        ("00", "0"),
        ("1__0", "'1__0'"),
        ("1_", "'1_'"),
        ("0x1F", "31"),
        ("-0x1F", "-31"),
        ("-017", "-15"),
        ("0755", "493"),
        ("1.", "1.0"),
        (".5", "0.5"),
        ("1.5", "1.5"),
        ("1.5e+3", "1500.0"),
        ("1.5E-3", "0.0015"),
        ("1e+3", "'1e+3'"),
        ("1.5e3", "'1.5e3'"),
        ("-.5", "-0.5"),
        (".", "'.'"),
        ("1,000.5", "1000.5"),
        ("y", "'y'"),
        ("YES", "true"),
        ("oN", "true"),
        ("Off", "false"),
        ("tRue", "true"),
        ("nUll", "undef"),
        ("~", "undef"),
        ("1:2", "3720"),
        ("1:2:3", "3723"),
        ("1:2:3:4", "'1:2:3:4'"),
        ("190:20:30", "685230"),
        ("1:60", "'1:60'"),
        ("1:2.5", "3750.0"),
        ("-1:30", "-1800"),
        ("2024-13-45", "'2024-13-45'"),
        ("2024-1-1x", "'2024-1-1x'"),
        ("a:b", "'a:b'"),
        ("1.2.3", "'1.2.3'"),
        ("1_000.5", "1000.5"),
        ("-0", "0"),
        ("-0.0", "-0.0"),
        ("12e03", "'12e03'"),
        ("0x", "'0x'"),
        ("0xg", "'0xg'"),
        ("0b2", "'0b2'"),
        ("=", "'='"),
        ("123456789012345678", "123456789012345678"),
        ("", "undef"),
    ];

    #[test]
    fn plain_scalars_are_resolved_as_psych_does() {
        for (text, expected) in RECORDED {
            let Scalar::Value(value) = resolve(text) else { panic!("{text} is not a value") };
            assert_eq!(pp_types::source_form(&value), *expected, "{text}");
        }
    }

    #[test]
    fn what_the_language_cannot_hold_is_recognized() {
        assert_eq!(resolve("2024-02-30"), Scalar::Forbidden("Date"));
        assert_eq!(resolve("2024-02-03 04:05:06"), Scalar::Forbidden("Time"));
        assert_eq!(resolve("2024-02-03T04:05:06.5Z"), Scalar::Forbidden("Time"));
        assert_eq!(resolve(":x"), Scalar::Symbol("x".to_owned()));
        assert_eq!(resolve(":\"a b\""), Scalar::Symbol("a b".to_owned()));
        assert_eq!(resolve("99999999999999999999"), Scalar::BigInteger("99999999999999999999".to_owned()));
    }
}
