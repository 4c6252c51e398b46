//! The differences between the running graph and a new one (spec 06 §2.5).

use crate::{ResourceGraph, VertexId, compare};

/// The steps from an old graph to a new one. Every vertex of either graph is in exactly one list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphSync {
    /// Equal resources: old and new vertex, in the order of the new graph.
    pub keep: Vec<(VertexId, VertexId)>,
    /// Vertices only in the old graph, in its order.
    pub remove: Vec<VertexId>,
    /// Vertices only in the new graph, in its order.
    pub add: Vec<VertexId>,
}

/// Compares two graphs vertex by vertex, with [`compare::difference`].
#[must_use]
pub fn sync(old: &ResourceGraph, new: &ResourceGraph) -> GraphSync {
    sync_by(old, new, |a, b| compare::difference(old.resource(a), new.resource(b)).is_none())
}

/// Compares two graphs vertex by vertex with `same`, which is called only for vertices with equal ids.
pub fn sync_by(
    old: &ResourceGraph,
    new: &ResourceGraph,
    mut same: impl FnMut(VertexId, VertexId) -> bool,
) -> GraphSync {
    let mut kept = vec![false; old.len()];
    let mut result = GraphSync::default();
    for (vertex, resource) in new.resources() {
        let equal = old.find_all(&resource.id.kind, &resource.id.name).find(|v| !kept[v.index()] && same(*v, vertex));
        match equal {
            Some(equal) => {
                kept[equal.index()] = true;
                result.keep.push((equal, vertex));
            }
            None => result.add.push(vertex),
        }
    }
    result.remove = old.vertices().filter(|v| !kept[v.index()]).collect();
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resource, ResourceId};

    fn graph(resources: &[(&str, &str)]) -> ResourceGraph {
        let mut g = ResourceGraph::new();
        for (name, content) in resources {
            g.add(Resource::new(ResourceId::new("file", *name)).with("content", *content));
        }
        g
    }

    fn ids(vertices: &[u32]) -> Vec<VertexId> {
        vertices.iter().map(|v| VertexId(*v)).collect()
    }

    #[test]
    fn unchanged_vertices_are_kept() {
        let old = graph(&[("/a", "1"), ("/b", "1"), ("/c", "1")]);
        let new = graph(&[("/c", "1"), ("/b", "2"), ("/d", "1")]);
        let s = sync(&old, &new);
        assert_eq!(s.keep, [(VertexId(2), VertexId(0))]);
        assert_eq!(s.remove, ids(&[0, 1]));
        assert_eq!(s.add, ids(&[1, 2]));
    }

    #[test]
    fn a_vertex_is_kept_only_once() {
        let old = graph(&[("/a", "1")]);
        let new = graph(&[("/a", "1"), ("/a", "1")]);
        let s = sync(&old, &new);
        assert_eq!((s.keep.len(), s.add.len(), s.remove.len()), (1, 1, 0));
    }
}
