//! An agent for tests: a log of commands, a simulated clock, and checks that end when a test says so.

use std::collections::VecDeque;

use mcl_value::Value;
use resource_graph::{Meta, Resource, ResourceId};

use crate::{
    Command, Config, Engine, EngineGraph, Event, Failure, Finished, Group, GroupEdge, Report, Sent, Time, Transfer,
    VertexKey,
};

pub(super) fn resource(name: &str) -> Resource {
    Resource::new(ResourceId::new("noop", name))
}

pub(super) fn with(name: &str, change: impl FnOnce(&mut Meta)) -> Resource {
    let mut resource = resource(name);
    change(&mut resource.meta);
    resource
}

pub(super) fn param(name: &str, value: &str) -> Resource {
    let mut resource = resource(name);
    resource.params.insert("comment".into(), Value::str(value));
    resource
}

pub(super) const fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// An engine with a log of its commands, by resource name.
pub(super) struct TestAgent {
    pub(super) engine: Engine,
    pub(super) now: Time,
    pub(super) names: Vec<Option<String>>,
    pub(super) log: Vec<String>,
    pub(super) last: Vec<Command>,
}

impl TestAgent {
    pub(super) fn new(config: Config) -> TestAgent {
        let config = Config { refreshable: Some(|_| true), ..config };
        TestAgent { engine: Engine::new(config), now: ms(0), names: Vec::new(), log: Vec::new(), last: Vec::new() }
    }

    pub(super) fn start(resources: Vec<Resource>, edges: &[(u32, u32, bool)]) -> TestAgent {
        let mut agent = TestAgent::new(Config::default());
        agent.swap(resources, edges);
        agent
    }

    pub(super) fn swap(&mut self, resources: Vec<Resource>, edges: &[(u32, u32, bool)]) {
        let graph = graph(resources, edges, Vec::new());
        self.step(Event::Swap(Box::new(graph)));
    }

    /// Feeds an event; watches are in place at once.
    pub(super) fn step(&mut self, event: Event) {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for command in self.engine.step(event, self.now) {
                match &command {
                    Command::Create(key, group) => {
                        let i = key.index();
                        self.names.resize(self.names.len().max(i + 1), None);
                        self.names[i] = Some(group[0].id.name.to_string());
                    }
                    Command::Watch(key, epoch) => events.push_back(Event::Watching(*key, *epoch)),
                    Command::Unwatch(_) => {}
                    Command::Run { key, refresh, apply, .. } => {
                        let refresh = if *refresh { "!" } else { "" };
                        let noop = if *apply { "" } else { "?" };
                        self.log.push(format!("{}{refresh}{noop}", self.name(*key)));
                    }
                    Command::Cancel(key) => self.log.push(format!("cancel {}", self.name(*key))),
                    Command::Kill(key) => self.log.push(format!("kill {}", self.name(*key))),
                    Command::Remove(key) => self.log.push(format!("remove {}", self.name(*key))),
                    Command::Record { from, to } => self.log.push(format!("record {}=>{}", from.name, to.name)),
                    Command::Delivered { from, to } => self.log.push(format!("delivered {}=>{}", from.name, to.name)),
                    Command::Report(Report::Failed { key, failure, retry, .. }) => {
                        let left = retry.map_or("exhausted".to_owned(), |(_, left)| format!("{left} left"));
                        self.log.push(format!("{} failed: {failure} ({left})", self.name(*key)));
                    }
                    Command::Report(report) => match report {
                        Report::Converged => self.log.push("converged".to_owned()),
                        Report::Diverged => self.log.push("diverged".to_owned()),
                        Report::Stopped => self.log.push("stopped".to_owned()),
                        Report::Unknown { key, failure } => {
                            self.log.push(format!("{} unknown: {failure}", self.name(*key)));
                        }
                        Report::Swapped { .. } | Report::Failed { .. } => {}
                    },
                }
                self.last.push(command);
            }
        }
    }

    pub(super) fn name(&self, key: VertexKey) -> String {
        self.names[key.index()].clone().unwrap()
    }

    pub(super) fn key(&self, name: &str) -> VertexKey {
        let found = self.engine.live().find(|(_, v)| &*v.id().name == name);
        found.expect("a vertex of that name").0
    }

    /// The key of a vertex that runs, in the graph or not.
    pub(super) fn running_key(&self, name: &str) -> VertexKey {
        let vertices = self.engine.vertices.iter().enumerate();
        let mut running = vertices.filter(|(_, v)| v.as_ref().is_some_and(|v| v.is_running() && &*v.id().name == name));
        VertexKey(running.next().expect("a running vertex of that name").0 as u32)
    }

    pub(super) fn finish(&mut self, name: &str, changed: bool) {
        let key = self.running_key(name);
        self.step(Event::Finished(key, Finished { changed, sent: Vec::new(), result: Ok(()) }));
    }

    pub(super) fn send(&mut self, name: &str, value: &str) {
        let sent = vec![Sent { member: 0, key: "out", value: Some(Value::str(value)), sensitive: false }];
        let key = self.running_key(name);
        self.step(Event::Finished(key, Finished { changed: false, sent, result: Ok(()) }));
    }

    pub(super) fn fail(&mut self, name: &str) {
        self.fail_with(name, Failure::Refused("no".to_owned()));
    }

    pub(super) fn fail_with(&mut self, name: &str, failure: Failure) {
        let key = self.running_key(name);
        self.step(Event::Finished(key, Finished { changed: false, sent: Vec::new(), result: Err(failure) }));
    }

    pub(super) fn fail_after_change(&mut self, name: &str) {
        let key = self.running_key(name);
        let result = Err(Failure::Refused("half done".to_owned()));
        self.step(Event::Finished(key, Finished { changed: true, sent: Vec::new(), result }));
    }

    pub(super) fn fire(&mut self, name: &str) {
        self.step(Event::Fired(self.key(name)));
    }

    pub(super) fn at(&mut self, now: Time) {
        self.now = now;
        self.step(Event::Tick);
    }

    /// Checks the log since the previous check of it.
    #[track_caller]
    pub(super) fn expect(&mut self, expected: &[&str]) {
        assert_eq!(self.log, expected);
        self.log.clear();
    }

    /// Lets every running check succeed without changes until none runs.
    pub(super) fn settle(&mut self) {
        while let Some(i) = self.engine.vertices.iter().position(|v| v.as_ref().is_some_and(|v| v.is_running())) {
            let finished = Finished { changed: false, sent: Vec::new(), result: Ok(()) };
            self.step(Event::Finished(VertexKey(i as u32), finished));
        }
        self.log.clear();
    }
}

pub(super) fn graph(resources: Vec<Resource>, edges: &[(u32, u32, bool)], transfers: Vec<Transfer>) -> EngineGraph {
    let groups = resources.into_iter().map(Group::from).collect();
    let edges = edges.iter().map(|&(from, to, notify)| GroupEdge { from, to, notify }).collect();
    EngineGraph::new(groups, edges, transfers).unwrap()
}

pub(super) fn chain(names: &[&str]) -> (Vec<Resource>, Vec<(u32, u32, bool)>) {
    let edges = (1..names.len() as u32).map(|i| (i - 1, i, false)).collect();
    (names.iter().map(|n| resource(n)).collect(), edges)
}
