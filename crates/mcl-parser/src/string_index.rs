//! Finding strings in a table.

use std::hash::BuildHasher;

use cranelift_entity::EntityRef;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::string_table::StringTable;

/// Finds the ids of strings in a table of different strings. A program has as many names as definitions, so the strings
/// themselves are only in the table.
#[derive(Debug)]
pub struct StringIndex<K> {
    ids: HashTable<K>,
}

impl<K> Default for StringIndex<K> {
    fn default() -> StringIndex<K> {
        StringIndex { ids: HashTable::new() }
    }
}

impl<K: EntityRef> StringIndex<K> {
    /// Creates the index of a table.
    #[must_use]
    pub fn of(table: &StringTable<K>) -> StringIndex<K> {
        let mut ids = HashTable::with_capacity(table.len());
        for (number, string) in table.iter().enumerate() {
            ids.insert_unique(hash(string), K::new(number), |id| hash(&table[*id]));
        }
        StringIndex { ids }
    }

    /// Reserves memory for more strings; `table` is the table of the index.
    pub fn reserve(&mut self, table: &StringTable<K>, count: usize) {
        self.ids.reserve(count, |id| hash(&table[*id]));
    }

    /// Returns the id of a string; `table` is the table of the index.
    #[must_use]
    pub fn find(&self, table: &StringTable<K>, string: &str) -> Option<K> {
        self.ids.find(hash(string), |id| table[*id] == *string).copied()
    }

    /// Returns the id of a string, which is added to the table if it is not there.
    pub fn intern(&mut self, table: &mut StringTable<K>, string: &str) -> K {
        if let Some(id) = self.find(table, string) {
            return id;
        }
        let id = table.push(string);
        self.ids.insert_unique(hash(string), id, |id| hash(&table[*id]));
        id
    }
}

fn hash(string: &str) -> u64 {
    FxBuildHasher.hash_one(string)
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;

    use super::StringIndex;
    use crate::ast::Name;
    use crate::string_table::StringTable;

    #[test]
    fn equal_strings_have_one_id() {
        let mut table = StringTable::default();
        let mut index = StringIndex::default();
        let ids = |index: &mut StringIndex<Name>, table: &mut StringTable<Name>| -> Vec<Name> {
            (0..1000).map(|i| index.intern(table, &format!("x{}", i % 500))).collect()
        };
        let first = ids(&mut index, &mut table);
        assert_eq!(first, (0..1000).map(|i| Name::new(i % 500)).collect::<Vec<_>>());
        assert_eq!(ids(&mut StringIndex::of(&table), &mut table), first);
        assert_eq!(table.len(), 500);
        assert_eq!((index.find(&table, "x499"), index.find(&table, "x500")), (Some(Name::new(499)), None));
    }
}
