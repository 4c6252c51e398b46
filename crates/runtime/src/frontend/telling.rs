//! What the agent is told of what the mixer says: every graph, but the same problem only once.
//!
//! A program is evaluated again whenever something in it changes, so one that reads a clock and fails elsewhere fails
//! once a second. Nobody wants to read that once a second.

use super::Mixed;
use mcl_diagnostics::Diagnostic;
use resource_engine::EngineGraph;
use resource_graph::ResourceGraph;

use crate::shell::Message;

/// What was told last.
#[derive(Default)]
pub(super) struct Telling {
    /// Of failures since the last graph.
    failure: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Telling {
    /// The messages that follow; `finish` makes the graph that the agent runs.
    pub(super) fn messages(
        &mut self,
        mixed: Mixed,
        finish: impl FnOnce(ResourceGraph) -> Result<EngineGraph, Vec<Diagnostic>>,
    ) -> Vec<Message> {
        let (graph, warnings) = match mixed {
            Mixed::Waiting => return Vec::new(),
            Mixed::Failed(diagnostics) => return self.failed(diagnostics).into_iter().collect(),
            Mixed::Graph(graph, warnings) => (graph, warnings),
        };
        let mut messages = Vec::new();
        if warnings != self.warnings {
            self.warnings.clone_from(&warnings);
            if !warnings.is_empty() {
                messages.push(Message::Problems(warnings));
            }
        }
        match finish(graph) {
            Ok(graph) => {
                self.failure.clear();
                messages.push(Message::Graph(Box::new(graph)));
            }
            Err(diagnostics) => messages.extend(self.failed(diagnostics)),
        }
        messages
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

    use super::*;

    fn problem(text: &str) -> Vec<Diagnostic> {
        vec![Diagnostic::error(Code::R0101, Stage::Stream, text)]
    }

    /// What is told, in words.
    fn told(telling: &mut Telling, mixed: Mixed) -> String {
        let text = |diagnostics: &[Diagnostic]| diagnostics.iter().map(|d| &*d.message).collect::<Vec<_>>().join(",");
        let word = |message: Message| match message {
            Message::Graph(_) => "graph".to_owned(),
            Message::SourceFailed(diagnostics) => format!("failed: {}", text(&diagnostics)),
            Message::Problems(diagnostics) => format!("warned: {}", text(&diagnostics)),
            Message::Stop(_) | Message::Done(_) | Message::Task(..) => unreachable!("a front end does not say this"),
        };
        let finish = |graph: ResourceGraph| {
            if graph.is_empty() {
                return Err(problem("a circle"));
            }
            EngineGraph::grouped(&graph).map_err(|_| Vec::new())
        };
        telling.messages(mixed, finish).into_iter().map(word).collect::<Vec<_>>().join("; ")
    }

    fn graph(warnings: Vec<Diagnostic>) -> Mixed {
        let mut graph = ResourceGraph::new();
        graph.add(resource_graph::Resource::new(resource_graph::ResourceId::new("noop", "a")));
        Mixed::Graph(graph, warnings)
    }

    #[test]
    fn a_failure_that_stays_the_same_is_told_once() {
        let mut telling = Telling::default();
        let mut tell = |mixed| told(&mut telling, mixed);
        assert_eq!(tell(Mixed::Failed(problem("x"))), "failed: x");
        assert_eq!(tell(Mixed::Failed(problem("x"))), "");
        assert_eq!(tell(Mixed::Failed(problem("y"))), "failed: y");
        assert_eq!(tell(Mixed::Waiting), "");
        assert_eq!(tell(Mixed::Failed(problem("y"))), "");
        assert_eq!(tell(graph(Vec::new())), "graph");
        assert_eq!(tell(Mixed::Failed(problem("y"))), "failed: y", "it had been good in between");
    }

    #[test]
    fn so_are_warnings_and_graphs_that_cannot_be_finished() {
        let mut telling = Telling::default();
        let mut tell = |mixed| told(&mut telling, mixed);
        assert_eq!(tell(graph(problem("w"))), "warned: w; graph");
        assert_eq!(tell(graph(problem("w"))), "graph");
        assert_eq!(tell(Mixed::Graph(ResourceGraph::new(), Vec::new())), "failed: a circle");
        assert_eq!(tell(Mixed::Graph(ResourceGraph::new(), Vec::new())), "");
        assert_eq!(tell(graph(problem("w"))), "warned: w; graph");
    }
}
