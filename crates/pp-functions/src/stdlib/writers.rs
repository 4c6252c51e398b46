//! Functions that write YAML, TOML, and literals of Python and Ruby.

use pp_hiera::{YamlLayout, to_yaml};
use pp_types::{Value, interpolate, with_stack};

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::inspect;

pub(crate) static TO_YAML: Function = Function::typed(
    "to_yaml",
    &["Any data, Hash ?options"],
    "Returns a value as YAML. The options `indentation` and `line_width` set the indentation of a level and the width of lines.",
    |call| {
        let option = |name: &str| match call.hash(1).and_then(|options| options.get(&Value::from(name))) {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        };
        let mut layout = YamlLayout::default();
        if let Some(indentation) = option("indentation").and_then(|n| usize::try_from(n).ok()) {
            layout.indentation = if (2..=9).contains(&indentation) { indentation } else { 2 };
        }
        if let Some(width) = option("line_width") {
            layout.width = usize::try_from(width).ok();
            layout.folds = layout.width.is_some();
        }
        refuse_secrets(call.argument(0), "to_yaml")?;
        let has_header =
            call.hash(1).and_then(|options| options.get(&Value::from("header"))).is_some_and(Value::is_true);
        let header = if has_header { "%YAML 1.1\n" } else { "" };
        let text = format!("{header}{}", to_yaml(call.argument(0), layout));
        call.charge(text.len() / 16, text.len())?;
        Ok(Value::string(text))
    },
);

/// Fails if there is a Sensitive value in a value: its text would no longer be protected.
fn refuse_secrets(value: &Value, name: &str) -> Result<(), Interrupt> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(values) => pending.extend(values.iter()),
            Value::Hash(entries) => entries.iter().for_each(|(key, value)| pending.extend([key, value])),
            Value::Sensitive(_) => {
                return Err(fail(format!("{name}(): a Sensitive value cannot be written; call its unwrap() first")));
            }
            _ => {}
        }
    }
    Ok(())
}

pub(crate) static TO_TOML: Function =
    Function::typed("to_toml", &["Hash data"], "Returns a hash as TOML, with sorted keys.", |call| {
        let mut text = String::new();
        if let Some(entries) = call.hash(0) {
            table(call, entries, "", &mut text)?;
        }
        Ok(Value::string(text))
    });

fn table(call: &mut Call<'_>, entries: &pp_types::Hash, path: &str, text: &mut String) -> Result<(), Interrupt> {
    let before = text.len();
    let mut sorted: Vec<(String, &Value)> = entries.iter().map(|(key, value)| (interpolate(key), value)).collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut tables, mut arrays) = (Vec::new(), Vec::new());
    // Simple keys come before the quoted ones.
    let (simple, quoted): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|(key, _)| is_bare(key));
    for (key, value) in simple.into_iter().chain(quoted) {
        let name = if is_bare(&key) { key } else { toml_string(&key) };
        match value {
            Value::Hash(inner) => tables.push((name, &inner.0)),
            Value::Array(values) if values.first().is_some_and(|first| matches!(first, Value::Hash(_))) => {
                arrays.push((name, values));
            }
            value => text.push_str(&format!("{name} = {}\n", toml_value(value))),
        }
    }
    for (name, inner) in tables {
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        let holds_only_tables = !inner.is_empty() && inner.values().all(|value| matches!(value, Value::Hash(_)));
        if !holds_only_tables && !is_array_of_tables(inner) {
            text.push_str(&format!("[{path}]\n"));
        }
        with_stack(|| table(call, inner, &path, text))?;
    }
    for (name, values) in arrays {
        let path = if path.is_empty() { name } else { format!("{path}.{name}") };
        for value in values.iter() {
            let Value::Hash(inner) = value else {
                return Err(fail(format!("to_toml(): '{path}' holds a hash and {}", inspect(value))));
            };
            text.push_str(&format!("[[{path}]]\n"));
            with_stack(|| table(call, inner, &path, text))?;
        }
    }
    call.charge(1, text.len() - before)
}

/// Whether a table has nothing but arrays of tables.
fn is_array_of_tables(entries: &pp_types::Hash) -> bool {
    let is_array = |value: &Value| matches!(value, Value::Array(values) if values.first().is_some_and(|first| matches!(first, Value::Hash(_))));
    !entries.is_empty() && entries.values().all(|value| is_array(value) || matches!(value, Value::Hash(_)))
}

fn is_bare(key: &str) -> bool {
    key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::String(text) => toml_string(text),
        Value::Array(values) => with_stack(|| {
            let texts: Vec<String> = values.iter().map(toml_value).collect();
            format!("[{}]", texts.join(", "))
        }),
        other => inspect(other),
    }
}

fn toml_string(text: &str) -> String {
    let mut quoted = inspect(&Value::from(text));
    for (from, to) in [("\\#{", "#{"), ("\\#$", "#$"), ("\\#@", "#@"), ("\\e", "\\u001B"), ("\\v", "\\u000B")] {
        quoted = quoted.replace(from, to);
    }
    quoted
}

pub(crate) static TO_PYTHON: Function =
    Function::typed("to_python", &["Any object"], "Returns a value as a literal of Python.", |call| {
        literal(call, &Notation { undef: "None", yes: "True", no: "False", arrow: ": " })
    });

pub(crate) static TO_RUBY: Function =
    Function::typed("to_ruby", &["Any object"], "Returns a value as a literal of Ruby.", |call| {
        literal(call, &Notation { undef: "nil", yes: "true", no: "false", arrow: " => " })
    });

/// How a language writes values.
struct Notation {
    undef: &'static str,
    yes: &'static str,
    no: &'static str,
    arrow: &'static str,
}

fn literal(call: &mut Call<'_>, notation: &Notation) -> Result<Value, Interrupt> {
    let mut text = String::new();
    write_literal(&pp_types::rich_json(call.argument(0)), notation, &mut text);
    call.charge(text.len() / 16, text.len())?;
    Ok(Value::string(text))
}

fn write_literal(value: &serde_json::Value, notation: &Notation, text: &mut String) {
    with_stack(|| match value {
        serde_json::Value::Null => text.push_str(notation.undef),
        serde_json::Value::Bool(true) => text.push_str(notation.yes),
        serde_json::Value::Bool(false) => text.push_str(notation.no),
        serde_json::Value::Number(number) => text.push_str(&match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => pp_types::float_text(float),
            _ => number.to_string(),
        }),
        serde_json::Value::String(string) => text.push_str(&inspect(&Value::from(&**string))),
        serde_json::Value::Array(values) => {
            text.push('[');
            for (at, value) in values.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                write_literal(value, notation, text);
            }
            text.push(']');
        }
        serde_json::Value::Object(entries) => {
            text.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                text.push_str(&inspect(&Value::from(&**key)));
                text.push_str(notation.arrow);
                write_literal(value, notation, text);
            }
            text.push('}');
        }
    });
}
