//! Characters that must not reach a terminal.

/// Escapes line breaks and the characters that could disturb a terminal.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if harmful(c) || c == '\n' || c == '\t' { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Returns whether printing the character could move the cursor, change colors, reorder text, or show nothing at all.
pub(super) fn harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
