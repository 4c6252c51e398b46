//! Assembly of all converted statements to one graph (spec 04 §3.8).

use std::collections::hash_map::Entry;
use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage, nearest};
use resource_graph::{Cycle, DuplicateError, Edge, Endpoint, FlowError, ResourceGraph, ResourceId, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interpret::statement::{ConvertedStatement, EdgeEnd, NamedEdge};
use crate::interpret::unknown::{UnknownKinds, unknown_note};

/// Maximum number of errors that are reported.
const MAX_ERRORS: usize = 100;

/// The span of the edge between two vertices.
type EdgeSpans = FxHashMap<(VertexId, VertexId), Span>;

/// A graph of all statements.
pub(crate) struct Assembled {
    pub(crate) graph: ResourceGraph,
    /// The resources that are declared more than once.
    pub(crate) repeated: FxHashSet<ResourceId>,
    /// The edges that are declared more than once.
    pub(crate) repeated_edges: FxHashSet<(ResourceId, ResourceId)>,
    /// What is left out, because it is unknown (R0107).
    pub(crate) notes: Vec<Diagnostic>,
}

/// Builds the graph. `unknown` says which resources other statements may declare, whose values are not known. Then edges may
/// name resources that are not in the graph; they and the resources that would receive a value from those are left out, each
/// with a note.
///
/// # Errors
/// All distinct errors of the statements, else those of the edges, else the first cycle; at most [`MAX_ERRORS`].
pub(crate) fn assemble(
    all: &[Rc<ConvertedStatement>],
    unknown: Option<&UnknownKinds>,
) -> Result<Assembled, Vec<Diagnostic>> {
    let mut graph = ResourceGraph::new();
    let mut repeated = FxHashSet::default();
    let mut notes = Vec::new();
    let withheld = unknown.map_or_else(FxHashSet::default, |unknown| withheld(all, unknown, &mut notes));
    graph.reserve(
        all.iter().map(|statement| statement.resources.len()).sum(),
        all.iter().map(|statement| statement.edges.len()).sum(),
    );
    let mut errors: Vec<Diagnostic> = Vec::new();
    for statement in all {
        if !statement.errors.is_empty() {
            // Resources with errors would cause misleading errors about duplicates.
            errors.extend(statement.errors.iter().cloned());
            continue;
        }
        for resource in statement.resources.iter().filter(|resource| !withheld.contains(&resource.id)) {
            let known = graph.len();
            match graph.insert(Arc::clone(resource)) {
                Ok(vertex) if vertex.index() == known => {}
                Ok(_) => drop(repeated.insert(resource.id.clone())),
                Err(error) => errors.push(duplicate(&graph, &error, resource.span)),
            }
        }
    }
    let mut edge_spans = FxHashMap::default();
    let mut repeated_edges = FxHashSet::default();
    if errors.is_empty() {
        for edge in all.iter().flat_map(|statement| &statement.edges) {
            let Some(unknown) = unknown else {
                add_edge(&mut graph, edge, &mut edge_spans, &mut repeated_edges, &mut errors);
                continue;
            };
            let is_known = |end: &EdgeEnd| graph.find_all(&end.id.kind, &end.id.name).next().is_some();
            let may_be_declared = |end: &EdgeEnd| withheld.contains(&end.id) || unknown.may_include(&end.id.kind);
            match [&edge.from, &edge.to].into_iter().find(|end| !is_known(end) && may_be_declared(end)) {
                Some(_) => notes.push(unknown_note(
                    format_args!("the edge from {} to {}", edge.from.id, edge.to.id),
                    Some(edge.span),
                )),
                None => add_edge(&mut graph, edge, &mut edge_spans, &mut repeated_edges, &mut errors),
            }
        }
    }
    if errors.is_empty()
        && graph.edge_count() > 0
        && let Err(cycle) = graph.topological_order()
    {
        errors.push(cycle_error(&cycle, &edge_spans));
    }
    if errors.is_empty() {
        repeated.extend(graph.ids_of_several_vertices().cloned());
        return Ok(Assembled { graph, repeated, repeated_edges, notes });
    }
    // The iterations of a loop have the same errors.
    let mut reported: Vec<Diagnostic> = Vec::new();
    for error in errors {
        if !reported.contains(&error) {
            reported.push(error);
        }
        if reported.len() == MAX_ERRORS {
            break;
        }
    }
    Err(reported)
}

/// Returns the resources that receive a value from one that an unknown statement may declare, directly or through others,
/// and notes them.
fn withheld(
    all: &[Rc<ConvertedStatement>],
    unknown: &UnknownKinds,
    notes: &mut Vec<Diagnostic>,
) -> FxHashSet<ResourceId> {
    let declared: FxHashMap<&ResourceId, Option<Span>> =
        all.iter().flat_map(|statement| &statement.resources).map(|resource| (&resource.id, resource.span)).collect();
    let mut receivers: FxHashMap<&ResourceId, Vec<&ResourceId>> = FxHashMap::default();
    for edge in all.iter().flat_map(|statement| &statement.edges) {
        if edge.from.key.is_some() && edge.to.key.is_some() {
            receivers.entry(&edge.from.id).or_default().push(&edge.to.id);
        }
    }
    let is_unknown = |id: &ResourceId| !declared.contains_key(id) && unknown.may_include(&id.kind);
    let mut todo: Vec<&ResourceId> = receivers.keys().copied().filter(|sender| is_unknown(sender)).collect();
    todo.sort_unstable();
    let mut withheld = FxHashSet::default();
    while let Some(sender) = todo.pop() {
        for receiver in receivers.get(sender).into_iter().flatten() {
            let Some(span) = declared.get(receiver) else { continue };
            if withheld.insert((*receiver).clone()) {
                notes.push(unknown_note(format_args!("{receiver}, which receives a value from {sender}"), *span));
                todo.push(receiver);
            }
        }
    }
    withheld
}

fn add_edge(
    graph: &mut ResourceGraph,
    edge: &NamedEdge,
    edge_spans: &mut EdgeSpans,
    repeated: &mut FxHashSet<(ResourceId, ResourceId)>,
    errors: &mut Vec<Diagnostic>,
) {
    let find = |end: &EdgeEnd| -> Vec<VertexId> { graph.find_all(&end.id.kind, &end.id.name).collect() };
    let (froms, tos) = (find(&edge.from), find(&edge.to));
    for (end, found) in [(&edge.from, &froms), (&edge.to, &tos)] {
        if found.is_empty() {
            errors.push(unknown_end(graph, &end.id, edge.span));
        }
    }
    for &from in &froms {
        for &to in &tos {
            graph.add_edge(Edge { from, to, notify: edge.notify, autoedge: false });
            match edge_spans.entry((from, to)) {
                Entry::Vacant(vacant) => drop(vacant.insert(edge.span)),
                Entry::Occupied(_) => drop(repeated.insert((edge.from.id.clone(), edge.to.id.clone()))),
            }
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
        diagnostic = diagnostic.at_with(span, "differs from the first declaration");
    }
    if let Some(first) = graph.resource(error.existing).span {
        diagnostic = diagnostic.label(first, "first declared here");
    }
    diagnostic
}

fn unknown_end(graph: &ResourceGraph, id: &ResourceId, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::R0207, Stage::Interpret, format!("edge to unknown resource {id}")).at(span);
    let same_kind = graph.resources().map(|(_, r)| &r.id).filter(|other| other.kind == id.kind);
    match nearest(&id.name, same_kind.map(|other| &*other.name)) {
        Some(meant) => diagnostic.help(format!("did you mean {}[{meant}]?", id.kind)),
        None => diagnostic,
    }
}

fn flow_error(error: &FlowError, span: Span) -> Diagnostic {
    Diagnostic::error(Code::R0210, Stage::Interpret, error.to_string()).at(span)
}

fn cycle_error(cycle: &Cycle, edge_spans: &EdgeSpans) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(Code::R0208, Stage::Interpret, format!("dependency cycle: {cycle}"));
    let next = cycle.vertices.iter().cycle().skip(1);
    let mut spans: Vec<Span> =
        cycle.vertices.iter().zip(next).filter_map(|(a, b)| edge_spans.get(&(*a, *b)).copied()).collect();
    spans.sort_unstable();
    spans.dedup();
    if let Some((last, others)) = spans.split_last() {
        diagnostic = diagnostic.at(*last);
        for span in others.iter().take(10) {
            diagnostic = diagnostic.label(*span, "part of the cycle");
        }
    }
    diagnostic.help("remove one of these edges")
}
