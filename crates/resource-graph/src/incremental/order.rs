//! A topological order that follows the edges that are added.
//!
//! Each vertex has a rank. An edge from a higher rank to a lower one makes only those vertices move that lie between both ranks
//! and are connected to the edge (Pearce and Kelly, "A dynamic topological sort algorithm for directed acyclic graphs", 2007).
//! Edges and vertices that are removed leave an order in order.

use rustc_hash::FxHashSet;

use crate::incremental::{IncrementalGraph, Vertex};

impl IncrementalGraph {
    /// Restores the order after an edge was added. `None` if it closes a cycle.
    pub(super) fn order(&mut self, from: u32, to: u32) -> Option<()> {
        let (upper, lower) = (self.vertex(from)?.rank, self.vertex(to)?.rank);
        if upper < lower {
            return Some(());
        }
        let successors = |vertex: &Vertex| vertex.successors.to_vec();
        let after = self.reachable(to, successors, |rank| rank <= upper);
        if after.contains(&from) {
            return None;
        }
        let predecessors = |vertex: &Vertex| vertex.predecessors.iter().map(|link| link.from).collect();
        let before = self.reachable(from, predecessors, |rank| rank >= lower);
        // What comes before the edge takes the lowest ranks of all, in its order, then what comes after it.
        let in_order = |numbers: FxHashSet<u32>| {
            let mut ranked: Vec<(u64, u32)> =
                numbers.into_iter().filter_map(|number| Some((self.vertex(number)?.rank, number))).collect();
            ranked.sort_unstable();
            ranked
        };
        let moved: Vec<(u64, u32)> = in_order(before).into_iter().chain(in_order(after)).collect();
        let mut ranks: Vec<u64> = moved.iter().map(|(rank, _)| *rank).collect();
        ranks.sort_unstable();
        for ((_, number), rank) in moved.into_iter().zip(ranks) {
            self.vertex_mut(number)?.rank = rank;
        }
        Some(())
    }

    /// Returns a vertex and those that are found from it, within some ranks.
    fn reachable(
        &self,
        start: u32,
        neighbours: impl Fn(&Vertex) -> Vec<u32>,
        is_within: impl Fn(u64) -> bool,
    ) -> FxHashSet<u32> {
        let mut found = FxHashSet::from_iter([start]);
        let mut todo = vec![start];
        while let Some(number) = todo.pop() {
            for next in self.vertex(number).map_or_else(Vec::new, &neighbours) {
                if self.vertex(next).is_some_and(|vertex| is_within(vertex.rank)) && found.insert(next) {
                    todo.push(next);
                }
            }
        }
        found
    }
}
