//! Automatic edges that are omitted because they contradict the declared order.
//!
//! The whole computation adds the automatic edges one after the other, and omits each that closes a cycle with the declared ones
//! and those before it. If an edit closes no cycle in the graph that is left, and keeps for each omitted edge a path of
//! declared edges in the other direction, the same edges are omitted again: by induction, an edge that was omitted finds its
//! path, and one that was not omitted, or is new, closes no cycle.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Edge, ResourceGraph, VertexId};

/// Maximum number of omitted edges whose paths are searched.
const MAX_OMITTED: usize = 100;

/// Returns the edges of one path of declared edges for each omitted edge, in the other direction. `None` if there is none, or if
/// too many edges are omitted.
pub(super) fn contradicting(graph: &ResourceGraph) -> Option<FxHashSet<(u32, u32)>> {
    if graph.omitted().len() > MAX_OMITTED {
        return None;
    }
    let mut all = FxHashSet::default();
    for Edge { from, to, .. } in graph.omitted() {
        all.extend(declared_path(graph, *to, *from)?);
    }
    Some(all)
}

/// Returns the edges of a shortest path of declared edges.
fn declared_path(graph: &ResourceGraph, from: VertexId, to: VertexId) -> Option<Vec<(u32, u32)>> {
    let mut came_from: FxHashMap<VertexId, VertexId> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    while let Some(vertex) = queue.pop_front() {
        for edge in graph.outgoing(vertex).filter(|edge| !edge.autoedge) {
            if edge.to == from || came_from.contains_key(&edge.to) {
                continue;
            }
            came_from.insert(edge.to, vertex);
            queue.push_back(edge.to);
        }
        if came_from.contains_key(&to) {
            break;
        }
    }
    let mut path = Vec::new();
    let mut at = to;
    while at != from {
        let before = *came_from.get(&at)?;
        path.push((before.0, at.0));
        at = before;
    }
    Some(path)
}
