//! Quoting of strings (spec 03 §1.5).

/// Which runes are not escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Printable runes.
    Print,
    /// Printable ASCII.
    Ascii,
    /// Printable runes and all Unicode spaces.
    Graphic,
}

/// Quotes a string in double quotes, as `Quote` and `%q` do.
#[must_use]
pub fn quote(bytes: &[u8]) -> String {
    quote_with(bytes, '"', Quoting::Print)
}

/// Quotes a string between two `delimiter`s.
#[must_use]
pub fn quote_with(bytes: &[u8], delimiter: char, quoting: Quoting) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    out.push(delimiter);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            push_rune(&mut out, c, delimiter, quoting);
        }
        for byte in chunk.invalid() {
            push_hex(&mut out, 'x', u32::from(*byte), 2);
        }
    }
    out.push(delimiter);
    out
}

fn push_rune(out: &mut String, c: char, delimiter: char, quoting: Quoting) {
    if c == delimiter || c == '\\' {
        out.push('\\');
        out.push(c);
        return;
    }
    let verbatim = match quoting {
        Quoting::Print => is_print(c),
        Quoting::Ascii => c.is_ascii() && is_print(c),
        Quoting::Graphic => is_graphic(c),
    };
    if verbatim {
        out.push(c);
        return;
    }
    let escape = match c {
        '\x07' => Some('a'),
        '\x08' => Some('b'),
        '\x0c' => Some('f'),
        '\n' => Some('n'),
        '\r' => Some('r'),
        '\t' => Some('t'),
        '\x0b' => Some('v'),
        _ => None,
    };
    match (escape, u32::from(c)) {
        (Some(letter), _) => out.extend(['\\', letter]),
        (None, code @ 0..0x80) => push_hex(out, 'x', code, 2),
        (None, code @ 0x80..0x1_0000) => push_hex(out, 'u', code, 4),
        (None, code) => push_hex(out, 'U', code, 8),
    }
}

fn push_hex(out: &mut String, letter: char, code: u32, width: u32) {
    out.extend(['\\', letter]);
    for position in (0..width).rev() {
        out.push(char::from_digit(code >> (4 * position) & 0xf, 16).unwrap_or('0'));
    }
}

/// Returns whether a rune is a letter, mark, number, punctuation, symbol or the ASCII space.
#[must_use]
pub fn is_print(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    // The standard library exposes which runes are printable only through `escape_debug`. The leading letter keeps it
    // from escaping combining marks.
    let mut text = [b'a', 0, 0, 0, 0];
    let length = 1 + c.encode_utf8(&mut text[1..]).len();
    std::str::from_utf8(&text[..length]).is_ok_and(|text| text.escape_debug().nth(1) == Some(c))
}

/// Returns whether a rune is printable or a Unicode space.
#[must_use]
pub(crate) fn is_graphic(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}') || is_print(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        for (text, quoted) in [
            (&b"a\tb"[..], r#""a\tb""#),
            (b"\"\\", r#""\"\\""#),
            (b"\x07\x08\x0c\n\r\x0b", r#""\a\b\f\n\r\v""#),
            (b"\x00\x7f", r#""\x00\x7f""#),
            (b"$`'", "\"$`'\""),
            ("é日\u{301}😀".as_bytes(), "\"é日\u{301}😀\""),
            ("\u{a0}\u{ad}\u{200b}\u{2028}\u{feff}".as_bytes(), r#""\u00a0\u00ad\u200b\u2028\ufeff""#),
            ("\u{e0001}".as_bytes(), r#""\U000e0001""#),
            (b"a\xffb", r#""a\xffb""#),
        ] {
            assert_eq!(quote(text), quoted);
        }
    }

    #[test]
    fn other_quotings_differ_in_what_stays() {
        assert_eq!(quote_with("é\u{a0}".as_bytes(), '"', Quoting::Ascii), r#""\u00e9\u00a0""#);
        assert_eq!(quote_with("é\u{a0}".as_bytes(), '"', Quoting::Graphic), "\"é\u{a0}\"");
        assert_eq!(quote_with(b"'\"", '\'', Quoting::Print), r#"'\'"'"#);
    }
}
