//! Tables by ids of which few have an entry.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use cranelift_entity::EntityRef;

/// The number of entries of a page.
const PAGE_LEN: usize = 64;

/// A table with an entry for every id; an entry that was not set has the default value.
///
/// The table consists of pages, which exist if an entry of theirs was changed. So a part of a program ([`crate::unify`]) pays
/// for the ids that it uses, wherever they are among those of the program.
#[derive(Clone, Debug)]
pub struct PagedMap<K, V> {
    pages: Vec<Option<Box<[V]>>>,
    /// The largest number of an id that was changed, and one.
    len: usize,
    default: V,
    keys: PhantomData<K>,
}

impl<K: EntityRef, V: Clone + Default> Default for PagedMap<K, V> {
    fn default() -> PagedMap<K, V> {
        PagedMap { pages: Vec::new(), len: 0, default: V::default(), keys: PhantomData }
    }
}

impl<K: EntityRef, V> PagedMap<K, V> {
    /// Returns the entries that were changed, and some others up to the last one that was, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let pages = self.pages.iter().enumerate();
        let entries = pages.filter_map(|(number, page)| Some((number, page.as_ref()?))).flat_map(|(number, page)| {
            page.iter().enumerate().map(move |(entry, value)| (number * PAGE_LEN + entry, value))
        });
        entries.take_while(|(number, _)| *number < self.len).map(|(number, value)| (K::new(number), value))
    }
}

impl<K: EntityRef, V> Index<K> for PagedMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        match self.pages.get(key.index() / PAGE_LEN) {
            Some(Some(page)) => &page[key.index() % PAGE_LEN],
            Some(None) | None => &self.default,
        }
    }
}

impl<K: EntityRef, V: Clone> IndexMut<K> for PagedMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        let number = key.index() / PAGE_LEN;
        self.len = self.len.max(key.index() + 1);
        if self.pages.len() <= number {
            self.pages.resize(number + 1, None);
        }
        let page = self.pages[number].get_or_insert_with(|| vec![self.default.clone(); PAGE_LEN].into());
        &mut page[key.index() % PAGE_LEN]
    }
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;

    use super::{PAGE_LEN, PagedMap};
    use crate::scoped::DefId;

    #[test]
    fn entries_that_were_not_set_have_the_default_value() {
        let ids = [0, 1, PAGE_LEN - 1, PAGE_LEN, 5 * PAGE_LEN + 3].map(DefId::new);
        let mut table: PagedMap<DefId, u32> = PagedMap::default();
        for (id, value) in ids.into_iter().zip(1..) {
            assert_eq!(table[id], 0);
            table[id] = value;
        }
        assert_eq!(ids.map(|id| table[id]), [1, 2, 3, 4, 5]);
        assert_eq!([2, PAGE_LEN + 1, 3 * PAGE_LEN, 100 * PAGE_LEN].map(|id| table[DefId::new(id)]), [0; 4]);
        let set: Vec<(DefId, u32)> = table.iter().filter(|(_, v)| **v > 0).map(|(id, value)| (id, *value)).collect();
        assert_eq!(set, ids.into_iter().zip(1..).collect::<Vec<_>>());
        let last = table.iter().last().map(|(id, value)| (id, *value));
        assert_eq!(
            (last, table.iter().count()),
            (Some((ids[4], 5)), 2 * PAGE_LEN + 4),
            "of the last page, only what exists"
        );
    }
}
