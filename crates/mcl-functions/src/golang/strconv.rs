//! `golang/strconv`.

use mcl_value::{Quoting, quote, quote_with};

use super::panicked;
use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure};
use crate::unicode::{decode_rune, runes};
use crate::{Function, convert, numbers};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("golang/strconv.append_bool", "func(dst str, b bool) str", "`dst`, then `true` or `false`.", |_, args| {
        append(args.bytes(0)?, &args.bool(1)?.to_string())
    }),
    pure(
        "golang/strconv.append_int",
        "func(dst str, i int, base int) str",
        "`dst`, then the number in that base.",
        |_, args| match numbers::format_int(args.int(1)?, args.int(2)?) {
            Some(text) => append(args.bytes(0)?, &text),
            None => panicked("strconv: illegal AppendInt/FormatInt base"),
        },
    ),
    pure("golang/strconv.append_quote", "func(dst str, s str) str", "`dst`, then `s` quoted.", |_, args| {
        append(args.bytes(0)?, &quote(args.bytes(1)?))
    }),
    pure(
        "golang/strconv.append_quote_to_ascii",
        "func(dst str, s str) str",
        "`dst`, then `s` quoted, all but ASCII escaped.",
        |_, args| append(args.bytes(0)?, &quote_with(args.bytes(1)?, '"', Quoting::Ascii)),
    ),
    pure(
        "golang/strconv.append_quote_to_graphic",
        "func(dst str, s str) str",
        "`dst`, then `s` quoted, Unicode spaces kept.",
        |_, args| append(args.bytes(0)?, &quote_with(args.bytes(1)?, '"', Quoting::Graphic)),
    ),
    pure("golang/strconv.atoi", "func(s str) int", "Reads a decimal integer.", |_, args| {
        let text = args.bytes(0)?;
        numbers::parse_int(text, 10, 0).map_or_else(|error| fatal(error.message("Atoi", text)), ok)
    }),
    pure("golang/strconv.can_backquote", "func(s str) bool", "Whether `s` can stand between backquotes.", |_, args| {
        ok(can_backquote(args.bytes(0)?))
    }),
    pure("golang/strconv.format_bool", "func(b bool) str", "`true` or `false`.", |_, args| {
        ok(args.bool(0)?.to_string())
    }),
    pure("golang/strconv.format_int", "func(i int, base int) str", "The number in a base from 2 to 36.", |_, args| {
        match numbers::format_int(args.int(0)?, args.int(1)?) {
            Some(text) => ok(text),
            None => panicked("strconv: illegal AppendInt/FormatInt base"),
        }
    }),
    pure("golang/strconv.itoa", "func(i int) str", "The number in decimal.", |_, args| ok(args.int(0)?.to_string())),
    pure(
        "golang/strconv.parse_bool",
        "func(str str) bool",
        "Reads `1 t T TRUE true True` or `0 f F FALSE false False`.",
        |_, args| match convert::parse_bool(args.bytes(0)?) {
            Some(value) => ok(value),
            None => fatal(numbers::NumberError::Syntax.message("ParseBool", args.bytes(0)?)),
        },
    ),
    pure(
        "golang/strconv.parse_float",
        "func(s str, bitSize int) float",
        "Reads a floating-point number; a bit size of 32 rounds it to single precision.",
        |_, args| {
            let text = args.bytes(0)?;
            numbers::parse_float(text, args.int(1)? == 32)
                .map_or_else(|error| fatal(error.message("ParseFloat", text)), ok)
        },
    ),
    pure(
        "golang/strconv.parse_int",
        "func(s str, base int, bitSize int) int",
        "Reads an integer; base 0 goes by its prefix.",
        |_, args| {
            let text = args.bytes(0)?;
            numbers::parse_int(text, args.int(1)?, args.int(2)?)
                .map_or_else(|error| fatal(error.message("ParseInt", text)), ok)
        },
    ),
    pure("golang/strconv.quote", "func(s str) str", "As a Go string literal.", |_, args| ok(quote(args.bytes(0)?))),
    pure(
        "golang/strconv.quote_to_ascii",
        "func(s str) str",
        "As a Go string literal, all but ASCII escaped.",
        |_, args| ok(quote_with(args.bytes(0)?, '"', Quoting::Ascii)),
    ),
    pure(
        "golang/strconv.quote_to_graphic",
        "func(s str) str",
        "As a Go string literal, Unicode spaces kept.",
        |_, args| ok(quote_with(args.bytes(0)?, '"', Quoting::Graphic)),
    ),
    pure(
        "golang/strconv.quoted_prefix",
        "func(s str) str",
        "The Go literal that `s` starts with, as it is written.",
        |_, args| match read_literal(args.bytes(0)?) {
            Some((_, length)) => ok(&args.bytes(0)?[..length]),
            None => fatal("invalid syntax"),
        },
    ),
    pure("golang/strconv.unquote", "func(s str) str", "What a Go literal stands for.", |_, args| {
        match unquote(args.bytes(0)?) {
            Some(text) => ok(text),
            None => fatal("invalid syntax"),
        }
    }),
];

fn append(start: &[u8], end: &str) -> Outcome {
    ok([start, end.as_bytes()].concat())
}

fn can_backquote(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
        && runes(text).all(|(_, rune)| match rune {
            '\u{feff}' | '`' | '\u{7f}' => false,
            '\t' => true,
            rune => rune >= ' ',
        })
}

/// What a Go string, character or raw literal stands for.
pub(crate) fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    read_literal(text).filter(|(_, length)| *length == text.len()).map(|(value, _)| value)
}

/// The literal that the text starts with: what it stands for, and its length.
pub(crate) fn read_literal(text: &[u8]) -> Option<(Vec<u8>, usize)> {
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

/// One character or escape of a literal; returns its length.
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
        // These name a byte, the others a code point.
        b'x' | b'0'..=b'7' => out.push(u8::try_from(code).ok()?),
        _ => out.extend_from_slice(char::from_u32(code)?.encode_utf8(&mut [0; 4]).as_bytes()),
    }
    Some(start + count)
}
