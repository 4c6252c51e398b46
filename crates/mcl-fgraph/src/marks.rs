//! Removing the unused entries of a table.

use cranelift_entity::{EntityRef, PrimaryMap};
use smallvec::{SmallVec, smallvec};

/// Which entries of a table are used, and their new ids.
pub(crate) struct Marks<K: EntityRef> {
    /// By the ids. Most tables are those of small templates.
    used: SmallVec<[bool; 16]>,
    /// For an entry that is not used, the id of the next one that is.
    numbers: PrimaryMap<K, K>,
}

impl<K: EntityRef> Marks<K> {
    /// Creates the marks for a table of this length: nothing is used.
    pub(crate) fn new(length: usize) -> Marks<K> {
        Marks { used: smallvec![false; length], numbers: PrimaryMap::new() }
    }

    pub(crate) fn mark(&mut self, id: K) {
        self.used[id.index()] = true;
    }

    pub(crate) fn is_used(&self, id: K) -> bool {
        self.used[id.index()]
    }

    /// Whether every entry is used.
    pub(crate) fn are_complete(&self) -> bool {
        self.used.iter().all(|used| *used)
    }

    /// Numbers the used entries. They keep their order.
    pub(crate) fn number(&mut self) {
        let mut next = 0;
        let number = |used: &bool| {
            let id = K::new(next);
            next += usize::from(*used);
            id
        };
        self.numbers = self.used.iter().map(number).collect();
    }

    /// Returns the new id of a used entry, once they are numbered.
    pub(crate) fn new_id(&self, id: K) -> K {
        self.numbers[id]
    }

    /// Keeps the used entries of the table.
    pub(crate) fn retain<T>(&self, table: &mut PrimaryMap<K, T>) {
        let mut entries = Vec::from(std::mem::take(table));
        let mut used = self.used.iter();
        entries.retain(|_| used.next().is_some_and(|used| *used));
        *table = entries.into();
    }

    /// Marks an entry, or replaces its id by the new one.
    pub(crate) fn visit(&mut self, id: &mut K, renumber: bool) {
        if renumber {
            *id = self.new_id(*id);
        } else {
            self.mark(*id);
        }
    }
}
