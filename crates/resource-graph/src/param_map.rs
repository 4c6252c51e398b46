//! Parameters by name.

use std::sync::Arc;

use mcl_value::Value;

/// Parameters by name, in the order in which they were first set. A resource has only a few, so a linear search is faster
/// than a hash table, and needs much less memory.
#[derive(Clone, Default)]
pub struct ParamMap {
    entries: Vec<(Arc<str>, Value)>,
}

impl ParamMap {
    /// Returns the number of parameters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reserves capacity for exactly `more` additional parameters.
    pub fn reserve(&mut self, more: usize) {
        self.entries.reserve_exact(more);
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.entries.iter().position(|(name, _)| **name == *key)
    }

    /// Returns the value of a parameter.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|i| &self.entries[i].1)
    }

    /// Returns whether a parameter is set.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a parameter, which keeps its position if it was set. Returns the old value.
    pub fn insert(&mut self, key: Arc<str>, value: Value) -> Option<Value> {
        match self.position(&key) {
            Some(i) => Some(std::mem::replace(&mut self.entries[i].1, value)),
            None => {
                self.entries.push((key, value));
                None
            }
        }
    }

    /// Removes a parameter; the others keep their order.
    pub fn shift_remove(&mut self, key: &str) -> Option<Value> {
        self.position(key).map(|i| self.entries.remove(i).1)
    }

    /// Returns the names and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &Value)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Returns the names, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.entries.iter().map(|(key, _)| key)
    }
}

/// Compares without regard to order.
impl PartialEq for ParamMap {
    fn eq(&self, other: &ParamMap) -> bool {
        self.entries == other.entries
            || (self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value)))
    }
}

impl std::fmt::Debug for ParamMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl std::ops::Index<&str> for ParamMap {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        self.get(key).expect("the parameter is set")
    }
}

impl FromIterator<(Arc<str>, Value)> for ParamMap {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Value)>>(entries: I) -> ParamMap {
        let entries = entries.into_iter();
        let mut map = ParamMap { entries: Vec::with_capacity(entries.size_hint().0) };
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<'a> IntoIterator for &'a ParamMap {
    type Item = (&'a Arc<str>, &'a Value);
    type IntoIter = std::iter::Map<std::slice::Iter<'a, (Arc<str>, Value)>, fn(&'a (Arc<str>, Value)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|(key, value)| (key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, i64)]) -> ParamMap {
        entries.iter().map(|(key, value)| (Arc::from(*key), Value::Int(*value))).collect()
    }

    #[test]
    fn a_parameter_that_is_set_again_keeps_its_position() {
        let map = map(&[("a", 1), ("b", 2), ("a", 3)]);
        let entries: Vec<(&str, &Value)> = map.iter().map(|(key, value)| (&**key, value)).collect();
        assert_eq!(entries, [("a", &Value::Int(3)), ("b", &Value::Int(2))]);
    }

    #[test]
    fn order_is_ignored_in_comparisons() {
        assert_eq!(map(&[("a", 1), ("b", 2)]), map(&[("b", 2), ("a", 1)]));
        assert_ne!(map(&[("a", 1), ("b", 2)]), map(&[("a", 1), ("c", 2)]));
        assert_ne!(map(&[("a", 1)]), map(&[("a", 1), ("b", 2)]));
    }

    #[test]
    fn removal_keeps_the_order_of_the_others() {
        let mut map = map(&[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!(map.shift_remove("b"), Some(Value::Int(2)));
        assert_eq!(map.shift_remove("b"), None);
        assert_eq!(map.keys().map(|key| &**key).collect::<Vec<_>>(), ["a", "c"]);
        assert!(map.get("b").is_none() && map.contains_key("c"));
    }
}
