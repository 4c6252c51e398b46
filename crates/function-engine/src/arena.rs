//! Slots with generations: an id of something that is gone is recognised, never mistaken for its successor.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut};

/// The id of a `T` in an [`Arena`].
pub(crate) struct Id<T> {
    index: u32,
    generation: NonZeroU32,
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// A number that no other id of the arena ever has.
    pub(crate) fn to_bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.index)
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Id<T> {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Id<T>) -> bool {
        self.index == other.index && self.generation == other.generation
    }
}
impl<T> Eq for Id<T> {}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_bits().hash(state);
    }
}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Id<T>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Id<T>) -> std::cmp::Ordering {
        self.to_bits().cmp(&other.to_bits())
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}

struct Slot<T> {
    generation: NonZeroU32,
    value: Option<T>,
}

/// A growable set of `T` whose freed slots are used again.
pub(crate) struct Arena<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

impl<T> Default for Arena<T> {
    fn default() -> Arena<T> {
        Arena { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Arena<T> {
    pub(crate) fn insert(&mut self, value: T) -> Id<T> {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.value = Some(value);
            return Id { index, generation: slot.generation, of: PhantomData };
        }
        let index = u32::try_from(self.slots.len()).expect("the engine limits the number of nodes");
        self.slots.push(Slot { generation: NonZeroU32::MIN, value: Some(value) });
        Id { index, generation: NonZeroU32::MIN, of: PhantomData }
    }

    pub(crate) fn remove(&mut self, id: Id<T>) -> Option<T> {
        let slot = self.slots.get_mut(id.index as usize).filter(|s| s.generation == id.generation)?;
        let value = slot.value.take()?;
        // A slot whose generations are used up is retired.
        if let Some(next) = slot.generation.checked_add(1) {
            slot.generation = next;
            self.free.push(id.index);
        }
        Some(value)
    }

    pub(crate) fn get(&self, id: Id<T>) -> Option<&T> {
        self.slots.get(id.index as usize).filter(|s| s.generation == id.generation)?.value.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: Id<T>) -> Option<&mut T> {
        self.slots.get_mut(id.index as usize).filter(|s| s.generation == id.generation)?.value.as_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let id = Id { index: index as u32, generation: slot.generation, of: PhantomData };
            Some((id, slot.value.as_ref()?))
        })
    }
}

/// For ids that the engine's own tables hold: those are alive by construction.
impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        self.get(id).expect("the table that held this id is cleared when its target goes")
    }
}
impl<T> IndexMut<Id<T>> for Arena<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        self.get_mut(id).expect("the table that held this id is cleared when its target goes")
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn id_of_a_removed_value_does_not_name_its_successor() {
        let mut arena = Arena::default();
        let first = arena.insert("a");
        assert_eq!(arena.remove(first), Some("a"));
        let second = arena.insert("b");
        assert_eq!(arena.get(first), None);
        assert_eq!(arena.get(second), Some(&"b"));
        assert_eq!(arena.len(), 1);
    }
}
