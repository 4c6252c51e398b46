//! The text forms of values.

use std::fmt::Write;

use crate::stack::with_stack;
use crate::value::{Hash, Value};

/// Returns a value as interpolation shows it: strings as they are, `[1, two]`, `{k => v}`, undef as nothing (spec 07 §5.2).
#[must_use]
pub fn interpolate(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        other => {
            let mut out = String::new();
            push(&mut out, other, Form::Interpolated);
            out
        }
    }
}

/// Returns a value as it is written in a program, strings quoted: `['a', 1]`. Messages use it.
#[must_use]
pub fn source_form(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value, Form::Source);
    out
}

/// Returns a value as Ruby's `inspect` shows it, for messages that quote it so: `{"a"=>[1, nil]}`.
#[must_use]
pub fn ruby_inspect(value: &Value) -> String {
    let mut out = String::new();
    push(&mut out, value, Form::Ruby);
    out
}

/// Returns a value as Ruby's `to_s` shows it: strings and `default` as they are, undef as nothing, containers as `inspect`
/// does.
#[must_use]
pub fn ruby_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Undef => String::new(),
        Value::Default => "default".to_owned(),
        other => ruby_inspect(other),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Interpolated,
    Source,
    Ruby,
}

fn push(out: &mut String, value: &Value, form: Form) {
    match value {
        Value::Undef => out.push_str(match form {
            Form::Interpolated => "",
            Form::Source => "undef",
            Form::Ruby => "nil",
        }),
        Value::Default => out.push_str(if form == Form::Ruby { ":default" } else { "default" }),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Integer(value) => push_display(out, value),
        Value::Float(value) => out.push_str(&float_text(value.0)),
        Value::String(text) => match form {
            Form::Interpolated => out.push_str(text),
            Form::Source => push_quoted(out, text),
            Form::Ruby => inspect_string(text, out),
        },
        Value::Regexp(regexp) => out.push_str(&regexp.literal()),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                with_stack(|| push(out, element, form));
            }
            out.push(']');
        }
        Value::Hash(entries) => push_hash(out, entries, form),
        Value::Type(ty) => push_display(out, ty),
        Value::Sensitive(_) if form == Form::Source => out.push_str("#<Sensitive [value redacted]>"),
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::Binary(bytes) if form == Form::Source => {
            let _ = write!(out, "Binary(\"{}\")", crate::binary::encode_base64(bytes));
        }
        Value::Binary(bytes) => out.push_str(&crate::binary::encode_base64(bytes)),
        Value::Timestamp(time) if form == Form::Source => {
            let _ = write!(out, "Timestamp('{time}')");
        }
        Value::Timestamp(time) => push_display(out, time),
        Value::Timespan(span) if form == Form::Source => {
            let _ = write!(out, "Timespan('{span}')");
        }
        Value::Timespan(span) => push_display(out, span),
        Value::SemVer(version) => push_display(out, version),
        Value::SemVerRange(range) => push_display(out, range),
        Value::Uri(uri) if form == Form::Source => {
            out.push_str("URI(");
            push_quoted(out, &uri.source);
            out.push(')');
        }
        Value::Uri(uri) => out.push_str(&uri.source),
        Value::Iterator(iterator) if form == Form::Source => {
            push(out, &Value::array(iterator.all().to_vec()), form);
        }
        Value::Iterator(iterator) => {
            let _ = write!(out, "Iterator[{}]-Value", crate::infer::generalize(&iterator.element));
        }
        Value::Deferred(deferred) => push_object(out, "Deferred", &deferred.attributes()),
        Value::Error(error) => push_object(out, "Error", &error.attributes()),
        Value::Object(object) => with_stack(|| push_object(out, object.ty.label(), &object.given())),
    }
}

fn push_display(out: &mut String, value: &impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

fn push_object(out: &mut String, name: &str, attributes: &Hash) {
    out.push_str(name);
    out.push('(');
    push_hash(out, attributes, Form::Source);
    out.push(')');
}

fn push_hash(out: &mut String, entries: &Hash, form: Form) {
    out.push('{');
    for (at, (key, value)) in entries.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        with_stack(|| push(out, key, form));
        out.push_str(if form == Form::Ruby { "=>" } else { " => " });
        with_stack(|| push(out, value, form));
    }
    out.push('}');
}

/// Returns a string with quotes, as it is written in a program: in single quotes, unless it has control characters.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

fn push_quoted(out: &mut String, text: &str) {
    if text.chars().any(char::is_control) {
        return push_double_quoted(out, text);
    }
    out.push('\'');
    // A backslash stays as it is, and a quote after one counts as escaped, as for Puppet.
    let mut is_escaped = false;
    for c in text.chars() {
        if c == '\'' && !is_escaped {
            out.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        out.push(c);
    }
    out.push('\'');
}

/// Writes a string in double quotes.
fn push_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '$' => out.push_str("\\$"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends what Ruby's `inspect` shows for a string.
pub fn inspect_string(text: &str, out: &mut String) {
    out.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\u{1b}' => out.push_str("\\e"),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            c if is_printable(c) => out.push(c),
            c => {
                let code = u32::from(c);
                let _ = if code > 0xffff { write!(out, "\\u{{{code:X}}}") } else { write!(out, "\\u{code:04X}") };
            }
        }
    }
    out.push('"');
}

/// Returns whether Ruby shows a character as it is. Code points that no character has are taken for printable.
fn is_printable(c: char) -> bool {
    match c {
        // A line break to Unicode, a space to Ruby.
        '\u{85}' => true,
        '\u{2028}' | '\u{2029}' => false,
        c => !c.is_control() && u32::from(c) & 0xfffe != 0xfffe,
    }
}

/// Returns the text of a float: the shortest that reads back as the same number, with an exponent below 1e-4, and from 1e15 if
/// it has no fraction.
#[must_use]
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let scientific = shortest_digits(value);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let has_fraction = || i32::try_from(digits).is_ok_and(|digits| digits > exponent + 1);
    if value != 0.0 && (exponent < -4 || exponent >= 15 && !has_fraction()) {
        let point = if mantissa.contains('.') { "" } else { ".0" };
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}{point}e{sign}{:02}", exponent.abs());
    }
    plain(mantissa, exponent)
}

/// Returns the shortest digits that mean a float, in scientific notation. Of two that are equally near, the one that ends with an
/// even digit, as in Ruby.
fn shortest_digits(value: f64) -> String {
    let shortest = format!("{value:e}");
    let mantissa = shortest.split_once('e').map_or(&*shortest, |(mantissa, _)| mantissa);
    let digits = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let nearest = format!("{value:.digits$e}");
    if nearest != shortest && nearest.parse() == Ok(value) { nearest } else { shortest }
}

/// Returns digits in scientific notation without an exponent.
fn plain(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let Ok(whole) = usize::try_from(exponent) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.split_at_checked(whole + 1) {
        Some((whole, "")) => format!("{sign}{whole}.0"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}.0", "0".repeat(whole + 1 - digits.len())),
    }
}
