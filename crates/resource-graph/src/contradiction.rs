//! Omitting automatic edges that contradict the declared order (spec 06 §4.1).
//!
//! Declared edges and send/recv pairs always hold. An automatic edge is a guess about what a resource needs, so it never
//! closes a cycle: where a path leads the other way, the edge is omitted, as Puppet's agent omits an autorequire. If only
//! several automatic edges together contradict the declared ones, they are considered one after the other, and each is
//! kept unless it closes a cycle with the declared edges and those kept before it. Their order depends on nothing but the
//! graph: first the [rank](EdgeRanks), then the ids of both ends.
//!
//! Nearly every graph has no such contradiction, and one topological sort shows that. Otherwise only the edges inside
//! strongly connected components are considered. The edges that start at one resource share one search of its ancestors,
//! which adding such an edge does not change.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashSet;

use crate::{Cycle, Edge, ResourceGraph, VertexId, topological_order};

/// Which automatic edges of a graph are kept in preference to others: the numbers of the first edge of the second and
/// third rank, in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRanks {
    /// The first edge that the rules of our kinds add. Those before it were in the graph, such as Puppet's.
    pub(crate) rules: usize,
    /// The first edge that depends on what is installed on the host.
    pub(crate) host: usize,
}

impl EdgeRanks {
    /// All edges of a graph have the same rank.
    pub const EQUAL: EdgeRanks = EdgeRanks { rules: usize::MAX, host: usize::MAX };

    fn rank(self, index: usize) -> u8 {
        u8::from(index >= self.rules) + u8::from(index >= self.host)
    }
}

impl ResourceGraph {
    /// Returns a cycle of declared edges and send/recv pairs, which automatic edges have no part in.
    ///
    /// # Errors
    /// The cycle.
    pub fn check_declared_order(&self) -> Result<(), Cycle> {
        let declared = self.edges().filter(|edge| !edge.autoedge).map(|edge| (edge.from.0, edge.to.0));
        match topological_order(self.len(), declared.chain(self.flows())) {
            Ok(_) => Ok(()),
            Err(cycle) => Err(self.cycle(cycle.into_iter().map(VertexId).collect())),
        }
    }

    /// Moves every automatic edge that contradicts the declared order to [`ResourceGraph::omitted`].
    ///
    /// # Errors
    /// A cycle without an automatic edge.
    pub fn omit_contradictions(&mut self, ranks: EdgeRanks) -> Result<(), Cycle> {
        self.check_declared_order()?;
        let omitted = contradictions(self, ranks);
        self.omit(&omitted);
        Ok(())
    }

    fn flows(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.sendrecv().iter().map(|flow| (flow.from.vertex.0, flow.to.vertex.0))
    }
}

/// Returns the automatic edges to omit. Without them there is no cycle if the declared edges have none.
fn contradictions(graph: &ResourceGraph, ranks: EdgeRanks) -> FxHashSet<(VertexId, VertexId)> {
    let component = components(graph);
    let is_inside = |from: VertexId, to: VertexId| component[from.index()] == component[to.index()];
    let mut predecessors: Vec<Vec<VertexId>> = vec![Vec::new(); graph.len()];
    let mut candidates: Vec<(u8, Edge)> = Vec::new();
    for (index, edge) in graph.edges().enumerate().filter(|(_, edge)| is_inside(edge.from, edge.to)) {
        if edge.autoedge {
            candidates.push((ranks.rank(index), edge));
        } else {
            predecessors[edge.to.index()].push(edge.from);
        }
    }
    for (from, to) in graph.flows().map(|(from, to)| (VertexId(from), VertexId(to))) {
        if is_inside(from, to) {
            predecessors[to.index()].push(from);
        }
    }
    let id = |vertex: VertexId| &graph.resource(vertex).id;
    candidates.sort_by(|(a_rank, a), (b_rank, b)| {
        let key = |rank: u8, edge: &Edge| (rank, id(edge.from), edge.from, id(edge.to), edge.to);
        key(*a_rank, a).cmp(&key(*b_rank, b))
    });
    let mut omitted = FxHashSet::default();
    let mut search = AncestorSearch::new(graph.len());
    let mut last: Option<VertexId> = None;
    for (_, edge) in candidates {
        if last != Some(edge.from) {
            search.start(edge.from, &predecessors);
            last = Some(edge.from);
        }
        if search.found(edge.to) {
            omitted.insert((edge.from, edge.to));
        } else {
            predecessors[edge.to.index()].push(edge.from);
        }
    }
    omitted
}

/// Returns the number of the strongly connected component of each vertex.
fn components(graph: &ResourceGraph) -> Vec<u32> {
    let edges = graph.edges().map(|edge| (edge.from.0, edge.to.0)).chain(graph.flows());
    let mut plain: DiGraph<(), ()> = DiGraph::from_edges(edges);
    while plain.node_count() < graph.len() {
        plain.add_node(());
    }
    let mut component = vec![0; graph.len()];
    for (number, members) in kosaraju_scc(&plain).into_iter().enumerate() {
        for member in members {
            component[NodeIndex::index(member)] = number as u32;
        }
    }
    component
}

/// Searches the ancestors of one vertex after the other.
struct AncestorSearch {
    /// The number of the last search that found each vertex.
    found_by: Vec<u32>,
    search: u32,
    todo: Vec<VertexId>,
}

impl AncestorSearch {
    fn new(count: usize) -> AncestorSearch {
        AncestorSearch { found_by: vec![0; count], search: 0, todo: Vec::new() }
    }

    /// Searches the ancestors of a vertex, which is one of its own.
    fn start(&mut self, from: VertexId, predecessors: &[Vec<VertexId>]) {
        self.search += 1;
        self.visit(from);
        while let Some(vertex) = self.todo.pop() {
            predecessors[vertex.index()].iter().for_each(|other| self.visit(*other));
        }
    }

    fn visit(&mut self, vertex: VertexId) {
        if std::mem::replace(&mut self.found_by[vertex.index()], self.search) != self.search {
            self.todo.push(vertex);
        }
    }

    /// Whether the last search found the vertex.
    fn found(&self, vertex: VertexId) -> bool {
        self.found_by[vertex.index()] == self.search
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Endpoint, Resource, ResourceId, SendRecv};

    /// A graph from edges like `a>b` (declared) and `a~b` (automatic).
    fn graph(edges: &[&str]) -> ResourceGraph {
        let mut graph = ResourceGraph::new();
        for edge in edges {
            let (from, to) = edge.split_once(['>', '~']).expect("two names");
            let [from, to] = [from, to].map(|name| {
                let known = graph.find("noop", name);
                known.unwrap_or_else(|| graph.add(Resource::new(ResourceId::new("noop", name))))
            });
            graph.add_edge(Edge { from, to, notify: false, autoedge: edge.contains('~') });
        }
        graph
    }

    fn omitted(graph: &ResourceGraph) -> Vec<String> {
        let name = |v: VertexId| graph.resource(v).id.name.to_string();
        graph.omitted().iter().map(|edge| format!("{}~{}", name(edge.from), name(edge.to))).collect()
    }

    #[track_caller]
    fn check(edges: &[&str], expected: &[&str]) {
        let mut g = graph(edges);
        g.omit_contradictions(EdgeRanks::EQUAL).expect("the declared edges have no cycle");
        assert_eq!(omitted(&g), expected);
        assert!(g.topological_order().is_ok());
        assert_eq!(g.edge_count() + expected.len(), edges.len());
        // The order of insertion has no influence.
        let mut reversed: Vec<&str> = edges.to_vec();
        reversed.reverse();
        let mut g = graph(&reversed);
        g.omit_contradictions(EdgeRanks::EQUAL).expect("as above");
        let mut names = omitted(&g);
        names.sort();
        assert_eq!(names, expected);
    }

    #[test]
    fn an_automatic_edge_gives_way_to_a_declared_path() {
        check(&["d~f", "f>x", "x>d", "d~g"], &["d~f"]);
    }

    #[test]
    fn of_two_that_contradict_each_other_the_first_by_id_is_kept() {
        check(&["a~b", "b>c", "c~d", "d>a"], &["c~d"]);
        check(&["c~a", "a~b", "b~c"], &["c~a"]);
    }

    #[test]
    fn a_lower_rank_is_kept_whatever_the_ids() {
        let mut g = graph(&["z~y", "y>x", "a~z", "x>a"]);
        g.omit_contradictions(EdgeRanks { rules: 1, host: usize::MAX }).expect("acyclic");
        assert_eq!(omitted(&g), ["a~z"]);
        let mut g = graph(&["z~y", "y>x", "a~z", "x>a"]);
        g.omit_contradictions(EdgeRanks { rules: 0, host: 1 }).expect("acyclic");
        assert_eq!(omitted(&g), ["a~z"]);
    }

    #[test]
    fn a_value_is_sent_in_the_declared_direction() {
        let mut g = graph(&["a~b"]);
        let end = |vertex, key: &str| Endpoint { vertex, key: key.into() };
        assert!(g.record_flow(SendRecv { from: end(VertexId(1), "x"), to: end(VertexId(0), "y") }));
        g.omit_contradictions(EdgeRanks::EQUAL).expect("acyclic");
        assert_eq!(omitted(&g), ["a~b"]);
    }

    #[test]
    fn a_declared_cycle_is_an_error_and_omits_nothing() {
        let mut g = graph(&["a>b", "b>a", "a~c", "c>a"]);
        let cycle = g.omit_contradictions(EdgeRanks::EQUAL).expect_err("a cycle");
        assert_eq!(cycle.to_string(), "noop[a] -> noop[b] -> noop[a]");
        assert_eq!((g.omitted().len(), g.edge_count()), (0, 4));
    }

    #[test]
    fn a_long_chain_before_its_directory_is_searched_once() {
        const COUNT: u32 = 100_000;
        let mut g = ResourceGraph::new();
        let vertices: Vec<VertexId> =
            (0..COUNT).map(|i| g.add(Resource::new(ResourceId::new("noop", format!("{i:06}"))))).collect();
        let last = vertices[vertices.len() - 1];
        for pair in vertices.windows(2) {
            g.order(pair[0], pair[1]);
        }
        for vertex in &vertices[..vertices.len() - 1] {
            g.add_edge(Edge { from: last, to: *vertex, notify: false, autoedge: true });
        }
        g.omit_contradictions(EdgeRanks::EQUAL).expect("acyclic");
        assert_eq!(g.omitted().len(), vertices.len() - 1);
    }
}
