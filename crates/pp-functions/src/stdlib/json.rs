//! Functions that write and read JSON.

use pp_types::{Hash, Value, from_json, interpolate};

use crate::arguments::reject;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::with_stack;

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

/// What stands between the tokens of JSON on several lines.
struct Layout {
    indent: String,
    space: String,
    space_before: String,
    object_newline: String,
    array_newline: String,
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
                    self.separate(at, depth + 1, false);
                    self.write(call, value, depth + 1)?;
                }
                self.close(values.is_empty(), depth, false);
                self.text.push(']');
                Ok::<(), Interrupt>(())
            })?,
            Value::Hash(entries) => with_stack(|| {
                self.text.push('{');
                for (at, (key, value)) in entries.iter().enumerate() {
                    self.separate(at, depth + 1, true);
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
                self.close(entries.is_empty(), depth, true);
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
    fn separate(&mut self, at: usize, depth: usize, is_object: bool) {
        if at > 0 {
            self.text.push(',');
        }
        if let Some(layout) = &self.indent {
            self.text.push_str(if is_object { &layout.object_newline } else { &layout.array_newline });
            self.text.push_str(&layout.indent.repeat(depth));
        }
    }

    /// Ends the last element. Empty arrays have an empty line in them.
    fn close(&mut self, is_empty: bool, depth: usize, is_object: bool) {
        if let Some(layout) = &self.indent {
            let newline = if is_object { &layout.object_newline } else { &layout.array_newline };
            self.text.push_str(newline);
            if is_empty && !is_object {
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

pub(crate) static PARSEJSON: Function = Function::counted(
    "parsejson",
    0,
    None,
    "Reads a value from JSON. A second argument is returned instead if the JSON is invalid.",
    |call| {
        if !matches!(call.arguments.len(), 1 | 2) {
            return Err(reject("Wrong number of arguments. 1 or 2 arguments should be provided."));
        }
        let parsed = match call.argument(0) {
            Value::String(text) => {
                call.charge(1, text.len())?;
                serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string())
            }
            other => Err(format!("expects a String, got {}", crate::ruby::inspect::class_name(other))),
        };
        match (parsed, call.arguments.get(1)) {
            (Ok(json), _) => Ok(from_json(&json)),
            (Err(_), Some(default)) => Ok(default.clone()),
            (Err(error), None) => Err(reject(format!("parsejson(): {error}"))),
        }
    },
);
