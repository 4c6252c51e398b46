//! A new graph replaces the running one (spec 06 §1.7, spec 06 §1.8).

use mcl_value::Value;
use resource_graph::Resource;

use crate::test_agent::{TestAgent, chain, ms, param, resource, with};
use crate::*;

#[test]
fn graph_swap_or_stop_between_steps_starts_no_removed_vertex() {
    let mut agent = TestAgent::new(Config { once: true, max_starts_per_step: Some(1), ..Config::default() });
    agent.swap(["a", "b", "c"].iter().map(|n| resource(n)).collect(), &[]);
    agent.expect(&["a"]);
    agent.swap(vec![resource("c"), resource("d")], &[]);
    while agent.engine.deadline() == Some(agent.now) {
        agent.step(Event::Tick);
    }
    agent.finish("a", false);
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
fn vertex_with_a_new_sensitive_parameter_is_replaced() {
    let mut agent = TestAgent::start(vec![param("a", "1"), param("b", "1")], &[]);
    agent.settle();
    agent.log.clear();
    let mut hidden = param("a", "1");
    hidden.sensitive = hidden.params.keys().cloned().collect();
    agent.swap(vec![hidden, param("b", "1")], &[]);
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

fn claims(resource: &Resource) -> Vec<String> {
    let path = resource.params.get("path").and_then(Value::as_bytes);
    path.map(|path| String::from_utf8_lossy(path).into_owned()).into_iter().collect()
}

#[test]
fn removed_check_that_runs_holds_up_nothing_else() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    agent.expect(&["a"]);
    agent.swap(vec![resource("b"), resource("c"), resource("d")], &[(1, 2, false)]);
    agent.log.sort();
    agent.expect(&["b", "c"]);
    agent.finish("c", false);
    agent.expect(&["d"]);
}

#[test]
fn vertex_waits_for_a_removed_one_that_touches_the_same_path() {
    let at = |name: &str, path: &str| resource(name).with("path", path);
    let mut agent = TestAgent::new(Config { claims: Some(claims), ..Config::default() });
    agent.swap(vec![at("a", "/x"), at("b", "/y")], &[]);
    agent.expect(&["a", "b"]);
    agent.swap(vec![at("c", "/x"), at("d", "/z"), resource("e")], &[(0, 2, false)]);
    agent.expect(&["d"]);
    agent.finish("b", false);
    agent.expect(&["remove b"]);
    agent.finish("a", true);
    agent.expect(&["remove a", "c"]);
    agent.finish("c", false);
    agent.expect(&["e"]);
}

#[test]
fn group_waits_for_a_removed_one_that_contains_one_of_its_members() {
    let group = |names: &[&str]| Group::from(names.iter().map(|name| resource(name)).collect::<Vec<_>>());
    let graph = |names: &[&str]| EngineGraph::new(vec![group(names)], Vec::new(), Vec::new()).unwrap();
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph(&["a", "b"]))));
    agent.step(Event::Swap(Box::new(graph(&["c", "b"]))));
    agent.expect(&["a"]);
    agent.finish("a", false);
    agent.expect(&["remove a", "c"]);
}

#[test]
fn removed_check_is_cancelled_and_then_killed() {
    let mut agent = TestAgent::start(vec![param("a", "1")], &[]);
    agent.swap(vec![param("a", "2")], &[]);
    agent.expect(&["a"]);
    agent.at(ms(29_999));
    agent.expect(&[]);
    agent.at(ms(30_000));
    agent.expect(&["cancel a"]);
    agent.at(ms(60_000));
    agent.expect(&["kill a"]);
    agent.fail_with("a", Failure::Cancelled);
    agent.expect(&["remove a", "a"]);
}

#[test]
fn vertices_that_wait_for_a_removed_one_take_no_memory_after_they_left() {
    let mut agent = TestAgent::start(vec![param("a", "0")], &[]);
    for i in 1..100 {
        agent.swap(vec![param("a", &i.to_string())], &[]);
    }
    assert!(agent.engine.vertices.len() <= 3);
    agent.finish("a", false);
    agent.expect(&["a", "remove a", "a"]);
}

#[test]
fn added_vertices_begin_although_others_never_rest() {
    let restless = |name: &str| with(name, |m| m.retry = -1);
    let mut agent = TestAgent::new(Config { once: true, max_starts_per_step: Some(1), ..Config::default() });
    agent.swap(vec![restless("a"), restless("b")], &[]);
    for _ in 0..10 {
        agent.step(Event::Tick);
    }
    agent.swap(vec![restless("a"), restless("b"), resource("c")], &[]);
    for _ in 0..20 {
        agent.fail("a");
        agent.fail("b");
        agent.step(Event::Tick);
    }
    assert!(agent.log.contains(&"c".to_owned()), "{:?}", agent.log);
}
