//! Notifications and values that resources send to each other (spec 06 §3.5, spec 06 §5).

use std::sync::Arc;

use mcl_value::Value;

use crate::test_agent::{TestAgent, graph, ms, resource, with};
use crate::*;

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
    run(true).expect(&["record b=>c", "delivered a=>b", "c!"]);
    run(false).expect(&["delivered a=>b", "c"]);
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
    assert_eq!(updates[..], [Received { member: 0, key: "p".into(), value: Value::str("x"), sensitive: false }]);
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
fn receiver_gets_the_mark_of_a_value_that_became_sensitive() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph(vec![resource("a"), resource("b")], &[], vec![transfer]))));
    agent.send("a", "x");
    agent.finish("b", true);
    agent.fire("a");
    agent.log.clear();
    let sent = vec![Sent { member: 0, key: "out", value: Some(Value::str("x")), sensitive: true }];
    let key = agent.running_key("a");
    agent.step(Event::Finished(key, Finished { changed: false, sent, result: Ok(()) }));
    agent.expect(&["b"]);
    let Some(Command::Run { updates, .. }) = agent.last.last() else { panic!("b runs again") };
    assert_eq!(updates[..], [Received { member: 0, key: "p".into(), value: Value::str("x"), sensitive: true }]);
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
    let group = Group::from(vec![resource("leader"), resource("member")]);
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 1), to_key: "p".into() };
    let graph = EngineGraph::new(vec![Group::from(resource("a")), group], Vec::new(), vec![transfer]).unwrap();
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph)));
    agent.send("a", "x");
    agent.expect(&["a", "leader"]);
    let Some(Command::Run { updates, .. }) = agent.last.last() else { panic!("the leader runs") };
    assert_eq!(updates[..], [Received { member: 1, key: "p".into(), value: Value::str("x"), sensitive: false }]);
}

#[test]
fn sender_in_a_group_that_is_replaced_still_reaches_a_receiver_that_stays() {
    let graph = |retry: i16| {
        let leader = with("leader", |m| m.retry = retry);
        let group = Group::from(vec![leader, resource("member")]);
        let transfer = Transfer { from: (0, 1), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
        EngineGraph::new(vec![group, Group::from(resource("b"))], Vec::new(), vec![transfer]).unwrap()
    };
    let publish = |agent: &mut TestAgent, value: &str| {
        let sent = vec![Sent { member: 1, key: "out", value: Some(Value::str(value)), sensitive: false }];
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
    assert_eq!(updates[..], [Received { member: 0, key: "p".into(), value: Value::str("y"), sensitive: false }]);
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

/// `a` changes and notifies `b`, whose check runs; `a` is being checked again.
fn sender_checked_again_while_its_dependent_runs() -> TestAgent {
    let mut agent = TestAgent::start(vec![with("a", |m| m.retry = 9), resource("b")], &[(0, 1, true)]);
    agent.finish("a", true);
    agent.fire("a");
    agent.expect(&["a", "b!", "a"]);
    agent
}

#[test]
fn record_stays_while_its_sender_may_be_changing_again() {
    let mut agent = sender_checked_again_while_its_dependent_runs();
    agent.finish("b", false);
    agent.expect(&[]);
    agent.finish("a", true);
    agent.expect(&["b!"]);
    agent.finish("b", false);
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn record_goes_when_its_sender_did_not_change_again() {
    let mut agent = sender_checked_again_while_its_dependent_runs();
    agent.finish("b", false);
    agent.finish("a", false);
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn record_stays_after_a_change_by_a_check_that_failed() {
    let mut agent = sender_checked_again_while_its_dependent_runs();
    agent.fail_after_change("a");
    agent.finish("b", false);
    assert!(!agent.log.contains(&"delivered a=>b".to_owned()), "{:?}", agent.log);
    agent.finish("a", false);
    agent.finish("b", false);
    assert_eq!(agent.log.last().unwrap(), "delivered a=>b");
}

#[test]
fn notification_of_a_removed_edge_does_not_come_back_with_the_edge() {
    let resources = || vec![with("a", |m| m.retry = 9), with("b", |m| m.retry = 9)];
    let mut agent = TestAgent::start(resources(), &[(0, 1, true)]);
    agent.finish("a", true);
    agent.fail("b");
    agent.swap(resources(), &[]);
    agent.swap(resources(), &[(0, 1, true)]);
    agent.log.clear();
    // `a` changes and fails: `b` must hear of it, whatever it handled before.
    agent.fire("a");
    agent.fail_after_change("a");
    agent.finish("b", false);
    assert!(!agent.log.contains(&"delivered a=>b".to_owned()), "{:?}", agent.log);
    agent.finish("a", false);
    assert_eq!(agent.log.last().unwrap(), "b!");
    agent.finish("b", false);
    agent.log.clear();
    agent.fire("b");
    agent.expect(&["b"]);
}

#[test]
fn change_reaches_a_dependent_that_was_added_during_the_check() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, true)]);
    agent.expect(&["a", "record a=>b"]);
    agent.finish("a", true);
    agent.expect(&["b!"]);
    agent.finish("b", false);
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn notification_survives_another_leader_of_the_sending_group() {
    let graph = |members: &[&str]| {
        let sender = match members {
            [name] => Group::from(resource(name)),
            names => Group::from(names.iter().map(|name| resource(name)).collect::<Vec<_>>()),
        };
        let edge = GroupEdge { from: 0, to: 1, notify: true };
        EngineGraph::new(vec![sender, Group::from(with("c", |m| m.retry = 9))], vec![edge], Vec::new()).unwrap()
    };
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph(&["a", "b"]))));
    agent.finish("a", true);
    agent.fail("c");
    agent.log.clear();
    agent.step(Event::Swap(Box::new(graph(&["b"]))));
    agent.expect(&["remove a", "record b=>c", "delivered a=>c", "b"]);
    agent.fail("c");
    agent.finish("b", false);
    assert_eq!(agent.log.last().unwrap(), "c!");
    agent.finish("c", false);
    agent.expect(&["c failed: no (7 left)", "c!", "delivered b=>c"]);
}

#[test]
fn notification_finds_the_regular_one_of_two_resources_with_one_id() {
    let resources = || vec![with("a", |m| m.hidden = true), resource("a"), with("b", |m| m.retry = 9)];
    let mut agent = TestAgent::start(resources(), &[(1, 2, true)]);
    agent.finish("a", true);
    agent.fail("b");
    agent.log.clear();
    agent.swap(resources(), &[(1, 2, true)]);
    agent.expect(&[]);
    agent.finish("b", false);
    agent.expect(&["delivered a=>b"]);
}

#[test]
fn receiver_gets_its_declared_value_back_when_its_transfer_is_removed() {
    let transfer = Transfer { from: (0, 0), from_key: "out".into(), to: (1, 0), to_key: "p".into() };
    let mut agent = TestAgent::new(Config::default());
    agent.step(Event::Swap(Box::new(graph(vec![resource("a"), resource("b")], &[], vec![transfer]))));
    agent.send("a", "x");
    agent.finish("b", true);
    agent.log.clear();
    agent.swap(vec![resource("a"), resource("b")], &[]);
    agent.expect(&["remove b", "b"]);
}

#[test]
fn many_receivers_of_a_silent_sender_fail_one_after_the_other() {
    let count = 50_000;
    let resources = (0..=count).map(|i| resource(&i.to_string())).collect();
    let transfers =
        (1..=count).map(|i| Transfer { from: (0, 0), from_key: "out".into(), to: (i, 0), to_key: "p".into() });
    let mut agent = TestAgent::new(Config { once: true, max_parallel: Some(1), ..Config::default() });
    agent.step(Event::Swap(Box::new(graph(resources, &[], transfers.collect()))));
    agent.finish("0", false);
    assert_eq!(agent.engine.status().failed, count as usize);
}

#[test]
fn change_of_a_failed_check_notifies_once() {
    let mut agent = TestAgent::start(vec![with("a", |m| m.retry = 9), resource("b")], &[(0, 1, true)]);
    agent.fail_after_change("a");
    agent.finish("a", true);
    agent.finish("b", false);
    agent.log.clear();
    agent.fire("a");
    agent.finish("a", false);
    agent.expect(&["a"]);
}

#[test]
fn change_of_a_failed_check_reaches_a_later_dependent_through_the_journal() {
    let a = || with("a", |m| (m.retry, m.delay) = (9, 10));
    let mut agent = TestAgent::start(vec![a()], &[]);
    agent.fail_after_change("a");
    agent.log.clear();
    agent.swap(vec![a(), resource("b")], &[(0, 1, true)]);
    agent.expect(&["record a=>b"]);
    agent.at(ms(10));
    agent.finish("a", false);
    agent.finish("b", false);
    agent.expect(&["a", "b!", "delivered a=>b"]);
}

#[test]
fn record_for_a_new_dependent_goes_when_nothing_changed() {
    let mut agent = TestAgent::start(vec![resource("a")], &[]);
    agent.swap(vec![resource("a"), resource("b")], &[(0, 1, true)]);
    agent.finish("a", false);
    agent.expect(&["a", "record a=>b", "delivered a=>b", "b"]);
}

#[test]
fn noop_check_that_fails_leaves_no_change_to_report() {
    let a = |noop| with("a", move |m| (m.retry, m.noop) = (9, noop));
    let mut agent = TestAgent::start(vec![a(true), resource("b")], &[(0, 1, true)]);
    agent.fail_after_change("a");
    agent.finish("a", false);
    agent.finish("b", false);
    agent.log.clear();
    agent.swap(vec![a(false), resource("b")], &[(0, 1, true)]);
    agent.finish("a", false);
    agent.expect(&["remove a", "a"]);
}
