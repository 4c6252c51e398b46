//! Upper, lower and title case as Ruby maps them: each character on its own, without the context of a word.

/// Returns the text in upper case.
#[must_use]
pub fn upcase(text: &str) -> String {
    text.to_uppercase()
}

/// Returns the text in lower case. A sigma at the end of a word is an ordinary one.
#[must_use]
pub fn downcase(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().flat_map(char::to_lowercase).collect() }
}

/// Returns the text with its first character in title case and the others in lower case.
#[must_use]
pub fn capitalize(text: &str) -> String {
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return String::new() };
    let mut capitalized = String::with_capacity(text.len());
    push_title(first, &mut capitalized);
    capitalized.push_str(&downcase(characters.as_str()));
    capitalized
}

fn push_title(character: char, text: &mut String) {
    let single = match character {
        'Ǆ'..='ǆ' => Some('ǅ'),
        'Ǉ'..='ǉ' => Some('ǈ'),
        'Ǌ'..='ǌ' => Some('ǋ'),
        'Ǳ'..='ǳ' => Some('ǲ'),
        '\u{1f80}'..='\u{1faf}' => char::from_u32(u32::from(character) | 8),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(u32::from(character) + 9),
        '\u{1fbc}' | '\u{1fcc}' | '\u{1ffc}' => Some(character),
        _ => None,
    };
    if let Some(title) = single {
        text.push(title);
        return;
    }
    if character == 'ŉ' {
        text.push_str("ʼN");
        return;
    }
    // A character whose upper case is several, such as `ß`, has only the first of them in upper case.
    let mut upper = character.to_uppercase();
    text.extend(upper.next());
    text.extend(upper.flat_map(char::to_lowercase));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_case_as_ruby_does() {
        let words = ["hELLO world", "éA", "ßa", "ǆa", "ŉa", "ﬁx", "ᾳx", "1Ab", " Ab", ""];
        let expected = ["Hello world", "Éa", "Ssa", "ǅa", "ʼNa", "Fix", "ᾼx", "1ab", " ab", ""];
        assert_eq!(words.map(capitalize), expected);
        assert_eq!(upcase("ßfi ŉ ǆ"), "SSFI ʼN Ǆ");
        assert_eq!(downcase("İI ΑΣ ẞ"), "i̇i ασ ß");
    }
}
