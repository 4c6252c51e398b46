//! All statements together: one graph (spec 04 §3.8).

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage, nearest};
use resource_graph::{DuplicateError, Edge, Endpoint, FlowError, ResourceGraph, ResourceId, VertexId};
use rustc_hash::FxHashMap;

use crate::interpret::statement::{Built, EdgeByName, End};

/// Builds the graph, or says everything that is wrong with it.
pub(crate) fn assemble(all: &[Rc<Built>]) -> Result<ResourceGraph, Vec<Diagnostic>> {
    let mut graph = ResourceGraph::new();
    graph.reserve(all.iter().map(|built| built.resources.len()).sum(), all.iter().map(|built| built.edges.len()).sum());
    let mut errors: Vec<Diagnostic> = Vec::new();
    for built in all {
        if !built.errors.is_empty() {
            // Its resources are not what the program meant, so nothing is compared with them.
            errors.extend(built.errors.iter().cloned());
            continue;
        }
        for resource in &built.resources {
            if let Err(error) = graph.insert(Arc::clone(resource)) {
                let span = resource.span;
                errors.push(duplicate(&graph, &error, span));
            }
        }
    }
    let mut places = FxHashMap::default();
    if errors.is_empty() {
        for edge in all.iter().flat_map(|built| &built.edges) {
            add_edge(&mut graph, edge, &mut places, &mut errors);
        }
    }
    if errors.is_empty()
        && graph.edge_count() > 0
        && let Err(cycle) = graph.topological_order()
    {
        errors.push(cycle_error(&cycle, &places));
    }
    if errors.is_empty() {
        return Ok(graph);
    }
    // A loop repeats the same mistake in each of its iterations.
    let mut said: Vec<Diagnostic> = Vec::new();
    for error in errors {
        if !said.contains(&error) {
            said.push(error);
        }
        if said.len() == MAX_ERRORS {
            break;
        }
    }
    Err(said)
}

/// Nobody reads more.
const MAX_ERRORS: usize = 100;

type Places = FxHashMap<(VertexId, VertexId), Span>;

fn add_edge(graph: &mut ResourceGraph, edge: &EdgeByName, places: &mut Places, errors: &mut Vec<Diagnostic>) {
    let find = |end: &End| -> Vec<VertexId> { graph.find_all(&end.id.kind, &end.id.name).collect() };
    let (froms, tos) = (find(&edge.from), find(&edge.to));
    for (end, found) in [(&edge.from, &froms), (&edge.to, &tos)] {
        if found.is_empty() {
            errors.push(unknown_end(graph, &end.id, edge.span));
        }
    }
    for &from in &froms {
        for &to in &tos {
            graph.add_edge(Edge { from, to, notify: edge.notify, autoedge: false });
            places.entry((from, to)).or_insert(edge.span);
            let (Some(key), Some(field)) = (&edge.from.key, &edge.to.key) else { continue };
            let sender = Endpoint { vertex: from, key: key.clone() };
            let receiver = Endpoint { vertex: to, key: field.clone() };
            if let Err(error) = graph.connect(sender, receiver) {
                errors.push(flow_error(&error, edge.span));
            }
        }
    }
}

fn duplicate(graph: &ResourceGraph, error: &DuplicateError, span: Option<Span>) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(Code::R0206, Stage::Interpret, error.to_string());
    if let Some(span) = span {
        diagnostic = diagnostic.at_with(span, "this one differs");
    }
    if let Some(first) = graph.resource(error.existing).span {
        diagnostic = diagnostic.label(first, "from the one here");
    }
    diagnostic
}

fn unknown_end(graph: &ResourceGraph, id: &ResourceId, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::R0207, Stage::Interpret, format!("the edge names {id}, and there is no such resource"))
            .at(span);
    let same_kind = graph.resources().map(|(_, r)| &r.id).filter(|other| other.kind == id.kind);
    match nearest(&id.name, same_kind.map(|other| &*other.name)) {
        Some(meant) => diagnostic.help(format!("did you mean {}[{meant}]?", id.kind)),
        None => diagnostic,
    }
}

fn flow_error(error: &FlowError, span: Span) -> Diagnostic {
    Diagnostic::error(Code::R0210, Stage::Interpret, error.to_string()).at(span)
}

fn cycle_error(cycle: &resource_graph::Cycle, places: &Places) -> Diagnostic {
    let mut diagnostic =
        Diagnostic::error(Code::R0208, Stage::Interpret, format!("the edges go round in a circle: {cycle}"));
    let next = cycle.vertices.iter().cycle().skip(1);
    let mut spans: Vec<Span> =
        cycle.vertices.iter().zip(next).filter_map(|(a, b)| places.get(&(*a, *b)).copied()).collect();
    spans.sort_unstable();
    spans.dedup();
    if let Some((last, others)) = spans.split_last() {
        diagnostic = diagnostic.at(*last);
        for span in others.iter().take(10) {
            diagnostic = diagnostic.label(*span, "and this edge");
        }
    }
    diagnostic.help("take one of these edges away")
}
