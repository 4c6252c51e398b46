//! Parsing of Go's string, character and raw literals.

use crate::unicode::{decode_rune, runes};

/// Returns whether a string can be written as a raw literal on one line, as `CanBackquote` does.
#[must_use]
pub fn can_backquote(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
        && runes(text).all(|(_, rune)| match rune {
            '\u{feff}' | '`' | '\u{7f}' => false,
            '\t' => true,
            rune => rune >= ' ',
        })
}

/// Returns the value of a string, character or raw literal, as `Unquote` does; `None` if the text is not exactly one
/// literal.
#[must_use]
pub fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    quoted_prefix(text).filter(|(_, length)| *length == text.len()).map(|(value, _)| value)
}

/// Reads the literal at the start of a text, as `QuotedPrefix` does. Returns its value, and its length in bytes as
/// written.
#[must_use]
pub fn quoted_prefix(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let delimiter = *text.first()?;
    match delimiter {
        b'`' => {
            let length = memchr::memchr(b'`', &text[1..])?;
            let mut raw = text[1..=length].to_vec();
            raw.retain(|&b| b != b'\r');
            Some((raw, length + 2))
        }
        b'"' | b'\'' => {
            let (mut value, mut at, mut characters) = (Vec::new(), 1, 0);
            while *text.get(at)? != delimiter {
                at += read_character(&text[at..], delimiter, &mut value)?;
                characters += 1;
                if delimiter == b'\'' && characters > 1 {
                    return None;
                }
            }
            if delimiter == b'\'' && characters != 1 { None } else { Some((value, at + 1)) }
        }
        _ => None,
    }
}

/// Reads one character or escape of a literal and returns its length in bytes.
fn read_character(text: &[u8], delimiter: u8, out: &mut Vec<u8>) -> Option<usize> {
    let first = *text.first()?;
    if first == b'\n' {
        return None;
    }
    if first != b'\\' {
        let (_, length) = decode_rune(text)?;
        out.extend_from_slice(&text[..length]);
        return Some(length);
    }
    let escape = *text.get(1)?;
    let simple = match escape {
        b'a' => Some(7),
        b'b' => Some(8),
        b'f' => Some(12),
        b'n' => Some(10),
        b'r' => Some(13),
        b't' => Some(9),
        b'v' => Some(11),
        b'\\' => Some(b'\\'),
        b'\'' | b'"' if escape == delimiter => Some(escape),
        _ => None,
    };
    if let Some(byte) = simple {
        out.push(byte);
        return Some(2);
    }
    let (start, count, radix) = match escape {
        b'x' => (2, 2, 16),
        b'u' => (2, 4, 16),
        b'U' => (2, 8, 16),
        b'0'..=b'7' => (1, 3, 8),
        _ => return None,
    };
    let digits = text.get(start..start + count)?;
    let digit = |&b: &u8| char::from(b).to_digit(radix);
    let code = digits.iter().map(digit).try_fold(0u32, |code, digit| code.checked_mul(radix)?.checked_add(digit?))?;
    match escape {
        // These denote bytes, the others code points.
        b'x' | b'0'..=b'7' => out.push(u8::try_from(code).ok()?),
        _ => out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()),
    }
    Some(start + count)
}
