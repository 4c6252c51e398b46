//! From the resource graph of a program or a catalog to the graph that the engine runs.
//!
//! `mgmt-rt graph`, `plan` and `apply` all come through here, so they show, compare and run the same edges and report the
//! same errors.

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_engine::EngineGraph;
use resource_graph::{AutoEdgeError, AutoEdgeHost, Cycle, ResourceGraph, add_autoedges};
use resources::package_files;

/// Maximum number of members of a cycle that are labelled in the source.
const MAX_CYCLE_LABELS: usize = 10;

/// A resource graph with automatic edges, in both forms.
#[derive(Debug)]
pub struct Finalized {
    /// The resources and edges, for people to read.
    pub graph: ResourceGraph,
    /// The groups of resources, in a proven order.
    pub engine: EngineGraph,
}

/// Returns what automatic edges depend on, for the machine that this process runs on.
#[must_use]
pub fn local_host() -> AutoEdgeHost<'static> {
    AutoEdgeHost { home: std::env::var("HOME").ok(), package_files: Some(&package_files) }
}

/// Adds automatic edges, rejects cycles, and forms groups (spec 06 §4).
///
/// # Errors
/// R0301 for each resource whose automatic edges cannot be determined; R0302 for a cycle, with a label on each member.
pub fn finalize(mut graph: ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<Finalized, Vec<Diagnostic>> {
    if let Err(errors) = add_autoedges(&mut graph, host) {
        return Err(errors.iter().map(|error| autoedge_error(&graph, error)).collect());
    }
    match EngineGraph::grouped(&graph) {
        Ok(engine) => Ok(Finalized { graph, engine }),
        Err(cycle) => Err(vec![cycle_error(&graph, &cycle)]),
    }
}

fn autoedge_error(graph: &ResourceGraph, error: &AutoEdgeError) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::R0301, Stage::Autoedge, error.to_string());
    diagnostic.maybe_at(graph.resource(error.vertex).span)
}

/// The labels say, of each resource, which one it comes after.
fn cycle_error(graph: &ResourceGraph, cycle: &Cycle) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(Code::R0302, Stage::Autoedge, format!("dependency cycle: {cycle}"))
        .help("remove one of the edges, or set `Meta:autoedge => false` on a resource to disable its automatic edges");
    let predecessors = cycle.vertices.iter().cycle().skip(cycle.vertices.len().saturating_sub(1));
    for (&vertex, &predecessor) in cycle.vertices.iter().zip(predecessors) {
        let Some(span) = graph.resource(vertex).span else { continue };
        let is_automatic = graph.edge_between(predecessor, vertex).is_some_and(|edge| edge.autoedge);
        let reason = if is_automatic { " (automatic edge)" } else { "" };
        let label = format!("after {}{reason}", graph.resource(predecessor).id);
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
    use mcl_diagnostics::{FileId, Span};
    use resource_graph::{Resource, ResourceId};

    use super::*;

    fn file(path: &str, line: u32) -> Resource {
        let mut resource = Resource::new(ResourceId::new("file", path)).with("state", "exists");
        resource.span = Some(Span::new(FileId(0), line * 10, line * 10 + 5));
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
        let (x, d) = (graph.add(file("/d/x", 0)), graph.add(file("/d/", 1)));
        graph.order(x, d);
        let errors = finalize(graph, &AutoEdgeHost::default()).unwrap_err();
        let [error] = &errors[..] else { panic!("one error: {errors:?}") };
        assert_eq!(error.code, Code::R0302);
        assert_eq!(error.message, "dependency cycle: file[/d/] -> file[/d/x] -> file[/d/]");
        assert_eq!(error.span_label, "after file[/d/x]");
        let labels: Vec<(u32, &str)> = error.labels.iter().map(|label| (label.span.start, &*label.text)).collect();
        assert_eq!(labels, [(0, "after file[/d/] (automatic edge)")]);
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
        unit.span = Some(Span::new(FileId(0), 3, 4));
        graph.add(unit);
        let errors = finalize(graph, &AutoEdgeHost::default()).unwrap_err();
        assert_eq!((errors[0].code, errors[0].span.map(|span| span.start)), (Code::R0301, Some(3)));
    }
}
