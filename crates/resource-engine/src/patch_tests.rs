//! Values of some resources change while the graph stays (spec 06 §1.8).

use mcl_value::Value;
use resource_graph::ResourceId;

use crate::test_agent::{TestAgent, chain, graph, ms, param, resource, with};
use crate::*;

impl TestAgent {
    fn patch(&mut self, resources: Vec<resource_graph::Resource>) {
        let replaced = resources.into_iter().map(Group::from).collect();
        self.step(Event::Patch(GraphPatch::of_values(replaced)));
    }
}

#[test]
fn patched_vertex_is_replaced_alone() {
    let mut agent = TestAgent::start(vec![param("a", "1"), param("b", "1"), param("c", "1")], &[]);
    agent.settle();
    agent.last.clear();
    agent.patch(vec![param("b", "2")]);
    agent.expect(&["remove b", "b"]);
    let swapped = agent.last.iter().find_map(|command| match command {
        Command::Report(Report::Swapped { vertices, kept, edges }) => Some((*vertices, *kept, *edges)),
        _ => None,
    });
    assert_eq!(swapped, Some((3, 2, 0)));
}

#[test]
fn patch_without_a_difference_replaces_nothing() {
    let mut agent = TestAgent::start(vec![param("a", "1"), resource("b")], &[]);
    agent.settle();
    agent.patch(vec![param("a", "1"), resource("unknown")]);
    agent.patch(Vec::new());
    agent.expect(&[]);
}

#[test]
fn edges_of_a_patched_vertex_stay() {
    let (mut resources, edges) = chain(&["a", "b", "c"]);
    resources[1] = param("b", "1");
    let mut agent = TestAgent::start(resources, &edges);
    agent.settle();
    agent.fire("a");
    agent.fire("c");
    agent.expect(&["a"]);
    agent.patch(vec![param("b", "2")]);
    agent.expect(&["remove b"]);
    agent.finish("a", false);
    agent.expect(&["b"]);
    agent.finish("b", false);
    agent.expect(&["c"]);
}

#[test]
fn patched_vertex_whose_check_runs_begins_after_it() {
    let (mut resources, edges) = chain(&["a", "b", "c"]);
    resources[1] = param("b", "1");
    let mut agent = TestAgent::start(resources, &edges);
    agent.settle();
    agent.fire("b");
    agent.expect(&["b"]);
    for value in ["2", "3", "4"] {
        agent.patch(vec![param("b", value)]);
    }
    agent.expect(&[]);
    agent.finish("b", true);
    agent.expect(&["remove b", "b"]);
    agent.fire("c");
    agent.expect(&[]);
    agent.finish("b", false);
    agent.expect(&["c"]);
    assert!(agent.engine.vertices.len() <= 4, "the keys of replaced vertices are used again");
}

#[test]
fn notification_to_a_patched_vertex_is_not_lost() {
    let mut agent = TestAgent::start(vec![resource("a"), param("b", "1")], &[(0, 1, true)]);
    agent.settle();
    agent.fire("a");
    agent.expect(&["a"]);
    agent.fire("b");
    agent.finish("a", true);
    agent.expect(&["b!"]);
    agent.fail("b");
    agent.log.clear();
    agent.patch(vec![param("b", "2")]);
    agent.expect(&["remove b", "b!"]);
    agent.finish("b", false);
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn patched_receiver_receives_the_value_that_was_sent_before() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "comment".into() };
    let mut agent = TestAgent::new(Config::default());
    let declared = vec![resource("a"), resource("b")];
    agent.step(Event::Swap(Box::new(graph(declared, &[], vec![transfer]))));
    agent.send("a", "sent");
    agent.finish("b", false);
    agent.last.clear();
    agent.patch(vec![with("b", |m| m.retry = 1)]);
    let received = agent.last.iter().find_map(|command| match command {
        Command::Run { updates, .. } => Some(updates.iter().map(|u| u.value.clone()).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(received, Some(vec![Value::str("sent")]));
}

#[test]
fn patch_restarts_what_starts_again_with_each_graph() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.rewatch = true), param("b", "1")], &[]);
    agent.settle();
    agent.fire("a");
    agent.fail("a");
    agent.log.clear();
    agent.patch(vec![param("b", "2")]);
    agent.expect(&["remove a", "remove b", "a", "b"]);
}

#[test]
fn semaphores_of_patched_vertices_take_no_memory() {
    let named = |i: u64| with("a", |m| m.sema = vec![format!("s{i}")]);
    let mut agent = TestAgent::start(vec![named(0)], &[]);
    for i in 1..1000 {
        agent.settle();
        agent.patch(vec![named(i)]);
    }
    assert!(agent.engine.semaphores.len() < 50);
}

fn id(name: &str) -> ResourceId {
    resource(name).id
}

fn edge(from: &str, to: &str, notify: bool) -> PatchEdge {
    PatchEdge { from: id(from), to: id(to), notify }
}

#[test]
fn added_vertex_runs_between_those_that_it_is_connected_to() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("c")], &[]);
    agent.settle();
    agent.fire("a");
    agent.fire("c");
    agent.expect(&["a", "c"]);
    agent.step(Event::Patch(GraphPatch {
        added: vec![Group::from(resource("b"))],
        added_edges: vec![edge("a", "b", false), edge("b", "c", true)],
        ..GraphPatch::default()
    }));
    agent.finish("c", false);
    agent.fire("c");
    agent.expect(&[]);
    agent.finish("a", false);
    agent.expect(&["b"]);
    agent.finish("b", true);
    agent.expect(&["c!"]);
    agent.finish("c", false);
    agent.expect(&["delivered b=>c"]);
    assert_eq!(agent.engine.status().done, 3);
}

#[test]
fn dependents_of_a_removed_vertex_wait_no_longer() {
    let (resources, edges) = chain(&["a", "b", "c"]);
    let mut agent = TestAgent::start(resources, &edges);
    agent.settle();
    agent.fire("b");
    agent.fire("c");
    agent.expect(&["b"]);
    agent.step(Event::Patch(GraphPatch { removed: vec![id("b"), id("unknown")], ..GraphPatch::default() }));
    agent.expect(&["c"]);
    agent.finish("b", true);
    agent.expect(&["remove b"]);
    agent.finish("c", false);
    assert_eq!((agent.engine.status().total, agent.engine.status().done), (2, 2));
}

#[test]
fn removed_edge_takes_its_notification_with_it() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("b")], &[(0, 1, true)]);
    agent.settle();
    agent.fire("a");
    agent.finish("a", true);
    agent.fail("b");
    agent.log.clear();
    agent.step(Event::Patch(GraphPatch { removed_edges: vec![(id("a"), id("b"))], ..GraphPatch::default() }));
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn patch_during_a_stop_starts_nothing() {
    let mut agent = TestAgent::start(vec![param("a", "1")], &[]);
    agent.step(Event::Stop(StopLevel::Finish));
    agent.log.clear();
    agent.patch(vec![param("a", "2")]);
    agent.finish("a", false);
    agent.at(ms(1000));
    agent.expect(&["stopped"]);
}

#[test]
fn patch_visits_the_same_number_of_vertices_in_any_graph() {
    let visited = |pairs: usize| {
        let resources = (0..2 * pairs).map(|i| param(&format!("r{i}"), "1")).collect();
        let edges: Vec<(u32, u32, bool)> = (0..pairs as u32).map(|i| (2 * i, 2 * i + 1, true)).collect();
        let mut agent = TestAgent::start(resources, &edges);
        agent.settle();
        agent.engine.visited.set(0);
        agent.patch(vec![param("r2", "2"), param("r5", "2")]);
        agent.expect(&["remove r2", "remove r5", "r2", "r5"]);
        agent.finish("r2", false);
        agent.finish("r5", false);
        assert_eq!(agent.engine.status().done, 2 * pairs);
        agent.step(Event::Patch(GraphPatch {
            removed: vec![id("r4")],
            added: vec![Group::from(resource("new"))],
            added_edges: vec![edge("r2", "new", true)],
            ..GraphPatch::default()
        }));
        agent.expect(&["remove r4", "new"]);
        agent.finish("new", false);
        assert_eq!(agent.engine.status().done, 2 * pairs);
        agent.engine.visited.get()
    };
    let few = visited(4);
    assert!(few < 200, "{few}");
    assert_eq!(visited(400), few);
}
