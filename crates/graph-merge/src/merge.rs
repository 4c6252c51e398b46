//! Merging two graphs at their merge points (spec 07 §4.4, with the behaviour that spec 07 §4.5 proposes).

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Cycle, Edge, Resource, ResourceGraph, ResourceId, VertexId, difference};
use rustc_hash::FxHashMap;

use crate::MergeOptions;
use crate::merge_point::{MergePoint, MergePoints, find, origin};

/// A merged graph.
#[derive(Clone, Debug)]
pub struct Merged {
    /// All resources of mcl in their order, then those of Puppet in theirs, without the starts and ends of the classes of
    /// merge points.
    pub graph: ResourceGraph,
    /// The warnings.
    pub warnings: Vec<Diagnostic>,
    /// The merged vertex of each merge point, by the id of its noop in mcl.
    pub merge_points: FxHashMap<ResourceId, ResourceId>,
}

/// Merges two graphs, in nearly linear time.
///
/// # Errors
/// Diagnostics of the stage `merge`: every merge point that is unmatched or not empty, every resource that the sides
/// declare differently, or a cycle of declared edges across both sides.
pub fn merge(mcl: &ResourceGraph, puppet: &ResourceGraph, options: &MergeOptions) -> Result<Merged, Vec<Diagnostic>> {
    let MergePoints { points, mut errors, mut warnings } = find(mcl, puppet, options);
    let by_noop: FxHashMap<VertexId, &MergePoint> = points.iter().map(|point| (point.mcl, point)).collect();
    let mut graph = ResourceGraph::new();
    graph.reserve(mcl.len() + puppet.len(), mcl.edge_count() + puppet.edge_count());
    for vertex in mcl.vertices() {
        let mut resource = mcl.shared_resource(vertex).clone();
        if let Some(point) = by_noop.get(&vertex) {
            let resource = Arc::make_mut(&mut resource);
            resource.id.name = point.name.clone();
            // A refresh of the class on the Puppet side continues in mcl, and the reverse.
            resource.propagates_refresh = true;
        }
        // Hidden resources may share a name, but a merge point may not take a name that is in use.
        let namesake = graph.find(&resource.id.kind, &resource.id.name);
        if let Some(earlier) = namesake.filter(|e| by_noop.contains_key(&vertex) || by_noop.contains_key(e)) {
            errors.push(name_taken(&resource, graph.resource(earlier)));
        }
        graph.add(resource);
    }
    let mut map: Vec<Option<VertexId>> = vec![None; puppet.len()];
    for point in &points {
        map[point.start.index()] = Some(point.mcl);
        map[point.end.index()] = Some(point.mcl);
    }
    for (vertex, resource) in puppet.resources() {
        if map[vertex.index()].is_some() {
            continue;
        }
        if let Some(known) = graph.find(&resource.id.kind, &resource.id.name).filter(|v| v.index() < mcl.len()) {
            let other = graph.resource(known);
            if by_noop.contains_key(&known) {
                errors.push(name_taken(other, resource));
            } else if difference(other, resource).is_none() {
                warnings.push(declared_alike(other, resource));
                graph.hide(known, resource);
                map[vertex.index()] = Some(known);
                continue;
            } else {
                errors.push(declared_differently(other, resource));
            }
        }
        map[vertex.index()] = Some(graph.add(puppet.shared_resource(vertex).clone()));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    join_edges(mcl, puppet, &map, &mut graph);
    // Automatic edges that contradict the order across both sides are omitted later, when all of them are known.
    match graph.check_declared_order() {
        Ok(()) => Ok(Merged { merge_points: renamed(mcl, &graph, &points), graph, warnings }),
        Err(cycle) => Err(vec![cycle_error(&graph, &cycle)]),
    }
}

fn renamed(mcl: &ResourceGraph, graph: &ResourceGraph, points: &[MergePoint]) -> FxHashMap<ResourceId, ResourceId> {
    // The vertices of mcl keep their numbers.
    let ids = points.iter().map(|point| (mcl.resource(point.mcl).id.clone(), graph.resource(point.mcl).id.clone()));
    ids.collect()
}

/// Adds the edges of both sides. The graph keeps one per pair, which notifies if either does. The edges between the start
/// and the end of a merge point are dropped.
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
        // The vertices of mcl come first and keep their ids, so a valid flow stays valid.
        let _ = graph.connect(flow.from.clone(), flow.to.clone());
    }
}

/// Reports a cycle that only the merge creates: each side by itself is acyclic.
fn cycle_error(graph: &ResourceGraph, cycle: &Cycle) -> Diagnostic {
    let resources: Vec<&Resource> = cycle.vertices.iter().map(|v| graph.resource(*v)).collect();
    let message = format!("dependency cycle across mcl and Puppet: {cycle}");
    let sides = resources.iter().map(|r| {
        let side = if r.span.is_some() { "declared in mcl".to_owned() } else { format!("from Puppet{}", origin(r)) };
        format!("{}: {side}", r.id)
    });
    let mut diagnostic = Diagnostic::error(Code::M0107, Stage::Merge, message)
        .help(format!("remove an edge on one side:\n  {}", sides.collect::<Vec<_>>().join("\n  ")));
    let mut spans = resources.iter().filter_map(|r| Some((r.span?, r.id.to_string())));
    if let Some((span, id)) = spans.next() {
        diagnostic = diagnostic.at_with(span, id);
    }
    for (span, id) in spans {
        diagnostic = diagnostic.label(span, id);
    }
    diagnostic
}

fn declared_alike(mcl: &Resource, puppet: &Resource) -> Diagnostic {
    let message = format!("{}, with the same parameters", declared_twice(mcl, puppet));
    let help = "remove it from one side: a change on one side only is an error";
    Diagnostic::warning(Code::M0106, Stage::Merge, message).help(help).maybe_at(mcl.span)
}

fn declared_differently(mcl: &Resource, puppet: &Resource) -> Diagnostic {
    let message = declared_twice(mcl, puppet);
    Diagnostic::error(Code::M0106, Stage::Merge, message).help("remove it from one side").maybe_at(mcl.span)
}

fn declared_twice(mcl: &Resource, puppet: &Resource) -> String {
    format!("{} is declared in both mcl and Puppet{}", mcl.id, origin(puppet))
}

fn name_taken(point: &Resource, other: &Resource) -> Diagnostic {
    let message = format!("conflicting name of a merge point: {} is another resource{}", point.id, origin(other));
    let help = "rename the merge point or the other resource";
    let diagnostic = Diagnostic::error(Code::M0105, Stage::Merge, message).help(help).maybe_at(point.span);
    match other.span {
        Some(span) => diagnostic.label(span, "other resource"),
        None => diagnostic,
    }
}
