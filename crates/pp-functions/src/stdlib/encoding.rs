//! Functions that encode and quote strings, and that take such strings apart.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use pp_types::{Value, decode_base64_leniently, encode_base64, interpolate, ruby_text};

use crate::arguments::{fail, reject};
use crate::function::Function;
use crate::ruby::inspect::inspect;

/// The length of the lines of the method `default`.
const LINE: usize = 60;

pub(crate) static BASE64: Function = Function::counted(
    "base64",
    0,
    None,
    "Encodes (`encode`) or decodes (`decode`) a string in base64. The third argument is `default`, with line breaks, `strict`, \
     without them, or `urlsafe`, with `-` and `_` in place of `+` and `/`.",
    |call| {
        if call.arguments.len() < 2 {
            let count = call.arguments.len();
            return Err(reject(format!("base64(): Wrong number of arguments ({count}; must be >= 2)")));
        }
        let encodes = match call.argument(0) {
            Value::String(action) if &**action == "encode" => true,
            Value::String(action) if &**action == "decode" => false,
            _ => return Err(reject("base64(): the first argument must be one of 'encode' or 'decode'")),
        };
        let Value::String(text) = call.argument(1) else {
            return Err(reject("base64(): the second argument must be a string to base64"));
        };
        let method = match call.arguments.get(2) {
            None => "default",
            Some(Value::String(method)) if matches!(&**method, "default" | "strict" | "urlsafe") => method,
            Some(_) => {
                return Err(reject("base64(): the third argument must be one of 'default', 'strict', or 'urlsafe'"));
            }
        };
        call.charge(1, text.len() * 2)?;
        if encodes {
            return Ok(Value::string(encode(text.as_bytes(), method)));
        }
        let bytes = decode(text, method).ok_or_else(|| reject("invalid base64"))?;
        // Bytes that are not UTF-8 stay what they are as far as a string can hold them.
        Ok(String::from_utf8(bytes).map_or_else(
            |invalid| Value::string(invalid.into_bytes().iter().map(|&byte| char::from(byte)).collect::<String>()),
            Value::string,
        ))
    },
);

fn encode(bytes: &[u8], method: &str) -> String {
    let encoded = encode_base64(bytes);
    match method {
        "strict" => encoded,
        "urlsafe" => encoded.replace('+', "-").replace('/', "_"),
        _ => {
            let mut lines = String::with_capacity(encoded.len() + encoded.len() / LINE + 1);
            for (at, character) in encoded.chars().enumerate() {
                if at > 0 && at % LINE == 0 {
                    lines.push('\n');
                }
                lines.push(character);
            }
            if !lines.is_empty() {
                lines.push('\n');
            }
            lines
        }
    }
}

fn decode(text: &str, method: &str) -> Option<Vec<u8>> {
    let standard = |mode| {
        let config = GeneralPurposeConfig::new().with_decode_padding_mode(mode).with_decode_allow_trailing_bits(true);
        GeneralPurpose::new(&alphabet::STANDARD, config)
    };
    match method {
        "strict" => standard(DecodePaddingMode::RequireCanonical).decode(text).ok(),
        "urlsafe" => {
            let text = text.replace('-', "+").replace('_', "/");
            standard(DecodePaddingMode::Indifferent).decode(text).ok()
        }
        _ => Some(decode_base64_leniently(text)),
    }
}

pub(crate) static XML_ENCODE: Function = Function::typed(
    "stdlib::xml_encode",
    &["String str, Enum['attr', 'text'] ?type"],
    "Replaces the characters that are special in XML. For `attr` the result is in quotes.",
    |call| {
        let is_attribute = call.string(1) == "attr";
        let text = call.string(0);
        call.charge(1, text.len() * 2)?;
        let mut encoded = String::with_capacity(text.len());
        if is_attribute {
            encoded.push('"');
        }
        for character in text.chars() {
            match character {
                '&' => encoded.push_str("&amp;"),
                '<' => encoded.push_str("&lt;"),
                '>' => encoded.push_str("&gt;"),
                '"' if is_attribute => encoded.push_str("&quot;"),
                '\'' if is_attribute => encoded.push_str("&apos;"),
                other => encoded.push(other),
            }
        }
        if is_attribute {
            encoded.push('"');
        }
        Ok(Value::string(encoded))
    },
);

pub(crate) static BATCH_ESCAPE: Function =
    Function::typed("batch_escape", &["Any string"], "Quotes a string for the shell of Windows.", |call| {
        let text = ruby_text(call.argument(0));
        call.charge(1, text.len() * 2)?;
        Ok(Value::string(format!("\"{}\"", text.replace('"', "\"\"").replace('\\', "\\\\").replace('$', "\\$"))))
    });

pub(crate) static POWERSHELL_ESCAPE: Function = Function::typed(
    "powershell_escape",
    &["Any string"],
    "Quotes a string for PowerShell with backquotes and backslashes.",
    |call| {
        let text = ruby_text(call.argument(0));
        call.charge(1, text.len() * 2)?;
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                ' ' | '\'' | '`' | '|' | '\n' | '$' => escaped.push('`'),
                '"' => escaped.push_str("\\`"),
                _ => {}
            }
            escaped.push(character);
        }
        Ok(Value::string(escaped))
    },
);

pub(crate) static SHELL_SPLIT: Function = Function::counted(
    "shell_split",
    1,
    Some(1),
    "Splits a string into words as a POSIX shell does: quotes and backslashes keep words together.",
    |call| {
        let text = match call.argument(0) {
            Value::String(text) => text.to_string(),
            Value::Array(_) | Value::Hash(_) => inspect(call.argument(0)).replace('"', ""),
            other => interpolate(other),
        };
        call.charge(text.len(), text.len())?;
        let words =
            split(&text).ok_or_else(|| reject(format!("Unmatched quote: {}", inspect(&Value::from(&*text)))))?;
        Ok(Value::array(words.into_iter().map(Value::string).collect()))
    },
);

/// Splits a command line; `None` if a quote is not closed.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => words.extend(word.take()),
            '\'' => loop {
                let word = word.get_or_insert_default();
                match characters.next()? {
                    '\'' => break,
                    other => word.push(other),
                }
            },
            '"' => loop {
                let word = word.get_or_insert_default();
                match characters.next()? {
                    '"' => break,
                    '\\' => match characters.next()? {
                        special @ ('$' | '`' | '"' | '\\' | '\n') => word.push(special),
                        other => word.extend(['\\', other]),
                    },
                    other => word.push(other),
                }
            },
            '\\' => word.get_or_insert_default().extend(characters.next().or(Some('\\'))),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some(words)
}

pub(crate) static SQUEEZE: Function = Function::counted(
    "squeeze",
    0,
    None,
    "Replaces runs of the same character in a string, or in the strings of an array, by one. The second argument limits that to \
     a set of characters, such as `a-z` or `^0-9`.",
    |call| {
        let set = match call.arguments {
            [_] => None,
            [_, Value::String(set)] => Some(CharacterSet::parse(set)),
            [_, _] => return Err(fail("squeeze(): Requires a string as the set of characters")),
            _ => {
                let count = call.arguments.len();
                return Err(reject(format!("squeeze(): Wrong number of arguments given {count} for 2 or 1")));
            }
        };
        let squeezed = |value: &Value| match value {
            Value::String(text) => Ok(Value::string(squeeze(text, set.as_ref()))),
            _ => Err(reject("squeeze(): Requires either array or string to work with")),
        };
        match call.argument(0) {
            Value::Array(values) => {
                call.charge(values.len(), 0)?;
                Ok(Value::array(values.iter().map(squeezed).collect::<Result<_, _>>()?))
            }
            value => squeezed(value),
        }
    },
);

fn squeeze(text: &str, set: Option<&CharacterSet>) -> String {
    let mut squeezed = String::with_capacity(text.len());
    let mut last = None;
    for character in text.chars() {
        if last != Some(character) || set.is_some_and(|set| !set.contains(character)) {
            squeezed.push(character);
        }
        last = Some(character);
    }
    squeezed
}

/// A set of characters as Ruby's `String#squeeze` takes it.
struct CharacterSet {
    ranges: Vec<(char, char)>,
    is_negated: bool,
}

impl CharacterSet {
    fn parse(text: &str) -> CharacterSet {
        let inside = text.strip_prefix('^').filter(|rest| !rest.is_empty());
        let characters: Vec<char> = inside.unwrap_or(text).chars().collect();
        let mut ranges = Vec::new();
        let mut at = 0;
        while at < characters.len() {
            match characters[at..] {
                ['\\', escaped, ..] => {
                    ranges.push((escaped, escaped));
                    at += 2;
                }
                [from, '-', to, ..] => {
                    ranges.push((from, to));
                    at += 3;
                }
                _ => {
                    ranges.push((characters[at], characters[at]));
                    at += 1;
                }
            }
        }
        CharacterSet { ranges, is_negated: inside.is_some() }
    }

    fn contains(&self, character: char) -> bool {
        self.ranges.iter().any(|(from, to)| (from..=to).contains(&&character)) != self.is_negated
    }
}
