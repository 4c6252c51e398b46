//! The graph algorithms against naive versions, on random graphs.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::{
    AutoEdgeHost, Edge, EdgeRanks, Params, Resource, ResourceGraph, ResourceId, VertexId, add_autoedges, autogroup,
    file_path,
};

/// Edges between `n` vertices, mostly forward.
fn edges(n: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0..n, 0..n), 0..2 * n)
}

fn graph(resources: Vec<Resource>, edges: impl IntoIterator<Item = (usize, usize)>) -> ResourceGraph {
    let mut g = ResourceGraph::new();
    for r in resources {
        g.add(r);
    }
    for (from, to) in edges {
        g.order(VertexId(from as u32), VertexId(to as u32));
    }
    g
}

fn noops(n: usize) -> Vec<Resource> {
    (0..n).map(|i| Resource::new(ResourceId::new("noop", format!("n{}", (i * 7) % n)))).collect()
}

/// Which vertices each vertex reaches by at least one edge, by Warshall's algorithm.
fn closure(n: usize, edges: &[Edge]) -> Vec<Vec<bool>> {
    let mut reaches = vec![vec![false; n]; n];
    for e in edges {
        reaches[e.from.index()][e.to.index()] = true;
    }
    for k in 0..n {
        let through = reaches[k].clone();
        for row in &mut reaches {
            if row[k] {
                row.iter_mut().zip(&through).for_each(|(to, via)| *to |= via);
            }
        }
    }
    reaches
}

proptest! {
    #[test]
    fn an_order_or_a_real_cycle(edges in edges(12)) {
        let g = graph(noops(12), edges);
        let all: Vec<Edge> = g.edges().collect();
        match g.topological_order() {
            Ok(order) => {
                let at = |v: VertexId| order.iter().position(|o| *o == v).unwrap();
                prop_assert_eq!(order.len(), 12);
                prop_assert!(all.iter().all(|e| at(e.from) < at(e.to)));
            }
            Err(cycle) => {
                let mut next = cycle.vertices.clone();
                next.rotate_left(1);
                for (from, to) in cycle.vertices.iter().zip(next) {
                    prop_assert!(g.edge_between(*from, to).is_some());
                }
                let distinct: BTreeSet<_> = cycle.vertices.iter().collect();
                prop_assert_eq!(distinct.len(), cycle.vertices.len());
            }
        }
    }

    #[test]
    fn reachability_is_that_of_the_closure(edges in edges(9)) {
        let g = graph(noops(9), edges);
        let all: Vec<Edge> = g.edges().collect();
        let closure = closure(9, &all);
        for a in g.vertices() {
            for b in g.vertices() {
                prop_assert_eq!(g.reaches(a, b), a == b || closure[a.index()][b.index()]);
                if let Some(path) = g.path(a, b) {
                    prop_assert!(path.len() >= 2 && path[0] == a && *path.last().unwrap() == b);
                    prop_assert!(path.windows(2).all(|w| g.edge_between(w[0], w[1]).is_some()));
                }
            }
        }
    }

    #[test]
    fn each_omitted_edge_closes_a_cycle_with_those_kept_before_it(
        declared in edges(8),
        automatic in edges(8),
        (rules, host) in (0..20_usize, 0..20_usize),
    ) {
        // The declared edges have no cycle.
        let mut g = graph(noops(8), declared.into_iter().filter(|(a, b)| a < b));
        for (from, to) in automatic {
            g.add_edge(Edge { from: VertexId(from as u32), to: VertexId(to as u32), notify: false, autoedge: true });
        }
        let all: Vec<Edge> = g.edges().collect();
        let rank = |index: usize| usize::from(index >= rules) + usize::from(index >= host);
        let name = |v: VertexId| g.resource(v).id.name.to_string();
        let mut candidates: Vec<(usize, Edge)> = all.iter().copied().enumerate().filter(|(_, e)| e.autoedge).collect();
        candidates.sort_by_key(|(index, e)| (rank(*index), name(e.from), name(e.to)));
        let mut kept: Vec<Edge> = all.iter().copied().filter(|e| !e.autoedge).collect();
        let mut expected = BTreeSet::new();
        for (_, edge) in candidates {
            if edge.from == edge.to || closure(8, &kept)[edge.to.index()][edge.from.index()] {
                expected.insert((edge.from, edge.to));
            } else {
                kept.push(edge);
            }
        }
        g.omit_contradictions(EdgeRanks { rules, host }).unwrap();
        prop_assert_eq!(g.omitted().iter().map(|e| (e.from, e.to)).collect::<BTreeSet<_>>(), expected);
        prop_assert_eq!(g.edge_count() + g.omitted().len(), all.len());
        prop_assert!(g.topological_order().is_ok());
        for edge in &kept {
            prop_assert_eq!(g.edge_between(edge.from, edge.to), Some(*edge));
        }
    }

    #[test]
    fn files_find_their_nearest_directory(paths in prop::collection::vec("(/[ab]){1,4}/?", 0..12)) {
        let paths: Vec<String> = paths.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let resources = paths.iter().map(|p| Resource::new(ResourceId::new("file", p.as_str()))).collect();
        let mut g = graph(resources, []);
        add_autoedges(&mut g, &AutoEdgeHost::default()).unwrap();
        let mut found: BTreeSet<(String, String)> = BTreeSet::new();
        for e in g.edges() {
            found.insert((g.resource(e.from).id.name.to_string(), g.resource(e.to).id.name.to_string()));
        }
        let mut expected = BTreeSet::new();
        for path in &paths {
            let nearest = paths
                .iter()
                .filter(|d| d.ends_with('/') && *d != path && path.starts_with(d.as_str()))
                .max_by_key(|d| d.len());
            expected.extend(nearest.map(|d| (d.clone(), path.clone())));
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn groups_are_independent_and_keep_the_graph_acyclic(edges in edges(14)) {
        // Forward edges only: the graph is acyclic.
        let forward = edges.into_iter().filter(|(a, b)| a < b);
        let g = graph(noops(14), forward);
        let groups = autogroup(&g);
        let all: Vec<Edge> = g.edges().collect();
        let closure = closure(14, &all);
        for leader in groups.leaders() {
            let members = groups.members(leader);
            for a in &members {
                prop_assert_eq!(groups.leader(*a), leader);
                for b in &members {
                    prop_assert!(!closure[a.index()][b.index()]);
                }
            }
        }
        let mut contracted = graph(noops(14), []);
        for e in groups.edges() {
            contracted.add_edge(*e);
        }
        prop_assert!(contracted.topological_order().is_ok());
        // Greedy grouping is maximal: no two leaders could still become one.
        let merged: Vec<Edge> = groups.edges().to_vec();
        let merged = self::closure(14, &merged);
        let leaders: Vec<VertexId> = groups.leaders().collect();
        for a in &leaders {
            for b in &leaders {
                let apart = merged[a.index()][b.index()] || merged[b.index()][a.index()];
                prop_assert!(a == b || apart, "{a:?} and {b:?} could be one");
            }
        }
    }

    #[test]
    fn a_path_is_what_its_parts_say(name in "/[a-c/]{0,6}", dirname in "(/[a-c]{1,2}){0,2}/", basename in "[a-c]{1,3}/?") {
        let plain = Resource::new(ResourceId::new("file", name.as_str()));
        let split = plain.clone().with("dirname", dirname.as_str()).with("basename", basename.as_str());
        let path = |r: &Resource| file_path(&Params::of(r).unwrap()).into_owned();
        prop_assert_eq!(path(&plain), name);
        prop_assert_eq!(path(&split), format!("{dirname}{basename}"));
    }
}
