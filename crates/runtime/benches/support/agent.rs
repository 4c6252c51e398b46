//! Runs of the agent that are timed.

use std::path::Path;
use std::time::{Duration, Instant};

use resource_graph::ResourceGraph;
use resources::StateDir;
use runtime::agent::{Agent, AgentOptions, Event, Message, Observer};
use runtime::{finalize, local_host};

/// Prints failures only.
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Failed { resource, failure, .. } = event {
            eprintln!("{}: {failure}", resource.id);
        }
    }
}

/// Applies a graph once, with the state in `scratch`, and returns how long it took.
pub fn apply(scratch: &Path, graph: &ResourceGraph) -> Duration {
    let state = StateDir::open(&scratch.join("prefix")).expect("a fresh prefix");
    let mut observer = Silent;
    let options = AgentOptions { once: true, state: Some(state), ..AgentOptions::default() };
    let graph = graph.clone();
    let started = Instant::now();
    let mut agent = Agent::new(options, &mut observer).expect("an agent");
    agent.handle().send(Message::Graph(Box::new(finalize(graph, &local_host()).expect("no cycle").engine)));
    let summary = agent.run();
    let elapsed = started.elapsed();
    assert!(summary.is_success());
    elapsed
}
