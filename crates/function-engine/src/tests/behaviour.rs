//! Tests of the engine's behaviour.

use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::{Closure, Constant, Op, Operand, Statement, Template, TemplateId, TypeIdx};
use mcl_diagnostics::{FileId, Span};
use mcl_value::Value;

use crate::engine::Engine;
use crate::tests::invariants;
use crate::tests::programs::{Builder, id, nodes, show};
use crate::tests::test_environment::{TestEnvironment, outcome, outputs};

fn closure(template: TemplateId, captures: &[Operand]) -> Closure {
    Closure { template, captures: captures.to_vec().into() }
}

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|n| Value::Int(*n)).collect()
}

/// Returns a template with these nodes, the last of which is the root.
fn body(params: u32, captures: u32, ops: Vec<Op>) -> Template {
    let root = Some(Operand::Node(id(ops.len() - 1)));
    Template { params, captures, nodes: nodes(ops), root, ..Template::default() }
}

const N: fn(usize) -> Operand = |index| Operand::Node(id(index));

#[test]
fn one_change_evaluates_only_what_it_reaches() {
    let mut b = Builder::new();
    let mut ops = vec![b.input("a"), b.input("b")];
    for i in 0..1000 {
        let op = b.call("add", &[N(if i == 0 { 0 } else { i + 1 }), N(0)]);
        ops.push(op);
    }
    let one = b.int(1);
    ops.push(b.call("add", &[N(1), one]));
    let statements = vec![show(&[N(1001)]), show(&[N(1002)])];
    let program = b.finish(Template { nodes: nodes(ops), statements: statements.into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("a", 1);
    environment.set("b", 1);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1001]), ints(&[2])]));

    environment.set("b", 5);
    assert_eq!(engine.run().unwrap().evaluated, 3, "the input, the sum, the statement");
    environment.set("b", 5);
    let round = engine.run().unwrap();
    assert_eq!((round.evaluated, round.changed), (1, false), "an equal value stops at the input");
    environment.set("a", 2);
    assert_eq!(engine.run().unwrap().evaluated, 1002);
}

#[test]
fn many_events_before_a_round_are_one() {
    let mut b = Builder::new();
    let ops = vec![b.input("a")];
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(0)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    let mut engine = environment.engine(&program);
    engine.run().unwrap();
    assert!(engine.events().is_empty());
    for i in 0..10_000 {
        environment.set("a", i);
    }
    assert!(engine.events().wait(Duration::ZERO));
    assert_eq!(engine.run().unwrap().evaluated, 2);
    assert_eq!(outputs(&engine), [ints(&[9999])]);
}

#[test]
fn value_minus_itself_is_always_zero() {
    let mut b = Builder::new();
    // One path is long, the other leads through a function value.
    let identity = b.template(Template { params: 1, root: Some(Operand::Param(id(0))), ..Template::default() });
    let zero = b.int(0);
    let mut ops = vec![b.input("a")];
    for i in 0..50 {
        ops.push(b.call("add", &[N(i), zero]));
    }
    ops.push(Op::Func { closure: closure(identity, &[]), ty: TypeIdx::from_u32(1) });
    ops.push(Op::Call { callee: N(51), args: vec![N(0)] });
    ops.push(b.call("sub", &[N(50), N(52)]));
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(53)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    let mut engine = environment.engine(&program);
    for i in 0..20 {
        environment.set("a", i * i);
        assert_eq!(outcome(&mut engine), Ok(vec![ints(&[0])]));
    }
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_needs_no_stack() {
    let mut b = Builder::new();
    let one = b.int(1);
    let mut ops = vec![b.input("a")];
    ops.extend((0..100_000).map(|i| b.call("add", &[N(i), one])));
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(100_000)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("a", 0);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[100_000])]));
    environment.set("a", 1);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[100_001])]));
}

#[test]
fn calls_nested_thousands_deep_need_no_stack() {
    let mut b = Builder::new();
    let one = b.int(1);
    let add = b.call("add", &[Operand::Param(id(0)), one]);
    let mut deepest = b.template(body(1, 0, vec![add]));
    for i in 0..2_400 {
        let add = b.call("add", &[Operand::Param(id(0)), one]);
        let next = match i % 3 {
            0 => Op::CallKnown { closure: closure(deepest, &[]), args: vec![N(0)] },
            1 => {
                let less = b.call("less", &[one, one]);
                let branch = body(
                    0,
                    1,
                    vec![Op::CallKnown { closure: closure(deepest, &[]), args: vec![Operand::Capture(id(0))] }],
                );
                let branch = b.template(branch);
                let both = closure(branch, &[N(0)]);
                deepest = b.template(body(
                    1,
                    0,
                    vec![add, less, Op::If { condition: N(1), then: both.clone(), otherwise: both }],
                ));
                continue;
            }
            _ => {
                let function = Op::Func { closure: closure(deepest, &[]), ty: TypeIdx::from_u32(1) };
                deepest = b.template(body(1, 0, vec![add, function, Op::Call { callee: N(1), args: vec![N(0)] }]));
                continue;
            }
        };
        deepest = b.template(body(1, 0, vec![add, next]));
    }
    let ops = vec![b.input("a"), Op::CallKnown { closure: closure(deepest, &[]), args: vec![N(0)] }];
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(1)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("a", 0);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[2_401])]));
    environment.set("a", 5);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[2_406])]));
}

/// `$f = if $c { func() { $z } } else { … }` where `$z` is an `if` inside the branch: when both conditions change at once,
/// the inner one belongs to a branch that is dropped, and must not be evaluated.
#[test]
fn nodes_of_a_replaced_branch_are_not_evaluated() {
    let mut b = Builder::new();
    let four = b.int(4);
    let zero = b.int(0);
    let boom = b.call("fatal", &[four]);
    let boom = b.template(body(0, 0, vec![boom]));
    let calm = b.template(Template { root: Some(zero), ..Template::default() });
    // func() { capture 0 }
    let inner =
        b.template(Template { params: 1, captures: 1, root: Some(Operand::Capture(id(0))), ..Template::default() });
    // branch: $z = if $d { fatal(4) } else { 0 }; func() { $z }
    let less = b.call("less", &[Operand::Capture(id(0)), zero]);
    let branch = b.template(body(
        0,
        1,
        vec![
            less,
            Op::If { condition: N(0), then: closure(boom, &[]), otherwise: closure(calm, &[]) },
            Op::Func { closure: closure(inner, &[N(1)]), ty: TypeIdx::from_u32(1) },
        ],
    ));
    let constant = b.template(Template { params: 1, root: Some(zero), ..Template::default() });
    let other = b.template(body(0, 0, vec![Op::Func { closure: closure(constant, &[]), ty: TypeIdx::from_u32(1) }]));
    let (a, d) = (b.input("a"), b.input("d"));
    let is_a = b.call("less", &[N(0), zero]);
    // The condition depends on a longer chain than the inner `if`.
    let mut ops = vec![a, d, is_a];
    ops.push(Op::If { condition: N(2), then: closure(other, &[]), otherwise: closure(branch, &[N(1)]) });
    ops.push(Op::Call { callee: N(3), args: vec![zero] });
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(4)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("a", 1);
    environment.set("d", 1);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[0])]));
    environment.set("a", -1);
    environment.set("d", -1);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[0])]));
    invariants::check(&engine);
    environment.set("a", 1);
    assert_eq!(outcome(&mut engine), Err(vec!["four".to_owned()]));
    environment.set("d", 1);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[0])]), "the engine recovers when the cause is gone");
    invariants::check(&engine);
}

#[test]
fn only_the_ends_of_a_growing_loop_are_built() {
    let mut b = Builder::new();
    let hundred = b.int(100);
    let add = b.call("add", &[Operand::Param(id(1)), hundred]);
    let iteration = b.template(Template {
        params: 2,
        nodes: nodes([add]),
        statements: vec![show(&[N(0)])].into(),
        ..Template::default()
    });
    let ops = vec![b.input("l")];
    let statements = vec![Statement::For { list: N(0), body: closure(iteration, &[]) }];
    let program = b.finish(Template { nodes: nodes(ops), statements: statements.into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("l", Value::list(0..1000));
    let mut engine = environment.engine(&program);
    engine.run().unwrap();
    environment.set("l", Value::list(0..1001));
    assert_eq!(engine.run().unwrap().evaluated, 2 + 2, "the list, the loop, one sum and its statement");
    environment.set("l", Value::list(0..999));
    assert_eq!(engine.run().unwrap().evaluated, 2);
    environment.set("l", Value::list((0..999).map(|i| if i == 500 { -1 } else { i })));
    assert_eq!(engine.run().unwrap().evaluated, 2 + 2);
    assert_eq!(outputs(&engine)[500], ints(&[99]));
    environment.set("l", Value::list::<i64>([]));
    engine.run().unwrap();
    assert_eq!(engine.node_count(), 2, "an empty loop leaves the list and the loop");
}

#[test]
fn statements_of_constants_have_no_nodes() {
    let mut b = Builder::new();
    let (one, yes) = (b.int(1), b.constant(Constant::Bool(true)));
    let captured = Operand::Capture(id(0));
    let then =
        b.template(Template { captures: 1, statements: vec![show(&[captured, one])].into(), ..Template::default() });
    let body = Template { params: 2, statements: vec![show(&[Operand::Param(id(0))])].into(), ..Template::default() };
    let body = b.template(body);
    let ops = vec![b.input("l")];
    let branch = Statement::If { condition: yes, then: closure(then, &[one]), otherwise: None };
    let statements =
        vec![show(&[one]), branch, Statement::For { list: N(0), body: closure(body, &[]) }, show(&[one, yes])];
    let program = b.finish(Template { nodes: nodes(ops), statements: statements.into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("l", Value::list([7, 7]));
    let mut engine = environment.engine(&program);
    let constant = vec![Value::Int(1), Value::Bool(true)];
    let expected = vec![ints(&[1]), ints(&[1, 1]), ints(&[0]), ints(&[1]), constant.clone()];
    assert_eq!(outcome(&mut engine), Ok(expected));
    assert_eq!(engine.node_count(), 3, "the input, the branch and the loop");
    environment.set("l", Value::list([8]));
    assert!(engine.run().unwrap().changed);
    assert_eq!(outputs(&engine), [ints(&[1]), ints(&[1, 1]), ints(&[0]), constant]);
    invariants::check(&engine);
}

#[test]
fn program_without_streaming_functions_is_final_after_its_first_round() {
    let mut b = Builder::new();
    let one = b.int(1);
    let ops = vec![b.call("add", &[one, one]), b.input("a")];
    let constant =
        b.finish(Template { nodes: nodes(ops.clone()), statements: vec![show(&[N(0)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("a", 1);
    let mut engine = environment.engine(&constant);
    assert!(!engine.is_final(), "nothing was evaluated yet");
    engine.run().unwrap();
    assert!(engine.is_final());
    let mut b = Builder::new();
    let ops = vec![b.input("a")];
    let changing =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(0)])].into(), ..Template::default() });
    let mut engine = environment.engine(&changing);
    engine.run().unwrap();
    assert!(!engine.is_final());
}

#[test]
fn keys_that_stay_keep_their_iterations() {
    let mut b = Builder::new();
    let ticks = {
        let never = b.int(1_000_000);
        b.call("ticks", &[never])
    };
    let iteration = b.template(Template {
        params: 2,
        nodes: nodes([ticks]),
        statements: vec![show(&[Operand::Param(id(0)), Operand::Param(id(1)), N(0)])].into(),
        ..Template::default()
    });
    let ops = vec![b.input("m")];
    let statements = vec![Statement::ForKv { map: N(0), body: closure(iteration, &[]) }];
    let program = b.finish(Template { nodes: nodes(ops), statements: statements.into(), ..Template::default() });
    let environment = TestEnvironment::default();
    let map = |pairs: &[(i64, i64)]| Value::map(pairs.iter().map(|(k, v)| (Value::Int(*k), Value::Int(*v))));
    environment.set("m", map(&[(5, 50), (1, 10), (9, 90)]));
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1, 10, 1]), ints(&[5, 50, 1]), ints(&[9, 90, 1])]));
    environment.set("m", map(&[(3, 30), (5, 51), (9, 90)]));
    let round = engine.run().unwrap();
    assert_eq!(outputs(&engine), [ints(&[3, 30, 1]), ints(&[5, 51, 1]), ints(&[9, 90, 1])]);
    assert_eq!(round.evaluated, 2 + 2 + 1, "the new key's call and statement, and the statement of the changed value");
    invariants::check(&engine);
}

#[test]
fn failure_of_a_whole_function_body_is_attributed_to_the_call() {
    let span = |start| Some(Span::new(FileId::MAIN, start, start));
    let mut b = Builder::new();
    b.program.files = mcl_diagnostics::Files::default();
    b.program.files.add("main.mcl", "0123456789");
    let zero = b.int(0);
    let div = b.call("div", &[zero, zero]);
    let mut inner = body(0, 0, vec![div]);
    inner.nodes[id(0)].span = span(1);
    let inner = b.template(inner);
    let mut middle = body(0, 0, vec![Op::CallKnown { closure: closure(inner, &[]), args: vec![] }]);
    middle.nodes[id(0)].span = span(2);
    let middle = b.template(middle);
    let mut top = nodes([Op::CallKnown { closure: closure(middle, &[]), args: vec![] }]);
    top[id(0)].span = span(3);
    let program = b.finish(Template { nodes: top, statements: vec![show(&[N(0)])].into(), ..Template::default() });
    let mut engine = TestEnvironment::default().engine(&program);
    let errors = engine.run().unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].span, span(3), "the outermost call");
    assert_eq!(errors[0].code.name(), "R0101");
}

#[test]
fn failure_of_a_kept_value_is_reported_unless_caught() {
    let run = |read: bool| {
        let mut b = Builder::new();
        let zero = b.int(0);
        let fallback = b.template(Template { root: Some(zero), ..Template::default() });
        let div = b.call("div", &[zero, zero]);
        let except = Op::Except { value: N(0), fallback: closure(fallback, &[]) };
        let mut top = Template { nodes: nodes([div, except]), keep: vec![N(0)], ..Template::default() };
        top.statements = vec![show(&[if read { N(1) } else { zero }])].into();
        let program = b.finish(top);
        outcome(&mut TestEnvironment::default().engine(&program))
    };
    assert_eq!(run(true), Ok(vec![ints(&[0])]));
    assert_eq!(run(false), Err(vec!["0 / 0".to_owned()]));
}

#[test]
fn fallback_does_not_run_while_the_value_is_available() {
    let mut b = Builder::new();
    let hour = b.int(3_600_000);
    let ticks = b.call("ticks", &[hour]);
    let fallback = b.template(body(0, 0, vec![ticks]));
    let ten = b.int(10);
    let (input, div) = (b.input("a"), b.call("div", &[ten, N(0)]));
    let except = Op::Except { value: N(1), fallback: closure(fallback, &[]) };
    let program = b.finish(Template {
        nodes: nodes([input, div, except]),
        statements: vec![show(&[N(2)])].into(),
        ..Template::default()
    });
    let environment = TestEnvironment::default();
    environment.set("a", 2);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[5])]));
    assert_eq!(engine.next_deadline(), None);
    environment.set("a", 0);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[1])]));
    assert!(engine.next_deadline().is_some());
    environment.set("a", 5);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[2])]));
    assert_eq!(engine.next_deadline(), None, "the timer is removed with the fallback");
}

#[test]
fn a_deadline_calls_the_function_again() {
    let mut b = Builder::new();
    let second = b.int(1000);
    let ops = vec![b.call("ticks", &[second])];
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(0)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    let mut engine = environment.engine(&program);
    for n in 1..5 {
        assert_eq!(outcome(&mut engine), Ok(vec![ints(&[n])]));
        assert_eq!(engine.next_deadline(), Some(Duration::from_secs(n as u64)));
        environment.advance(Duration::from_millis(999));
        assert_eq!(engine.run().unwrap().evaluated, 0, "the deadline is not reached");
        environment.advance(Duration::from_millis(1));
    }
}

#[test]
fn ten_thousand_calls_one_after_the_other_are_built_in_linear_time() {
    // The body of each call is higher than the previous call, so without estimates heights would be raised repeatedly.
    let mut b = Builder::new();
    let one = b.int(1);
    let add = b.call("add", &[Operand::Param(id(0)), one]);
    let function = b.template(body(1, 0, vec![add]));
    let mut ops = vec![b.input("a"), Op::Func { closure: closure(function, &[]), ty: TypeIdx::from_u32(1) }];
    for i in 0..10_000 {
        ops.push(Op::Call { callee: N(1), args: vec![N(if i == 0 { 0 } else { i + 1 })] });
    }
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(10_001)])].into(), ..Template::default() });
    let environment = TestEnvironment::default();
    environment.set("a", 0);
    let mut engine = environment.engine(&program);
    assert_eq!(outcome(&mut engine), Ok(vec![ints(&[10_000])]));
    invariants::check(&engine);
}

#[test]
fn self_application_is_an_error() {
    let mut b = Builder::new();
    let omega = body(1, 0, vec![Op::Call { callee: Operand::Param(id(0)), args: vec![Operand::Param(id(0))] }]);
    let omega = b.template(omega);
    let ops = vec![
        Op::Func { closure: closure(omega, &[]), ty: TypeIdx::from_u32(1) },
        Op::Call { callee: N(0), args: vec![N(0)] },
    ];
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(1)])].into(), ..Template::default() });
    let mut engine = TestEnvironment::default().engine(&program);
    let errors = engine.run().unwrap_err();
    assert_eq!(errors[0].code.name(), "R0105");
    drop(engine);
}

#[test]
fn values_of_the_wrong_type_are_errors() {
    let mut b = Builder::new();
    let (one, string) = (b.int(1), b.str("x"));
    let leaf = b.template(Template { root: Some(one), ..Template::default() });
    let ops = vec![
        Op::If { condition: one, then: closure(leaf, &[]), otherwise: closure(leaf, &[]) },
        Op::Call { callee: string, args: vec![] },
        b.call("iter.map", &[string, string]),
    ];
    let empty = b.template(Template { params: 2, ..Template::default() });
    let mut statements: Vec<Statement> = (0..3).map(|n| show(&[N(n)])).collect();
    statements.push(Statement::For { list: one, body: closure(empty, &[]) });
    statements.push(Statement::ForKv { map: one, body: closure(empty, &[]) });
    let program = b.finish(Template { nodes: nodes(ops), statements: statements.into(), ..Template::default() });
    let errors = TestEnvironment::default().engine(&program).run().unwrap_err();
    assert_eq!(errors.len(), 5);
    assert!(errors.iter().all(|e| e.code.name() == "R0105"));
}

#[test]
fn unknown_function_is_an_error_at_the_start() {
    let mut b = Builder::new();
    let ops = vec![b.call("no.such", &[])];
    let program =
        b.finish(Template { nodes: nodes(ops), statements: vec![show(&[N(0)])].into(), ..Template::default() });
    let result = Engine::new(Arc::clone(&program), Box::new(TestEnvironment::default()));
    assert_eq!(result.err().map(|e| e.code.name()), Some("R0104"));
}
