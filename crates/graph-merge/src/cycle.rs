//! Cycles that only the merge makes: each side is acyclic by itself, so every cycle crosses a hand-over point.

use std::collections::VecDeque;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use resource_graph::ResourceGraph;

use crate::handover::origin;

/// One error for each strongly connected component, with its shortest path through the first member.
pub(crate) fn cycles(graph: &ResourceGraph) -> Vec<Diagnostic> {
    if is_acyclic(graph) {
        return Vec::new();
    }
    let edges = graph.edges.iter().map(|e| (e.from.0, e.to.0));
    let mut shape: DiGraph<(), (), u32> = DiGraph::with_capacity(graph.resources.len(), graph.edges.len());
    for _ in &graph.resources {
        shape.add_node(());
    }
    shape.extend_with_edges(edges);
    let own_loop = |v: u32| graph.edges.iter().any(|e| e.from.0 == v && e.to.0 == v);
    let mut components: Vec<Vec<u32>> = tarjan_scc(&shape)
        .into_iter()
        .map(|members| members.into_iter().map(|m| m.index() as u32).collect::<Vec<_>>())
        .filter(|members| members.len() > 1 || own_loop(members[0]))
        .collect();
    for members in &mut components {
        members.sort_unstable();
    }
    components.sort_unstable();
    components.iter().map(|members| report(graph, &shortest(graph, members))).collect()
}

/// Kahn's algorithm: cheap, and the usual answer.
fn is_acyclic(graph: &ResourceGraph) -> bool {
    let n = graph.resources.len();
    let mut blockers = vec![0u32; n];
    let mut first = vec![0u32; n + 1];
    for edge in &graph.edges {
        blockers[edge.to.0 as usize] += 1;
        first[edge.from.0 as usize + 1] += 1;
    }
    for i in 0..n {
        first[i + 1] += first[i];
    }
    let mut targets = vec![0u32; graph.edges.len()];
    let mut fill = first.clone();
    for edge in &graph.edges {
        let at = &mut fill[edge.from.0 as usize];
        targets[*at as usize] = edge.to.0;
        *at += 1;
    }
    let mut ready: Vec<u32> = (0..n as u32).filter(|v| blockers[*v as usize] == 0).collect();
    let mut done = 0;
    while let Some(vertex) = ready.pop() {
        done += 1;
        for &next in &targets[first[vertex as usize] as usize..first[vertex as usize + 1] as usize] {
            blockers[next as usize] -= 1;
            if blockers[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    done == n
}

/// The shortest closed path through the first member, which is not repeated at the end.
fn shortest(graph: &ResourceGraph, members: &[u32]) -> Vec<u32> {
    let inside = |v: u32| members.binary_search(&v).is_ok();
    let mut out: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
    for edge in graph.edges.iter().filter(|e| inside(e.from.0) && inside(e.to.0)) {
        out.entry(edge.from.0).or_default().push(edge.to.0);
    }
    let first = members[0];
    let mut came_from: rustc_hash::FxHashMap<u32, u32> = rustc_hash::FxHashMap::default();
    let mut todo = VecDeque::from([first]);
    while let Some(vertex) = todo.pop_front() {
        for &next in out.get(&vertex).map(Vec::as_slice).unwrap_or_default() {
            if next == first {
                let mut path = vec![vertex];
                while let Some(&before) = path.last().and_then(|v| came_from.get(v)) {
                    path.push(before);
                }
                path.reverse();
                return path;
            }
            if next != first && !came_from.contains_key(&next) {
                came_from.insert(next, vertex);
                todo.push_back(next);
            }
        }
    }
    vec![first]
}

fn report(graph: &ResourceGraph, path: &[u32]) -> Diagnostic {
    let resource = |v: u32| &graph.resources[v as usize];
    let mut text = String::from("the two graphs together depend on each other in a cycle: ");
    for v in path {
        text.push_str(&resource(*v).id.to_string());
        text.push_str(" -> ");
    }
    text.push_str(&resource(path[0]).id.to_string());
    let sides = path.iter().map(|v| {
        let resource = resource(*v);
        let side = if resource.span.is_some() {
            "declared in mcl".to_owned()
        } else {
            format!("from Puppet{}", origin(resource))
        };
        format!("{}: {side}", resource.id)
    });
    let mut diagnostic = Diagnostic::error(Code::M0107, Stage::Merge, text)
        .help(format!("remove an edge of one side:\n  {}", sides.collect::<Vec<_>>().join("\n  ")));
    let mut spans = path.iter().filter_map(|v| Some((resource(*v).span?, resource(*v).id.to_string())));
    if let Some((span, id)) = spans.next() {
        diagnostic = diagnostic.at_with(span, id);
    }
    for (span, id) in spans {
        diagnostic = diagnostic.label(span, id);
    }
    diagnostic
}
