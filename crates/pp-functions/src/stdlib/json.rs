//! Functions that write and read JSON.

use std::borrow::Cow;

use pp_types::{Error, ErrorKind, Hash, Value, from_json, interpolate, with_stack};

use crate::arguments::reject;
use crate::function::{Call, Function};
use crate::host::Interrupt;

pub(crate) static TO_JSON: Function =
    Function::typed("to_json", &["Any data"], "Returns a value as JSON on one line.", |call| {
        json_text(call, call.argument(0)).map(Value::string)
    });

/// Returns a value as JSON on one line.
pub(crate) fn json_text(call: &mut Call<'_>, value: &Value) -> Result<String, Interrupt> {
    let mut writer = Writer { text: String::new(), indent: None };
    writer.write(call, value, 0)?;
    Ok(writer.text)
}

pub(crate) static TO_JSON_PRETTY: Function = Function::with_aliases(
    "to_json_pretty",
    &[(
        "Options",
        "Struct[{'indent' => Optional[String], 'space' => Optional[String], 'space_before' => Optional[String], \
         'object_nl' => Optional[String], 'array_nl' => Optional[String], 'allow_nan' => Optional[Boolean], \
         'max_nesting' => Optional[Variant[Integer[-1, default], Boolean]]}]",
    )],
    &["Variant[Hash, Array] data, Optional[Boolean] ?skip_undef, Options ?opts"],
    "Returns a hash or an array as JSON on several lines, with a newline at the end. If the second argument is true, entries \
     whose value is `undef` are left out.",
    |call| {
        let data = match (call.argument(0), call.argument(1)) {
            (Value::Hash(entries), Value::Boolean(true)) => {
                let kept = entries.iter().filter(|(_, value)| **value != Value::Undef);
                Value::hash(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
            }
            (Value::Array(values), Value::Boolean(true)) => {
                Value::array(values.iter().filter(|value| **value != Value::Undef).cloned().collect())
            }
            (data, _) => data.clone(),
        };
        let option = |name: &str, default: &str| {
            let given = call.hash(2).and_then(|options: &Hash| options.get(&Value::from(name)));
            given.map_or_else(|| default.to_owned(), interpolate)
        };
        let layout = Layout {
            indent: option("indent", "  "),
            space: option("space", " "),
            space_before: option("space_before", ""),
            object_newline: option("object_nl", "\n"),
            array_newline: option("array_nl", "\n"),
        };
        let mut writer = Writer { text: String::new(), indent: Some(layout) };
        writer.write(call, &data, 0)?;
        writer.text.push('\n');
        Ok(Value::string(writer.text))
    },
);

/// The whitespace between the tokens of JSON that spans several lines.
struct Layout {
    indent: String,
    space: String,
    space_before: String,
    object_newline: String,
    array_newline: String,
}

impl Layout {
    fn newline(&self, container: Container) -> &str {
        match container {
            Container::Array => &self.array_newline,
            Container::Object => &self.object_newline,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

struct Writer {
    text: String,
    indent: Option<Layout>,
}

impl Writer {
    fn write(&mut self, call: &mut Call<'_>, value: &Value, depth: usize) -> Result<(), Interrupt> {
        let before = self.text.len();
        match value {
            Value::Array(values) => with_stack(|| {
                self.text.push('[');
                for (at, value) in values.iter().enumerate() {
                    self.separate(at, depth + 1, Container::Array);
                    self.write(call, value, depth + 1)?;
                }
                self.close(Container::Array, values.is_empty(), depth);
                self.text.push(']');
                Ok::<(), Interrupt>(())
            })?,
            Value::Hash(entries) => with_stack(|| {
                self.text.push('{');
                for (at, (key, value)) in entries.iter().enumerate() {
                    self.separate(at, depth + 1, Container::Object);
                    push_string(&interpolate(key), &mut self.text);
                    if let Some(layout) = &self.indent {
                        self.text.push_str(&layout.space_before);
                    }
                    self.text.push(':');
                    if let Some(layout) = &self.indent {
                        self.text.push_str(&layout.space);
                    }
                    self.write(call, value, depth + 1)?;
                }
                self.close(Container::Object, entries.is_empty(), depth);
                self.text.push('}');
                Ok::<(), Interrupt>(())
            })?,
            Value::Undef => self.text.push_str("null"),
            Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => self.text.push_str(&interpolate(value)),
            Value::Regexp(regexp) => push_string(&format!("(?-mix:{})", regexp.source()), &mut self.text),
            other => push_string(&interpolate(other), &mut self.text),
        }
        call.charge(1, self.text.len() - before)
    }

    /// Starts an element: a comma, a new line, and the indentation.
    fn separate(&mut self, at: usize, depth: usize, container: Container) {
        if at > 0 {
            self.text.push(',');
        }
        if let Some(layout) = &self.indent {
            self.text.push_str(layout.newline(container));
            self.text.push_str(&layout.indent.repeat(depth));
        }
    }

    /// Ends the last element. Empty arrays have an empty line in them.
    fn close(&mut self, container: Container, is_empty: bool, depth: usize) {
        if let Some(layout) = &self.indent {
            let newline = layout.newline(container);
            self.text.push_str(newline);
            if is_empty && container == Container::Array {
                self.text.push_str(newline);
            }
            self.text.push_str(&layout.indent.repeat(depth));
        }
    }
}

/// Appends a string in quotes: only what must be escaped is.
fn push_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            control if control < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => text.push(other),
        }
    }
    text.push('"');
}

/// Reads JSON as Ruby's parser does, which skips comments.
pub(crate) fn parse_json(text: &str) -> Result<Value, Error> {
    let plain = without_comments(text);
    if let Some(integer) = large_integer(&plain) {
        let message = format!("the integer {integer} does not fit into 64 bits");
        return Err(Error::new(ErrorKind::Conversion, message));
    }
    let json: serde_json::Value =
        serde_json::from_str(&plain).map_err(|error| Error::new(ErrorKind::Conversion, error.to_string()))?;
    Ok(from_json(&json))
}

/// Returns JSON with spaces in place of comments.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("/*") && !text.contains("//") {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let comment = if from.starts_with("/*") {
            Some(from.find("*/").map_or(from.len(), |end| end + 2))
        } else if from.starts_with("//") {
            Some(from.find('\n').unwrap_or(from.len()))
        } else {
            None
        };
        let length = comment.unwrap_or_else(|| if from.starts_with('"') { string_length(from) } else { 1 });
        match comment {
            // Lines stay, for errors.
            Some(_) => plain.extend(from[..length].chars().map(|c| if c == '\n' { c } else { ' ' })),
            None => plain.push_str(&from[..length]),
        }
        rest = &from[length..];
    }
    plain.push_str(rest);
    plain.into()
}

/// Returns an integer of a text in JSON that is not one of 64 bits: it would become a float.
fn large_integer(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        let from = &rest[at..];
        let is_string = from.starts_with('"');
        let length = if is_string {
            string_length(from)
        } else {
            from.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(from.len())
        };
        let (number, after) = from.split_at(length);
        let is_integer = !is_string && number.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        // Other numbers have at most 18 digits.
        if is_integer && number.len() > 18 && number.parse::<i64>().is_err() {
            return Some(number);
        }
        rest = after;
    }
    None
}

/// Returns the length of the string that a text begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return at + 1,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    text.len()
}

pub(crate) static PARSEJSON: Function = Function::counted(
    "parsejson",
    0,
    None,
    "Reads a value from JSON. A second argument is returned instead if the JSON is invalid.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("Wrong number of arguments. 1 or 2 arguments should be provided."));
        }
        let parsed = match call.argument(0) {
            Value::String(text) => {
                call.charge(1, text.len())?;
                parse_json(text)
            }
            other => {
                let class = crate::ruby::inspect::class_name(other);
                Err(Error::new(ErrorKind::Arguments, format!("expects a String, got {class}")))
            }
        };
        match (parsed, call.arguments.get(1)) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(default)) => Ok(default.clone()),
            (Err(error), None) => Err(reject(format!("parsejson(): {}", error.message))),
        }
    },
);
