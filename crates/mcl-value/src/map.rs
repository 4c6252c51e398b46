//! Maps (spec 03 §1.7).

use indexmap::IndexMap;
use indexmap::map::MutableKeys;

use crate::Value;

/// A map. Entries are in display order (spec 03 §1.6), so everything that a program can observe of a map is
/// deterministic.
#[derive(Clone, Debug, Default)]
pub struct MapValue {
    entries: IndexMap<Value, Value, rustc_hash::FxBuildHasher>,
}

impl MapValue {
    /// Returns the value for a key; a NaN is never found.
    #[must_use]
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.entries.get(key)
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the keys with their values, in display order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.entries.iter()
    }

    /// Returns the keys, in display order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.entries.keys()
    }

    /// Returns the values, in the order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.entries.values()
    }
}

/// The last of several entries with equal keys wins. `0.0` equals `-0.0`, and a NaN equals nothing.
impl FromIterator<(Value, Value)> for MapValue {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(pairs: I) -> MapValue {
        let mut entries: IndexMap<Value, Value, rustc_hash::FxBuildHasher> = IndexMap::default();
        for (key, value) in pairs {
            if let Some((_, old_key, old_value)) = entries.get_full_mut2(&key) {
                *old_key = key;
                *old_value = value;
            } else {
                entries.insert(key, value);
            }
        }
        entries.sort_by(|a, _, b, _| a.display_order(b));
        MapValue { entries }
    }
}

impl PartialEq for MapValue {
    fn eq(&self, other: &MapValue) -> bool {
        self.entries == other.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pairs: impl IntoIterator<Item = (Value, Value)>) -> String {
        Value::map(pairs).to_string()
    }

    #[test]
    fn last_of_equal_keys_wins_with_its_key() {
        assert_eq!(shown([(0.0.into(), 1.into()), ((-0.0).into(), 2.into())]), "{-0: 2}");
    }

    #[test]
    fn entries_are_in_key_order() {
        assert_eq!(shown([(10.into(), "x".into()), (9.into(), "y".into())]), r#"{9: "y", 10: "x"}"#);
        assert_eq!(shown([("b".into(), 1.into()), ("a".into(), 2.into())]), r#"{"a": 2, "b": 1}"#);
        let key = |n: i64| Value::strukt([("a", n.into())]);
        assert_eq!(
            shown([(key(9), 1.into()), (key(10), 2.into())]),
            "{struct{a: 10}: 2, struct{a: 9}: 1}",
            "structs by their text"
        );
    }

    #[test]
    fn every_nan_is_a_key_of_its_own() {
        let map: MapValue =
            [(Value::Float(f64::NAN), 1.into()), (Value::Float(f64::NAN), 2.into())].into_iter().collect();
        assert_eq!(map.len(), 2);
        assert_eq!(map.get(&Value::Float(f64::NAN)), None);
    }
}
