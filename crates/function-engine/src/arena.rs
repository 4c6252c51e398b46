//! An arena whose slots have generations: the id of a removed value never refers to the next value in its slot.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

/// The id of a value in the [`Arena`] with the key `K`.
pub(crate) struct Id<K> {
    index: u32,
    generation: NonZeroU32,
    key: PhantomData<fn() -> K>,
}

impl<K> Id<K> {
    /// Returns a number that is unique among all ids that the arena ever gives out.
    pub(crate) fn to_bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.index)
    }
}

impl<K> Clone for Id<K> {
    fn clone(&self) -> Id<K> {
        *self
    }
}
impl<K> Copy for Id<K> {}
impl<K> PartialEq for Id<K> {
    fn eq(&self, other: &Id<K>) -> bool {
        self.index == other.index && self.generation == other.generation
    }
}
impl<K> Eq for Id<K> {}
impl<K> Hash for Id<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}
impl<K> PartialOrd for Id<K> {
    fn partial_cmp(&self, other: &Id<K>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<K> Ord for Id<K> {
    fn cmp(&self, other: &Id<K>) -> std::cmp::Ordering {
        self.to_bits().cmp(&other.to_bits())
    }
}
impl<K> fmt::Debug for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}

struct Slot<T> {
    generation: NonZeroU32,
    value: Option<T>,
}

/// A growable set of values that reuses the slots of removed ones. The key type `K` tells the ids of two arenas apart.
pub(crate) struct Arena<K, T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    key: PhantomData<fn() -> K>,
}

impl<K, T> Default for Arena<K, T> {
    fn default() -> Arena<K, T> {
        Arena { slots: Vec::new(), free: Vec::new(), key: PhantomData }
    }
}

impl<K, T> Arena<K, T> {
    pub(crate) fn insert(&mut self, value: T) -> Id<K> {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.value = Some(value);
            return Id { index, generation: slot.generation, key: PhantomData };
        }
        let index = u32::try_from(self.slots.len()).expect("the engine limits the number of nodes");
        self.slots.push(Slot { generation: NonZeroU32::MIN, value: Some(value) });
        Id { index, generation: NonZeroU32::MIN, key: PhantomData }
    }

    pub(crate) fn remove(&mut self, id: Id<K>) -> Option<T> {
        let slot = self.slots.get_mut(id.index as usize).filter(|s| s.generation == id.generation)?;
        let value = slot.value.take()?;
        // A slot that has used up its generations is not reused.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.index);
        }
        Some(value)
    }

    pub(crate) fn get(&self, id: Id<K>) -> Option<&T> {
        self.slots.get(id.index as usize).filter(|s| s.generation == id.generation)?.value.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: Id<K>) -> Option<&mut T> {
        self.slots.get_mut(id.index as usize).filter(|s| s.generation == id.generation)?.value.as_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Id<K>, &T)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let id = Id { index: index as u32, generation: slot.generation, key: PhantomData };
            Some((id, slot.value.as_ref()?))
        })
    }
}

/// For ids from the engine's own tables, which refer to existing values by construction.
impl<K, T> Index<Id<K>> for Arena<K, T> {
    type Output = T;
    fn index(&self, id: Id<K>) -> &T {
        self.get(id).expect("an id is removed from the engine's tables together with its target")
    }
}
impl<K, T> IndexMut<Id<K>> for Arena<K, T> {
    fn index_mut(&mut self, id: Id<K>) -> &mut T {
        self.get_mut(id).expect("an id is removed from the engine's tables together with its target")
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    enum Key {}

    #[test]
    fn id_of_a_removed_value_does_not_name_its_successor() {
        let mut arena: Arena<Key, &str> = Arena::default();
        let first = arena.insert("a");
        assert_eq!(arena.remove(first), Some("a"));
        let second = arena.insert("b");
        assert_eq!(arena.get(first), None);
        assert_eq!(arena.get(second), Some(&"b"));
        assert_eq!(arena.len(), 1);
    }
}
