//! Finding texts in a table.

use std::hash::BuildHasher;
use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Finds the ids of texts in a table of different texts. A program has as many names as definitions, so the texts
/// themselves are only in the table.
#[derive(Debug)]
pub struct TextIndex<K> {
    ids: HashTable<K>,
}

impl<K> Default for TextIndex<K> {
    fn default() -> TextIndex<K> {
        TextIndex { ids: HashTable::new() }
    }
}

impl<K: EntityRef> TextIndex<K> {
    /// Creates the index of a table.
    #[must_use]
    pub fn of(texts: &PrimaryMap<K, Arc<str>>) -> TextIndex<K> {
        let mut ids = HashTable::with_capacity(texts.len());
        for (id, text) in texts {
            ids.insert_unique(hash(text), id, |id| hash(&texts[*id]));
        }
        TextIndex { ids }
    }

    /// Reserves memory for more texts; `texts` is the table of the index.
    pub fn reserve(&mut self, texts: &PrimaryMap<K, Arc<str>>, count: usize) {
        self.ids.reserve(count, |id| hash(&texts[*id]));
    }

    /// Returns the id of a text; `texts` is the table of the index.
    #[must_use]
    pub fn find(&self, texts: &PrimaryMap<K, Arc<str>>, text: &str) -> Option<K> {
        self.ids.find(hash(text), |id| *texts[*id] == *text).copied()
    }

    /// Returns the id of a text, which is added to the table if it is not there.
    pub fn intern(&mut self, texts: &mut PrimaryMap<K, Arc<str>>, text: &str, shared: impl FnOnce() -> Arc<str>) -> K {
        if let Some(id) = self.find(texts, text) {
            return id;
        }
        let id = texts.push(shared());
        self.ids.insert_unique(hash(text), id, |id| hash(&texts[*id]));
        id
    }
}

fn hash(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cranelift_entity::{EntityRef, PrimaryMap};

    use super::TextIndex;
    use crate::ast::Name;

    #[test]
    fn equal_texts_have_one_id() {
        let mut texts: PrimaryMap<Name, Arc<str>> = PrimaryMap::new();
        let mut index = TextIndex::default();
        let ids = |index: &mut TextIndex<Name>, texts: &mut PrimaryMap<Name, Arc<str>>| -> Vec<Name> {
            (0..1000)
                .map(|i| format!("x{}", i % 500))
                .map(|text| index.intern(texts, &text, || text[..].into()))
                .collect()
        };
        let first = ids(&mut index, &mut texts);
        assert_eq!(first, (0..1000).map(|i| Name::new(i % 500)).collect::<Vec<_>>());
        assert_eq!(ids(&mut TextIndex::of(&texts), &mut texts), first);
        assert_eq!(texts.len(), 500);
        assert_eq!((index.find(&texts, "x499"), index.find(&texts, "x500")), (Some(Name::new(499)), None));
    }
}
