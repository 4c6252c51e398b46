//! Merging two streams of graphs: a state machine without I/O.

use std::borrow::Cow;

use function_engine::GraphChanges;
use graph_merge::{MergeOptions, is_merge_point, merge};
use mcl_diagnostics::Diagnostic;
use resource_graph::{DeclaredEdge, Resource, ResourceGraph, ResourceId};
use rustc_hash::FxHashMap;

use crate::sources::program_graph::ProgramGraph;

/// The origin of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The mcl program.
    Mcl,
    /// The Puppet catalog.
    Puppet,
}

/// An event of a source.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "made once an event and moved on at once; almost all are graphs")]
pub enum SourceEvent {
    /// A new graph.
    Graph(ResourceGraph),
    /// The source cannot make a graph now; its last one stays in force.
    Failed(Vec<Diagnostic>),
}

/// The consequence of events.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made once an event and moved on at once; almost all are graphs")]
pub enum MergeOutcome {
    /// A source has not delivered its first graph yet.
    Waiting,
    /// A new graph to apply, and the warnings of the merge.
    Graph(ResourceGraph, Vec<Diagnostic>),
    /// A source or the merge failed; the running graph stays in force.
    Failed(Vec<Diagnostic>),
}

/// Merges the graphs of the sources of a run.
#[derive(Debug)]
pub struct GraphMerger {
    /// The latest graph, once there is one; `None` if the run has no program.
    mcl: Option<Option<ProgramGraph>>,
    /// The latest graph, once there is one; `None` if the run has no catalog.
    puppet: Option<Option<ResourceGraph>>,
    /// The merged vertex of each merge point of the last graph, by its id in the program.
    merge_points: FxHashMap<ResourceId, ResourceId>,
    options: MergeOptions,
}

impl GraphMerger {
    /// Makes a merger for the given sources, of which there must be at least one.
    #[must_use]
    pub fn new(sources: &[Source], options: MergeOptions) -> GraphMerger {
        let has = |source| sources.contains(&source);
        GraphMerger {
            mcl: has(Source::Mcl).then_some(None),
            puppet: has(Source::Puppet).then_some(None),
            merge_points: FxHashMap::default(),
            options,
        }
    }

    /// Handles events in the order in which they came. Of several graphs of one source only the last matters, so a burst
    /// costs one merge. Every failure is reported, even if a graph follows it.
    pub fn handle(&mut self, events: impl IntoIterator<Item = (Source, SourceEvent)>) -> Vec<MergeOutcome> {
        let mut out = Vec::new();
        let mut has_new_graph = false;
        for (source, event) in events {
            match event {
                SourceEvent::Graph(graph) => {
                    has_new_graph |= match source {
                        Source::Mcl => replace(&mut self.mcl, ProgramGraph::new(graph)),
                        Source::Puppet => replace(&mut self.puppet, graph),
                    };
                }
                SourceEvent::Failed(diagnostics) => out.push(MergeOutcome::Failed(diagnostics)),
            }
        }
        if has_new_graph {
            out.push(self.merged());
        }
        out
    }

    /// Returns what changes of the program change of the merged graph: the same, but for the names of merge points. Each of
    /// their ids must be in the graph once.
    ///
    /// `None` if more may change: merge points, or what the catalog declares as well. A new graph must follow then.
    pub fn translate<'c>(&self, changes: &'c GraphChanges) -> Option<Cow<'c, GraphChanges>> {
        let puppet = match (&self.mcl, &self.puppet) {
            (Some(_), None) => return Some(Cow::Borrowed(changes)),
            (Some(Some(_)), Some(Some(puppet))) => puppet,
            (None, _) | (Some(None), Some(_)) | (Some(Some(_)), Some(None)) => return None,
        };
        let GraphChanges { changed, removed, added, removed_edges, added_edges } = changes;
        let in_catalog = |id: &ResourceId| puppet.find(&id.kind, &id.name).is_some();
        let is_shared = |resource: &Resource| is_merge_point(resource) || in_catalog(&resource.id);
        let mut resources = changed.iter().map(|change| &change.new).chain(removed).chain(added);
        if resources.any(|resource| is_shared(resource)) {
            return None;
        }
        // The catalog may declare an edge between two ends that are its own, too.
        let end = |id: &ResourceId| match self.merge_points.get(id) {
            Some(merged) => (merged.clone(), true),
            None => (id.clone(), in_catalog(id)),
        };
        let edges = |edges: &[DeclaredEdge]| -> Option<Vec<DeclaredEdge>> {
            let merged = edges.iter().map(|edge| {
                let ((from, has_from), (to, has_to)) = (end(&edge.from), end(&edge.to));
                (!(has_from && has_to)).then_some(DeclaredEdge { from, to, notify: edge.notify })
            });
            merged.collect()
        };
        Some(Cow::Owned(GraphChanges {
            changed: changed.clone(),
            removed: removed.clone(),
            added: added.clone(),
            removed_edges: edges(removed_edges)?,
            added_edges: edges(added_edges)?,
        }))
    }

    /// Takes changes of the program that were [translated](GraphMerger::translate), so that the next catalog is merged with
    /// what the program declares then.
    pub fn follow(&mut self, changes: &GraphChanges) {
        // The graph of a single source is never merged again, so it is not kept.
        if let (Some(Some(mcl)), Some(_)) = (&mut self.mcl, &self.puppet) {
            mcl.apply(changes);
        }
    }

    fn merged(&mut self) -> MergeOutcome {
        match (&mut self.mcl, &mut self.puppet) {
            // The graph of a single source is never merged again, so it is not kept.
            (Some(only), None) => passed_on(only.take().map(ProgramGraph::into_graph)),
            (None, Some(only)) => passed_on(only.take()),
            (Some(Some(mcl)), Some(Some(puppet))) => match merge(mcl.latest(), puppet, &self.options) {
                Ok(merged) => {
                    self.merge_points = merged.merge_points;
                    MergeOutcome::Graph(merged.graph, merged.warnings)
                }
                Err(errors) => MergeOutcome::Failed(errors),
            },
            (Some(_), Some(_)) | (None, None) => MergeOutcome::Waiting,
        }
    }
}

/// Replaces the latest graph of a source; returns whether the run has the source.
fn replace<G>(latest: &mut Option<Option<G>>, graph: G) -> bool {
    latest.as_mut().map(|latest| *latest = Some(graph)).is_some()
}

fn passed_on(graph: Option<ResourceGraph>) -> MergeOutcome {
    graph.map_or(MergeOutcome::Waiting, |graph| MergeOutcome::Graph(graph, Vec::new()))
}

#[cfg(test)]
mod tests;
