//! Joining two graphs at their hand-over points (spec 07 §4.4, with the behaviour that §4.5 proposes).

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Edge, Endpoint, Resource, ResourceGraph, ResourceId, SendRecv, VertexId};
use rustc_hash::FxHashMap;

use crate::cycle;
use crate::handover::{Handover, origin, pair};

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
    let mut graph = ResourceGraph { resources: mcl.resources.clone(), ..ResourceGraph::default() };
    for pair in &pairs {
        let noop = &mut graph.resources[pair.mcl.0 as usize];
        noop.id.name = pair.name.clone();
        // A refresh that reaches the class on the Puppet side goes on in mcl, and the other way round.
        noop.relay = true;
    }
    let mut by_id: FxHashMap<ResourceId, VertexId> = FxHashMap::default();
    for (index, resource) in graph.resources.iter().enumerate() {
        let earlier = by_id.insert(resource.id.clone(), VertexId(index as u32));
        // Hidden resources may share a name; a hand-over point may not take one that is in use.
        let merged = |v: usize| pairs.iter().any(|p| p.mcl.0 as usize == v);
        if let Some(earlier) = earlier.filter(|e| merged(index) || merged(e.0 as usize)) {
            errors.push(name_taken(resource, &graph.resources[earlier.0 as usize]));
        }
    }
    let mut map: Vec<Option<VertexId>> = vec![None; puppet.resources.len()];
    for pair in &pairs {
        map[pair.start.0 as usize] = Some(pair.mcl);
        map[pair.end.0 as usize] = Some(pair.mcl);
    }
    for (index, resource) in puppet.resources.iter().enumerate() {
        if map[index].is_some() {
            continue;
        }
        if let Some(&known) = by_id.get(&resource.id) {
            let other = &graph.resources[known.0 as usize];
            if same(other, resource) {
                warnings.push(declared_twice(other, resource, true));
                map[index] = Some(known);
                continue;
            }
            errors.push(if pairs.iter().any(|p| p.mcl == known) {
                name_taken(other, resource)
            } else {
                declared_twice(other, resource, false)
            });
        }
        map[index] = Some(VertexId(graph.resources.len() as u32));
        graph.resources.push(resource.clone());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    join_edges(mcl, puppet, &map, &mut graph);
    let cycles = cycle::cycles(&graph);
    if cycles.is_empty() { Ok(Merged { graph, warnings }) } else { Err(cycles) }
}

/// One edge a pair of vertices, its notify flags ORed; what joined the start and the end of a hand-over class is dropped.
fn join_edges(mcl: &ResourceGraph, puppet: &ResourceGraph, map: &[Option<VertexId>], graph: &mut ResourceGraph) {
    let mut known: FxHashMap<(VertexId, VertexId), usize> = FxHashMap::default();
    let moved = puppet.edges.iter().filter_map(|edge| {
        let (from, to) = (map[edge.from.0 as usize]?, map[edge.to.0 as usize]?);
        (from != to).then_some(Edge { from, to, ..edge.clone() })
    });
    for edge in mcl.edges.iter().cloned().chain(moved) {
        match known.entry((edge.from, edge.to)) {
            std::collections::hash_map::Entry::Occupied(at) => {
                let first: &mut Edge = &mut graph.edges[*at.get()];
                first.notify |= edge.notify;
                first.autoedge &= edge.autoedge;
            }
            std::collections::hash_map::Entry::Vacant(at) => {
                at.insert(graph.edges.len());
                graph.edges.push(edge);
            }
        }
    }
    graph.sendrecv.extend(mcl.sendrecv.iter().cloned());
    let end = |e: &Endpoint| Some(Endpoint { vertex: map[e.vertex.0 as usize]?, key: e.key.clone() });
    graph
        .sendrecv
        .extend(puppet.sendrecv.iter().filter_map(|s| Some(SendRecv { from: end(&s.from)?, to: end(&s.to)? })));
}

/// Whether two declarations ask for exactly the same.
fn same(a: &Resource, b: &Resource) -> bool {
    a.meta == b.meta
        && a.params.len() == b.params.len()
        && a.params.iter().all(|(key, value)| b.params.get(key) == Some(value))
}

fn declared_twice(mcl: &Resource, puppet: &Resource, same: bool) -> Diagnostic {
    let text = format!("{} is declared both in mcl and in Puppet{}", mcl.id, origin(puppet));
    let diagnostic = if same {
        Diagnostic::warning(Code::M0106, Stage::Merge, format!("{text}, with the same parameters"))
            .help("remove it from one side: a change of only one will be an error")
    } else {
        Diagnostic::error(Code::M0106, Stage::Merge, text).help("remove it from one side")
    };
    match mcl.span {
        Some(span) => diagnostic.at(span),
        None => diagnostic,
    }
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
