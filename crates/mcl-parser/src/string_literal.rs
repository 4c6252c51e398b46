//! String literals: their escapes and references (spec 01 §5.2).

use mcl_diagnostics::{Change, Code, Diagnostic, Fix, Span, Stage};

use crate::snake_case::snake_case;

/// A part of a string. Offsets are bytes of the raw text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StringPart {
    /// Text with its escapes expanded.
    Text { text: String, start: usize, end: usize },
    /// `${name}`.
    Reference { name: String, start: usize, end: usize },
}

impl StringPart {
    /// Returns the text, unless the part is a reference.
    pub fn into_text(self) -> Option<String> {
        match self {
            StringPart::Text { text, .. } => Some(text),
            StringPart::Reference { .. } => None,
        }
    }
}

/// An invalid escape or reference in a string. Offsets are bytes of the raw text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringError {
    pub kind: StringErrorKind,
    pub start: usize,
    pub end: usize,
}

/// The kinds of [`StringError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StringErrorKind {
    /// A backslash before this character.
    UnknownEscape(char),
    /// A backslash before the end of a line.
    LineContinuation,
    /// A backslash before the end of the string.
    LoneBackslash,
    /// `${` without a `}` on its line.
    UnclosedReference,
    /// `${}`.
    EmptyReference,
    /// `${…}` whose content, this text, is not a name.
    InvalidReference(String),
}

/// At most this many errors of one string are reported.
const MAX_ERRORS: usize = 10;

/// Splits the raw text of a string into parts, of which no two adjacent ones are text.
///
/// # Errors
/// The invalid escapes and references of the string, at most [`MAX_ERRORS`].
pub fn parse_string(raw: &str) -> Result<Vec<StringPart>, Vec<StringError>> {
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
                    let kind = match escaped {
                        None => StringErrorKind::LoneBackslash,
                        Some('\n' | '\r') => StringErrorKind::LineContinuation,
                        Some(c) => StringErrorKind::UnknownEscape(c),
                    };
                    errors.push(StringError { kind, start: i, end });
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
                    let error = invalid_reference(raw, i);
                    i = error.end;
                    errors.push(error);
                    continue;
                }
                if !text.is_empty() {
                    parts.push(StringPart::Text { text: std::mem::take(&mut text), start: text_start, end: i });
                }
                let end = i + 2 + length + 1;
                parts.push(StringPart::Reference { name: inner[..length].to_owned(), start: i, end });
                i = end;
                text_start = end;
            }
            _ => {
                // Up to the next backslash or dollar sign, which are ASCII, so that the cut is between characters.
                let rest = &bytes[i + 1..];
                let plain = 1 + rest.iter().position(|b| matches!(b, b'\\' | b'$')).unwrap_or(rest.len());
                text.push_str(&raw[i..i + plain]);
                i += plain;
            }
        }
    }
    if !text.is_empty() {
        parts.push(StringPart::Text { text, start: text_start, end: raw.len() });
    }
    if errors.is_empty() { Ok(parts) } else { Err(errors) }
}

/// Returns the value of the raw text of a string; `None` if it has references or invalid escapes.
#[must_use]
pub fn string_value(raw: &str) -> Option<String> {
    parse_string(raw).ok()?.into_iter().map(StringPart::into_text).collect()
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

/// Returns the length in bytes of the name at the start of a reference: a lower-case letter, then letters, digits, `_`, and
/// single dots that are not last. Zero if the text does not start with a name.
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

/// Whether the text is the name of a variable.
fn is_name(text: &str) -> bool {
    !text.is_empty() && reference_length(text) == text.len()
}

/// Returns the error for the invalid reference at `start`.
fn invalid_reference(raw: &str, start: usize) -> StringError {
    let content = start + 2;
    // A reference ends on its line; an outer reference ends after those nested in it.
    let line = raw[content..].split('\n').next().unwrap_or("");
    match closing_brace(line) {
        None => StringError { kind: StringErrorKind::UnclosedReference, start, end: content },
        Some(length) => {
            let kind = match &line[..length] {
                "" => StringErrorKind::EmptyReference,
                text => StringErrorKind::InvalidReference(text.to_owned()),
            };
            StringError { kind, start, end: content + length + 1 }
        }
    }
}

/// Returns the offset of the first `}` that is unmatched in the text, or of the last `}`.
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

impl StringError {
    /// Whether the string refers to one of these names, or to a field or element of its value.
    pub fn refers_to(&self, names: &[String]) -> bool {
        let StringErrorKind::InvalidReference(text) = &self.kind else { return false };
        let text = text.trim().trim_start_matches('$');
        names.iter().any(|name| {
            text.strip_prefix(name.as_str())
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    }

    /// Renders the error; `span` is its span in the file.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        let code = match &self.kind {
            StringErrorKind::UnknownEscape(_) | StringErrorKind::LineContinuation | StringErrorKind::LoneBackslash => {
                Code::E0401
            }
            StringErrorKind::UnclosedReference
            | StringErrorKind::EmptyReference
            | StringErrorKind::InvalidReference(_) => Code::E0402,
        };
        let diagnostic =
            Diagnostic::error(code, Stage::Interpolate, self.kind.message()).at(span).help(self.kind.help());
        match self.kind.fix(span) {
            Some(fix) => diagnostic.fix(fix),
            None => diagnostic,
        }
    }
}

impl StringErrorKind {
    fn message(&self) -> String {
        const MAX_CHARS: usize = 40;
        match self {
            StringErrorKind::UnknownEscape(c) => format!("unknown escape sequence `\\{c}`"),
            StringErrorKind::LineContinuation => "invalid line continuation in a string".to_owned(),
            StringErrorKind::LoneBackslash => "unknown escape sequence `\\`".to_owned(),
            StringErrorKind::UnclosedReference => "unclosed `${` in a string".to_owned(),
            StringErrorKind::EmptyReference => "missing variable name in `${}`".to_owned(),
            StringErrorKind::InvalidReference(text) => {
                let shown = if text.chars().count() > MAX_CHARS { "…" } else { text };
                format!("invalid variable reference `${{{shown}}}`")
            }
        }
    }

    fn help(&self) -> String {
        match self {
            StringErrorKind::UnknownEscape('0'..='9' | 'x' | 'u' | 'U') => {
                "there are no numeric or Unicode escapes: write the character itself (a backslash is written `\\\\`)"
                    .to_owned()
            }
            StringErrorKind::UnknownEscape('\'' | '{' | '}') => "this character needs no backslash".to_owned(),
            StringErrorKind::UnknownEscape(c) => {
                format!("the escapes are \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\$; a backslash is written `\\\\{c}`")
            }
            StringErrorKind::LineContinuation => {
                "a string can span lines as it is; a backslash at the end of the line is written `\\\\`".to_owned()
            }
            StringErrorKind::LoneBackslash => "a backslash is written `\\\\`".to_owned(),
            StringErrorKind::UnclosedReference => {
                "write `${name}` to insert a variable, or `\\${` for the text itself".to_owned()
            }
            StringErrorKind::EmptyReference => "write `\\${}` for the text itself".to_owned(),
            StringErrorKind::InvalidReference(text) => reference_help(text),
        }
    }

    fn fix(&self, span: Span) -> Option<Fix> {
        match self {
            StringErrorKind::UnclosedReference | StringErrorKind::EmptyReference => {
                let at = Span { end: span.start, ..span };
                Some(Fix::guess("write the text itself", Change::insert(at, "\\")))
            }
            StringErrorKind::InvalidReference(text) => match meant_name(text) {
                Some(name) => Some(Fix::replace_with(span, format!("${{{name}}}"))),
                None if is_expression(text) => {
                    // What is indexed in a string of another language is a variable, with or without its `$`.
                    let length = reference_length(text);
                    let is_variable = length > 0 && text[length..].trim_start().starts_with(['[', '-']);
                    let value = if is_variable { format!("${text}") } else { text.trim().to_owned() };
                    let change = Change::Bind { span, value: Some(value), is_in_string: true };
                    Some(Fix::guess("bind the value to a variable first", change))
                }
                None => None,
            },
            StringErrorKind::UnknownEscape(_) | StringErrorKind::LineContinuation | StringErrorKind::LoneBackslash => {
                None
            }
        }
    }
}

/// Returns the name that a reference means, if it only is written in another way.
fn meant_name(text: &str) -> Option<String> {
    let name = text.trim();
    let name = name.strip_prefix('$').unwrap_or(name).to_ascii_lowercase();
    [name.clone(), name.replace('-', "_")].into_iter().find(|name| is_name(name))
}

/// Whether a reference contains more than a name.
fn is_expression(text: &str) -> bool {
    text.contains(['(', '[', '{', '+', '-', '*', '/'])
}

fn reference_help(text: &str) -> String {
    let trimmed = text.trim();
    if trimmed != text && is_name(trimmed) {
        format!("a reference contains no spaces: `${{{trimmed}}}`")
    } else if is_name(&text.to_ascii_lowercase()) {
        format!("names are lower case: `${{{}}}`", snake_case(text))
    } else if let Some(name) = text.strip_prefix('$').filter(|name| is_name(name)) {
        format!("there is no `$` before the name: `${{{name}}}`")
    } else if text.contains('-') && is_name(&text.replace('-', "_")) {
        format!("a name has no dashes: `${{{}}}`", text.replace('-', "_"))
    } else if is_expression(text) {
        "only a name is allowed here: bind the value to a variable first, `$value = …`, then write `${value}`"
            .to_owned()
    } else {
        "names are lower case and start with a letter; write `\\${` for the text itself".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders the parts, text in quotes and references bare, or `error`.
    fn show(raw: &str) -> String {
        let Ok(parts) = parse_string(raw) else { return "error".to_owned() };
        let parts: Vec<String> = parts
            .into_iter()
            .map(|part| match part {
                StringPart::Text { text, .. } => format!("{text:?}"),
                StringPart::Reference { name, .. } => name,
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
