//! Numbers (spec 07 §5.2).

use crate::error::{NumberBase, SyntaxErrorKind};
use crate::lexer::Lexer;
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Adds a number, or an error for digits and letters that are not one.
    pub fn number(&mut self, start: usize, end: usize) {
        let text = &self.text[start..end];
        match number_error(text) {
            None => self.push(TokenKind::Number, start, end),
            Some(base) => {
                let kind = SyntaxErrorKind::InvalidNumber { text: text.to_owned(), base };
                self.error(kind, start, end);
                self.push(TokenKind::ErrorValue, start, end);
            }
        }
    }
}

fn number_error(text: &str) -> Option<NumberBase> {
    let bytes = text.as_bytes();
    if let [b'0', b'x' | b'X', digits @ ..] = bytes {
        let is_valid = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
        return (!is_valid).then_some(NumberBase::Hexadecimal);
    }
    if let [b'0', second, ..] = bytes
        && *second != b'.'
    {
        let is_valid = bytes.iter().all(|byte| (b'0'..=b'7').contains(byte));
        return (!is_valid).then_some(NumberBase::Octal);
    }
    let is_decimal = bytes.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if is_decimal {
        let is_valid = is_float(text);
        return (!is_valid).then_some(NumberBase::Decimal);
    }
    let is_valid = bytes.iter().all(u8::is_ascii_digit);
    (!is_valid).then_some(NumberBase::None)
}

/// `\d+(\.\d+)?([eE]-?\d+)?`
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix('-').unwrap_or(exponent))),
        None => (text, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(integer) && fraction.is_none_or(is_digits) && exponent.is_none_or(is_digits)
}
