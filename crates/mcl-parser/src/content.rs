//! The text between the quotes of a string: escapes and references (spec 01 §5.2).

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};

/// A part of a string. Offsets are bytes of the raw text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text, with its escapes replaced.
    Text { text: String, start: usize, end: usize },
    /// `${name}`.
    Reference { name: String, start: usize, end: usize },
}

/// Why a string is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentError {
    pub start: usize,
    pub end: usize,
    kind: ErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ErrorKind {
    /// A backslash and this character, or the end.
    Escape(Option<char>),
    /// `${` that is no reference, and what it holds up to the `}`, if there is one.
    Reference(Option<String>),
}

/// So many errors of one string are told.
const MAX_ERRORS: usize = 10;

/// Splits the raw text of a string into parts; no two texts stand side by side. Or else all that is wrong with it.
pub fn parse_content(raw: &str) -> Result<Vec<Part>, Vec<ContentError>> {
    let mut errors = Vec::new();
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut text_start = 0;
    let bytes = raw.as_bytes();
    let mut i = 0;
    while i < bytes.len() && errors.len() < MAX_ERRORS {
        match bytes[i] {
            b'\\' => {
                let escaped = raw[i + 1..].chars().next();
                let Some(value) = escaped.and_then(escape) else {
                    let end = i + 1 + escaped.map_or(0, char::len_utf8);
                    errors.push(ContentError { start: i, end, kind: ErrorKind::Escape(escaped) });
                    i = end;
                    continue;
                };
                text.push(value);
                i += 2;
            }
            b'$' if bytes.get(i + 1) == Some(&b'{') => {
                let inner = &raw[i + 2..];
                let length = reference_length(inner);
                if length == 0 || inner.as_bytes().get(length) != Some(&b'}') {
                    let error = bad_reference(raw, i);
                    i = error.end;
                    errors.push(error);
                    continue;
                }
                if !text.is_empty() {
                    parts.push(Part::Text { text: std::mem::take(&mut text), start: text_start, end: i });
                }
                let end = i + 2 + length + 1;
                parts.push(Part::Reference { name: inner[..length].to_owned(), start: i, end });
                i = end;
                text_start = end;
            }
            _ => {
                // Up to the next byte that means something; both of these are ASCII, so the cut is between characters.
                let rest = &bytes[i + 1..];
                let plain = 1 + rest.iter().position(|b| matches!(b, b'\\' | b'$')).unwrap_or(rest.len());
                text.push_str(&raw[i..i + plain]);
                i += plain;
            }
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text { text, start: text_start, end: raw.len() });
    }
    if errors.is_empty() { Ok(parts) } else { Err(errors) }
}

fn escape(c: char) -> Option<char> {
    Some(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' | '"' | '$' => c,
        _ => return None,
    })
}

/// How many bytes of the text spell the name of a reference: a lower case letter, then letters, digits, `_`, and single
/// dots that are not last. Zero if the text does not start with one.
fn reference_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_lowercase) {
        return 0;
    }
    let is_word = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'_';
    let mut i = 1;
    while i < bytes.len() {
        match bytes[i] {
            b if is_word(&b) => i += 1,
            b'.' if bytes.get(i + 1).is_some_and(is_word) => i += 2,
            _ => break,
        }
    }
    i
}

fn bad_reference(raw: &str, start: usize) -> ContentError {
    let inner = &raw[start + 2..];
    // A reference ends on its line; an outer one ends behind those nested in it.
    let line = inner.split('\n').next().unwrap_or("");
    let close = closing_brace(line);
    let end = close.map_or(start + 2, |i| start + 2 + i + 1);
    ContentError { start, end, kind: ErrorKind::Reference(close.map(|i| line[..i].to_owned())) }
}

/// Where the first `}` of the text is that closes no `${` of the text; else the last one.
fn closing_brace(text: &str) -> Option<usize> {
    let mut nested = 0_usize;
    for (i, b) in text.bytes().enumerate() {
        match b {
            b'{' if text[..i].ends_with('$') => nested += 1,
            b'}' if nested == 0 => return Some(i),
            b'}' => nested -= 1,
            _ => {}
        }
    }
    text.rfind('}')
}

impl ContentError {
    /// The message; `span` is where the error lies in the file.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        match &self.kind {
            ErrorKind::Escape(c) => bad_escape(*c).at(span),
            ErrorKind::Reference(inner) => bad_name(inner.as_deref()).at(span),
        }
    }
}

fn bad_escape(c: Option<char>) -> Diagnostic {
    let error =
        |text: &str| Diagnostic::error(Code::E0401, Stage::Interpolate, format!("unknown escape {text} in a string"));
    match c {
        Some('\n' | '\r') => Diagnostic::error(Code::E0401, Stage::Interpolate, "a string has no line continuation")
            .help("a string may span lines as it is; for a backslash at the end of the line write `\\\\`"),
        Some('0'..='9' | 'x' | 'u' | 'U') => error(&format!("`\\{}`", c.unwrap_or(' ')))
            .help("there are no numeric or Unicode escapes: write the character itself (for a backslash `\\\\`)"),
        Some('\'' | '{' | '}') => error(&format!("`\\{}`", c.unwrap_or(' '))).help("this character needs no backslash"),
        Some(c) => error(&format!("`\\{c}`")).help(format!(
            "the escapes are \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\$; for a backslash write `\\\\{c}`"
        )),
        None => error("`\\`").help("for a backslash write `\\\\`"),
    }
}

fn bad_name(inner: Option<&str>) -> Diagnostic {
    let error = |message: String| Diagnostic::error(Code::E0402, Stage::Interpolate, message);
    let Some(inner) = inner else {
        return error("the `${` in this string is not closed".to_owned())
            .help("write `${name}` to insert a variable, or `\\${` for the text itself");
    };
    let shown = if inner.chars().count() > 40 { "…" } else { inner };
    let message = format!("`${{{shown}}}` is no reference to a variable");
    if inner.is_empty() {
        return error("`${}` names no variable".to_owned()).help("write `\\${}` for the text itself");
    }
    let trimmed = inner.trim();
    if trimmed != inner && reference_length(trimmed) == trimmed.len() && !trimmed.is_empty() {
        return error(message).help(format!("a reference has no blanks: `${{{trimmed}}}`"));
    }
    let lower = inner.to_ascii_lowercase();
    if lower != inner && reference_length(&lower) == lower.len() {
        return error(message).help("names are lower case");
    }
    if let Some(name) = inner.strip_prefix('$').filter(|n| reference_length(n) == n.len() && !n.is_empty()) {
        return error(message).help(format!("there is no `$` before the name: `${{{name}}}`"));
    }
    if inner.contains(['(', '[', '{', '+', '-', '*', '/']) {
        return error(message).help(
            "only a name may stand here: bind the value to a variable first, `$value = …`, then write `${value}`",
        );
    }
    error(message).help("a name is lower case and starts with a letter; write `\\${` for the text itself")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts, texts in quotes, references bare; or `error`.
    fn show(raw: &str) -> String {
        let Ok(parts) = parse_content(raw) else { return "error".to_owned() };
        let parts: Vec<String> = parts
            .into_iter()
            .map(|part| match part {
                Part::Text { text, .. } => format!("{text:?}"),
                Part::Reference { name, .. } => name,
            })
            .collect();
        parts.join(" ")
    }

    #[test]
    fn references_and_text_alternate() {
        for (raw, parts) in [
            ("", ""),
            ("a${x}b", "\"a\" x \"b\""),
            ("${x}", "x"),
            ("${x}${y}", "x y"),
            ("${x.y.z}", "x.y.z"),
            ("${a_b}${x1}", "a_b x1"),
            ("${x_}", "x_"),
            ("$$${x}", "\"$$\" x"),
            (r"\${x}", "\"${x}\""),
            (r"\\${x}", r#""\\" x"#),
            (r"\\\${x}", r#""\\${x}""#),
            ("$x $ {x} $", "\"$x $ {x} $\""),
            ("${x}}", "x \"}\""),
            ("#{x} %{x} {x}", "\"#{x} %{x} {x}\""),
            ("é${x}ü", "\"é\" x \"ü\""),
        ] {
            assert_eq!(show(raw), parts, "{raw}");
        }
    }

    #[test]
    fn escapes_have_the_values_of_the_spec() {
        assert_eq!(show(r#"\a\b\f\n\r\t\v\\\"\$"#), "\"\\u{7}\\u{8}\\u{c}\\n\\r\\t\\u{b}\\\\\\\"$\"");
        for bad in [r"\0", r"\x41", r"\u00e9", r"\e", r"\'", r"\{", r"\ ", "\\\n", r"\é", "\\"] {
            assert_eq!(show(bad), "error", "{bad}");
        }
    }

    #[test]
    fn a_dollar_and_brace_commit_to_a_reference() {
        for bad in [
            "${}",
            "${ x}",
            "${x }",
            "${X}",
            "${_x}",
            "${1x}",
            "${42}",
            "${x..y}",
            "${x.}",
            "${.x}",
            "${x[0]}",
            "${x->y}",
            "${x()}",
            "${${x}}",
            "${x ${y} z}",
            "${x",
            "${",
            "a ${x} ${",
            "${x-y}",
            "${x:y}",
            "${$x}",
            "${x\n}",
        ] {
            assert_eq!(show(bad), "error", "{bad}");
        }
    }
}
