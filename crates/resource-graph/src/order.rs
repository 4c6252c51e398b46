//! Topological order, cycles, reachability. All iterative: a chain may be as long as memory allows.

use std::collections::VecDeque;

use crate::{ResourceGraph, ResourceId, VertexId};

/// A cycle as a path along its edges; the last resource has an edge to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Its vertices, starting at the one whose id sorts first.
    pub vertices: Vec<VertexId>,
    /// Their ids.
    pub path: Vec<ResourceId>,
}

impl std::fmt::Display for Cycle {
    /// `a -> b -> a`; of a very long cycle only its two ends.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const SHOWN: usize = 12;
        let (head, tail) = match self.path.len() {
            n if n > SHOWN => (&self.path[..SHOWN / 2], &self.path[n - SHOWN / 2..]),
            _ => (&self.path[..], &[][..]),
        };
        for id in head {
            write!(f, "{id} -> ")?;
        }
        if !tail.is_empty() {
            write!(f, "… {} more … -> ", self.path.len() - SHOWN)?;
        }
        for id in tail {
            write!(f, "{id} -> ")?;
        }
        match self.path.first() {
            Some(first) => write!(f, "{first}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Cycle {}

/// Returns the numbers below `count` in an order in which every edge (first, second) points forward: Kahn's algorithm,
/// first in, first out, so the order is reproducible. Numbers that one number makes ready come in ascending order.
///
/// # Errors
/// The numbers of one cycle, in the direction of its edges and from the smallest on; the same cycle for the same edges.
///
/// # Panics
/// If an edge connects a number that is not below `count`.
pub fn topological_order(count: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Result<Vec<u32>, Vec<u32>> {
    // Successors of `v`: targets[starts[v]..starts[v + 1]].
    let mut starts = vec![0u32; count + 1];
    let mut missing = vec![0u32; count];
    for (from, to) in edges.clone() {
        starts[from as usize + 1] += 1;
        missing[to as usize] += 1;
    }
    for i in 0..count {
        starts[i + 1] += starts[i];
    }
    let mut targets = vec![0u32; starts[count] as usize];
    let mut next = starts.clone();
    for (from, to) in edges.clone() {
        let slot = &mut next[from as usize];
        targets[*slot as usize] = to;
        *slot += 1;
    }
    let mut order: Vec<u32> = (0..count as u32).filter(|v| missing[*v as usize] == 0).collect();
    let mut done = 0;
    while let Some(&vertex) = order.get(done) {
        done += 1;
        let ready = order.len();
        for &to in &targets[starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize] {
            missing[to as usize] -= 1;
            if missing[to as usize] == 0 {
                order.push(to);
            }
        }
        order[ready..].sort_unstable();
    }
    if order.len() == count { Ok(order) } else { Err(find_cycle(&missing, edges)) }
}

/// Returns one cycle among the vertices that miss predecessors. Each of them has a predecessor that is one of them, so
/// walking backwards must meet a vertex again.
fn find_cycle(missing: &[u32], edges: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let is_blocked = |v: u32| missing[v as usize] > 0;
    let mut predecessor: Vec<Option<u32>> = vec![None; missing.len()];
    for (from, to) in edges.filter(|&(from, to)| is_blocked(from) && is_blocked(to)) {
        let known = &mut predecessor[to as usize];
        *known = Some(known.map_or(from, |known| known.min(from)));
    }
    let mut position: Vec<Option<usize>> = vec![None; missing.len()];
    let mut walk = Vec::new();
    let mut at = (0..missing.len() as u32).find(|v| is_blocked(*v));
    while let Some(vertex) = at {
        if let Some(start) = position[vertex as usize] {
            walk.drain(..start);
            break;
        }
        position[vertex as usize] = Some(walk.len());
        walk.push(vertex);
        at = predecessor[vertex as usize];
    }
    walk.reverse();
    let start = (0..walk.len()).min_by_key(|i| walk[*i]).unwrap_or(0);
    walk.rotate_left(start);
    walk
}

impl ResourceGraph {
    /// Returns the vertices in an order in which every edge points forward. Of vertices without an order between them, the
    /// one that was added first comes first.
    ///
    /// # Errors
    /// A cycle; the same one for the same graph.
    pub fn topological_order(&self) -> Result<Vec<VertexId>, Cycle> {
        let edges = self.edges().map(|edge| (edge.from.0, edge.to.0));
        match topological_order(self.len(), edges) {
            Ok(order) => Ok(order.into_iter().map(VertexId).collect()),
            Err(cycle) => Err(self.cycle(cycle.into_iter().map(VertexId).collect())),
        }
    }

    /// Returns the cycle with these vertices, rotated so that the one whose id sorts first comes first.
    #[must_use]
    pub fn cycle(&self, mut vertices: Vec<VertexId>) -> Cycle {
        let start = (0..vertices.len()).min_by_key(|i| &self.resource(vertices[*i]).id).unwrap_or(0);
        vertices.rotate_left(start);
        let path = vertices.iter().map(|v| self.resource(*v).id.clone()).collect();
        Cycle { vertices, path }
    }

    /// Returns a shortest path along edges, including both ends. A vertex reaches itself only by a cycle.
    #[must_use]
    pub fn path(&self, from: VertexId, to: VertexId) -> Option<Vec<VertexId>> {
        const NONE: u32 = u32::MAX;
        let mut came_from: Vec<u32> = vec![NONE; self.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(vertex) = queue.pop_front() {
            for successor in self.successors(vertex) {
                if came_from[successor.index()] != NONE {
                    continue;
                }
                came_from[successor.index()] = vertex.0;
                if successor == to {
                    let mut path = vec![to];
                    let mut at = vertex;
                    while at != from {
                        path.push(at);
                        at = VertexId(came_from[at.index()]);
                    }
                    path.push(from);
                    path.reverse();
                    return Some(path);
                }
                queue.push_back(successor);
            }
        }
        None
    }

    /// Whether edges lead from one vertex to the other; a vertex reaches itself.
    #[must_use]
    pub fn reaches(&self, from: VertexId, to: VertexId) -> bool {
        from == to || self.path(from, to).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resource, ResourceGraph};

    fn graph(vertices: &str, edges: &[&str]) -> ResourceGraph {
        let mut g = ResourceGraph::new();
        for name in vertices.split(' ') {
            g.add(Resource::new(ResourceId::new("noop", name)));
        }
        for edge in edges {
            let (from, to) = edge.split_once('>').unwrap();
            let (from, to) = (g.find("noop", from).unwrap(), g.find("noop", to).unwrap());
            g.order(from, to);
        }
        g
    }

    fn names(g: &ResourceGraph, vertices: &[VertexId]) -> String {
        vertices.iter().map(|v| g.resource(*v).id.name.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn order_follows_edges_and_then_the_order_of_adding() {
        let g = graph("a b c d e", &["d>a", "e>d", "c>b"]);
        assert_eq!(names(&g, &g.topological_order().unwrap()), "c e b d a");
    }

    #[test]
    fn a_cycle_is_told_as_a_path_from_its_first_name() {
        let g = graph("x c b a y", &["x>c", "c>a", "a>b", "b>c", "b>y"]);
        assert_eq!(g.topological_order().unwrap_err().to_string(), "noop[a] -> noop[b] -> noop[c] -> noop[a]");
    }

    #[test]
    fn an_edge_to_itself_is_a_cycle() {
        let g = graph("a b", &["b>b"]);
        assert_eq!(g.topological_order().unwrap_err().to_string(), "noop[b] -> noop[b]");
    }

    #[test]
    fn paths_are_shortest() {
        let g = graph("a b c d", &["a>b", "b>c", "c>d", "a>c"]);
        let at = |n| g.find("noop", n).unwrap();
        assert_eq!(names(&g, &g.path(at("a"), at("d")).unwrap()), "a c d");
        assert_eq!(g.path(at("d"), at("a")), None);
        assert_eq!(g.path(at("a"), at("a")), None);
        assert!(g.reaches(at("a"), at("a")));
    }

    #[test]
    fn a_very_long_chain_and_its_cycle() {
        let mut g = ResourceGraph::new();
        let vertices: Vec<VertexId> =
            (0..200_000).map(|i| g.add(Resource::new(ResourceId::new("noop", i.to_string())))).collect();
        for pair in vertices.windows(2) {
            g.order(pair[0], pair[1]);
        }
        assert_eq!(g.topological_order().unwrap(), vertices);
        assert!(g.reaches(vertices[0], vertices[199_999]));
        g.order(vertices[199_999], vertices[0]);
        let cycle = g.topological_order().unwrap_err();
        assert_eq!(cycle.path.len(), 200_000);
        assert!(cycle.to_string().contains("199988 more"), "{cycle}");
    }
}
