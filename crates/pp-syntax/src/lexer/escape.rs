//! Escape sequences in strings and heredocs (spec 07 §5.2).

use crate::error::SyntaxErrorKind;

/// Which escape sequences a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escapes {
    /// The characters after a backslash, as bits of [`FLAGS`].
    flags: u8,
    /// Whether unknown sequences are worth a warning, and quotes are escaped: in strings, not in heredocs.
    is_string: bool,
}

/// The escape characters that a heredoc can choose.
pub const FLAGS: &[u8] = b"trnsuL$";

impl Escapes {
    /// All sequences of strings in double quotes.
    pub const STRING: Escapes = Escapes { flags: 0x7f, is_string: true };
    /// No sequences.
    pub const NONE: Escapes = Escapes { flags: 0, is_string: false };
    /// All sequences of heredocs.
    pub const HEREDOC: Escapes = Escapes { flags: 0x7f, is_string: false };

    /// Adds an escape character. Returns whether there is such a one and it is new.
    pub fn add(&mut self, flag: u8) -> Option<bool> {
        let bit = 1 << FLAGS.iter().position(|known| *known == flag)?;
        let is_new = self.flags & bit == 0;
        self.flags |= bit;
        Some(is_new)
    }

    /// Returns whether a backslash has a meaning at all.
    pub fn any(self) -> bool {
        self.flags != 0
    }

    fn has(self, flag: u8) -> bool {
        FLAGS.iter().position(|known| *known == flag).is_some_and(|index| self.flags >> index & 1 == 1)
    }
}

/// What to report about an escape sequence, and its range in the text.
pub type EscapeError = (SyntaxErrorKind, std::ops::Range<usize>);

/// Appends a text with its escape sequences replaced.
pub fn unescape(text: &str, escapes: Escapes, out: &mut String, mut report: impl FnMut(EscapeError)) {
    let mut rest = 0;
    while let Some(length) = memchr::memchr(b'\\', &text.as_bytes()[rest..]) {
        let at = rest + length;
        out.push_str(&text[rest..at]);
        let Some(escaped) = text[at + 1..].chars().next() else {
            rest = at;
            break;
        };
        let after = at + 1 + escaped.len_utf8();
        rest = after;
        match escaped {
            '\\' => out.push('\\'),
            '\'' | '"' if escapes.is_string => out.push(escaped),
            '$' if escapes.has(b'$') => out.push('$'),
            'r' if escapes.has(b'r') => out.push('\r'),
            'n' if escapes.has(b'n') => out.push('\n'),
            't' if escapes.has(b't') => out.push('\t'),
            's' if escapes.has(b's') => out.push(' '),
            'u' if escapes.has(b'u') => match unicode(&text[after..]) {
                Unicode::Character(c, length) => {
                    out.push(c);
                    rest = after + length;
                }
                Unicode::NotACharacter(length) => {
                    rest = after + length;
                    report((SyntaxErrorKind::InvalidUnicodeEscape(text[at..rest].to_owned()), at..rest));
                }
                Unicode::Incomplete => {
                    out.push_str("\\u");
                    report((SyntaxErrorKind::IncompleteUnicodeEscape, at..after));
                }
            },
            '\n' if escapes.has(b'L') => {}
            '\r' if escapes.has(b'L') && text[after..].starts_with('\n') => rest = after + 1,
            _ => {
                out.push('\\');
                out.push(escaped);
                if escapes.is_string {
                    report((SyntaxErrorKind::UnrecognizedEscape(escaped), at..after));
                }
            }
        }
    }
    out.push_str(&text[rest..]);
}

enum Unicode {
    /// The character, and the length of its digits and braces.
    Character(char, usize),
    /// Digits that are not the number of a character, such as a surrogate.
    NotACharacter(usize),
    Incomplete,
}

/// Reads the digits of `\u`: four, or one to six in braces.
fn unicode(text: &str) -> Unicode {
    let (digits, length) = match text.strip_prefix('{') {
        Some(rest) => {
            let count = rest.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
            if count == 0 || count > 6 || rest.as_bytes().get(count) != Some(&b'}') {
                return Unicode::Incomplete;
            }
            (&rest[..count], count + 2)
        }
        None => {
            let count = text.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
            if count < 4 {
                return Unicode::Incomplete;
            }
            (&text[..4], 4)
        }
    };
    match u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) {
        Some(c) => Unicode::Character(c, length),
        None => Unicode::NotACharacter(length),
    }
}

/// Replaces `\\` and `\'`, the only sequences of strings in single quotes.
pub fn unescape_single_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(escaped @ ('\\' | '\'')) => out.push(escaped),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}
