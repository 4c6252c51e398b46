//! Searches that look at one edge after the other, so that two of them can take turns and the shorter one decides.

use rustc_hash::FxHashSet;

use crate::incremental::IncrementalGraph;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// To what comes after.
    Forward,
    /// To what comes before.
    Backward,
}

/// A search in depth.
pub(super) struct Walk {
    direction: Direction,
    /// The vertices on the way, each with the number of its edges that were looked at.
    path: Vec<(u32, usize)>,
    pub(super) seen: FxHashSet<u32>,
}

/// What a search does next.
pub(super) enum Step {
    /// It looks at an edge (first and second end), and at the vertex on the other side, which it may enter.
    Edge((u32, u32), u32),
    /// It leaves a vertex.
    Back,
    /// It has seen everything.
    End,
}

impl Walk {
    pub(super) fn new(start: u32, direction: Direction) -> Walk {
        Walk { direction, path: vec![(start, 0)], seen: FxHashSet::from_iter([start]) }
    }

    pub(super) fn enter(&mut self, number: u32) {
        if self.seen.insert(number) {
            self.path.push((number, 0));
        }
    }

    pub(super) fn step(&mut self, graph: &IncrementalGraph) -> Step {
        let Some((number, looked_at)) = self.path.last_mut() else { return Step::End };
        let next = graph.vertex(*number).and_then(|vertex| match self.direction {
            Direction::Forward => vertex.successors.get(*looked_at).copied(),
            Direction::Backward => vertex.predecessors.get(*looked_at).map(|link| link.from),
        });
        *looked_at += 1;
        match (next, self.direction) {
            (Some(next), Direction::Forward) => Step::Edge((*number, next), next),
            (Some(next), Direction::Backward) => Step::Edge((next, *number), next),
            (None, _) => {
                self.path.pop();
                Step::Back
            }
        }
    }
}
