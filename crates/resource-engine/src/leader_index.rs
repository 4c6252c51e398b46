//! The vertices of the graph by the id of their leader.

use std::hash::{BuildHasher as _, BuildHasherDefault};

use hashbrown::HashTable;
use resource_graph::ResourceId;
use rustc_hash::FxHasher;

use crate::key::VertexKey;
use crate::vertex::Vertex;

/// Finds vertices by the id of their leader. It holds their keys only, because the ids are in the vertices.
///
/// `vertices` is the table that the keys index; each vertex of the index must be in it with its id unchanged.
#[derive(Clone, Default)]
pub(super) struct LeaderIndex(HashTable<VertexKey>);

impl LeaderIndex {
    /// Reserves capacity for additional vertices.
    pub(super) fn reserve(&mut self, additional: usize, vertices: &[Option<Vertex>]) {
        self.0.reserve(additional, |key| hash(id(*key, vertices)));
    }

    /// Adds a vertex.
    pub(super) fn insert(&mut self, key: VertexKey, vertices: &[Option<Vertex>]) {
        self.0.insert_unique(hash(id(key, vertices)), key, |key| hash(id(*key, vertices)));
    }

    /// Removes a vertex, if it is there.
    pub(super) fn remove(&mut self, key: VertexKey, vertices: &[Option<Vertex>]) {
        if let Ok(entry) = self.0.find_entry(hash(id(key, vertices)), |other| *other == key) {
            entry.remove();
        }
    }

    /// Returns the vertices with this id, in any order; hidden resources may have the id of others.
    pub(super) fn find<'a>(
        &'a self,
        wanted: &'a ResourceId,
        vertices: &'a [Option<Vertex>],
    ) -> impl Iterator<Item = VertexKey> + 'a {
        self.0.iter_hash(hash(Some(wanted))).copied().filter(move |key| id(*key, vertices) == Some(wanted))
    }
}

fn id(key: VertexKey, vertices: &[Option<Vertex>]) -> Option<&ResourceId> {
    vertices.get(key.index())?.as_ref().map(Vertex::id)
}

fn hash(id: Option<&ResourceId>) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Group;
    use crate::test_agent::resource;

    #[test]
    fn vertices_with_one_id_are_found_until_they_are_removed() {
        let vertex = |name| Some(Vertex::new(Group::from(resource(name)), false, Vec::new(), None, Default::default()));
        let vertices: Vec<Option<Vertex>> = ["a", "b", "a"].into_iter().map(vertex).collect();
        let mut index = LeaderIndex::default();
        (0..3).for_each(|key| index.insert(VertexKey(key), &vertices));
        let find = |index: &LeaderIndex, name| {
            let id = resource(name).id;
            let mut keys: Vec<u32> = index.find(&id, &vertices).map(|key| key.0).collect();
            keys.sort_unstable();
            keys
        };
        assert_eq!((find(&index, "a"), find(&index, "b")), (vec![0, 2], vec![1]));
        index.remove(VertexKey(0), &vertices);
        index.remove(VertexKey(0), &vertices);
        assert_eq!((find(&index, "a"), find(&index, "b"), find(&index, "c")), (vec![2], vec![1], vec![]));
    }
}
