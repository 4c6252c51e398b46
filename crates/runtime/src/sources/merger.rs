//! Merging two streams of graphs: a state machine without I/O.

use graph_merge::{MergeOptions, merge};
use mcl_diagnostics::Diagnostic;
use resource_graph::ResourceGraph;

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
mod tests {
    use mcl_diagnostics::{Code, Stage};
    use resource_graph::{Resource, ResourceId};

    use super::*;

    /// A graph whose resource names its source and version.
    fn graph(source: Source, version: u32) -> ResourceGraph {
        let mut graph = ResourceGraph::new();
        graph.add(Resource::new(ResourceId::new("noop", format!("{source:?}-{version}"))));
        graph
    }

    fn names(outcome: &MergeOutcome) -> Vec<String> {
        match outcome {
            MergeOutcome::Graph(graph, _) => graph.resources().map(|(_, r)| r.id.name.to_string()).collect(),
            MergeOutcome::Waiting => vec!["waiting".to_owned()],
            MergeOutcome::Failed(_) => vec!["failed".to_owned()],
        }
    }

    /// Every interleaving of two sequences of lengths `a` and `b`: which source delivers at each step.
    fn interleavings(a: usize, b: usize) -> Vec<Vec<Source>> {
        if a == 0 || b == 0 {
            return vec![[vec![Source::Mcl; a], vec![Source::Puppet; b]].concat()];
        }
        let mut all = Vec::new();
        for (source, rest) in [(Source::Mcl, interleavings(a - 1, b)), (Source::Puppet, interleavings(a, b - 1))] {
            all.extend(rest.into_iter().map(|tail| [vec![source], tail].concat()));
        }
        all
    }

    /// The events cut into batches that are handled at once; bit `i` of `cuts` ends a batch after event `i`.
    fn batches(events: &[Source], cuts: u32) -> Vec<Vec<Source>> {
        let mut out = vec![Vec::new()];
        for (i, source) in events.iter().enumerate() {
            out.last_mut().expect("not empty").push(*source);
            if i + 1 < events.len() && cuts & (1 << i) != 0 {
                out.push(Vec::new());
            }
        }
        out
    }

    #[test]
    fn newest_graphs_are_merged_once_per_batch_in_every_interleaving() {
        let mut runs = 0;
        for order in interleavings(3, 3) {
            for cuts in 0..1u32 << (order.len() - 1) {
                runs += 1;
                let mut merger = GraphMerger::new(true, true, MergeOptions::default());
                let (mut mcl, mut puppet) = (0, 0);
                for batch in batches(&order, cuts) {
                    let events: Vec<(Source, SourceEvent)> = batch
                        .into_iter()
                        .map(|source| {
                            let version = match source {
                                Source::Mcl => &mut mcl,
                                Source::Puppet => &mut puppet,
                            };
                            *version += 1;
                            (source, SourceEvent::Graph(graph(source, *version)))
                        })
                        .collect();
                    let out = merger.handle(events);
                    assert_eq!(out.len(), 1, "one outcome per batch");
                    let expected = if mcl == 0 || puppet == 0 {
                        vec!["waiting".to_owned()]
                    } else {
                        vec![format!("Mcl-{mcl}"), format!("Puppet-{puppet}")]
                    };
                    assert_eq!(names(&out[0]), expected);
                }
            }
        }
        assert_eq!(runs, 20 * 32);
    }

    #[test]
    fn failing_source_is_reported_at_once_and_keeps_its_last_graph() {
        let failed = || SourceEvent::Failed(vec![Diagnostic::error(Code::P0101, Stage::Puppet, "broken")]);
        let mut merger = GraphMerger::new(true, true, MergeOptions::default());
        assert!(matches!(merger.handle([(Source::Puppet, failed())])[..], [MergeOutcome::Failed(_)]));
        merger.handle([(Source::Puppet, SourceEvent::Graph(graph(Source::Puppet, 1)))]);
        merger.handle([(Source::Mcl, SourceEvent::Graph(graph(Source::Mcl, 1)))]);
        let out = merger.handle([(Source::Puppet, failed()), (Source::Mcl, SourceEvent::Graph(graph(Source::Mcl, 2)))]);
        assert_eq!(out.iter().map(names).collect::<Vec<_>>(), [vec!["failed"], vec!["Mcl-2", "Puppet-1"]]);
    }

    #[test]
    fn graph_of_a_single_source_passes_through() {
        let mut merger = GraphMerger::new(false, true, MergeOptions::default());
        let out = merger.handle([(Source::Puppet, SourceEvent::Graph(graph(Source::Puppet, 1)))]);
        assert_eq!(names(&out[0]), ["Puppet-1"]);
    }
}
