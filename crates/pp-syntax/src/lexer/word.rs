//! Names, words and variables. The automaton finds their start; qualified names of any length are read here, in a loop.

use crate::token::TokenKind;

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the first index from `at` on whose byte is not of a word.
fn skip_word(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| is_word_byte(**byte)).count()
}

fn has_double_colon(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(b"::"))
}

/// Reads a bare word from its first letter or `::` on: `(::)?[a-z_]([\w-]*\w)?(::[a-z_]([\w-]*\w)?)*`. Returns its end, and
/// whether it is a name: without dashes, and without a leading underscore in any part.
pub fn bare_word(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = if has_double_colon(bytes, start) { start + 2 } else { start };
    let mut is_name = true;
    loop {
        is_name &= bytes.get(at).is_some_and(u8::is_ascii_lowercase);
        at = skip_word(bytes, at);
        // Dashes belong to the word if something follows them.
        while bytes.get(at) == Some(&b'-') {
            let dashes = bytes[at..].iter().take_while(|byte| **byte == b'-').count();
            let after = skip_word(bytes, at + dashes);
            if after == at + dashes {
                return (at, is_name);
            }
            is_name = false;
            at = after;
        }
        let next = bytes.get(at + 2);
        if !has_double_colon(bytes, at) || !next.is_some_and(|byte| byte.is_ascii_lowercase() || *byte == b'_') {
            return (at, is_name);
        }
        at += 2;
    }
}

/// Reads a capitalized name from its first letter or `::` on. Returns its end, without a `::` that no capitalized name follows.
pub fn type_name(bytes: &[u8], start: usize) -> usize {
    let mut at = if has_double_colon(bytes, start) { start + 2 } else { start };
    loop {
        at = skip_word(bytes, at);
        if !has_double_colon(bytes, at) || !bytes.get(at + 2).is_some_and(u8::is_ascii_uppercase) {
            return at;
        }
        at += 2;
    }
}

/// Reads the name of a variable after its `$`: `(::)?(\w+::)*\w+`. Returns its end; `start` if there is no name.
pub fn variable(bytes: &[u8], start: usize) -> usize {
    let first = if has_double_colon(bytes, start) { start + 2 } else { start };
    let mut end = skip_word(bytes, first);
    if end == first {
        return start;
    }
    while has_double_colon(bytes, end) {
        let next = skip_word(bytes, end + 2);
        if next == end + 2 {
            break;
        }
        end = next;
    }
    end
}

/// Returns the kind of a word: a keyword, or a name.
pub fn kind_of_name(text: &str) -> TokenKind {
    match text {
        "and" => TokenKind::And,
        "attr" | "private" => TokenKind::Reserved,
        "case" => TokenKind::Case,
        "class" => TokenKind::Class,
        "default" => TokenKind::Default,
        "define" => TokenKind::Define,
        "else" => TokenKind::Else,
        "elsif" => TokenKind::Elsif,
        "false" => TokenKind::False,
        "function" => TokenKind::Function,
        "if" => TokenKind::If,
        "in" => TokenKind::In,
        "inherits" => TokenKind::Inherits,
        "node" => TokenKind::Node,
        "or" => TokenKind::Or,
        "true" => TokenKind::True,
        "type" => TokenKind::Type,
        "undef" => TokenKind::Undef,
        "unless" => TokenKind::Unless,
        _ => TokenKind::Name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_before_dangling_dashes_and_colons() {
        for (text, end, is_name) in [
            ("a::b", 4, true),
            ("::a", 3, true),
            ("a-b", 3, false),
            ("a--b::c-", 7, false),
            ("a-", 1, true),
            ("a::B", 1, true),
            ("a::_b", 5, false),
            ("_a", 2, false),
        ] {
            assert_eq!(bare_word(text.as_bytes(), 0), (end, is_name), "{text}");
        }
    }

    #[test]
    fn variables_end_before_dangling_colons() {
        for (text, end) in [("a::b", 4), ("a::", 1), ("::", 0), ("::a", 3), ("0x1F", 4), ("a::1", 4), ("-", 0)] {
            assert_eq!(variable(text.as_bytes(), 0), end, "{text}");
        }
    }

    #[test]
    fn type_names_end_before_lower_case_parts() {
        for (text, end) in [("A::B", 4), ("A::b", 1), ("::A", 3), ("A::", 1)] {
            assert_eq!(type_name(text.as_bytes(), 0), end, "{text}");
        }
    }
}
