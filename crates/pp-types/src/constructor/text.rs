//! `String`, `Regexp`, `Binary`.

use std::sync::Arc;

use crate::binary::{decode_base64_leniently, decode_strict, decode_url};
use crate::constructor::error::conversion_error;
use crate::constructor::signatures;
use crate::error::Error;
use crate::regexp::Regexp;
use crate::string_format::{Formats, format_value};
use crate::value::Value;

const STRING_ALIASES: &[(&str, &str)] = &[
    ("Convertible", "Any"),
    ("Format", "Pattern[/^%([\\s\\[+#0{<(|-]*)([1-9][0-9]*)?(?:\\.([0-9]+))?([a-zA-Z])$/]"),
    (
        "ContainerFormat",
        "Struct[{Optional['format'] => Format, Optional['separator'] => String, Optional['separator2'] => String, \
         Optional['string_formats'] => Hash[Type, Format]}]",
    ),
    ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
    ("Formats", "Variant[Default, String[1], TypeMap]"),
];

const STRING_SIGNATURES: &[&str] = &["Convertible from, Formats ?string_formats"];

pub(super) fn string(arguments: &[Value]) -> Result<Value, Error> {
    let (value, formats) = match arguments {
        [value] => (value, None),
        [value, formats] => (value, Some(formats)),
        _ => return Err(signatures::rejected("new_string", STRING_ALIASES, STRING_SIGNATURES, arguments)),
    };
    if formats.is_some() && !signatures::accepts(STRING_ALIASES, STRING_SIGNATURES, arguments) {
        return Err(signatures::rejected("new_string", STRING_ALIASES, STRING_SIGNATURES, arguments));
    }
    if let (None, Value::String(_)) = (formats, value) {
        return Ok(value.clone());
    }
    Ok(format_value(value, &Formats::parse(formats, value)?)?.into())
}

pub(super) fn regexp(arguments: &[Value]) -> Result<Value, Error> {
    match arguments {
        [Value::Regexp(regexp)] => Ok(Value::Regexp(regexp.clone())),
        [Value::String(source)] | [Value::String(source), Value::Boolean(false)] => compiled(source),
        [Value::String(source), Value::Boolean(true)] => compiled(&escape(source)),
        // Puppet's own name for this constructor.
        _ => Err(signatures::rejected("new_float", &[], &["String pattern, Boolean ?escape"], arguments)),
    }
}

fn compiled(source: &str) -> Result<Value, Error> {
    let regexp = Regexp::new(source);
    regexp.compiled()?;
    Ok(Value::Regexp(regexp))
}

/// Escapes what has a meaning in a regular expression, as Ruby does.
fn escape(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    for c in source.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            ' ' | '.' | '*' | '?' | '+' | '^' | '$' | '|' | '\\' | '(' | ')' | '[' | ']' | '{' | '}' | '-' | '#' => {
                out.extend(['\\', c]);
            }
            c => out.push(c),
        }
    }
    out
}

const BINARY_ALIASES: &[(&str, &str)] = &[
    ("ByteInteger", "Integer[0, 255]"),
    ("Base64Format", "Enum['%b', '%u', '%B', '%s', '%r']"),
    ("StringHash", "Struct[{'value' => String, 'format' => Optional[Base64Format]}]"),
    ("ArrayHash", "Struct[{'value' => Array[ByteInteger]}]"),
    ("BinaryArgsHash", "Variant[StringHash, ArrayHash]"),
];

const BINARY_SIGNATURES: &[&str] =
    &["String str, Base64Format ?format", "Array[ByteInteger] byte_array", "BinaryArgsHash hash_args"];

pub(super) fn binary(arguments: &[Value]) -> Result<Value, Error> {
    if let [bytes @ Value::Binary(_)] = arguments {
        return Ok(bytes.clone());
    }
    if !signatures::accepts(BINARY_ALIASES, BINARY_SIGNATURES, arguments) {
        return Err(signatures::rejected("new_Binary", BINARY_ALIASES, BINARY_SIGNATURES, arguments));
    }
    let (value, format) = match arguments {
        [Value::Hash(entries)] => {
            (entries.get(&Value::from("value")).unwrap_or(&Value::Undef), entries.get(&Value::from("format")))
        }
        arguments => (arguments.first().unwrap_or(&Value::Undef), arguments.get(1)),
    };
    let bytes: Arc<[u8]> = match value {
        Value::Array(bytes) => bytes
            .iter()
            .filter_map(|byte| match byte {
                Value::Integer(byte) => u8::try_from(*byte).ok(),
                _ => None,
            })
            .collect(),
        Value::String(text) => decode(text, format)?.into(),
        _ => Arc::new([]),
    };
    Ok(Value::Binary(bytes))
}

fn decode(text: &str, format: Option<&Value>) -> Result<Vec<u8>, Error> {
    let format = match format {
        Some(Value::String(format)) => &**format,
        _ => "%B",
    };
    let decoded = match format {
        "%b" => Some(decode_base64_leniently(text)),
        "%u" => decode_url(text),
        "%s" | "%r" => Some(text.as_bytes().to_vec()),
        _ => decode_strict(text),
    };
    decoded.ok_or_else(|| conversion_error("invalid base64"))
}
