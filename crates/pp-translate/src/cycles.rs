//! Cycles of a relationship graph (spec 07 §2.9): Tarjan's algorithm without recursion, and the shortest closed path of
//! each component, with the reason of every hop.

use std::collections::VecDeque;

use mcl_diagnostics::{Code, Diagnostic, Stage};

use crate::relationships::{Relationships, VertexIndex};

/// The strongly connected components that hold a cycle. Members are sorted by reference, and so are the components.
#[must_use]
pub fn find_cycles(graph: &Relationships) -> Vec<Vec<VertexIndex>> {
    let n = graph.vertices.len();
    let mut out: Vec<Vec<VertexIndex>> = vec![Vec::new(); n];
    let mut own_loop = vec![false; n];
    for edge in &graph.expanded {
        out[edge.source].push(edge.target);
        own_loop[edge.source] |= edge.source == edge.target;
    }
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; n];
    let mut low = vec![0usize; n];
    let mut on_stack = vec![false; n];
    let (mut stack, mut counter) = (Vec::new(), 0usize);
    let mut cycles = Vec::new();
    for root in 0..n {
        if index[root] != UNSEEN {
            continue;
        }
        // A frame is a vertex and how many of its neighbours were looked at.
        let mut frames = vec![(root, 0usize)];
        while let Some(&mut (vertex, ref mut next)) = frames.last_mut() {
            if *next == 0 && index[vertex] == UNSEEN {
                (index[vertex], low[vertex]) = (counter, counter);
                counter += 1;
                stack.push(vertex);
                on_stack[vertex] = true;
            }
            if let Some(&neighbour) = out[vertex].get(*next) {
                *next += 1;
                if index[neighbour] == UNSEEN {
                    frames.push((neighbour, 0));
                } else if on_stack[neighbour] {
                    low[vertex] = low[vertex].min(index[neighbour]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(parent, _)) = frames.last() {
                low[parent] = low[parent].min(low[vertex]);
            }
            if low[vertex] == index[vertex] {
                let mut members = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    members.push(member);
                    if member == vertex {
                        break;
                    }
                }
                if members.len() > 1 || own_loop[vertex] {
                    members.sort_by_cached_key(|m| graph.name(*m));
                    cycles.push(members);
                }
            }
        }
    }
    cycles.sort_by_cached_key(|members| graph.name(members[0]));
    cycles
}

/// The shortest closed path through the first member of a component: the member first, not repeated at the end.
#[must_use]
pub fn shortest_path(graph: &Relationships, members: &[VertexIndex]) -> Vec<VertexIndex> {
    let Some(&first) = members.first() else { return Vec::new() };
    let mut inside = vec![false; graph.vertices.len()];
    for &member in members {
        inside[member] = true;
    }
    let mut out: Vec<Vec<VertexIndex>> = vec![Vec::new(); graph.vertices.len()];
    for edge in graph.expanded.iter().filter(|e| inside[e.source] && inside[e.target]) {
        out[edge.source].push(edge.target);
    }
    let mut came_from = vec![usize::MAX; graph.vertices.len()];
    let mut todo = VecDeque::from([first]);
    while let Some(vertex) = todo.pop_front() {
        for &next in &out[vertex] {
            if next == first {
                let mut path = vec![vertex];
                while let Some(&last) = path.last().filter(|v| **v != first) {
                    path.push(came_from[last]);
                }
                path.reverse();
                return path;
            }
            if came_from[next] == usize::MAX {
                came_from[next] = vertex;
                todo.push_back(next);
            }
        }
    }
    vec![first]
}

/// One diagnostic for each cycle: every hop with the reason of its edge.
#[must_use]
pub fn cycle_errors(graph: &Relationships) -> Vec<Diagnostic> {
    find_cycles(graph)
        .iter()
        .map(|members| {
            let path = shortest_path(graph, members);
            let mut text = format!("the resources depend on each other in a cycle: {}", graph.describe(path[0]));
            let mut hops = Vec::with_capacity(path.len());
            for (i, &source) in path.iter().enumerate() {
                let target = path[(i + 1) % path.len()];
                text.push_str(" -> ");
                text.push_str(&graph.describe(target));
                let edge = graph.expanded.iter().find(|e| e.source == source && e.target == target);
                let why = edge.map(|e| graph.explain(e.reason)).unwrap_or_default();
                hops.push(format!("{} comes before {}: {why}", graph.describe(source), graph.describe(target)));
            }
            Diagnostic::error(Code::P0106, Stage::Puppet, text)
                .help(format!("remove one of these:\n  {}", hops.join("\n  ")))
        })
        .collect()
}
