//! Functions without a first value, case by case.

use std::sync::Arc;

use mcl_artifact::program::{Closure, Op, Operand, Program, Statement, Template};
use mcl_value::Value;

use crate::tests::invariants;
use crate::tests::programs::{Builder, nodes, show};
use crate::tests::world::{WAITING, World, outcome, outputs};

const N: fn(u32) -> Operand = Operand::Node;

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|n| Value::Int(*n)).collect()
}

fn waiting() -> Result<Vec<Vec<Value>>, Vec<String>> {
    Err(vec![WAITING.to_owned()])
}

fn top(b: Builder, ops: Vec<Op>, statements: Vec<Statement>) -> Arc<Program> {
    b.finish(Template { nodes: nodes(ops), statements, ..Template::default() })
}

/// `if $c < 0 { THEN } else { 7 }` as an expression, with `$c` in node 0; captures of THEN are given.
fn branches(b: &mut Builder, then: Template, captures: &[Operand]) -> [Op; 2] {
    let (zero, seven) = (b.int(0), b.int(7));
    let then = Closure { template: b.template(then), captures: captures.to_vec() };
    let otherwise = Template { root: Some(seven), captures: captures.len() as u32, ..Template::default() };
    let otherwise = Closure { template: b.template(otherwise), captures: captures.to_vec() };
    let less = b.call("less", &[N(0), zero]);
    [less, Op::If { condition: N(captures.len() as u32 + 1), then, otherwise }]
}

#[test]
fn nothing_is_put_out_before_every_statement_has_its_values() {
    let mut b = Builder::new();
    let ops = vec![b.input("a"), b.input("b"), b.call("add", &[N(0), N(1)])];
    let program = top(b, ops, vec![show(&[N(0)]), show(&[N(2)])]);
    let world = World::default();
    world.set("a", 1);
    let mut engine = world.engine(&program);
    assert_eq!(outcome(&mut engine), waiting());
    let calls: Vec<&str> = engine.waiting_for().iter().map(|w| w.function).collect();
    assert_eq!(calls, ["input"], "one call waits, and one statement needs it");
    invariants::check(&engine);

    world.set("a", 2);
    assert_eq!(outcome(&mut engine), waiting());
    world.set("b", 10);
    let round = engine.run().unwrap();
    assert!(round.changed && !round.waiting);
    assert_eq!(outputs(&engine), [ints(&[2]), ints(&[12])], "both values are of one moment");
    assert_eq!(engine.waiting_for(), []);
}

#[test]
fn what_changed_while_others_waited_or_failed_is_told_afterwards() {
    let mut b = Builder::new();
    let hundred = b.int(100);
    let ops = vec![b.input("a"), b.input("b"), b.call("div", &[hundred, N(1)])];
    let program = b.finish(Template {
        nodes: nodes(ops),
        statements: vec![show(&[N(0)])],
        keep: vec![N(2)],
        ..Template::default()
    });
    let world = World::default();
    world.set("a", 1);
    world.set("b", 1);
    let mut engine = world.engine(&program);
    assert!(engine.run().unwrap().changed);
    for trouble in [None, Some(Value::Int(0))] {
        world.replace("b", trouble);
        world.set("a", 2);
        assert!(engine.run().map_or(true, |round| round.waiting && !round.changed));
        // No statement reads the kept value, so nothing but the memory of the last round tells of the change.
        world.set("b", 1);
        assert!(engine.run().unwrap().changed);
        assert!(!engine.run().unwrap().changed);
        world.set("a", 1);
        assert!(engine.run().unwrap().changed);
    }
}

#[test]
fn a_branch_that_waits_goes_with_its_condition() {
    let mut b = Builder::new();
    let slow = b.input("slow");
    let then = Template { nodes: nodes([slow]), root: Some(N(0)), ..Template::default() };
    let [less, choice] = branches(&mut b, then, &[]);
    let program = {
        let ops = vec![b.input("c"), less, choice];
        top(b, ops, vec![show(&[N(2)])])
    };
    let world = World::default();
    world.set("c", -1);
    let mut engine = world.engine(&program);
    assert_eq!(outcome(&mut engine), waiting());
    world.set("c", 1);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[7])]));
    assert_eq!(world.watch_count(), 1, "the function that never had a value is gone");
    invariants::check(&engine);

    // Built anew at run time, it holds back the next output.
    world.set("c", -1);
    assert_eq!(outcome(&mut engine), waiting());
    world.set("slow", 3);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[3])]));
}

#[test]
fn a_failure_is_told_while_others_wait_and_caught_if_it_can_be() {
    let run = |caught: bool| {
        let mut b = Builder::new();
        let (zero, one) = (b.int(0), b.int(1));
        let fallback = b.template(Template { root: Some(one), ..Template::default() });
        let fallback = Closure { template: fallback, captures: vec![] };
        let ops = vec![
            b.input("never"),
            b.call("div", &[zero, zero]),
            b.call("add", &[N(0), N(1)]),
            Op::Except { value: N(2), fallback },
        ];
        let program = top(b, ops, vec![show(&[N(if caught { 3 } else { 2 })])]);
        outcome(&mut World::default().engine(&program))
    };
    assert_eq!(run(false), Err(vec!["0 / 0".to_owned()]));
    assert_eq!(run(true), Ok(vec![ints(&[1])]), "no value of the input could change that");
}

#[test]
fn a_value_that_waits_is_not_replaced_by_its_fallback() {
    let mut b = Builder::new();
    let one = b.int(1);
    let fallback = b.template(Template { root: Some(one), ..Template::default() });
    let except = Op::Except { value: N(0), fallback: Closure { template: fallback, captures: vec![] } };
    let ops = vec![b.input("a"), except];
    let program = top(b, ops, vec![show(&[N(1)])]);
    let world = World::default();
    let mut engine = world.engine(&program);
    assert_eq!(outcome(&mut engine), waiting());
    world.set("a", 5);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[5])]));
}

/// `if $c < 0 { show(ticks(), fatal($x)) }` while `$c` is being found out again.
#[test]
fn a_branch_is_frozen_while_its_condition_waits() {
    let mut b = Builder::new();
    let (zero, never) = (b.int(0), b.int(1_000_000));
    let body = Template {
        captures: 1,
        nodes: nodes([b.call("ticks", &[never]), b.call("fatal", &[Operand::Capture(0)])]),
        statements: vec![show(&[N(0), N(1)])],
        ..Template::default()
    };
    let body = Closure { template: b.template(body), captures: vec![N(1)] };
    let ops = vec![b.input("c"), b.input("x"), b.call("less", &[N(0), zero])];
    let program = top(b, ops, vec![Statement::If { condition: N(2), then: body, otherwise: None }]);
    let world = World::default();
    world.set("c", -1);
    world.set("x", 1);
    let mut engine = world.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 1])]));

    world.unset("c");
    assert_eq!(outcome(&mut engine), waiting());
    world.set("x", 4);
    assert_eq!(outcome(&mut engine), waiting(), "the failure is in a branch that may be about to go");
    assert_eq!(engine.run().unwrap().evaluated, 0);
    invariants::check(&engine);
    world.set("c", -2);
    assert_eq!(outcome(&mut engine), Err(vec!["four".to_owned()]), "it stays, so now its failure counts");
    world.set("x", 3);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 3])]), "the function in it is the same instance");

    world.unset("c");
    world.set("x", 4);
    assert_eq!(outcome(&mut engine), waiting());
    world.set("c", 1);
    assert_eq!(outcome(&mut engine), Ok(vec![]), "it goes, and nothing in it was looked at");
    invariants::check(&engine);
}

#[test]
fn a_frozen_loop_takes_up_what_happened_meanwhile() {
    let mut b = Builder::new();
    let iteration = Template { params: 2, captures: 1, nodes: vec![], ..Template::default() };
    let iteration = Template { statements: vec![show(&[Operand::Param(1), Operand::Capture(0)])], ..iteration };
    let body = Closure { template: b.template(iteration), captures: vec![N(1)] };
    let ops = vec![b.input("l"), b.input("x")];
    let program = top(b, ops, vec![Statement::For { list: N(0), body }]);
    let world = World::default();
    world.set("l", Value::list([1, 2, 3]));
    world.set("x", 1);
    let mut engine = world.engine(&program);
    assert_eq!(outcome(&mut engine).unwrap().len(), 3);
    world.unset("l");
    for x in 2..50 {
        world.set("x", x);
        assert_eq!(outcome(&mut engine), waiting());
    }
    world.set("l", Value::list([1, 5]));
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 49]), ints(&[5, 49])]));
    invariants::check(&engine);
}
