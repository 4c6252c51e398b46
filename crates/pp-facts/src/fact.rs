//! Facts and how they are put together.

use std::collections::BTreeMap;

use pp_types::{Hash, Value};

/// A fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The value, never undef.
    pub value: Value,
    /// Whether it is one of the flat names that structured facts replaced. `facter` prints those only on request.
    pub legacy: bool,
}

/// Facts by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactSet {
    facts: BTreeMap<String, Fact>,
}

impl FactSet {
    /// Adds a fact that has a value.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Option<Value>>) {
        self.insert(name, value.into().map(|value| Fact { value, legacy: false }));
    }

    /// Adds a fact under a legacy name.
    pub(crate) fn legacy(&mut self, name: &str, value: impl Into<Option<Value>>) {
        self.insert(name, value.into().map(|value| Fact { value, legacy: true }));
    }

    fn insert(&mut self, name: &str, fact: Option<Fact>) {
        if let Some(fact) = fact.filter(|fact| fact.value != Value::Undef) {
            self.facts.insert(name.to_owned(), fact);
        }
    }

    /// Adds facts, which replace those of the same names.
    pub fn extend(&mut self, other: FactSet) {
        self.facts.extend(other.facts);
    }

    /// Removes the facts whose names do not fulfil a condition.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.facts.retain(|name, _| keep(name));
    }

    /// Returns the fact with a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.facts.get(name)
    }

    /// Returns the facts in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Fact)> {
        self.facts.iter().map(|(name, fact)| (name.as_str(), fact))
    }

    /// Returns the value at a dotted path: a fact with exactly this name, or what is in a structured fact.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<Value> {
        if let Some(fact) = self.get(path) {
            return Some(fact.value.clone());
        }
        let mut parts = path.split('.');
        let mut value = self.get(parts.next()?)?.value.clone();
        for part in parts {
            value = match value {
                Value::Hash(hash) => hash.get(&Value::from(part))?.clone(),
                Value::Array(array) => array.get(part.parse::<usize>().ok()?)?.clone(),
                _ => return None,
            };
        }
        Some(value)
    }

    /// Returns the values as a hash, legacy names included.
    #[must_use]
    pub fn into_hash(self) -> Hash {
        self.facts.into_iter().map(|(name, fact)| (Value::string(name), fact.value)).collect()
    }
}

/// A hash that is put together field by field. Fields without a value are left out.
#[derive(Default)]
pub(crate) struct Fields(Hash);

impl Fields {
    /// Adds a field.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(Value::from(name), value.into());
    }

    /// Adds a field, if it has a value.
    pub(crate) fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the hash; `None` if it has no fields.
    pub(crate) fn finish(self) -> Option<Value> {
        if self.0.is_empty() { None } else { Some(Value::hash(self.0)) }
    }
}

/// Returns a number of bytes, or of anything that is counted, as a value.
pub(crate) fn integer(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Returns an array of strings.
pub(crate) fn strings<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    Value::array(texts.into_iter().map(Value::from).collect())
}

/// Returns a number of bytes as people read it: `9.42 GiB`.
pub(crate) fn human_size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    // A value that is printed as 1024.00 belongs to the next unit.
    while (value * 100.0).round() >= 102_400.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.2} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits_and_the_largest_unit_that_fits() {
        let cases = [
            (0, "0 bytes"),
            (1023, "1023 bytes"),
            (1024, "1.00 KiB"),
            (1_024_000, "1000.00 KiB"),
            (1_048_575, "1.00 MiB"),
            (2_147_479_552, "2.00 GiB"),
            (u64::MAX, "16.00 EiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(human_size(bytes), text);
        }
    }

    #[test]
    fn paths_lead_into_hashes_and_arrays() {
        let mut facts = FactSet::default();
        let mut fields = Fields::default();
        fields.set("list", Value::array(vec![Value::from("x")]));
        facts.set("a", fields.finish());
        facts.set("a.b", Value::from("dotted"));
        assert_eq!(facts.find("a.list.0"), Some(Value::from("x")));
        assert_eq!(facts.find("a.b"), Some(Value::from("dotted")));
        for absent in ["a.list.1", "a.list.x", "a.list.0.y", "b", "", "a."] {
            assert_eq!(facts.find(absent), None, "{absent}");
        }
    }
}
