//! A topological order that follows the edges that are added.
//!
//! Each vertex has a rank that is greater than that of each predecessor; vertices that no edges connect may have the same one.
//! An edge from a higher rank to a lower one is put in order in one of two ways: what comes before it moves below its second end,
//! or what comes after it moves above its first end. Only vertices between both ranks move. Both sides are searched in turn, and
//! the one that ends first moves, so the cost depends on the smaller side: a new resource before a large catalog moves alone.
//! Ranks have gaps for that; when one is used up, all vertices are numbered again.
//!
//! Edges and vertices that are removed leave an order in order.

use rustc_hash::FxHashSet;

use crate::incremental::walk::{Direction, Step, Walk};
use crate::incremental::{IncrementalGraph, SPACING};

impl IncrementalGraph {
    /// Restores the order after an edge was added. `None` if it closes a cycle.
    pub(super) fn order(&mut self, from: u32, to: u32) -> Option<()> {
        let (upper, lower) = (self.vertex(from)?.rank, self.vertex(to)?.rank);
        if upper < lower {
            return Some(());
        }
        let mut before = Walk::new(from, Direction::Backward);
        let mut after = Walk::new(to, Direction::Forward);
        loop {
            match before.step(self) {
                Step::Edge(_, next) if next == to => return None,
                Step::Edge(_, next) if self.vertex(next)?.rank >= lower => before.enter(next),
                Step::Edge(..) | Step::Back => {}
                Step::End => return self.move_below(before.seen, to),
            }
            match after.step(self) {
                Step::Edge(_, next) if next == from => return None,
                Step::Edge(_, next) if self.vertex(next)?.rank <= upper => after.enter(next),
                Step::Edge(..) | Step::Back => {}
                Step::End => return self.move_above(after.seen, from),
            }
        }
    }

    /// Returns the rank of a vertex that is added without edges.
    pub(super) fn new_rank(&mut self) -> u64 {
        if self.next_rank > u64::MAX - 2 * SPACING {
            self.number_again();
        }
        self.next_rank += SPACING;
        self.next_rank - SPACING
    }

    /// Gives these vertices, which have no other predecessors from the rank of `to` on, lower ranks than `to`.
    fn move_below(&mut self, moved: FxHashSet<u32>, to: u32) -> Option<()> {
        let limits = |graph: &IncrementalGraph| {
            let links = moved.iter().filter_map(|number| graph.vertex(*number)).flat_map(|vertex| &vertex.predecessors);
            let others = links.map(|link| link.from).filter(|number| !moved.contains(number));
            let low = others.filter_map(|number| Some(graph.vertex(number)?.rank)).max().unwrap_or(0);
            Some((low, graph.vertex(to)?.rank))
        };
        self.spread_or_number_again(&moved, limits)
    }

    /// Gives these vertices, which have no other successors up to the rank of `from`, higher ranks than `from`.
    fn move_above(&mut self, moved: FxHashSet<u32>, from: u32) -> Option<()> {
        let limits = |graph: &IncrementalGraph| {
            let successors = moved.iter().filter_map(|number| graph.vertex(*number)).flat_map(|v| &v.successors);
            let others = successors.filter(|number| !moved.contains(number));
            let high = others.filter_map(|number| Some(graph.vertex(*number)?.rank)).min();
            Some((graph.vertex(from)?.rank, high.unwrap_or(graph.next_rank + SPACING * moved.len() as u64)))
        };
        self.spread_or_number_again(&moved, limits)
    }

    /// Gives vertices ranks within limits. `None` if there are more of them than fit in.
    fn spread_or_number_again(
        &mut self,
        moved: &FxHashSet<u32>,
        limits: impl Fn(&IncrementalGraph) -> Option<(u64, u64)>,
    ) -> Option<()> {
        let mut is_spread = self.spread(moved, limits(self)?);
        if !is_spread {
            self.number_again();
            is_spread = self.spread(moved, limits(self)?);
        }
        is_spread.then_some(())
    }

    /// Gives vertices ranks between two others, in their order. Returns whether there is space.
    fn spread(&mut self, moved: &FxHashSet<u32>, (low, high): (u64, u64)) -> bool {
        let step = high.saturating_sub(low) / (moved.len() as u64 + 1);
        if step == 0 {
            return false;
        }
        for (i, number) in self.in_order(moved.iter().copied()).into_iter().enumerate() {
            let rank = low + (i as u64 + 1) * step;
            self.next_rank = self.next_rank.max(rank.saturating_add(SPACING));
            if let Some(vertex) = self.vertex_mut(number) {
                vertex.rank = rank;
            }
        }
        true
    }

    fn number_again(&mut self) {
        let order = self.in_order(0..self.vertices.len() as u32);
        self.next_rank = SPACING * (order.len() as u64 + 1);
        for (i, number) in order.into_iter().enumerate() {
            if let Some(vertex) = self.vertex_mut(number) {
                vertex.rank = SPACING * (i as u64 + 1);
            }
        }
    }

    fn in_order(&self, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut ranked: Vec<(u64, u32)> =
            numbers.filter_map(|number| Some((self.vertex(number)?.rank, number))).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, number)| number).collect()
    }
}
