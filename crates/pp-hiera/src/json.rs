//! JSON to values.

use std::fmt;

use pp_types::{Hash, Value};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use crate::problem::Problem;
use crate::yaml::{Document, Note, Notes, set_note};

/// Reads a JSON text. The parser bounds the depth.
///
/// # Errors
/// Invalid syntax.
pub(crate) fn load(text: &str) -> Result<Document, serde_json::Error> {
    let mut notes = Notes::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let outermost = ValueVisitor { note: &mut Note::default(), notes: Some(&mut notes) };
    let value = outermost.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(Document { value: Some(value), notes, lines: Vec::new() })
}

/// Reads a value, and notes what is in it.
struct ValueVisitor<'n> {
    note: &'n mut Note,
    /// For the value of a file: notes on the values of its hash.
    notes: Option<&'n mut Notes>,
}

impl<'n> ValueVisitor<'n> {
    fn new(note: &'n mut Note) -> ValueVisitor<'n> {
        ValueVisitor { note, notes: None }
    }
}

impl<'de> DeserializeSeed<'de> for ValueVisitor<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Undef)
    }

    fn visit_bool<E: Error>(self, boolean: bool) -> Result<Value, E> {
        Ok(Value::Boolean(boolean))
    }

    fn visit_i64<E: Error>(self, integer: i64) -> Result<Value, E> {
        Ok(Value::Integer(integer))
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<Value, E> {
        let Ok(small) = i64::try_from(integer) else {
            self.note.problem = Some(Problem::Integer { text: integer.to_string(), line: 1 });
            return Ok(Value::Undef);
        };
        Ok(Value::Integer(small))
    }

    fn visit_f64<E: Error>(self, float: f64) -> Result<Value, E> {
        Ok(Value::from(float))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.note.interpolates |= text.contains("%{");
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = sequence.next_element_seed(ValueVisitor::new(self.note))? {
            elements.push(element);
        }
        Ok(Value::array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let mut hash = Hash::default();
        while let Some(key) = map.next_key_seed(ValueVisitor::new(self.note))? {
            let value = match &mut self.notes {
                Some(notes) => {
                    let mut note = Note::default();
                    let value = map.next_value_seed(ValueVisitor::new(&mut note))?;
                    set_note(notes, &key, &note);
                    value
                }
                None => map.next_value_seed(ValueVisitor::new(self.note))?,
            };
            hash.insert(key, value);
        }
        Ok(Value::hash(hash))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let found = match load(text) {
            Ok(Document { value, notes, .. }) => {
                let noted: Vec<String> = notes.keys().map(pp_types::source_form).collect();
                format!("{} [{}]", pp_types::source_form(&value.unwrap_or(Value::Undef)), noted.join(", "))
            }
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&found);
    }

    #[test]
    fn values_are_those_of_the_text() {
        check(
            r#"{"a": [1, -2, 2.5, null, true, "x"], "b": {"c": {}}}"#,
            expect!["{'a' => [1, -2, 2.5, undef, true, 'x'], 'b' => {'c' => {}}} []"],
        );
        check(r#"{"a": 1, "b": 2, "a": 3}"#, expect!["{'a' => 3, 'b' => 2} []"]);
        check("[1]", expect!["[1] []"]);
        check("18446744073709551615", expect!["undef []"]);
    }

    #[test]
    fn interpolations_and_large_integers_are_noted() {
        check(
            r#"{"a": ["%{x}"], "b": {"%{k}": 1}, "c": {"d": 9223372036854775808}, "%{e}": 1}"#,
            expect!["{'a' => ['%{x}'], 'b' => {'%{k}' => 1}, 'c' => {'d' => undef}, '%{e}' => 1} ['a', 'b', 'c']"],
        );
        check(r#"{"a": "%{x}", "a": 1}"#, expect!["{'a' => 1} []"]);
    }

    #[test]
    fn what_is_not_json_is_an_error() {
        check(r#"{"a": 1"#, expect!["EOF while parsing an object at line 1 column 7"]);
        check("{} x", expect!["trailing characters at line 1 column 4"]);
        check(&"[".repeat(1000), expect!["recursion limit exceeded at line 1 column 128"]);
    }
}
