//! Text from elsewhere, such as names and the output of commands, made safe for a terminal or a log.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns the text with control characters escaped: a newline as `\n`, others as `\u{1b}`. Characters that change the
/// direction of text are escaped, too: they can hide what a line says.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Does the same as [`printable`], except for newlines and tabs, which text of several lines needs.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

fn escape(text: &str, is_allowed: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_bad = |c: char| (c.is_control() || is_direction(c)) && !is_allowed(c);
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !is_bad(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(out)
}

fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\x1b[31mb\n\u{9b}c\u{202e}"), "a\\u{1b}[31mb\\n\\u{9b}c\\u{202e}");
        assert_eq!(printable_lines("a\n\tb\r\x07"), "a\n\tb\\r\\u{7}");
        assert!(matches!(printable("Größe → 日本"), Cow::Borrowed(_)));
    }
}
