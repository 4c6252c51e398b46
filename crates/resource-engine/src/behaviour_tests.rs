//! One test per rule of spec 06 §3, on small graphs with a simulated clock.

use std::collections::VecDeque;
use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Meta, Resource, ResourceId};

use crate::*;
use crate::{Failure, Sent};

pub(super) fn resource(name: &str) -> Resource {
    Resource::new(ResourceId::new("noop", name))
}

fn with(name: &str, change: impl FnOnce(&mut Meta)) -> Resource {
    let mut resource = resource(name);
    change(&mut resource.meta);
    resource
}

fn param(name: &str, value: &str) -> Resource {
    let mut resource = resource(name);
    resource.params.insert("comment".into(), Value::str(value));
    resource
}

const fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// An engine with a log of its commands, by resource name.
struct TestAgent {
    engine: Engine,
    now: Time,
    names: Vec<Option<String>>,
    log: Vec<String>,
    last: Vec<Command>,
}

impl TestAgent {
    fn new(config: Config) -> TestAgent {
        let config = Config { refreshable: Some(|_| true), ..config };
        TestAgent { engine: Engine::new(config), now: ms(0), names: Vec::new(), log: Vec::new(), last: Vec::new() }
    }

    fn start(resources: Vec<Resource>, edges: &[(u32, u32, bool)]) -> TestAgent {
        let mut agent = TestAgent::new(Config::default());
        agent.swap(resources, edges);
        agent
    }

    fn swap(&mut self, resources: Vec<Resource>, edges: &[(u32, u32, bool)]) {
        let graph = graph(resources, edges, Vec::new());
        self.step(Event::Swap(Box::new(graph)));
    }

    /// Feeds an event; watches are in place at once.
    fn step(&mut self, event: Event) {
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

    fn name(&self, key: VertexKey) -> String {
        self.names[key.index()].clone().unwrap()
    }

    fn key(&self, name: &str) -> VertexKey {
        let found = self.engine.live().find(|(_, v)| &*v.id().name == name);
        found.expect("a vertex of that name").0
    }

    /// The key of a vertex that runs, in the graph or not.
    fn running_key(&self, name: &str) -> VertexKey {
        let vertices = self.engine.vertices.iter().enumerate();
        let mut running = vertices.filter(|(_, v)| v.as_ref().is_some_and(|v| v.is_running() && &*v.id().name == name));
        VertexKey(running.next().expect("a running vertex of that name").0 as u32)
    }

    fn finish(&mut self, name: &str, changed: bool) {
        let key = self.running_key(name);
        self.step(Event::Finished(key, Finished { changed, sent: Vec::new(), result: Ok(()) }));
    }

    fn send(&mut self, name: &str, value: &str) {
        let sent = vec![Sent { member: 0, key: "out", value: Some(Value::str(value)) }];
        let key = self.running_key(name);
        self.step(Event::Finished(key, Finished { changed: false, sent, result: Ok(()) }));
    }

    fn fail(&mut self, name: &str) {
        self.fail_with(name, Failure::Refused("no".to_owned()));
    }

    fn fail_with(&mut self, name: &str, failure: Failure) {
        let key = self.running_key(name);
        self.step(Event::Finished(key, Finished { changed: false, sent: Vec::new(), result: Err(failure) }));
    }

    fn fire(&mut self, name: &str) {
        self.step(Event::Fired(self.key(name)));
    }

    fn at(&mut self, now: Time) {
        self.now = now;
        self.step(Event::Tick);
    }

    /// Checks the log since the previous check of it.
    #[track_caller]
    fn expect(&mut self, expected: &[&str]) {
        assert_eq!(self.log, expected);
        self.log.clear();
    }

    /// Lets every running check succeed without changes until none runs.
    fn settle(&mut self) {
        while let Some(i) = self.engine.vertices.iter().position(|v| v.as_ref().is_some_and(|v| v.is_running())) {
            let finished = Finished { changed: false, sent: Vec::new(), result: Ok(()) };
            self.step(Event::Finished(VertexKey(i as u32), finished));
        }
        self.log.clear();
    }
}

fn graph(resources: Vec<Resource>, edges: &[(u32, u32, bool)], transfers: Vec<Transfer>) -> EngineGraph {
    let groups = resources.into_iter().map(Group::from).collect();
    let edges = edges.iter().map(|&(from, to, notify)| GroupEdge { from, to, notify }).collect();
    EngineGraph::new(groups, edges, transfers).unwrap()
}

fn chain(names: &[&str]) -> (Vec<Resource>, Vec<(u32, u32, bool)>) {
    let edges = (1..names.len() as u32).map(|i| (i - 1, i, false)).collect();
    (names.iter().map(|n| resource(n)).collect(), edges)
}

#[test]
fn dependent_starts_after_its_dependency_succeeded() {
    let (resources, edges) = chain(&["a", "b"]);
    let mut agent = TestAgent::start(resources, &edges);
    agent.expect(&["a"]);
    agent.finish("a", true);
    agent.expect(&["b"]);
}

#[test]
fn nothing_is_checked_before_its_watch_is_ready() {
    let mut agent = TestAgent::new(Config::default());
    let graph = graph(vec![resource("a")], &[], Vec::new());
    let commands = agent.engine.step(Event::Swap(Box::new(graph)), ms(0));
    let watch =
        commands.iter().find_map(|c| if let Command::Watch(key, epoch) = c { Some((*key, *epoch)) } else { None });
    assert!(!commands.iter().any(|c| matches!(c, Command::Run { .. })));
    let (key, epoch) = watch.unwrap();
    let commands = agent.engine.step(Event::Watching(key, epoch), ms(1));
    assert!(matches!(commands[..], [Command::Run { .. }]));
}

#[test]
fn fan_in_and_fan_out_run_in_waves() {
    let names = ["a", "b", "c", "hub", "x", "y", "z"];
    let edges = [(0, 3, false), (1, 3, false), (2, 3, false), (3, 4, false), (3, 5, false), (3, 6, false)];
    let mut agent = TestAgent::start(names.iter().map(|n| resource(n)).collect(), &edges);
    agent.expect(&["a", "b", "c"]);
    agent.finish("b", false);
    agent.finish("a", false);
    agent.expect(&[]);
    agent.finish("c", false);
    agent.expect(&["hub"]);
    agent.finish("hub", false);
    agent.expect(&["x", "y", "z"]);
}

#[test]
fn large_graph_starts_in_several_steps_and_completely() {
    let mut agent = TestAgent::new(Config { once: true, max_starts_per_step: Some(2), ..Config::default() });
    agent.swap(["a", "b", "c", "d", "e"].iter().map(|n| resource(n)).collect(), &[(0, 4, false)]);
    let mut steps = 0;
    while agent.engine.deadline() == Some(agent.now) {
        assert!(!agent.engine.is_quiet() && agent.log.len() <= 2 * (steps + 1), "{:?}", agent.log);
        agent.step(Event::Tick);
        steps += 1;
    }
    agent.expect(&["a", "b", "c", "d"]);
    assert!(steps > 1);
    for name in ["a", "b", "c", "d", "e"] {
        agent.finish(name, false);
    }
    agent.expect(&["e"]);
    assert!(agent.engine.is_quiet());
}

#[test]
fn graph_swap_or_stop_between_steps_starts_no_removed_vertex() {
    let mut agent = TestAgent::new(Config { once: true, max_starts_per_step: Some(1), ..Config::default() });
    agent.swap(["a", "b", "c"].iter().map(|n| resource(n)).collect(), &[]);
    agent.expect(&["a"]);
    agent.swap(vec![resource("c"), resource("d")], &[]);
    assert_ne!(agent.engine.deadline(), Some(agent.now), "the last check of a removed vertex is waited for");
    agent.finish("a", false);
    while agent.engine.deadline() == Some(agent.now) {
        agent.step(Event::Tick);
    }
    agent.log.sort();
    agent.expect(&["c", "d", "remove a"]);
    agent.finish("c", false);
    agent.finish("d", false);
    agent.swap(["e", "f", "g"].iter().map(|n| resource(n)).collect(), &[]);
    agent.step(Event::Stop(StopLevel::Finish));
    assert_ne!(agent.engine.deadline(), Some(agent.now), "what may not start is not waited for");
    agent.finish("e", false);
    agent.log.sort();
    agent.expect(&["e", "remove c", "remove d", "stopped"]);
}

#[test]
fn event_during_a_check_causes_another() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    agent.fire("a");
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&[]);
}

#[test]
fn only_the_vertex_with_an_event_is_checked_in_a_chain() {
    let (resources, edges) = chain(&["a", "b", "c"]);
    let mut agent = TestAgent::start(resources, &edges);
    agent.settle();
    agent.fire("c");
    agent.expect(&["c"]);
    agent.settle();
    agent.fire("a");
    agent.expect(&["a"]);
    agent.finish("a", true);
    agent.expect(&[]);
}

#[test]
fn a_check_waits_for_a_dependency_of_its_dependency() {
    let (resources, edges) = chain(&["a", "b", "c"]);
    let mut agent = TestAgent::start(resources, &edges);
    agent.settle();
    agent.fire("a");
    agent.fire("c");
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["c"]);
}

#[test]
fn dependent_waits_for_failed_dependency_and_recovers() {
    let resources = vec![with("a", |m| (m.retry, m.delay) = (1, 100)), resource("b"), resource("c")];
    let mut agent = TestAgent::start(resources, &[(0, 1, false)]);
    agent.expect(&["a", "c"]);
    agent.fail("a");
    agent.expect(&["a failed: no (0 left)"]);
    agent.at(ms(99));
    agent.expect(&[]);
    agent.at(ms(100));
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["b"]);
}

#[test]
fn budget_counts_failures_over_the_whole_life() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.retry = 2)], &[]);
    agent.fail("a");
    agent.finish("a", false);
    agent.fire("a");
    agent.fail("a");
    agent.expect(&["a", "a failed: no (1 left)", "a", "a", "a failed: no (0 left)", "a"]);
    agent.fail("a");
    agent.expect(&["a failed: no (exhausted)"]);
    agent.fire("a");
    agent.expect(&[]);
}

#[test]
fn success_restores_the_budget_where_asked() {
    let mut agent = TestAgent::start(vec![with("a", |m| (m.retry, m.retryreset) = (1, true))], &[]);
    for _ in 0..5 {
        agent.fail("a");
        agent.finish("a", false);
        agent.fire("a");
    }
    assert!(agent.log.iter().all(|line| !line.contains("dead")), "{:?}", agent.log);
}

#[test]
fn dead_vertex_stays_dead_until_it_changes_or_asks_to_be_revived() {
    let mut agent = TestAgent::start(vec![resource("a"), with("b", |m| m.rewatch = true)], &[]);
    agent.fail("a");
    agent.fail("b");
    agent.log.clear();
    agent.swap(vec![resource("a"), with("b", |m| m.rewatch = true)], &[]);
    agent.expect(&["remove b", "b"]);
    agent.swap(vec![param("a", "new"), with("b", |m| m.rewatch = true)], &[]);
    agent.expect(&["remove a", "a"]);
}

#[test]
fn budget_survives_a_replacement_unless_reset() {
    let failing = |p: &str, reset: bool| {
        let mut r = param("a", p);
        (r.meta.retry, r.meta.reset) = (5, reset);
        r
    };
    let mut agent = TestAgent::start(vec![failing("1", false)], &[]);
    for _ in 0..3 {
        agent.fail("a");
    }
    agent.finish("a", false);
    agent.swap(vec![failing("2", false)], &[]);
    agent.log.clear();
    agent.fail("a");
    agent.expect(&["a failed: no (1 left)", "a"]);
    agent.finish("a", false);
    agent.swap(vec![failing("3", true)], &[]);
    agent.log.clear();
    agent.fail("a");
    agent.expect(&["a failed: no (4 left)", "a"]);
}

#[test]
fn refresh_comes_once_and_only_after_a_change() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("b")], &[(0, 1, true)]);
    agent.finish("a", true);
    agent.expect(&["a", "b!"]);
    agent.finish("b", false);
    agent.expect(&["delivered a=>b"]);
    agent.fire("b");
    agent.expect(&["b"]);
    agent.finish("b", false);
    agent.fire("a");
    agent.finish("a", false);
    agent.expect(&["a"]);
    agent.fire("a");
    agent.finish("a", true);
    agent.expect(&["a", "b!"]);
}

#[test]
fn failed_check_keeps_the_refresh() {
    let b = with("b", |m| m.retry = 1);
    let mut agent = TestAgent::start(vec![resource("a"), b], &[(0, 1, true)]);
    agent.finish("a", true);
    agent.fail("b");
    agent.expect(&["a", "b!", "b failed: no (0 left)", "b!"]);
    agent.finish("b", false);
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn refresh_survives_graph_swaps_and_restarts() {
    let b = || with("b", |m| m.retry = 3);
    let mut agent = TestAgent::start(vec![resource("a"), b()], &[(0, 1, true)]);
    agent.finish("a", true);
    agent.fail("b");
    agent.log.clear();
    let mut changed = b();
    changed.params.insert("comment".into(), Value::str("new"));
    agent.fail("b");
    agent.swap(vec![resource("a"), changed], &[(0, 1, true)]);
    assert!(!agent.log.iter().any(|l| l.starts_with("delivered")));
    agent.finish("b", false);
    assert_eq!(agent.log.last().unwrap(), "b!");
    agent.finish("b", false);
    agent.expect(&["b failed: no (1 left)", "b!", "remove b", "b!", "delivered a=>b"]);

    let id = |name: &str| resource(name).id;
    let undelivered = vec![(id("a"), id("b")), (id("x"), id("b"))];
    let mut agent = TestAgent::new(Config { undelivered, ..Config::default() });
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, true)]);
    agent.expect(&["delivered x=>b", "a"]);
    agent.finish("a", false);
    agent.expect(&["b!"]);
}

#[test]
fn change_made_by_a_failed_check_still_notifies() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.retry = 1), resource("b")], &[(0, 1, true)]);
    let key = agent.key("a");
    let failure = Err(Failure::Refused("half done".to_owned()));
    agent.step(Event::Finished(key, Finished { changed: true, sent: Vec::new(), result: failure }));
    agent.log.clear();
    agent.finish("a", false);
    agent.expect(&["b!"]);
}

#[test]
fn noop_changes_nothing_and_does_not_block_or_notify() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.noop = true), resource("b")], &[(0, 1, true)]);
    agent.finish("a", true);
    agent.expect(&["a?", "b"]);
}

#[test]
fn timeout_cancels_and_counts_as_failure() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.timeout = 500)], &[]);
    agent.at(ms(500));
    agent.expect(&["a", "cancel a"]);
    agent.fail_with("a", Failure::Cancelled);
    agent.expect(&["a failed: timeout after 0.500 seconds (exhausted)"]);
}

#[test]
fn late_success_is_a_success() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.timeout = 500), resource("b")], &[(0, 1, false)]);
    agent.at(ms(600));
    agent.finish("a", false);
    agent.expect(&["a", "cancel a", "b"]);
}

#[test]
fn semaphores_bound_parallel_checks() {
    let some = |name: &str| with(name, |m| m.sema = vec!["s:2".to_owned()]);
    let mut agent = TestAgent::start(vec![some("a"), some("b"), some("c"), some("d")], &[]);
    agent.expect(&["a", "b"]);
    agent.fail("a");
    agent.expect(&["a failed: no (exhausted)", "c"]);
    agent.finish("b", false);
    agent.expect(&["d"]);
}

#[test]
fn equal_names_with_and_without_size_are_two_semaphores() {
    let some = |name: &str, sema: &str| with(name, |m| m.sema = vec![sema.to_owned()]);
    let mut agent = TestAgent::start(vec![some("a", "s"), some("b", "s:1")], &[]);
    agent.expect(&["a", "b"]);
}

#[test]
fn rate_limit_spaces_out_checks() {
    let mut agent = TestAgent::start(vec![with("a", |m| (m.limit, m.burst) = (1.0, 1))], &[]);
    agent.settle();
    for i in 0..20 {
        agent.now = ms(50 * i);
        agent.fire("a");
        if agent.engine.running > 0 {
            agent.finish("a", false);
        }
    }
    assert!(agent.log.len() <= 2, "{:?}", agent.log);
    agent.log.clear();
    agent.at(ms(1000));
    agent.expect(&["a"]);
}

#[test]
fn polling_checks_again_and_negative_polling_does_not() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.poll = 2), with("b", |m| m.poll = -1)], &[]);
    agent.settle();
    agent.at(ms(2000));
    agent.expect(&["a"]);
    agent.settle();
    assert_eq!(agent.engine.deadline(), Some(ms(4000)));
}

#[test]
fn watch_failure_interrupts_the_check_and_restarts_without_using_its_budget() {
    let mut agent = TestAgent::start(vec![with("a", |m| (m.retry, m.delay) = (1, 10))], &[]);
    let (key, epoch) = (agent.key("a"), agent.engine.get(agent.key("a")).unwrap().watch_epoch);
    agent.step(Event::WatchFailed(key, epoch, Failure::Refused("gone".to_owned())));
    agent.expect(&["a", "cancel a", "a failed: gone (0 left)"]);
    agent.at(ms(10));
    agent.expect(&[]);
    agent.fail_with("a", Failure::Cancelled);
    agent.expect(&["a"]);
    agent.fail("a");
    agent.at(ms(20));
    agent.expect(&["a failed: no (0 left)", "a"]);
}

#[test]
fn refresh_is_propagated_without_a_change() {
    let run = |propagates_refresh| {
        let mut middle = resource("b");
        middle.propagates_refresh = propagates_refresh;
        let mut agent = TestAgent::start(vec![resource("a"), middle, resource("c")], &[(0, 1, true), (1, 2, true)]);
        agent.expect(&["a"]);
        agent.finish("a", true);
        agent.expect(&["b!"]);
        agent.finish("b", false);
        agent
    };
    run(true).expect(&["delivered a=>b", "c!"]);
    run(false).expect(&["delivered a=>b", "c"]);
}

#[test]
fn identical_graph_touches_nothing() {
    let (resources, edges) = chain(&["a", "b", "c"]);
    let mut agent = TestAgent::start(resources.clone(), &edges);
    agent.settle();
    agent.last.clear();
    agent.swap(resources, &edges);
    assert!(matches!(agent.last[..], [Command::Report(Report::Swapped { kept: 3, .. })]), "{:?}", agent.last);
}

#[test]
fn changed_vertex_is_replaced_alone_and_after_its_check_ended() {
    let mut agent = TestAgent::start(vec![param("a", "1"), resource("b")], &[]);
    agent.finish("b", false);
    agent.log.clear();
    agent.swap(vec![param("a", "2"), resource("b")], &[]);
    agent.expect(&[]);
    agent.finish("a", true);
    agent.expect(&["remove a", "a"]);
}

#[test]
fn kept_vertex_respects_new_edges() {
    let mut agent = TestAgent::start(vec![resource("b")], &[]);
    agent.settle();
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    agent.fire("b");
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["b"]);
}

#[test]
fn swap_while_waiting_for_a_semaphore_starts_nothing_on_old_edges() {
    let some = |name: &str| with(name, |m| m.sema = vec!["s".to_owned()]);
    let mut agent = TestAgent::start(vec![some("a"), some("b")], &[]);
    agent.expect(&["a"]);
    agent.swap(vec![some("b"), some("c")], &[(1, 0, false)]);
    agent.finish("a", false);
    agent.expect(&["remove a", "c"]);
    agent.finish("c", false);
    agent.expect(&["b"]);
}

#[test]
fn received_value_is_passed_on_only_when_it_differs() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config::default());
    let graph = graph(vec![resource("a"), resource("b")], &[], vec![transfer]);
    agent.step(Event::Swap(Box::new(graph)));
    agent.send("a", "x");
    agent.expect(&["a", "b"]);
    let Some(Command::Run { updates, changed, .. }) = agent.last.last() else { panic!("b runs") };
    assert_eq!(updates[..], [Received { member: 0, key: "p".into(), value: Value::str("x") }]);
    assert_eq!(changed[..], [(0, Arc::from("p"))]);
    agent.finish("b", true);
    agent.fire("a");
    agent.send("a", "x");
    agent.expect(&["a"]);
    agent.fire("a");
    agent.send("a", "y");
    agent.expect(&["a", "b"]);
}

#[test]
fn received_value_survives_an_identical_graph() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config::default());
    let graph = graph(vec![resource("a"), resource("b")], &[], vec![transfer]);
    agent.step(Event::Swap(Box::new(graph.clone())));
    agent.send("a", "x");
    agent.finish("b", true);
    agent.last.clear();
    agent.step(Event::Swap(Box::new(graph)));
    assert!(matches!(agent.last[..], [Command::Report(Report::Swapped { kept: 2, .. })]), "{:?}", agent.last);
}

#[test]
fn member_of_a_group_receives_through_its_leader() {
    let group = Group::Together([resource("leader"), resource("member")].into());
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 1), to_key: "p".into() };
    let graph = EngineGraph::new(vec![Group::from(resource("a")), group], Vec::new(), vec![transfer]).unwrap();
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph)));
    agent.send("a", "x");
    agent.expect(&["a", "leader"]);
    let Some(Command::Run { updates, .. }) = agent.last.last() else { panic!("the leader runs") };
    assert_eq!(updates[..], [Received { member: 1, key: "p".into(), value: Value::str("x") }]);
}

#[test]
fn sender_in_a_group_that_is_replaced_still_reaches_a_receiver_that_stays() {
    let graph = |retry: i16| {
        let leader = with("leader", |m| m.retry = retry);
        let group = Group::Together([leader, resource("member")].into());
        let transfer = Transfer { from: (0, 1), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
        EngineGraph::new(vec![group, Group::from(resource("b"))], Vec::new(), vec![transfer]).unwrap()
    };
    let publish = |agent: &mut TestAgent, value: &str| {
        let sent = vec![Sent { member: 1, key: "out", value: Some(Value::str(value)) }];
        let key = agent.running_key("leader");
        agent.step(Event::Finished(key, Finished { changed: false, sent, result: Ok(()) }));
    };
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph(0))));
    publish(&mut agent, "x");
    agent.finish("b", true);
    agent.expect(&["leader", "b"]);
    agent.step(Event::Swap(Box::new(graph(1))));
    agent.expect(&["remove leader", "leader"]);
    publish(&mut agent, "y");
    agent.expect(&["b"]);
    let Some(Command::Run { updates, .. }) = agent.last.last() else { panic!("b runs again") };
    assert_eq!(updates[..], [Received { member: 0, key: "p".into(), value: Value::str("y") }]);
}

#[test]
fn changed_mark_stays_through_a_failure() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config::default());
    let graph = graph(vec![resource("a"), with("b", |m| m.retry = 1)], &[], vec![transfer]);
    agent.step(Event::Swap(Box::new(graph)));
    agent.send("a", "x");
    agent.fail("b");
    let Some(Command::Run { updates, changed, .. }) = agent.last.last() else { panic!("b runs again") };
    assert!(updates.is_empty());
    assert_eq!(changed[..], [(0, Arc::from("p"))]);
}

#[test]
fn receiver_of_a_silent_sender_fails_with_its_name() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph(vec![resource("a"), resource("b")], &[], vec![transfer]))));
    agent.finish("a", false);
    agent.expect(&["a", "b failed: received no value from noop[a].out for `p` (exhausted)"]);
}

#[test]
fn in_noop_a_silent_sender_leaves_its_receiver_unknown() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config { noop: true, ..Config::default() });
    agent.step(Event::Swap(Box::new(graph(vec![resource("a"), resource("b")], &[], vec![transfer]))));
    agent.finish("a", true);
    agent.expect(&["a?", "b unknown: received no value from noop[a].out for `p`"]);
    assert_eq!(agent.engine.status().failed, 0);
}

#[test]
fn converges_after_quiet_and_says_when_it_is_over() {
    let mut agent = TestAgent::new(Config { converged_timeout: Some(ms(5000)), ..Config::default() });
    agent.swap(vec![resource("a")], &[]);
    agent.now = ms(1000);
    agent.finish("a", true);
    assert_eq!(agent.engine.deadline(), Some(ms(6000)));
    agent.at(ms(6000));
    agent.expect(&["a", "converged"]);
    agent.fire("a");
    agent.finish("a", true);
    agent.expect(&["a", "diverged"]);
    agent.at(ms(11_000));
    agent.expect(&["converged"]);
}

#[test]
fn blocked_noop_and_endlessly_failing_vertices_do_not_keep_from_converging() {
    let resources = vec![
        resource("dead"),
        resource("blocked"),
        with("noop", |m| m.noop = true),
        with("endless", |m| (m.retry, m.delay) = (-1, 1)),
    ];
    let mut agent = TestAgent::new(Config { converged_timeout: Some(ms(10)), ..Config::default() });
    agent.swap(resources, &[(0, 1, false)]);
    agent.fail("dead");
    agent.finish("noop", true);
    agent.log.clear();
    for i in 1..20 {
        agent.fail("endless");
        agent.at(ms(i));
    }
    assert!(agent.log.contains(&"converged".to_owned()), "{:?}", agent.log);
    assert_eq!(agent.engine.status(), Status { total: 4, done: 1, running: 0, failed: 2, waiting: 1, quiet: true });
}

#[test]
fn empty_graph_converges() {
    let mut agent = TestAgent::new(Config { converged_timeout: Some(ms(5)), ..Config::default() });
    agent.at(ms(100));
    agent.expect(&[]);
    agent.swap(Vec::new(), &[]);
    agent.at(ms(105));
    agent.expect(&["converged"]);
}

#[test]
fn stop_finishes_what_runs_and_escalates() {
    let (resources, edges) = chain(&["a", "b"]);
    let mut agent = TestAgent::start(resources, &edges);
    agent.step(Event::Stop(StopLevel::Finish));
    agent.expect(&["a"]);
    agent.step(Event::Stop(StopLevel::Cancel));
    agent.step(Event::Stop(StopLevel::Kill));
    agent.expect(&["cancel a", "kill a"]);
    agent.fail_with("a", Failure::Cancelled);
    agent.expect(&["stopped"]);
}

#[test]
fn nothing_starts_while_paused() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.retry = -1)], &[]);
    agent.step(Event::Pause);
    agent.fail("a");
    agent.expect(&["a", "a failed: no (-1 left)"]);
    agent.at(ms(10));
    agent.expect(&[]);
    agent.step(Event::Resume);
    agent.expect(&["a"]);
}

#[test]
fn hidden_vertex_passes_order_on_but_never_runs() {
    let resources = vec![resource("a"), with("h", |m| m.hidden = true), resource("c")];
    let mut agent = TestAgent::start(resources, &[(0, 1, false), (1, 2, false)]);
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["c"]);
}

#[test]
fn hidden_vertex_runs_if_it_is_exported() {
    let exported = |m: &mut Meta| {
        m.hidden = true;
        m.export = vec!["*".to_owned()];
    };
    let mut agent =
        TestAgent::start(vec![resource("a"), with("h", exported), resource("c")], &[(0, 1, false), (1, 2, false)]);
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["h"]);
    agent.finish("h", true);
    agent.expect(&["c"]);
}

#[test]
fn once_is_quiet_when_all_was_tried() {
    let mut agent = TestAgent::new(Config { once: true, ..Config::default() });
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    assert!(!agent.engine.is_quiet());
    agent.fail("a");
    assert!(agent.engine.is_quiet());
    assert_eq!(agent.engine.blocked().count(), 1);
}

#[test]
fn event_among_many_vertices_costs_what_it_affects() {
    let resources: Vec<Resource> = (0..100_000).map(|i| resource(&i.to_string())).collect();
    let mut agent = TestAgent::new(Config { once: true, ..Config::default() });
    agent.swap(resources, &[]);
    let keys: Vec<VertexKey> = agent.engine.live().map(|(k, _)| k).collect();
    let started = std::time::Instant::now();
    for key in &keys {
        agent.engine.step(Event::Finished(*key, Finished { changed: true, sent: Vec::new(), result: Ok(()) }), ms(1));
    }
    for key in &keys {
        assert_eq!(agent.engine.step(Event::Fired(*key), ms(2)).len(), 1);
    }
    // Quadratic behaviour would take minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}
