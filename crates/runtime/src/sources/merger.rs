//! Merging two streams of graphs: a state machine without I/O.

use function_engine::GraphChanges;
use graph_merge::{MergeOptions, is_merge_point, merge};
use mcl_diagnostics::Diagnostic;
use resource_graph::{ResourceGraph, ResourceId};

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

/// The latest graph of a source; `None` before the first.
type LatestGraph = Option<ResourceGraph>;

/// Merges the graphs of the sources of a run.
#[derive(Debug)]
pub struct GraphMerger {
    /// `None` if the run has no program.
    mcl: Option<LatestGraph>,
    /// `None` if the run has no catalog.
    puppet: Option<LatestGraph>,
    options: MergeOptions,
}

impl GraphMerger {
    /// Makes a merger for the given sources, of which there must be at least one.
    #[must_use]
    pub fn new(mcl: bool, puppet: bool, options: MergeOptions) -> GraphMerger {
        GraphMerger { mcl: mcl.then_some(None), puppet: puppet.then_some(None), options }
    }

    /// Handles events in the order in which they came. Of several graphs of one source only the last matters, so a burst
    /// costs one merge. Every failure is reported, even if a graph follows it.
    pub fn handle(&mut self, events: impl IntoIterator<Item = (Source, SourceEvent)>) -> Vec<MergeOutcome> {
        let mut out = Vec::new();
        let mut has_new_graph = false;
        for (source, event) in events {
            match event {
                SourceEvent::Graph(graph) => {
                    let latest = match source {
                        Source::Mcl => &mut self.mcl,
                        Source::Puppet => &mut self.puppet,
                    };
                    if let Some(latest) = latest {
                        *latest = Some(graph);
                        has_new_graph = true;
                    }
                }
                SourceEvent::Failed(diagnostics) => out.push(MergeOutcome::Failed(diagnostics)),
            }
        }
        if has_new_graph {
            out.push(self.merged());
        }
        out
    }

    /// Takes changes of the program instead of a new graph. Returns whether they are those of the merged graph; if they are
    /// not, a new graph must follow. Each of their ids must be in the graph once.
    ///
    /// If there is a catalog, too, only values may change: the program's graph is needed again for the next catalog, and
    /// resources cannot be removed from it.
    pub fn patch(&mut self, changes: &GraphChanges) -> bool {
        match (&mut self.mcl, &self.puppet) {
            (Some(_), None) => true,
            (Some(_), Some(_)) if changes.is_structural() => false,
            (Some(Some(mcl)), Some(Some(puppet))) => changes.changed.iter().all(|change| {
                let ResourceId { kind, name } = &change.new.id;
                let Some(vertex) = mcl.find(kind, name) else { return false };
                mcl.replace(vertex, change.new.clone());
                puppet.find(kind, name).is_none() && !is_merge_point(&change.new)
            }),
            (None, _) | (Some(None), Some(_)) | (Some(Some(_)), Some(None)) => false,
        }
    }

    fn merged(&mut self) -> MergeOutcome {
        match (&mut self.mcl, &mut self.puppet) {
            // The graph of a single source is never merged again, so it is not kept.
            (Some(only), None) | (None, Some(only)) => {
                only.take().map_or(MergeOutcome::Waiting, |graph| MergeOutcome::Graph(graph, Vec::new()))
            }
            (Some(Some(mcl)), Some(Some(puppet))) => match merge(mcl, puppet, &self.options) {
                Ok(merged) => MergeOutcome::Graph(merged.graph, merged.warnings),
                Err(errors) => MergeOutcome::Failed(errors),
            },
            (Some(_), Some(_)) | (None, None) => MergeOutcome::Waiting,
        }
    }
}

#[cfg(test)]
mod tests;
