//! Properties of all merges: no vertex or edge is lost or added, and the merge of two acyclic graphs whose orders agree is
//! acyclic.

use std::collections::BTreeSet;

use graph_merge::{MergeOptions, merge};
use proptest::prelude::*;
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId, VertexId};

fn vertex(name: String) -> Resource {
    Resource::new(ResourceId::new("noop", name))
}

/// Two graphs with edges only from lower to higher ranks. Merge point `k` has rank `k` on both sides, so no cycle can arise.
#[derive(Debug, Clone)]
struct Sides {
    mcl: ResourceGraph,
    puppet: ResourceGraph,
}

/// Creates one side as a list of ranked slots: plain vertices between merge points.
fn side(points: usize, plain: usize, edges: &[(usize, usize, bool)], mcl: bool) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    // Entry and exit vertex of each slot, in rank order.
    let mut slots: Vec<(VertexId, VertexId)> = Vec::new();
    let push = |graph: &mut ResourceGraph, name: String| graph.add(vertex(name));
    for point in 0..points {
        for k in 0..plain {
            let v = push(&mut graph, format!("{}-{point}-{k}", if mcl { "m" } else { "p" }));
            slots.push((v, v));
        }
        if mcl {
            let v = push(&mut graph, format!("puppet_h{point}"));
            slots.push((v, v));
        } else {
            let start = push(&mut graph, format!("admissible_Class[Mgmt_h{point}]"));
            let end = push(&mut graph, format!("completed_Class[Mgmt_h{point}]"));
            graph.order(start, end);
            slots.push((start, end));
        }
    }
    for &(a, b, notify) in edges {
        let (a, b) = (a % slots.len(), b % slots.len());
        if a == b {
            continue;
        }
        let (from, to) = (slots[a.min(b)].1, slots[a.max(b)].0);
        graph.add_edge(Edge { from, to, notify, autoedge: false });
    }
    graph
}

fn sides() -> impl Strategy<Value = Sides> {
    let edges = || proptest::collection::vec((0usize..40, 0usize..40, any::<bool>()), 0..40);
    (1usize..6, 0usize..4, 0usize..4, edges(), edges()).prop_map(|(points, m, p, me, pe)| Sides {
        mcl: side(points, m, &me, true),
        puppet: side(points, p, &pe, false),
    })
}

/// The vertices, the edges, and the notifying edges.
type Shape = (BTreeSet<String>, BTreeSet<(String, String)>, BTreeSet<(String, String)>);

/// Returns the name of a vertex after the merge.
fn merged_name(name: &str) -> String {
    let class = |n: &str| n.strip_suffix(']').map(str::to_owned);
    name.strip_prefix("puppet_")
        .map(str::to_owned)
        .or_else(|| name.strip_prefix("admissible_Class[Mgmt_").and_then(class))
        .or_else(|| name.strip_prefix("completed_Class[Mgmt_").and_then(class))
        .unwrap_or_else(|| name.to_owned())
}

fn expected(sides: &Sides) -> Shape {
    let (mut vertices, mut edges, mut notify) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for graph in [&sides.mcl, &sides.puppet] {
        vertices.extend(graph.resources().map(|(_, r)| merged_name(&r.id.name)));
        for edge in graph.edges() {
            let name = |v: VertexId| merged_name(&graph.resource(v).id.name);
            let pair = (name(edge.from), name(edge.to));
            if pair.0 != pair.1 {
                if edge.notify {
                    notify.insert(pair.clone());
                }
                edges.insert(pair);
            }
        }
    }
    (vertices, edges, notify)
}

fn shape(graph: &ResourceGraph) -> Shape {
    let name = |v: VertexId| graph.resource(v).id.name.to_string();
    let pair = |e: Edge| (name(e.from), name(e.to));
    (
        graph.resources().map(|(_, r)| r.id.name.to_string()).collect(),
        graph.edges().map(pair).collect(),
        graph.edges().filter(|e| e.notify).map(pair).collect(),
    )
}

fn reversed(graph: &ResourceGraph) -> ResourceGraph {
    let mut out = ResourceGraph::new();
    let turned: Vec<VertexId> = graph.vertices().rev().map(|v| out.add(graph.resource(v).clone())).collect();
    let turn = |v: VertexId| turned[graph.len() - 1 - v.index()];
    for edge in graph.edges().collect::<Vec<_>>().into_iter().rev() {
        out.add_edge(Edge { from: turn(edge.from), to: turn(edge.to), ..edge });
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_vertex_or_edge_is_lost_or_added(sides in sides()) {
        let merged = merge(&sides.mcl, &sides.puppet, &MergeOptions::default()).expect("the orders agree");
        let shape_of = shape(&merged.graph);
        prop_assert_eq!(shape_of.0.len(), merged.graph.len());
        prop_assert_eq!(shape_of.1.len(), merged.graph.edge_count());
        prop_assert_eq!(shape_of, expected(&sides));
    }

    #[test]
    fn the_order_of_the_inputs_is_irrelevant(sides in sides()) {
        let straight = merge(&sides.mcl, &sides.puppet, &MergeOptions::default()).expect("merges");
        let turned = merge(&reversed(&sides.mcl), &reversed(&sides.puppet), &MergeOptions::default()).expect("merges");
        prop_assert_eq!(shape(&straight.graph), shape(&turned.graph));
    }
}
