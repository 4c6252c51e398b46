//! Package `html`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Escapes `<`, `>`, `&`, `'` and `"`, as `EscapeString` does.
#[must_use]
pub fn escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'"' => out.extend_from_slice(b"&#34;"),
            byte => out.push(byte),
        }
    }
    out
}

/// The named character references of the HTML standard: name, with its semicolon if it has one, and replacement.
static ENTITIES: LazyLock<FxHashMap<&'static [u8], String>> = LazyLock::new(|| {
    let code_point = |hex: &str| u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
    let entity = |line: &'static str| {
        let (name, codes) = line.split_once(' ')?;
        Some((name.as_bytes(), codes.split(' ').filter_map(code_point).collect()))
    };
    include_str!("entities.txt").lines().filter_map(entity).collect()
});

/// Maximum length of a name that needs no semicolon, in bytes.
const LONGEST_BARE_NAME: usize = 6;

/// Replaces the character references of HTML 5, as `UnescapeString` does. Unknown references are kept.
#[must_use]
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = memchr::memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let used = reference(rest, &mut out);
        rest = &rest[used..];
    }
    out.extend_from_slice(rest);
    out
}

/// Writes the replacement for the reference at the start of the text, and returns the length of the reference in bytes.
fn reference(text: &[u8], out: &mut Vec<u8>) -> usize {
    if text.get(1) == Some(&b'#') {
        return numeric_reference(text, out);
    }
    let letters = text[1..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let end = 1 + letters + usize::from(text.get(1 + letters) == Some(&b';'));
    let name = &text[1..end];
    if let Some(found) = ENTITIES.get(name) {
        out.extend_from_slice(found.as_bytes());
        return end;
    }
    for length in (2..=name.len().saturating_sub(1).min(LONGEST_BARE_NAME)).rev() {
        if let Some(found) = ENTITIES.get(&name[..length]) {
            out.extend_from_slice(found.as_bytes());
            return length + 1;
        }
    }
    out.extend_from_slice(&text[..end]);
    end
}

fn numeric_reference(text: &[u8], out: &mut Vec<u8>) -> usize {
    let bare = |out: &mut Vec<u8>| {
        out.push(b'&');
        1
    };
    if text.len() <= 3 {
        return bare(out);
    }
    let hex = matches!(text[2], b'x' | b'X');
    let (radix, start) = if hex { (16, 3) } else { (10, 2) };
    let digits = text[start..].iter().map_while(|&b| char::from(b).to_digit(radix));
    // Go's rune is a 32-bit integer that wraps around.
    let (code, count) =
        digits.fold((0u32, 0), |(code, count), digit| (code.wrapping_mul(radix).wrapping_add(digit), count + 1));
    let end = start + count;
    let end = end + usize::from(text.get(end) == Some(&b';'));
    if end <= 3 {
        return bare(out);
    }
    let c = match code {
        0x80..=0x9f => WINDOWS_1252[(code - 0x80) as usize],
        0 => char::REPLACEMENT_CHARACTER,
        code => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    end
}

/// The characters of Windows-1252 for the numbers 0x80 to 0x9f, which browsers substitute for control characters.
const WINDOWS_1252: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}',
    '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}',
    '\u{17e}', '\u{178}',
];
