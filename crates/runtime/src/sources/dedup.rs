//! Reporting each change of the problems of the graph sources once.
//!
//! A program is evaluated again whenever an input changes. One that reads a clock and fails elsewhere fails every second,
//! and repeating that every second would hide everything else.

use mcl_diagnostics::Diagnostic;
use resource_engine::EngineGraph;
use resource_graph::ResourceGraph;

use crate::agent::Message;
use crate::sources::merger::MergeOutcome;

/// Drops problems that were reported before and did not change since.
#[derive(Default)]
pub(super) struct Deduplicator {
    /// The failure reported last; empty since the last graph.
    failure: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Deduplicator {
    /// Returns the messages for the agent: every graph, but only new problems. `finalize` makes the graph that the agent
    /// runs, and notes about it.
    pub(super) fn changes(
        &mut self,
        outcome: MergeOutcome,
        finalize: impl FnOnce(ResourceGraph) -> Result<(EngineGraph, Vec<Diagnostic>), Vec<Diagnostic>>,
    ) -> Vec<Message> {
        let (graph, mut warnings) = match outcome {
            MergeOutcome::Waiting => return Vec::new(),
            MergeOutcome::Failed(diagnostics) => return self.failed(diagnostics).into_iter().collect(),
            MergeOutcome::Graph(graph, warnings) => (graph, warnings),
        };
        let finalized = finalize(graph).map(|(graph, notes)| {
            warnings.extend(notes);
            graph
        });
        let mut messages = Vec::new();
        if warnings != self.warnings {
            self.warnings.clone_from(&warnings);
            if !warnings.is_empty() {
                messages.push(Message::Problems(warnings));
            }
        }
        match finalized {
            Ok(graph) => {
                self.failure.clear();
                messages.push(Message::Graph(Box::new(graph)));
            }
            Err(diagnostics) => messages.extend(self.failed(diagnostics)),
        }
        messages
    }

    /// Notes that the sources made a graph, although only values of it changed.
    pub(super) fn patched(&mut self) {
        self.failure.clear();
    }

    fn failed(&mut self, diagnostics: Vec<Diagnostic>) -> Option<Message> {
        if diagnostics == self.failure {
            return None;
        }
        self.failure.clone_from(&diagnostics);
        Some(Message::SourceFailed(diagnostics))
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::{Code, Stage};
    use resource_graph::{Resource, ResourceId};

    use super::*;

    fn problem(message: &str) -> Vec<Diagnostic> {
        vec![Diagnostic::error(Code::R0101, Stage::Stream, message)]
    }

    /// Returns the messages for the agent in short form. A graph without resources cannot be finalized.
    fn changes(deduplicator: &mut Deduplicator, outcome: MergeOutcome) -> String {
        let join = |diagnostics: &[Diagnostic]| diagnostics.iter().map(|d| &*d.message).collect::<Vec<_>>().join(",");
        let short = |message: Message| match message {
            Message::Graph(_) => "graph".to_owned(),
            Message::Patch(_) => "patch".to_owned(),
            Message::SourceFailed(diagnostics) => format!("failed: {}", join(&diagnostics)),
            Message::Problems(diagnostics) => format!("warned: {}", join(&diagnostics)),
            Message::Reloaded(_) | Message::Stop(_) | Message::Done(_) | Message::Task(..) => {
                unreachable!("not a message of a source")
            }
        };
        let finalize = |graph: ResourceGraph| {
            if graph.is_empty() {
                return Err(problem("a cycle"));
            }
            let notes = if graph.len() > 1 { problem("omitted") } else { Vec::new() };
            EngineGraph::grouped(&graph).map(|graph| (graph, notes)).map_err(|_| Vec::new())
        };
        deduplicator.changes(outcome, finalize).into_iter().map(short).collect::<Vec<_>>().join("; ")
    }

    fn graph(warnings: Vec<Diagnostic>) -> MergeOutcome {
        let mut graph = ResourceGraph::new();
        graph.add(Resource::new(ResourceId::new("noop", "a")));
        MergeOutcome::Graph(graph, warnings)
    }

    #[test]
    fn unchanged_failure_is_reported_once() {
        let mut deduplicator = Deduplicator::default();
        let mut changes = |outcome| changes(&mut deduplicator, outcome);
        assert_eq!(changes(MergeOutcome::Failed(problem("x"))), "failed: x");
        assert_eq!(changes(MergeOutcome::Failed(problem("x"))), "");
        assert_eq!(changes(MergeOutcome::Failed(problem("y"))), "failed: y");
        assert_eq!(changes(MergeOutcome::Waiting), "");
        assert_eq!(changes(MergeOutcome::Failed(problem("y"))), "");
        assert_eq!(changes(graph(Vec::new())), "graph");
        assert_eq!(changes(MergeOutcome::Failed(problem("y"))), "failed: y", "a graph came in between");
    }

    #[test]
    fn failure_after_a_patch_is_reported_again() {
        let mut deduplicator = Deduplicator::default();
        assert_eq!(changes(&mut deduplicator, MergeOutcome::Failed(problem("x"))), "failed: x");
        deduplicator.patched();
        assert_eq!(changes(&mut deduplicator, MergeOutcome::Failed(problem("x"))), "failed: x");
    }

    #[test]
    fn unchanged_notes_of_the_final_graph_are_reported_once() {
        let mut deduplicator = Deduplicator::default();
        let two = || {
            let mut graph = ResourceGraph::new();
            for name in ["a", "b"] {
                graph.add(Resource::new(ResourceId::new("noop", name)));
            }
            MergeOutcome::Graph(graph, problem("w"))
        };
        assert_eq!(changes(&mut deduplicator, two()), "warned: w,omitted; graph");
        assert_eq!(changes(&mut deduplicator, two()), "graph");
        assert_eq!(changes(&mut deduplicator, graph(problem("w"))), "warned: w; graph");
    }

    #[test]
    fn unchanged_warnings_and_invalid_graphs_are_reported_once() {
        let mut deduplicator = Deduplicator::default();
        let mut changes = |outcome| changes(&mut deduplicator, outcome);
        assert_eq!(changes(graph(problem("w"))), "warned: w; graph");
        assert_eq!(changes(graph(problem("w"))), "graph");
        assert_eq!(changes(MergeOutcome::Graph(ResourceGraph::new(), Vec::new())), "failed: a cycle");
        assert_eq!(changes(MergeOutcome::Graph(ResourceGraph::new(), Vec::new())), "");
        assert_eq!(changes(graph(problem("w"))), "warned: w; graph");
    }
}
