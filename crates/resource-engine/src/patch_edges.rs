//! Edges that a patch adds and removes, and the counts of unsettled prerequisites that follow from them.

use resource_graph::ResourceId;

use crate::engine::Engine;
use crate::graph_patch::PatchEdge;
use crate::key::VertexKey;
use crate::vertex::Neighbours;

impl Engine {
    /// Removes edges. Returns the vertices, in ascending order, that lose a notifying one.
    pub(super) fn cut_edges(&mut self, edges: &[(ResourceId, ResourceId)]) -> Vec<VertexKey> {
        let mut bereft = Vec::new();
        for (from, to) in edges {
            let (Some(from), Some(to)) = (self.only_vertex_with(from), self.only_vertex_with(to)) else { continue };
            let Some(notify) = self.get_mut(from).and_then(|vertex| forget_neighbour(&mut vertex.successors, to))
            else {
                continue;
            };
            let is_settled = self.get(from).is_some_and(|vertex| vertex.settled);
            self.edge_count -= 1;
            self.lose_predecessor(to, from, is_settled);
            if notify {
                bereft.push(to);
            }
        }
        bereft.sort_unstable();
        bereft.dedup();
        bereft
    }

    /// Removes all edges of a vertex.
    pub(super) fn cut_off(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let (successors, predecessors) =
            (std::mem::take(&mut vertex.successors), std::mem::take(&mut vertex.predecessors));
        let is_settled = vertex.settled;
        self.edge_count -= successors.len() + predecessors.len();
        for (to, _) in successors {
            self.lose_predecessor(to, key, is_settled);
        }
        for (from, _) in predecessors {
            if let Some(vertex) = self.get_mut(from) {
                forget_neighbour(&mut vertex.successors, key);
            }
        }
    }

    /// Updates a vertex that no longer depends on another one.
    pub(super) fn lose_predecessor(&mut self, key: VertexKey, from: VertexKey, is_settled: bool) {
        let Some(vertex) = self.get_mut(key) else { return };
        forget_neighbour(&mut vertex.predecessors, from);
        if !is_settled {
            vertex.unsettled_predecessors -= 1;
        }
        self.touch(key);
    }

    /// Adds edges; one that is there notifies afterwards if either does. Returns the vertices, in ascending order, that get a
    /// notifying one.
    pub(super) fn join_edges(&mut self, edges: &[PatchEdge]) -> Vec<VertexKey> {
        let mut refreshed = Vec::new();
        for PatchEdge { from, to, notify } in edges {
            let (Some(from), Some(to)) = (self.only_vertex_with(from), self.only_vertex_with(to)) else { continue };
            if from == to {
                continue;
            }
            let Some(vertex) = self.get_mut(from) else { continue };
            let is_settled = vertex.settled;
            let is_new = add_neighbour(&mut vertex.successors, to, *notify);
            let Some(vertex) = self.get_mut(to) else { continue };
            add_neighbour(&mut vertex.predecessors, from, *notify);
            if is_new {
                vertex.unsettled_predecessors += u32::from(!is_settled);
                self.edge_count += 1;
                self.touch(to);
            }
            if *notify {
                refreshed.push(to);
            }
        }
        refreshed.sort_unstable();
        refreshed.dedup();
        refreshed
    }

    /// Returns the vertex that contains a resource, if there is one and no other.
    fn only_vertex_with(&self, id: &ResourceId) -> Option<VertexKey> {
        match self.vertices_of(id)[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// Removes a neighbour; returns whether the edge notified, if there was one.
pub(super) fn forget_neighbour(neighbours: &mut Neighbours, key: VertexKey) -> Option<bool> {
    let index = neighbours.iter().position(|(neighbour, _)| *neighbour == key)?;
    Some(neighbours.swap_remove(index).1)
}

/// Adds a neighbour; returns whether it is new.
pub(super) fn add_neighbour(neighbours: &mut Neighbours, key: VertexKey, notify: bool) -> bool {
    if let Some((_, known)) = neighbours.iter_mut().find(|(neighbour, _)| *neighbour == key) {
        *known |= notify;
        return false;
    }
    neighbours.push((key, notify));
    true
}
