//! A directive of a format, such as `%-8.3f`, applied to a number or a text as Ruby's `format` does.

use crate::error::{Error, ErrorKind};

/// The largest width or precision, in characters.
const MAX_WIDTH: usize = 16 * 1024 * 1024;

/// The digits after the point that a float can have.
const MAX_DIGITS: usize = 1100;

/// The flags, the width and the precision of a directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directive {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space: where a plus would be.
    pub space: bool,
    /// `0`
    pub zero: bool,
    /// `#`
    pub alternate: bool,
    pub width: Option<usize>,
    pub precision: Option<usize>,
}

impl Directive {
    /// Fails if the result would be too large.
    pub fn check(&self) -> Result<(), Error> {
        if self.width.is_some_and(|width| width > MAX_WIDTH) {
            return Err(Error::new(ErrorKind::Limit, "width too big"));
        }
        if self.precision.is_some_and(|precision| precision > MAX_WIDTH) {
            return Err(Error::new(ErrorKind::Limit, "precision too big"));
        }
        Ok(())
    }

    /// Cuts a text at the precision, and fills it to the width.
    pub fn text(&self, text: &str) -> String {
        let cut = match self.precision {
            Some(precision) => text.char_indices().nth(precision).map_or(text, |(end, _)| &text[..end]),
            None => text,
        };
        self.fill(cut)
    }

    /// Fills a text to the width with spaces.
    pub fn fill(&self, text: &str) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        let space = " ".repeat(missing);
        if self.left { format!("{text}{space}") } else { format!("{space}{text}") }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.plus, self.space) {
            (true, _, _) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        }
    }

    /// Fills a number to the width: zeros go between its sign and prefix, and its digits.
    fn number(&self, before: &str, digits: &str, zeros: bool) -> String {
        let length = before.len() + digits.len();
        if zeros && self.zero && !self.left {
            let zeros = "0".repeat(self.width.unwrap_or(0).saturating_sub(length));
            return format!("{before}{zeros}{digits}");
        }
        self.fill(&format!("{before}{digits}"))
    }

    /// Formats an integer: `d`, `x`, `X`, `o`, `b`, `B`.
    pub fn integer(&self, value: i128, conversion: char) -> String {
        let radix = match conversion {
            'x' | 'X' => 16,
            'o' => 8,
            'b' | 'B' => 2,
            _ => 10,
        };
        if value < 0 && radix != 10 && !self.plus && !self.space {
            return self.complement(value, radix, conversion);
        }
        let mut digits = in_radix(value.unsigned_abs(), radix);
        if value == 0 && self.precision == Some(0) {
            // A C library writes no digit then.
            digits.clear();
        }
        if let Some(precision) = self.precision {
            digits = format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len())));
        }
        let needs_prefix = match conversion {
            // Its prefix is a digit.
            'o' => !digits.starts_with('0'),
            _ => value != 0,
        };
        let prefix = if self.alternate && needs_prefix { prefix(conversion) } else { "" };
        if conversion == 'X' {
            digits = digits.to_uppercase();
        }
        self.number(&format!("{}{prefix}", self.sign(value < 0)), &digits, self.precision.is_none())
    }

    /// Formats a negative number as a two's complement with endless leading digits: `..f01`.
    fn complement(&self, value: i128, radix: u32, conversion: char) -> String {
        let bits = radix.trailing_zeros();
        let top = char::from_digit(radix - 1, radix).unwrap_or('1');
        let mut rest = value;
        let mut digits = Vec::new();
        while rest != -1 {
            let digit = (rest & i128::from(radix - 1)) as u32;
            digits.push(char::from_digit(digit, radix).unwrap_or('0'));
            rest >>= bits;
        }
        digits.push(top);
        let mut text: String = digits.into_iter().rev().collect();
        let repeat_top = |count: usize| top.to_string().repeat(count);
        let mut before =
            if self.alternate && conversion != 'o' { prefix(conversion).to_owned() } else { String::new() };
        before.push_str("..");
        // The dots count for the width and for the precision.
        let length = match self.precision {
            Some(precision) => precision.saturating_sub(2),
            None if self.zero && !self.left => self.width.unwrap_or(0).saturating_sub(before.len()),
            None => 0,
        };
        text = format!("{}{text}", repeat_top(length.saturating_sub(text.len())));
        if conversion == 'X' {
            text = text.to_uppercase();
        }
        self.fill(&format!("{before}{text}"))
    }

    /// Formats a float: `f`, `e`, `E`, `g`, `G`, `a`, `A`.
    pub fn float(&self, value: f64, conversion: char) -> String {
        if !value.is_finite() {
            let name = if value.is_nan() { "NaN" } else { "Inf" };
            return self.fill(&format!("{}{name}", self.sign(value < 0.0)));
        }
        let magnitude = value.abs();
        let sign = self.sign(value.is_sign_negative());
        let lower = conversion.to_ascii_lowercase();
        let mut digits = match lower {
            'e' => self.scientific(magnitude, self.precision.unwrap_or(6)),
            'g' => self.general(magnitude),
            'a' => self.hexadecimal(magnitude),
            _ => self.fixed(magnitude, self.precision.unwrap_or(6)),
        };
        let mut before = format!("{sign}{}", if lower == 'a' { "0x" } else { "" });
        if conversion.is_ascii_uppercase() {
            digits = digits.to_uppercase();
            before = before.to_uppercase();
        }
        self.number(&before, &digits, true)
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let exact = precision.min(MAX_DIGITS);
        let mut text = format!("{value:.exact$}");
        text.push_str(&"0".repeat(precision - exact));
        if precision == 0 && self.alternate {
            text.push('.');
        }
        text
    }

    fn scientific(&self, value: f64, precision: usize) -> String {
        let exact = precision.min(MAX_DIGITS);
        let text = format!("{value:.exact$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let zeros = "0".repeat(precision - exact);
        let point = if precision == 0 && self.alternate { "." } else { "" };
        format!("{mantissa}{zeros}{point}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }

    fn general(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6).max(1);
        let scientific = format!("{value:.*e}", (precision - 1).min(MAX_DIGITS));
        let exponent: i64 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let significant = i64::try_from(precision).unwrap_or(i64::MAX);
        let text = if exponent < -4 || exponent >= significant {
            self.scientific(value, precision - 1)
        } else {
            self.fixed(value, usize::try_from(significant - 1 - exponent).unwrap_or(0))
        };
        if self.alternate {
            return text;
        }
        let (mantissa, exponent) = match text.find('e') {
            Some(at) => text.split_at(at),
            None => (text.as_str(), ""),
        };
        if !mantissa.contains('.') {
            return text;
        }
        format!("{}{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
    }

    fn hexadecimal(&self, value: f64) -> String {
        const FRACTION_BITS: u32 = 52;
        let bits = value.to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let biased = (bits >> FRACTION_BITS) as i64;
        // A subnormal number is shifted until its first bit is before the point.
        let (mut whole, mut fraction, mut exponent) = match (biased, fraction) {
            (0, 0) => (0, 0, 0),
            (0, fraction) => {
                let shift = fraction.leading_zeros() - 11;
                (1, (fraction << shift) & ((1 << FRACTION_BITS) - 1), -1022 - i64::from(shift))
            }
            (biased, fraction) => (1_u64, fraction, biased - 1023),
        };
        if let Some(precision) = self.precision.filter(|precision| *precision < 13) {
            let dropped = FRACTION_BITS - 4 * precision as u32;
            let all = whole << FRACTION_BITS | fraction;
            let half = 1_u64 << (dropped - 1);
            let kept = all >> dropped;
            let rest = all & ((1 << dropped) - 1);
            let rounded = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
            let all = rounded << dropped;
            whole = all >> FRACTION_BITS;
            fraction = all & ((1 << FRACTION_BITS) - 1);
            if whole > 1 {
                whole = 1;
                exponent += 1;
            }
        }
        let digits = format!("{fraction:013x}");
        let digits = match self.precision {
            None => digits.trim_end_matches('0').to_owned(),
            Some(precision) if precision <= 13 => digits[..precision].to_owned(),
            Some(precision) => format!("{digits}{}", "0".repeat(precision - 13)),
        };
        let point = if digits.is_empty() && !self.alternate { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{whole}{point}{digits}p{sign}{}", exponent.abs())
    }
}

fn prefix(conversion: char) -> &'static str {
    match conversion {
        'x' => "0x",
        'X' => "0X",
        'o' => "0",
        'b' => "0b",
        'B' => "0B",
        _ => "",
    }
}

fn in_radix(value: u128, radix: u32) -> String {
    match radix {
        16 => format!("{value:x}"),
        8 => format!("{value:o}"),
        2 => format!("{value:b}"),
        _ => value.to_string(),
    }
}
