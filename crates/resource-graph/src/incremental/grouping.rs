//! Whether an edit changes which resources may be grouped.
//!
//! Groups depend on which resources that may be grouped reach which others of them. So an edit changes no group if every path
//! between two of them that it adds or removes has another one beside it. The edit adds and removes edges; most of them are
//! not on any such path:
//!
//! * A vertex that comes or goes and has no edges on one side is on no path between others.
//! * If each predecessor of such a vertex reaches each of its successors by edges that stay, no path through it matters. The
//!   same holds for an edge between vertices that stay.
//! * Of the edges that are left, one must come after a resource that may be grouped, and one before such a resource.
//!
//! All searches are bounded. One that takes too long counts as if it had found what it searched for.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::incremental::IncrementalGraph;
use crate::incremental::walk::{Direction, Step, Walk};

/// Maximum number of vertices or edges that one search visits.
const MAX_SEARCH: usize = 1_000;
/// Maximum number of pairs of a predecessor and a successor that are searched.
const MAX_SEARCHES: usize = 64;

/// An edge that was added or removed, by the numbers of its ends.
type Pair = (u32, u32);

impl IncrementalGraph {
    /// Returns whether resources may be grouped in another way after these edges were added or removed. `unsteady` are the
    /// vertices that were added or removed, none of which may be grouped.
    pub(super) fn may_regroup(&self, mut edges: Vec<Pair>, unsteady: &BTreeSet<u32>) -> bool {
        if !self.has_groupable {
            return false;
        }
        let changed: FxHashSet<Pair> = edges.iter().copied().collect();
        let neighbours = Neighbours::of(&edges, unsteady);
        let mut harmless = neighbours.dead_ends();
        let mut searches = 0;
        for (number, (before, after)) in &neighbours.0 {
            let pairs = before.iter().flat_map(|from| after.iter().map(move |to| (*from, *to)));
            searches += before.len().saturating_mul(after.len());
            if searches > MAX_SEARCHES {
                break;
            }
            let is_bypassed = |(from, to)| {
                ![from, to].iter().any(|end| unsteady.contains(end)) && self.is_connected(from, to, &changed)
            };
            if !harmless.contains(number) && pairs.into_iter().all(is_bypassed) {
                harmless.insert(*number);
            }
        }
        edges.retain(|(from, to)| {
            let is_steady = ![from, to].iter().any(|end| unsteady.contains(*end));
            searches += usize::from(is_steady);
            let is_bypassed = is_steady && searches <= MAX_SEARCHES && self.is_connected(*from, *to, &changed);
            !is_bypassed && !harmless.contains(from) && !harmless.contains(to)
        });
        self.meets_groupable(edges.iter().map(|(from, _)| *from), Direction::Backward)
            && self.meets_groupable(edges.iter().map(|(_, to)| *to), Direction::Forward)
    }

    /// Whether edges that stay lead from one vertex to the other. Searches from both ends in turn, because one of them may have
    /// most of the graph before it.
    fn is_connected(&self, from: u32, to: u32, changed: &FxHashSet<Pair>) -> bool {
        let (Some(first), Some(last)) = (self.vertex(from), self.vertex(to)) else { return false };
        let ranks = first.rank..=last.rank;
        let mut walks = [Walk::new(from, Direction::Forward), Walk::new(to, Direction::Backward)];
        for turn in 0..2 * MAX_SEARCH {
            let (walk, other) = (turn % 2, (turn + 1) % 2);
            match walks[walk].step(self) {
                Step::End => return false,
                Step::Edge(edge, next) if !changed.contains(&edge) => {
                    if walks[other].seen.contains(&next) {
                        return true;
                    }
                    if self.vertex(next).is_some_and(|vertex| ranks.contains(&vertex.rank)) {
                        walks[walk].enter(next);
                    }
                }
                Step::Edge(..) | Step::Back => {}
            }
        }
        false
    }

    /// Returns whether one of these vertices, or what is found from them, may be grouped.
    fn meets_groupable(&self, starts: impl Iterator<Item = u32>, direction: Direction) -> bool {
        let mut todo: Vec<u32> = starts.collect();
        let mut seen: FxHashSet<u32> = todo.iter().copied().collect();
        while let Some(number) = todo.pop() {
            let Some(vertex) = self.vertex(number) else { continue };
            let neighbours = match direction {
                Direction::Forward => vertex.successors.len(),
                Direction::Backward => vertex.predecessors.len(),
            };
            if vertex.may_be_grouped || seen.len() + neighbours > MAX_SEARCH {
                return true;
            }
            match direction {
                Direction::Forward => todo.extend(vertex.successors.iter().filter(|next| seen.insert(**next))),
                Direction::Backward => {
                    let before = vertex.predecessors.iter().map(|link| link.from);
                    todo.extend(before.filter(|next| seen.insert(*next)));
                }
            }
        }
        false
    }
}

/// The vertices before and after each vertex that was added or removed.
struct Neighbours(BTreeMap<u32, (Vec<u32>, Vec<u32>)>);

impl Neighbours {
    fn of(edges: &[Pair], unsteady: &BTreeSet<u32>) -> Neighbours {
        let mut all: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
        for (from, to) in edges {
            if unsteady.contains(from) {
                all.entry(*from).or_default().1.push(*to);
            }
            if unsteady.contains(to) {
                all.entry(*to).or_default().0.push(*from);
            }
        }
        Neighbours(all)
    }

    /// Returns the vertices that have no edges on one side, and those that have only edges to such vertices there.
    fn dead_ends(&self) -> FxHashSet<u32> {
        let mut left: FxHashMap<u32, (usize, usize)> =
            self.0.iter().map(|(number, (before, after))| (*number, (before.len(), after.len()))).collect();
        let is_end = |(before, after): &(usize, usize)| *before == 0 || *after == 0;
        let mut todo: Vec<u32> = left.iter().filter(|(_, counts)| is_end(counts)).map(|(number, _)| *number).collect();
        let mut found: FxHashSet<u32> = todo.iter().copied().collect();
        while let Some(number) = todo.pop() {
            let (before, after) = &self.0[&number];
            let others = before.iter().map(|other| (other, true)).chain(after.iter().map(|other| (other, false)));
            for (other, loses_after) in others {
                let Some(counts) = left.get_mut(other) else { continue };
                let count = if loses_after { &mut counts.1 } else { &mut counts.0 };
                *count -= 1;
                if *count == 0 && found.insert(*other) {
                    todo.push(*other);
                }
            }
        }
        found
    }
}
