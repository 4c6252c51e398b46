//! Order, events, semaphores, limits, convergence and stopping (spec 06 §3), on small graphs with a simulated clock.

use resource_graph::{Meta, Resource};

use crate::test_agent::{TestAgent, chain, graph, ms, resource, with};
use crate::*;

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

#[test]
fn vertices_that_wait_for_their_own_semaphore_leave_the_common_one_to_others() {
    let some = |name: &str| with(name, |m| m.sema = vec!["s".to_owned()]);
    let mut agent = TestAgent::new(Config { max_parallel: Some(2), ..Config::default() });
    agent.swap(vec![some("a"), some("b"), some("c"), resource("x"), resource("y")], &[]);
    agent.expect(&["a", "x"]);
    agent.finish("x", false);
    agent.expect(&["y"]);
}

#[test]
fn checks_with_an_exclusive_name_in_common_run_in_the_order_of_the_graph() {
    let at = |name: &str, path: &str| resource(name).with("path", path);
    let path = |resource: &Resource| vec![resource.params["path"].to_string()];
    let mut agent = TestAgent::new(Config { exclusive: Some(path), ..Config::default() });
    agent.swap(vec![at("b", "/x:2"), at("a", "/x:2"), at("c", "/y"), at("d", "/x:2")], &[]);
    agent.expect(&["b", "c"]);
    agent.fail("b");
    agent.expect(&["b failed: no (exhausted)", "a"]);
    agent.finish("a", true);
    agent.expect(&["d"]);
}

#[test]
fn semaphores_of_earlier_graphs_take_no_memory() {
    let mut agent = TestAgent::new(Config::default());
    for i in 0..10 {
        agent.swap(vec![with("a", |m| m.sema = vec![format!("s{i}")])], &[]);
        agent.settle();
    }
    agent.swap(Vec::new(), &[]);
    assert_eq!(agent.engine.semaphores.len(), 0);
}
