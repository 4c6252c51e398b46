//! Topological order, cycles, reachability. All iterative: a chain may be as long as memory allows.

use std::collections::VecDeque;

use crate::{ResourceGraph, ResourceId, VertexId};

/// A cycle of edges, told as a path: the last resource has an edge to the first.
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

impl ResourceGraph {
    /// The vertices in an order in which every edge points forward. Among vertices that are free to go, the one that was
    /// added first comes first.
    ///
    /// # Errors
    /// A cycle; the same one for the same graph.
    pub fn topological_order(&self) -> Result<Vec<VertexId>, Cycle> {
        let mut missing: Vec<u32> = vec![0; self.len()];
        for edge in self.edges() {
            missing[edge.to.index()] += 1;
        }
        let mut order: Vec<VertexId> = self.vertices().filter(|v| missing[v.index()] == 0).collect();
        let mut next = 0;
        let mut freed = Vec::new();
        while let Some(&vertex) = order.get(next) {
            next += 1;
            for successor in self.successors(vertex) {
                missing[successor.index()] -= 1;
                if missing[successor.index()] == 0 {
                    freed.push(successor);
                }
            }
            freed.sort_unstable();
            order.append(&mut freed);
        }
        if order.len() == self.len() { Ok(order) } else { Err(self.some_cycle(&missing)) }
    }

    /// Every vertex that still misses a predecessor has one that misses one too, so walking back must come round.
    fn some_cycle(&self, missing: &[u32]) -> Cycle {
        let blocked = |v: &VertexId| missing[v.index()] > 0;
        let mut vertex = self.vertices().filter(blocked).min_by_key(|v| &self.resource(*v).id).unwrap_or(VertexId(0));
        let mut seen_at: Vec<u32> = vec![u32::MAX; self.len()];
        let mut walk = Vec::new();
        while seen_at[vertex.index()] == u32::MAX {
            seen_at[vertex.index()] = walk.len() as u32;
            walk.push(vertex);
            vertex = self.predecessors(vertex).filter(blocked).min().unwrap_or(vertex);
        }
        let mut vertices = walk.split_off(seen_at[vertex.index()] as usize);
        vertices.reverse();
        let start = (0..vertices.len()).min_by_key(|i| &self.resource(vertices[*i]).id).unwrap_or(0);
        vertices.rotate_left(start);
        let path = vertices.iter().map(|v| self.resource(*v).id.clone()).collect();
        Cycle { vertices, path }
    }

    /// A shortest path along edges, both ends included; none if there is no way. A vertex reaches itself only by a cycle.
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
