//! Package `unicode` and `unicode/utf8`: runes in byte strings, and simple (one-to-one) case mappings.

/// Returns the first rune and its length in bytes; `None` for an empty string. An invalid byte is U+FFFD of length 1.
#[must_use]
pub fn decode_rune(bytes: &[u8]) -> Option<(char, usize)> {
    let first = *bytes.first()?;
    if first.is_ascii() {
        return Some((char::from(first), 1));
    }
    let valid = match std::str::from_utf8(&bytes[..bytes.len().min(4)]) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
    };
    Some(valid.chars().next().map_or((char::REPLACEMENT_CHARACTER, 1), |c| (c, c.len_utf8())))
}

/// Returns the last rune and its length in bytes; `None` for an empty string.
#[must_use]
pub(crate) fn decode_last_rune(bytes: &[u8]) -> Option<(char, usize)> {
    let last = *bytes.last()?;
    for length in 1..=bytes.len().min(4) {
        if let Ok(text) = std::str::from_utf8(&bytes[bytes.len() - length..]) {
            return text.chars().next().map(|c| (c, length));
        }
    }
    Some((if last.is_ascii() { char::from(last) } else { char::REPLACEMENT_CHARACTER }, 1))
}

/// Returns the runes in order, with their byte offsets.
pub fn runes(bytes: &[u8]) -> impl Iterator<Item = (usize, char)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let (rune, length) = decode_rune(&bytes[offset..])?;
        offset += length;
        Some((offset - length, rune))
    })
}

/// Returns the number of runes.
#[must_use]
pub fn rune_count(bytes: &[u8]) -> usize {
    runes(bytes).count()
}

/// Applies a mapping to each rune. Invalid bytes become U+FFFD.
#[must_use]
pub fn map_runes(bytes: &[u8], mut mapping: impl FnMut(char) -> char) -> Vec<u8> {
    let mut out = String::with_capacity(bytes.len());
    out.extend(runes(bytes).map(|(_, rune)| mapping(rune)));
    out.into_bytes()
}

/// Returns the simple upper case mapping.
#[must_use]
pub fn to_upper(c: char) -> char {
    let mut full = c.to_uppercase();
    match (full.next(), full.next()) {
        (Some(upper), None) => upper,
        // If the full mapping has several characters, the simple mapping is the character itself, except for Greek
        // letters with an iota subscript.
        _ => match c {
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => shift(c, 8),
            '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => shift(c, 9),
            _ => c,
        },
    }
}

/// Returns the simple lower case mapping.
#[must_use]
pub fn to_lower(c: char) -> char {
    // U+0130 is the only character with a longer full mapping; the simple one is its first part.
    c.to_lowercase().next().unwrap_or(c)
}

/// Returns the simple title case mapping.
#[must_use]
pub fn to_title(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10ff}' => c,
        _ => to_upper(c),
    }
}

/// Returns the representative of the runes that are equal under simple case folding.
#[must_use]
pub fn fold(c: char) -> char {
    match c {
        // The dotted and dotless i of Turkish are equal to no other rune.
        '\u{130}' | '\u{131}' => c,
        _ => to_lower(to_upper(c)),
    }
}

/// Converts the first letter of each word to title case, as `strings.Title` does (spec 03 §9.3).
#[must_use]
pub fn title(bytes: &[u8]) -> Vec<u8> {
    let mut previous = ' ';
    map_runes(bytes, |rune| {
        let start = is_separator(previous);
        previous = rune;
        if start { to_title(rune) } else { rune }
    })
}

fn is_separator(c: char) -> bool {
    if c.is_ascii() { !c.is_ascii_alphanumeric() && c != '_' } else { c.is_whitespace() }
}

fn shift(c: char, by: u32) -> char {
    char::from_u32(u32::from(c) + by).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_mappings_are_simple() {
        for (c, upper, lower, title) in [
            ('a', 'A', 'a', 'A'),
            ('ß', 'ß', 'ß', 'ß'),
            ('é', 'É', 'é', 'É'),
            ('ǆ', 'Ǆ', 'ǆ', 'ǅ'),
            ('İ', 'İ', 'i', 'İ'),
            ('ᾳ', 'ᾼ', 'ᾳ', 'ᾼ'),
            ('ა', 'Ა', 'ა', 'ა'),
            ('ŉ', 'ŉ', 'ŉ', 'ŉ'),
        ] {
            assert_eq!((to_upper(c), to_lower(c), to_title(c)), (upper, lower, title), "{c}");
        }
    }

    #[test]
    fn folding_joins_what_differs_in_case_only() {
        for (a, b, same) in [('K', '\u{212a}', true), ('ß', 'ẞ', true), ('ς', 'Σ', true), ('i', 'İ', false)] {
            assert_eq!(fold(a) == fold(b), same, "{a} {b}");
        }
    }

    #[test]
    fn invalid_bytes_are_single_runes() {
        assert_eq!(runes(b"a\xe2\x82b").collect::<Vec<_>>(), [(0, 'a'), (1, '\u{fffd}'), (2, '\u{fffd}'), (3, 'b')]);
        assert_eq!(decode_last_rune("a€".as_bytes()), Some(('€', 3)));
        assert_eq!(decode_last_rune(b"a\x82"), Some(('\u{fffd}', 1)));
    }
}
