//! From the resource graph of a program or a catalog to the graph that the engine runs.
//!
//! `mgmt-rt graph`, `plan` and `apply` all come through here, so they show, compare and run the same edges and report the
//! same errors.

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_engine::EngineGraph;
use resource_graph::{AutoEdgeError, AutoEdgeHost, Cycle, EdgeRanks, ResourceGraph, add_autoedges};
use resources::{package_files, primary_groups};

use crate::conflicts::conflicts;
use crate::patcher::Patcher;

/// Maximum number of members of a cycle that are labelled in the source.
const MAX_CYCLE_LABELS: usize = 10;
/// Maximum number of omitted edges that the note lists.
const MAX_LISTED_EDGES: usize = 10;

/// A resource graph with automatic edges, in both forms.
#[derive(Debug)]
pub struct Finalized {
    /// The resources and edges, for people to read.
    pub graph: ResourceGraph,
    /// The groups of resources, in a proven order.
    pub engine: EngineGraph,
    /// R0303 if automatic edges are omitted.
    pub notes: Vec<Diagnostic>,
    /// Fits resources into the graph whose values change later.
    pub patcher: Patcher,
}

/// Returns what automatic edges depend on, for the machine that this process runs on.
#[must_use]
pub fn local_host() -> AutoEdgeHost<'static> {
    AutoEdgeHost {
        home: std::env::var("HOME").ok(),
        package_files: Some(&package_files),
        primary_groups: Some(&primary_groups),
    }
}

/// Adds automatic edges, omits those that contradict declared ones, rejects cycles, and forms groups (spec 06 §4).
///
/// # Errors
/// R0301 for each resource whose automatic edges cannot be determined; R0304 for each pair that contradicts itself; R0302 for a cycle, with a label on each member.
pub fn finalize(mut graph: ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<Finalized, Vec<Diagnostic>> {
    let claims = conflicts(&graph)?;
    let ranks = match add_autoedges(&mut graph, host) {
        Ok(ranks) => ranks,
        Err(errors) => return Err(errors.iter().map(|error| autoedge_error(&graph, error)).collect()),
    };
    // Grouping sorts the graph anyway, so contradictions cost nothing where there are none.
    match EngineGraph::grouped(&graph).or_else(|_| without_contradictions(&mut graph, ranks)) {
        Ok(engine) => {
            let patcher = Patcher::new(&engine, claims, host.home.clone());
            Ok(Finalized { notes: omission_note(&graph).into_iter().collect(), graph, engine, patcher })
        }
        Err(cycle) => Err(vec![cycle_error(&graph, &cycle)]),
    }
}

fn without_contradictions(graph: &mut ResourceGraph, ranks: EdgeRanks) -> Result<EngineGraph, Cycle> {
    graph.omit_contradictions(ranks)?;
    EngineGraph::grouped(graph)
}

/// The note lists the edges in the order of their insertion.
fn omission_note(graph: &ResourceGraph) -> Option<Diagnostic> {
    let omitted = graph.omitted();
    let edges = omitted.iter().take(MAX_LISTED_EDGES).map(|edge| {
        let (from, to) = (&graph.resource(edge.from).id, &graph.resource(edge.to).id);
        format!("{from} -> {to}")
    });
    let mut list: Vec<String> = edges.collect();
    let subject = match omitted {
        [] => return None,
        [_] => "1 automatic edge is".to_owned(),
        _ => format!("{} automatic edges are", omitted.len()),
    };
    if let Some(more) = omitted.len().checked_sub(MAX_LISTED_EDGES).filter(|more| *more > 0) {
        list.push(format!("and {more} more, which `mgmt-rt graph` shows"));
    }
    let message = format!("{subject} omitted, because the declared order is the opposite: {}", list.join(", "));
    let help = "nothing needs to change if the declared order is intended";
    let span = omitted.iter().find_map(|edge| graph.resource(edge.to).span);
    Some(Diagnostic::note(Code::R0303, Stage::Autoedge, message).maybe_at(span).help(help))
}

fn autoedge_error(graph: &ResourceGraph, error: &AutoEdgeError) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::R0301, Stage::Autoedge, error.to_string());
    diagnostic.maybe_at(graph.resource(error.vertex).span)
}

/// The labels say, of each resource, which one it comes after.
fn cycle_error(graph: &ResourceGraph, cycle: &Cycle) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(Code::R0302, Stage::Autoedge, format!("dependency cycle: {cycle}"))
        .help("remove one of the edges");
    let predecessors = cycle.vertices.iter().cycle().skip(cycle.vertices.len().saturating_sub(1));
    for (&vertex, &predecessor) in cycle.vertices.iter().zip(predecessors) {
        let Some(span) = graph.resource(vertex).span else { continue };
        let label = format!("after {}", graph.resource(predecessor).id);
        if diagnostic.span.is_none() {
            diagnostic = diagnostic.at_with(span, label);
        } else if diagnostic.labels.len() < MAX_CYCLE_LABELS {
            diagnostic = diagnostic.label(span, label);
        }
    }
    diagnostic
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::{FileId, Severity, Span};
    use resource_graph::{Resource, ResourceId};

    use super::*;

    fn file(path: &str, line: u32) -> Resource {
        let mut resource = Resource::new(ResourceId::new("file", path)).with("state", "exists");
        resource.span = Some(Span::new(FileId::MAIN, line * 10, line * 10 + 5));
        resource
    }

    #[test]
    fn automatic_edges_are_in_both_graphs() {
        let mut graph = ResourceGraph::new();
        graph.add(file("/d/x", 0));
        graph.add(file("/d/", 1));
        let finalized = finalize(graph, &AutoEdgeHost::default()).unwrap();
        assert_eq!(finalized.graph.edge_count(), 1);
        assert_eq!(finalized.engine.edge_count(), 1);
    }

    #[test]
    fn cycle_labels_each_member_with_its_predecessor() {
        let mut graph = ResourceGraph::new();
        let (x, d) = (graph.add(file("/d/x", 0)), graph.add(file("/e/", 1)));
        graph.order(x, d);
        graph.order(d, x);
        let errors = finalize(graph, &AutoEdgeHost::default()).unwrap_err();
        let [error] = &errors[..] else { panic!("one error: {errors:?}") };
        assert_eq!(error.code, Code::R0302);
        assert_eq!(error.message, "dependency cycle: file[/d/x] -> file[/e/] -> file[/d/x]");
        assert_eq!(error.span_label, "after file[/e/]");
        let labels: Vec<(u32, &str)> = error.labels.iter().map(|label| (label.span.start, &*label.text)).collect();
        assert_eq!(labels, [(10, "after file[/d/x]")]);
    }

    #[test]
    fn automatic_edge_gives_way_to_a_declared_path_with_a_note() {
        let mut graph = ResourceGraph::new();
        let (x, y, d) = (graph.add(file("/d/x", 0)), graph.add(file("/e", 1)), graph.add(file("/d/", 2)));
        graph.order(x, y);
        graph.order(y, d);
        let finalized = finalize(graph, &AutoEdgeHost::default()).unwrap();
        assert_eq!((finalized.graph.edge_count(), finalized.engine.edge_count()), (2, 2));
        let [note] = &finalized.notes[..] else { panic!("one note: {:?}", finalized.notes) };
        assert_eq!((note.code, note.severity), (Code::R0303, Severity::Note));
        assert_eq!(
            note.message,
            "1 automatic edge is omitted, because the declared order is the opposite: file[/d/] -> file[/d/x]"
        );
    }

    #[test]
    fn note_lists_a_bounded_number_of_edges() {
        let mut graph = ResourceGraph::new();
        let d = graph.add(file("/d/", 0));
        for i in 0..100 {
            let file = graph.add(file(&format!("/d/{i}"), i));
            graph.order(file, d);
        }
        let finalized = finalize(graph, &AutoEdgeHost::default()).unwrap();
        assert!(
            finalized.notes[0].message.ends_with("and 90 more, which `mgmt-rt graph` shows"),
            "{:?}",
            finalized.notes
        );
    }

    #[test]
    fn long_cycle_has_a_bounded_number_of_labels() {
        let mut graph = ResourceGraph::new();
        let vertices: Vec<_> = (0..100).map(|i| graph.add(file(&format!("/{i}"), i))).collect();
        for (i, vertex) in vertices.iter().enumerate() {
            graph.order(*vertex, vertices[(i + 1) % vertices.len()]);
        }
        let errors = finalize(graph, &AutoEdgeHost::default()).unwrap_err();
        assert_eq!(errors[0].labels.len(), MAX_CYCLE_LABELS);
    }

    #[test]
    fn unknown_home_is_reported_at_each_resource_that_needs_it() {
        let mut graph = ResourceGraph::new();
        let mut unit = Resource::new(ResourceId::new("svc", "s")).with("session", true);
        unit.span = Some(Span::new(FileId::MAIN, 3, 4));
        graph.add(unit);
        let errors = finalize(graph, &AutoEdgeHost::default()).unwrap_err();
        assert_eq!((errors[0].code, errors[0].span.map(|span| span.start)), (Code::R0301, Some(3)));
    }
}
