//! Cycles of a relationship graph (spec 07 §2.9), each shown as its shortest closed path with the reason of every edge.
//!
//! Automatic edges never close a cycle: those that would are omitted later, when all edges are known.

use std::collections::VecDeque;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::relationships::{Edge, Label, Reason, Relationships, VertexIndex};

/// Returns the strongly connected components that contain a cycle of edges that are not automatic. The members are sorted by
/// reference, and so are the components.
#[must_use]
pub fn find_cycles(graph: &Relationships) -> Vec<Vec<VertexIndex>> {
    // Kosaraju's algorithm is iterative in petgraph: a chain of any length does not overflow the stack.
    let mut directed: DiGraph<(), ()> = DiGraph::with_capacity(graph.vertices.len(), graph.expanded.len());
    for _ in &graph.vertices {
        directed.add_node(());
    }
    let mut has_loop = vec![false; graph.vertices.len()];
    for edge in declared(graph) {
        directed.add_edge(NodeIndex::new(edge.source), NodeIndex::new(edge.target), ());
        has_loop[edge.source] |= edge.source == edge.target;
    }
    let mut cycles: Vec<Vec<VertexIndex>> = kosaraju_scc(&directed)
        .into_iter()
        .filter(|members| members.len() > 1 || has_loop[members[0].index()])
        .map(|members| {
            let mut members: Vec<VertexIndex> = members.into_iter().map(NodeIndex::index).collect();
            members.sort_by_cached_key(|m| graph.name(*m));
            members
        })
        .collect();
    cycles.sort_by_cached_key(|members| graph.name(members[0]));
    cycles
}

fn declared(graph: &Relationships) -> impl Iterator<Item = &Edge<VertexIndex>> {
    graph.expanded.iter().filter(|edge| edge.label != Label::Automatic)
}

/// Returns the shortest closed path through the first member of a component, which is not repeated at the end.
#[must_use]
pub fn shortest_path(graph: &Relationships, members: &[VertexIndex]) -> Vec<VertexIndex> {
    let Some(&first) = members.first() else { return Vec::new() };
    let mut is_member = vec![false; graph.vertices.len()];
    for &member in members {
        is_member[member] = true;
    }
    let mut successors: Vec<Vec<VertexIndex>> = vec![Vec::new(); graph.vertices.len()];
    for edge in declared(graph).filter(|e| is_member[e.source] && is_member[e.target]) {
        successors[edge.source].push(edge.target);
    }
    let mut predecessor: Vec<Option<VertexIndex>> = vec![None; graph.vertices.len()];
    let mut queue = VecDeque::from([first]);
    while let Some(vertex) = queue.pop_front() {
        for &next in &successors[vertex] {
            if next == first {
                let mut path: Vec<VertexIndex> =
                    std::iter::successors(Some(vertex), |v| predecessor[*v].filter(|_| *v != first)).collect();
                path.reverse();
                return path;
            }
            if predecessor[next].is_none() {
                predecessor[next] = Some(vertex);
                queue.push_back(next);
            }
        }
    }
    vec![first]
}

/// Returns one diagnostic for each cycle, with the reason of every edge.
#[must_use]
pub fn cycle_errors(graph: &Relationships) -> Vec<Diagnostic> {
    let cycles = find_cycles(graph);
    if cycles.is_empty() {
        return Vec::new();
    }
    let mut reason_of: FxHashMap<(VertexIndex, VertexIndex), Reason> = FxHashMap::default();
    for edge in declared(graph) {
        reason_of.entry((edge.source, edge.target)).or_insert(edge.reason);
    }
    cycles
        .iter()
        .map(|members| {
            let path = shortest_path(graph, members);
            let mut message = format!("dependency cycle: {}", graph.describe(path[0]));
            let mut reasons = Vec::with_capacity(path.len());
            for (i, &source) in path.iter().enumerate() {
                let target = path[(i + 1) % path.len()];
                message.push_str(" -> ");
                message.push_str(&graph.describe(target));
                let reason = reason_of.get(&(source, target));
                let why = reason.map(|reason| graph.explain(*reason)).unwrap_or_default();
                reasons.push(format!("{} is before {}: {why}", graph.describe(source), graph.describe(target)));
            }
            Diagnostic::error(Code::P0106, Stage::Puppet, message)
                .help(format!("remove one of these edges:\n  {}", reasons.join("\n  ")))
        })
        .collect()
}
