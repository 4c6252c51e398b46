//! Joining two graphs at their hand-over points (spec 07 §4.4, with the behaviour proposed in spec 07 §4.5).

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Cycle, Edge, Resource, ResourceGraph, VertexId, difference};
use rustc_hash::FxHashMap;

use crate::handover::{Handover, Pair, origin, pair};

/// What becomes of a hand-over point without a partner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmatched {
    /// The merge fails.
    #[default]
    Error,
    /// A warning: the noop keeps its own name, the class keeps its start and end.
    Warn,
    /// The same, in silence.
    Ignore,
}

/// How to merge.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What becomes of hand-over points without a partner.
    pub unmatched: Unmatched,
}

/// A merged graph.
#[derive(Clone, Debug)]
pub struct Merged {
    /// All resources of mcl in their order, then those of Puppet in theirs, without the starts and ends of hand-over classes.
    pub graph: ResourceGraph,
    /// Things to know.
    pub warnings: Vec<Diagnostic>,
}

/// Merges. Near-linear in the size of both graphs.
///
/// # Errors
/// Every hand-over point without a partner or with contents, every resource that both sides declare differently, and
/// every cycle that arises (M-diagnostics of the stage `merge`).
pub fn merge(mcl: &ResourceGraph, puppet: &ResourceGraph, options: &Options) -> Result<Merged, Vec<Diagnostic>> {
    let Handover { pairs, mut errors, mut warnings } = pair(mcl, puppet, options);
    let points: FxHashMap<VertexId, &Pair> = pairs.iter().map(|p| (p.mcl, p)).collect();
    let mut graph = ResourceGraph::new();
    graph.reserve(mcl.len() + puppet.len(), mcl.edge_count() + puppet.edge_count());
    for vertex in mcl.vertices() {
        let mut resource = mcl.shared_resource(vertex).clone();
        if let Some(pair) = points.get(&vertex) {
            let resource = Arc::make_mut(&mut resource);
            resource.id.name = pair.name.clone();
            // A refresh that reaches the class on the Puppet side goes on in mcl, and the other way round.
            resource.propagates_refresh = true;
        }
        // Hidden resources may share a name; a hand-over point may not take one that is in use.
        let namesake = graph.find(&resource.id.kind, &resource.id.name);
        if let Some(earlier) = namesake.filter(|e| points.contains_key(&vertex) || points.contains_key(e)) {
            errors.push(name_taken(&resource, graph.resource(earlier)));
        }
        graph.add(resource);
    }
    let mut map: Vec<Option<VertexId>> = vec![None; puppet.len()];
    for pair in &pairs {
        map[pair.start.index()] = Some(pair.mcl);
        map[pair.end.index()] = Some(pair.mcl);
    }
    for (vertex, resource) in puppet.resources() {
        if map[vertex.index()].is_some() {
            continue;
        }
        if let Some(known) = graph.find(&resource.id.kind, &resource.id.name).filter(|v| v.index() < mcl.len()) {
            let other = graph.resource(known);
            if points.contains_key(&known) {
                errors.push(name_taken(other, resource));
            } else if difference(other, resource).is_none() {
                warnings.push(declared_twice(other, resource, true));
                map[vertex.index()] = Some(known);
                continue;
            } else {
                errors.push(declared_twice(other, resource, false));
            }
        }
        map[vertex.index()] = Some(graph.add(puppet.shared_resource(vertex).clone()));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    join_edges(mcl, puppet, &map, &mut graph);
    match graph.topological_order() {
        Ok(_) => Ok(Merged { graph, warnings }),
        Err(cycle) => Err(vec![across(&graph, &cycle)]),
    }
}

/// The edges of both sides; the graph keeps one a pair and ORs the notify flags. What joined the start and the end of a
/// hand-over class is dropped.
fn join_edges(mcl: &ResourceGraph, puppet: &ResourceGraph, map: &[Option<VertexId>], graph: &mut ResourceGraph) {
    for edge in mcl.edges() {
        graph.add_edge(edge);
    }
    for edge in puppet.edges() {
        if let (Some(from), Some(to)) = (map[edge.from.index()], map[edge.to.index()])
            && from != to
        {
            graph.add_edge(Edge { from, to, ..edge });
        }
    }
    for flow in mcl.sendrecv() {
        // The vertices of mcl come first and in their order, so a flow that was sound stays so.
        let _ = graph.connect(flow.from.clone(), flow.to.clone());
    }
}

/// The error for a cycle that only the merge makes: each side is acyclic by itself.
fn across(graph: &ResourceGraph, cycle: &Cycle) -> Diagnostic {
    let resources: Vec<&Resource> = cycle.vertices.iter().map(|v| graph.resource(*v)).collect();
    let text = format!("the two graphs together depend on each other in a cycle: {cycle}");
    let sides = resources.iter().map(|r| {
        let side = if r.span.is_some() { "declared in mcl".to_owned() } else { format!("from Puppet{}", origin(r)) };
        format!("{}: {side}", r.id)
    });
    let mut diagnostic = Diagnostic::error(Code::M0107, Stage::Merge, text)
        .help(format!("remove an edge of one side:\n  {}", sides.collect::<Vec<_>>().join("\n  ")));
    let mut spans = resources.iter().filter_map(|r| Some((r.span?, r.id.to_string())));
    if let Some((span, id)) = spans.next() {
        diagnostic = diagnostic.at_with(span, id);
    }
    for (span, id) in spans {
        diagnostic = diagnostic.label(span, id);
    }
    diagnostic
}

fn declared_twice(mcl: &Resource, puppet: &Resource, same: bool) -> Diagnostic {
    let text = format!("{} is declared both in mcl and in Puppet{}", mcl.id, origin(puppet));
    let diagnostic = if same {
        Diagnostic::warning(Code::M0106, Stage::Merge, format!("{text}, with the same parameters"))
            .help("remove it from one side: a change of only one will be an error")
    } else {
        Diagnostic::error(Code::M0106, Stage::Merge, text).help("remove it from one side")
    };
    diagnostic.maybe_at(mcl.span)
}

fn name_taken(handover: &Resource, other: &Resource) -> Diagnostic {
    let text = format!("a hand-over point would be called {}, but another resource{} is", handover.id, origin(other));
    let mut diagnostic = Diagnostic::error(Code::M0105, Stage::Merge, text)
        .help("give the hand-over point or the other resource another name");
    if let Some(span) = handover.span {
        diagnostic = diagnostic.at(span);
    }
    if let Some(span) = other.span {
        diagnostic = diagnostic.label(span, "the other resource");
    }
    diagnostic
}
