//! Printing facts in the formats of `facter`.

use std::fmt::Write;

use pp_types::Value;
use serde_json::{Map, Value as Json};

/// An output format of `facter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `facter`'s own: hashes with `=>`.
    Hash,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// Why facts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All facts are printed.
    All,
    /// Somebody asked for them by name.
    Named,
}

/// Prints facts with names. `None` stands for a fact that does not exist. In the format [`Format::Hash`] a single fact that was
/// asked for by name is printed without it.
#[must_use]
pub fn print(facts: &[(&str, Option<Value>)], format: Format, selection: Selection) -> String {
    match format {
        Format::Json => {
            let all: Map<String, Json> = facts
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.as_ref().map_or(Json::Null, json)))
                .collect();
            serde_json::to_string_pretty(&Json::Object(all)).unwrap_or_default() + "\n"
        }
        Format::Yaml => {
            let mut out = String::new();
            for (name, value) in facts {
                yaml_entry(&mut out, 0, name, value.as_ref().unwrap_or(&Value::Undef));
            }
            out
        }
        Format::Hash => {
            let mut out = String::new();
            for (name, value) in facts {
                if facts.len() > 1 || selection == Selection::All {
                    let _ = write!(out, "{name} => ");
                }
                match value {
                    Some(Value::String(text)) => out.push_str(text),
                    Some(value) => nested(&mut out, value, 0),
                    None => {}
                }
                out.push('\n');
            }
            out
        }
    }
}

/// Returns a fact in JSON.
#[must_use]
pub fn json(value: &Value) -> Json {
    match value {
        Value::Boolean(boolean) => Json::from(*boolean),
        Value::Integer(integer) => Json::from(*integer),
        Value::Float(float) => Json::from(float.0),
        Value::String(text) => Json::from(&**text),
        Value::Array(array) => array.iter().map(json).collect(),
        Value::Hash(hash) => hash.iter().map(|(key, value)| (text_of(key), json(value))).collect(),
        // Facts are data: no other value occurs.
        _ => Json::Null,
    }
}

fn text_of(key: &Value) -> String {
    match json(key) {
        Json::String(text) => text,
        other => other.to_string(),
    }
}

/// Prints a value inside of a structured fact.
fn nested(out: &mut String, value: &Value, depth: usize) {
    let indent = |depth| "  ".repeat(depth);
    let mut separator = "\n";
    match value {
        Value::Hash(hash) => {
            out.push('{');
            for (key, value) in hash.iter() {
                let _ = write!(out, "{separator}{}{} => ", indent(depth + 1), text_of(key));
                nested(out, value, depth + 1);
                separator = ",\n";
            }
            let _ = write!(out, "\n{}}}", indent(depth));
        }
        Value::Array(array) => {
            out.push('[');
            for value in array.iter() {
                let _ = write!(out, "{separator}{}", indent(depth + 1));
                nested(out, value, depth + 1);
                separator = ",\n";
            }
            let _ = write!(out, "\n{}]", indent(depth));
        }
        value => {
            let _ = write!(out, "{}", json(value));
        }
    }
}

/// Prints one entry of a mapping.
fn yaml_entry(out: &mut String, depth: usize, key: &str, value: &Value) {
    let _ = write!(out, "{}{}:", "  ".repeat(depth), yaml_text(key));
    yaml_value(out, depth, value, depth + 1);
}

/// Prints a value after its key or dash. The entries of a mapping go to `depth`, those of a list to the column of its key.
fn yaml_value(out: &mut String, key_depth: usize, value: &Value, depth: usize) {
    match value {
        Value::Hash(hash) if !hash.is_empty() => {
            out.push('\n');
            for (key, value) in hash.iter() {
                yaml_entry(out, depth, &text_of(key), value);
            }
        }
        Value::Array(array) if !array.is_empty() => {
            out.push('\n');
            for value in array.iter() {
                let start = out.len();
                yaml_value(out, key_depth + 1, value, key_depth + 1);
                let item = out.split_off(start);
                // The first entry of a mapping follows the dash.
                let item = item.trim_start_matches(['\n', ' ']);
                let _ = write!(out, "{}- {item}", "  ".repeat(key_depth));
            }
        }
        Value::Hash(_) => out.push_str(" {}\n"),
        Value::Array(_) => out.push_str(" []\n"),
        Value::String(text) => {
            let _ = writeln!(out, " {}", yaml_text(text));
        }
        Value::Undef => out.push_str(" \"\"\n"),
        value => {
            let _ = writeln!(out, " {}", json(value));
        }
    }
}

/// Returns a string in YAML, quoted unless every reader takes it for a string without quotes.
fn yaml_text(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/' || c == '_')
        && !text.ends_with(' ')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | '+' | ',' | '(' | ')'));
    let is_word = matches!(serde_norway::from_str(text), Ok(serde_norway::Value::String(_)));
    // YAML 1.1, which Ruby reads, knows more words and numbers than YAML 1.2.
    let lower = text.to_lowercase();
    let is_special = matches!(lower.as_str(), "y" | "n" | "yes" | "no" | "on" | "off")
        || text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '_' | ',' | '-' | '+' | 'x' | 'o'))
            && text.matches('.').count() < 2;
    if is_plain && is_word && !is_special { text.to_owned() } else { Json::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fact::{Fields, strings};

    fn sample() -> Value {
        let mut inner = Fields::default();
        inner.set("full", "12.11");
        inner.set("size", "1.00 MiB");
        inner.set("mac", "02:fc:00:00:00:01");
        let mut empty = Fields::default();
        empty.set("none", Value::hash(pp_types::Hash::default()));
        empty.set("quote", "a\"b\n");
        empty.set("yes", "yes");
        let list = vec![inner.finish().expect("fields"), strings(["x", "1"]), Value::Undef, Value::from(1.5)];
        let mut fields = Fields::default();
        fields.set("bindings", Value::array(list));
        fields.set("other", empty.finish().expect("fields"));
        fields.finish().expect("fields")
    }

    #[track_caller]
    fn check(format: Format, expected: Expect) {
        let facts = [("a", Some(Value::from("plain text"))), ("b", Some(sample())), ("c", None)];
        expected.assert_eq(&print(&facts, format, Selection::Named));
    }

    #[test]
    fn own_format_has_arrows() {
        check(
            Format::Hash,
            expect![[r#"
            a => plain text
            b => {
              bindings => [
                {
                  full => "12.11",
                  size => "1.00 MiB",
                  mac => "02:fc:00:00:00:01"
                },
                [
                  "x",
                  "1"
                ],
                null,
                1.5
              ],
              other => {
                none => {
                },
                quote => "a\"b\n",
                yes => "yes"
              }
            }
            c => 
        "#]],
        );
    }

    #[test]
    fn yaml_quotes_what_readers_could_take_for_something_else() {
        check(
            Format::Yaml,
            expect![[r#"
            a: plain text
            b:
              bindings:
              - full: "12.11"
                size: 1.00 MiB
                mac: "02:fc:00:00:00:01"
              - - x
                - "1"
              - ""
              - 1.5
              other:
                none: {}
                quote: "a\"b\n"
                "yes": "yes"
            c: ""
        "#]],
        );
        let text = print(&[("b", Some(sample()))], Format::Yaml, Selection::Named);
        let read: Json = serde_norway::from_str(&text).expect("YAML");
        let mut expected = json(&sample());
        // Facter prints nil as an empty string.
        expected["bindings"][2] = Json::from("");
        assert_eq!(read["b"], expected);
    }

    #[test]
    fn a_single_fact_is_printed_without_its_name() {
        let fact = |value| [("a", Some(value))];
        assert_eq!(print(&fact(Value::from("x y")), Format::Hash, Selection::Named), "x y\n");
        assert_eq!(print(&fact(Value::from("x y")), Format::Hash, Selection::All), "a => x y\n");
        assert_eq!(print(&[("a", None)], Format::Hash, Selection::Named), "\n");
        assert_eq!(print(&[("a", None)], Format::Json, Selection::Named), "{\n  \"a\": null\n}\n");
    }
}
