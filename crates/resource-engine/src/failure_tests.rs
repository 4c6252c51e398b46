//! Failures, retries, back-off and timeouts (spec 06 §3.7).

use crate::test_agent::{TestAgent, ms, param, resource, with};
use crate::*;

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
    assert!(agent.log.iter().all(|line| !line.contains("exhausted")), "{:?}", agent.log);
}

#[test]
fn exhausted_vertex_is_kept_by_an_equal_graph_unless_it_asks_to_be_revived() {
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
fn once_is_quiet_when_all_was_tried() {
    let mut agent = TestAgent::new(Config { once: true, ..Config::default() });
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    assert!(!agent.engine.is_quiet());
    agent.fail("a");
    assert!(agent.engine.is_quiet());
    assert_eq!(agent.engine.blocked().count(), 1);
}

/// Lets the only check fail, and returns the report.
fn failure_report(agent: &mut TestAgent, name: &str) -> (u32, Time, Option<Time>) {
    agent.fail(name);
    let report = agent.last.iter().rev().find_map(|command| match command {
        Command::Report(Report::Failed { attempt, since, next_attempt, .. }) => Some((*attempt, *since, *next_attempt)),
        _ => None,
    });
    report.expect("a failure is reported")
}

#[test]
fn exhausted_vertex_tries_again_at_growing_intervals() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.retry = 1)], &[]);
    agent.now = ms(500);
    assert_eq!(failure_report(&mut agent, "a"), (1, ms(500), Some(ms(500))));
    let mut intervals = Vec::new();
    for attempt in 2..14 {
        let now = agent.now;
        let (number, since, next) = failure_report(&mut agent, "a");
        assert_eq!((number, since), (attempt, ms(500)));
        let next = next.expect("a running agent gives nothing up");
        intervals.push((next - now).as_secs());
        assert_eq!(agent.engine.deadline(), Some(next));
        agent.log.clear();
        agent.at(next - ms(1));
        agent.expect(&[]);
        agent.at(next);
        agent.expect(&["a"]);
    }
    assert_eq!(intervals, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
}

#[test]
fn event_brings_the_next_attempt_of_an_exhausted_vertex_forward() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    for _ in 0..6 {
        let (_, _, next) = failure_report(&mut agent, "a");
        agent.at(next.unwrap());
    }
    let (_, _, next) = failure_report(&mut agent, "a");
    let failed_at = agent.now;
    assert_eq!(next, Some(failed_at + ms(64_000)));
    agent.log.clear();
    agent.fire("a");
    assert_eq!(agent.engine.deadline(), Some(failed_at + ms(10_000)));
    agent.at(failed_at + ms(30_000));
    agent.expect(&["a"]);
    agent.finish("a", true);
    assert_eq!(agent.engine.status().failed, 0);
    agent.fire("a");
    agent.expect(&["a"]);
    let (attempt, _, next) = failure_report(&mut agent, "a");
    assert_eq!((attempt, next), (1, Some(agent.now + ms(1000))), "a success starts a new series");
}

#[test]
fn event_long_after_the_last_attempt_is_acted_on_at_once() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    for _ in 0..8 {
        let (_, _, next) = failure_report(&mut agent, "a");
        agent.at(next.unwrap());
    }
    agent.fail("a");
    agent.log.clear();
    agent.now += ms(20_000);
    agent.fire("a");
    agent.expect(&["a"]);
}

#[test]
fn source_that_never_stops_firing_makes_few_attempts() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    agent.fail("a");
    agent.log.clear();
    for i in 0..100_000 {
        agent.at(ms(i));
        agent.fire("a");
        if agent.engine.running > 0 {
            agent.fail("a");
        }
    }
    let attempts = agent.log.iter().filter(|line| *line == "a").count();
    assert!((8..20).contains(&attempts), "{attempts} attempts in 100 seconds");
}

#[test]
fn notification_brings_the_next_attempt_forward() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("b")], &[(0, 1, true)]);
    agent.finish("a", false);
    for _ in 0..6 {
        let (_, _, next) = failure_report(&mut agent, "b");
        agent.at(next.unwrap());
    }
    agent.fail("b");
    agent.now += ms(20_000);
    agent.fire("a");
    agent.log.clear();
    agent.finish("a", true);
    agent.expect(&["b!"]);
}

#[test]
fn exhausted_vertex_keeps_its_watches() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    agent.fail("a");
    assert!(!agent.last.iter().any(|command| matches!(command, Command::Unwatch(_))));
}

#[test]
fn dependents_continue_when_an_exhausted_vertex_succeeds() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    agent.fail("a");
    agent.at(ms(1000));
    agent.expect(&["a", "a failed: no (exhausted)", "a"]);
    agent.finish("a", true);
    agent.expect(&["b"]);
}

#[test]
fn watches_of_an_exhausted_vertex_are_requested_again() {
    let mut agent = TestAgent::start(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    agent.finish("a", false);
    agent.settle();
    let mut at = ms(0);
    for seconds in [1, 2, 4] {
        let (key, epoch) = (agent.key("a"), agent.engine.get(agent.key("a")).unwrap().watch_epoch);
        agent.step(Event::WatchFailed(key, epoch, Failure::Refused("gone".to_owned())));
        agent.expect(&["a failed: gone (exhausted)"]);
        assert_eq!(agent.engine.status().failed, 1);
        assert!(agent.engine.is_quiet());
        at += ms(seconds * 1000);
        assert_eq!(agent.engine.deadline(), Some(at));
        agent.at(at);
        agent.expect(&["a"]);
        agent.settle();
    }
}

#[test]
fn vertex_that_backs_off_does_not_keep_from_converging() {
    let mut agent = TestAgent::new(Config { converged_timeout: Some(ms(5000)), ..Config::default() });
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, false)]);
    agent.fail("a");
    assert!(agent.engine.is_quiet());
    agent.log.clear();
    for at in [1000, 3000] {
        agent.at(ms(at));
        agent.fail("a");
    }
    agent.at(ms(5000));
    assert!(agent.log.contains(&"converged".to_owned()), "{:?}", agent.log);
    agent.log.clear();
    agent.at(ms(7000));
    agent.fail("a");
    assert!(!agent.log.contains(&"diverged".to_owned()), "{:?}", agent.log);
}

#[test]
fn engine_that_checks_once_tries_no_more_than_told() {
    let mut agent = TestAgent::new(Config { once: true, ..Config::default() });
    agent.swap(vec![with("a", |m| m.retry = 1)], &[]);
    agent.fail("a");
    assert_eq!(failure_report(&mut agent, "a").2, None);
    assert_eq!(agent.engine.deadline(), None);
    agent.log.clear();
    agent.at(ms(1_000_000));
    agent.expect(&[]);
}

#[test]
fn check_that_ignores_its_timeout_is_killed() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.timeout = 500)], &[]);
    agent.at(ms(500));
    agent.expect(&["a", "cancel a"]);
    agent.at(ms(30_499));
    agent.expect(&[]);
    agent.at(ms(30_500));
    agent.expect(&["kill a"]);
    assert_eq!(agent.engine.deadline(), None);
}

#[test]
fn deadlines_that_passed_take_no_memory() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.timeout = 3_600_000)], &[]);
    for _ in 0..100 {
        agent.finish("a", false);
        agent.fire("a");
    }
    assert_eq!(agent.engine.timers.len(), 1);
}
