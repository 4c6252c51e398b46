//! Collections that almost no vertex needs.

/// A collection that takes one pointer while it is empty, because it is empty in almost all of up to hundreds of thousands
/// of vertices.
#[derive(Clone, Debug)]
pub(super) struct Rare<T>(Option<Box<T>>);

impl<T> Default for Rare<T> {
    fn default() -> Rare<T> {
        Rare(None)
    }
}

impl<T: Default> Rare<T> {
    /// Returns the collection, to add to it.
    pub(super) fn get_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }

    /// Takes all elements.
    pub(super) fn take(&mut self) -> T {
        self.0.take().map_or_else(T::default, |all| *all)
    }

    /// Returns the elements.
    pub(super) fn iter<'a>(&'a self) -> impl Iterator<Item = <&'a T as IntoIterator>::Item>
    where
        &'a T: IntoIterator,
    {
        self.0.as_deref().into_iter().flatten()
    }

    /// Whether there are no elements.
    pub(super) fn is_empty<'a>(&'a self) -> bool
    where
        &'a T: IntoIterator,
    {
        self.iter().next().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_collection_is_a_pointer() {
        let mut numbers: Rare<Vec<u32>> = Rare::default();
        assert_eq!(size_of_val(&numbers), size_of::<usize>());
        assert!(numbers.is_empty() && numbers.take().is_empty());
        numbers.get_mut().extend([1, 2]);
        assert!(numbers.iter().eq(&[1, 2]) && !numbers.is_empty());
        assert_eq!(numbers.take(), [1, 2]);
        assert!(numbers.is_empty());
    }
}
