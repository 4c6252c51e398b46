//! Tests of functions without a first value.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_artifact::program::{Closure, Op, Operand, Program, Statement, Template};
use mcl_value::Value;

use crate::tests::invariants;
use crate::tests::programs::{Builder, id, nodes, show};
use crate::tests::test_environment::{TestEnvironment, WAITING, outcome, outputs};

const N: fn(usize) -> Operand = |index| Operand::Node(id(index));

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|n| Value::Int(*n)).collect()
}

fn waiting() -> Result<Vec<Vec<Value>>, Vec<String>> {
    Err(vec![WAITING.to_owned()])
}

fn top(b: Builder, ops: Vec<Op>, statements: Vec<Statement>) -> Arc<Program> {
    b.finish(Template { nodes: nodes(ops), statements: statements.into(), ..Template::default() })
}

/// `if $c < 0 { THEN } else { 7 }` as an expression, with `$c` in node 0; captures of THEN are given.
fn branches(b: &mut Builder, then: Template, captures: &[Operand]) -> [Op; 2] {
    let (zero, seven) = (b.int(0), b.int(7));
    let then = Closure { template: b.template(then), captures: captures.to_vec().into() };
    let otherwise = Template { root: Some(seven), captures: captures.len() as u32, ..Template::default() };
    let otherwise = Closure { template: b.template(otherwise), captures: captures.to_vec().into() };
    let less = b.call("less", &[N(0), zero]);
    [less, Op::If { condition: N(captures.len() + 1), then, otherwise }]
}

#[test]
fn no_output_before_every_statement_has_its_values() {
    let mut b = Builder::new();
    let ops = vec![b.input("a"), b.input("b"), b.call("add", &[N(0), N(1)])];
    let program = top(b, ops, vec![show(&[N(0)]), show(&[N(2)])]);
    let environment = TestEnvironment::default();
    environment.set("a", 1);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), waiting());
    let calls: Vec<&str> = engine.waiting_for().iter().map(|w| w.function).collect();
    assert_eq!(calls, ["input"], "one call waits, and one statement needs it");
    invariants::check(&engine);

    environment.set("a", 2);
    assert_eq!(outcome(&mut engine), waiting());
    environment.set("b", 10);
    let round = engine.run().unwrap();
    assert!(round.changed && !round.waiting);
    assert_eq!(outputs(&engine), [ints(&[2]), ints(&[12])], "both values belong to one round");
    assert_eq!(engine.waiting_for(), []);
}

#[test]
fn change_during_wait_or_failure_is_reported_afterwards() {
    let mut b = Builder::new();
    let hundred = b.int(100);
    let ops = vec![b.input("a"), b.input("b"), b.call("div", &[hundred, N(1)])];
    let program = b.finish(Template {
        nodes: nodes(ops),
        statements: vec![show(&[N(0)])].into(),
        keep: vec![N(2)],
        ..Template::default()
    });
    let environment = TestEnvironment::default();
    environment.set("a", 1);
    environment.set("b", 1);
    let mut engine = environment.engine(&program);
    assert!(engine.run().unwrap().changed);
    for value in [None, Some(Value::Int(0))] {
        environment.replace("b", value);
        environment.set("a", 2);
        assert!(engine.run().map_or(true, |round| round.waiting && !round.changed));
        // No statement depends on the kept value, so only the engine remembers that `a` has changed.
        environment.set("b", 1);
        assert!(engine.run().unwrap().changed);
        assert!(!engine.run().unwrap().changed);
        environment.set("a", 1);
        assert!(engine.run().unwrap().changed);
    }
}

#[test]
fn pending_branch_is_dropped_when_its_condition_changes() {
    let mut b = Builder::new();
    let slow = b.input("slow");
    let then = Template { nodes: nodes([slow]), root: Some(N(0)), ..Template::default() };
    let [less, choice] = branches(&mut b, then, &[]);
    let program = {
        let ops = vec![b.input("c"), less, choice];
        top(b, ops, vec![show(&[N(2)])])
    };
    let environment = TestEnvironment::default();
    environment.set("c", -1);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), waiting());
    environment.set("c", 1);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[7])]));
    assert_eq!(environment.watch_count(), 1, "the pending function is removed");
    invariants::check(&engine);

    // Built again at run time, it delays the next output.
    environment.set("c", -1);
    assert_eq!(outcome(&mut engine), waiting());
    environment.set("slow", 3);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[3])]));
}

#[test]
fn failure_takes_precedence_over_pending_and_can_be_caught() {
    let run = |caught: bool| {
        let mut b = Builder::new();
        let (zero, one) = (b.int(0), b.int(1));
        let fallback = b.template(Template { root: Some(one), ..Template::default() });
        let fallback = Closure { template: fallback, captures: PrimaryMap::new() };
        let ops = vec![
            b.input("never"),
            b.call("div", &[zero, zero]),
            b.call("add", &[N(0), N(1)]),
            Op::Except { value: N(2), fallback },
        ];
        let program = top(b, ops, vec![show(&[N(if caught { 3 } else { 2 })])]);
        outcome(&mut TestEnvironment::default().engine(&program))
    };
    assert_eq!(run(false), Err(vec!["0 / 0".to_owned()]));
    assert_eq!(run(true), Ok(vec![ints(&[1])]), "no value of the input could change that");
}

#[test]
fn pending_value_is_not_replaced_by_its_fallback() {
    let mut b = Builder::new();
    let one = b.int(1);
    let fallback = b.template(Template { root: Some(one), ..Template::default() });
    let except = Op::Except { value: N(0), fallback: Closure { template: fallback, captures: PrimaryMap::new() } };
    let ops = vec![b.input("a"), except];
    let program = top(b, ops, vec![show(&[N(1)])]);
    let environment = TestEnvironment::default();
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), waiting());
    environment.set("a", 5);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[5])]));
}

/// `if $c < 0 { show(ticks(), fatal($x)) }` while `$c` is pending again.
#[test]
fn a_branch_is_frozen_while_its_condition_waits() {
    let mut b = Builder::new();
    let (zero, never) = (b.int(0), b.int(1_000_000));
    let body = Template {
        captures: 1,
        nodes: nodes([b.call("ticks", &[never]), b.call("fatal", &[Operand::Capture(id(0))])]),
        statements: vec![show(&[N(0), N(1)])].into(),
        ..Template::default()
    };
    let body = Closure { template: b.template(body), captures: vec![N(1)].into() };
    let ops = vec![b.input("c"), b.input("x"), b.call("less", &[N(0), zero])];
    let program = top(b, ops, vec![Statement::If { condition: N(2), then: body, otherwise: None }]);
    let environment = TestEnvironment::default();
    environment.set("c", -1);
    environment.set("x", 1);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 1])]));

    environment.unset("c");
    assert_eq!(outcome(&mut engine), waiting());
    environment.set("x", 4);
    assert_eq!(outcome(&mut engine), waiting(), "the failure is in a branch that may be dropped");
    assert_eq!(engine.run().unwrap().evaluated, 0);
    invariants::check(&engine);
    environment.set("c", -2);
    assert_eq!(outcome(&mut engine), Err(vec!["four".to_owned()]), "the branch stays, so its failure is reported");
    environment.set("x", 3);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 3])]), "the function instance is the same");

    environment.unset("c");
    environment.set("x", 4);
    assert_eq!(outcome(&mut engine), waiting());
    environment.set("c", 1);
    assert_eq!(outcome(&mut engine), Ok(vec![]), "the branch is dropped, and nothing in it was evaluated");
    invariants::check(&engine);
}

#[test]
fn frozen_loop_catches_up_when_its_list_is_known() {
    let mut b = Builder::new();
    let iteration = Template { params: 2, captures: 1, nodes: PrimaryMap::new(), ..Template::default() };
    let iteration =
        Template { statements: vec![show(&[Operand::Param(id(1)), Operand::Capture(id(0))])].into(), ..iteration };
    let body = Closure { template: b.template(iteration), captures: vec![N(1)].into() };
    let ops = vec![b.input("l"), b.input("x")];
    let program = top(b, ops, vec![Statement::For { list: N(0), body }]);
    let environment = TestEnvironment::default();
    environment.set("l", Value::list([1, 2, 3]));
    environment.set("x", 1);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine).unwrap().len(), 3);
    environment.unset("l");
    for x in 2..50 {
        environment.set("x", x);
        assert_eq!(outcome(&mut engine), waiting());
    }
    environment.set("l", Value::list([1, 5]));
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 49]), ints(&[5, 49])]));
    invariants::check(&engine);
}
