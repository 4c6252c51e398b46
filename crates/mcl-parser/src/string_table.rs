//! Tables of strings.

use std::fmt;
use std::ops::Index;

use cranelift_entity::{EntityRef, PrimaryMap};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The strings of a table together have at most this many bytes. That is as much as the source of a file can have, and a tree
/// has no string that is not in its source.
const MAX_BYTES: usize = u32::MAX as usize;

/// Strings by their ids, one after the other in a single allocation: a string takes four bytes besides its own.
#[derive(Clone, PartialEq, Eq)]
pub struct StringTable<K: EntityRef> {
    bytes: String,
    /// Where each string ends. The next one starts there.
    ends: PrimaryMap<K, u32>,
}

impl<K: EntityRef> Default for StringTable<K> {
    fn default() -> StringTable<K> {
        StringTable { bytes: String::new(), ends: PrimaryMap::new() }
    }
}

impl<K: EntityRef> StringTable<K> {
    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns whether an id is that of a string.
    #[must_use]
    pub fn is_valid(&self, id: K) -> bool {
        self.ends.is_valid(id)
    }

    /// Returns the string with an id; `None` if there is none.
    #[must_use]
    pub fn get(&self, id: K) -> Option<&str> {
        let end = *self.ends.get(id)?;
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[K::new(before)]);
        self.bytes.get(start as usize..end as usize)
    }

    /// Adds a string, also if there is an equal one. It is truncated if the table is full.
    pub fn push(&mut self, string: &str) -> K {
        let free = MAX_BYTES - self.bytes.len();
        self.bytes.push_str(&string[..string.floor_char_boundary(free)]);
        self.ends.push(self.bytes.len() as u32)
    }

    /// Adds the strings of another table, in their order.
    pub fn append(&mut self, other: &StringTable<K>) {
        self.reserve(other.len(), other.bytes.len());
        for string in other.iter() {
            self.push(string);
        }
    }

    /// Reserves memory for more strings, which have a number of bytes together.
    pub fn reserve(&mut self, count: usize, bytes: usize) {
        self.ends.reserve(count);
        self.bytes.reserve(bytes);
    }

    /// Removes all strings but the first ones.
    pub(crate) fn truncate(&mut self, count: usize) {
        let mut ends = Vec::from(std::mem::take(&mut self.ends));
        ends.truncate(count);
        self.bytes.truncate(ends.last().map_or(0, |end| *end as usize));
        self.ends = ends.into();
    }

    /// Releases the memory that was reserved and not used.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Iterates over the strings in the order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.values().map(move |end| {
            let end = *end as usize;
            &self.bytes[std::mem::replace(&mut start, end)..end]
        })
    }

    /// Returns the number of bytes of all strings.
    #[must_use]
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}

impl<K: EntityRef> Index<K> for StringTable<K> {
    type Output = str;

    fn index(&self, id: K) -> &str {
        self.get(id).expect("the id is one of this table")
    }
}

impl<K: EntityRef> fmt::Debug for StringTable<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A table is a sequence of strings.
impl<K: EntityRef> Serialize for StringTable<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, K: EntityRef> Deserialize<'de> for StringTable<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StringTable<K>, D::Error> {
        struct Strings<K: EntityRef>(StringTable<K>);

        impl<'de, K: EntityRef> Visitor<'de> for Strings<K> {
            type Value = StringTable<K>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence of strings")
            }

            fn visit_seq<A: SeqAccess<'de>>(mut self, mut strings: A) -> Result<StringTable<K>, A::Error> {
                while let Some(string) = strings.next_element::<String>()? {
                    self.0.push(&string);
                }
                Ok(self.0)
            }
        }

        deserializer.deserialize_seq(Strings(StringTable::default()))
    }
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;

    use super::StringTable;
    use crate::ast::Name;

    fn table(strings: &[&str]) -> StringTable<Name> {
        let mut table = StringTable::default();
        for (number, string) in strings.iter().enumerate() {
            assert_eq!(table.push(string), Name::new(number));
        }
        table
    }

    #[test]
    fn strings_are_found_by_their_ids() {
        let strings = ["a", "", "ü€", "", "a"];
        let table = table(&strings);
        assert_eq!(table.iter().collect::<Vec<_>>(), strings);
        assert!((0..5).all(|at| &table[Name::new(at)] == strings[at] && table.is_valid(Name::new(at))));
        assert!(table.get(Name::new(5)).is_none() && !table.is_valid(Name::new(5)));
        assert_eq!((table.len(), table.byte_len(), table.is_empty()), (5, 7, false));
    }

    #[test]
    fn tables_are_appended_and_truncated() {
        let mut whole = table(&["a", "ü"]);
        whole.append(&table(&["", "b"]));
        assert!(whole == table(&["a", "ü", "", "b"]));
        whole.truncate(2);
        assert!(whole == table(&["a", "ü"]));
        whole.truncate(0);
        assert!(whole == StringTable::default());
    }

    #[test]
    fn a_table_is_written_as_a_sequence() {
        let json = serde_json::to_string(&table(&["a", "", "ü\""])).expect("it is written");
        assert_eq!(json, r#"["a","","ü\""]"#);
        let read: StringTable<Name> = serde_json::from_str(&json).expect("it is read");
        assert!(read == table(&["a", "", "ü\""]));
        assert!(serde_json::from_str::<StringTable<Name>>(r#"{"bytes": "a"}"#).is_err());
    }
}
