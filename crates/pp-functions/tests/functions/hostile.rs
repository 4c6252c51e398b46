//! Arguments that would take all memory, all time, or all of the stack.

use std::sync::Arc;

use pp_types::Value;

use crate::host::{Notebook, json, run};

#[track_caller]
fn check_limited(name: &str, arguments: &[Value]) {
    assert_eq!(run(&mut Notebook::default(), name, arguments, None), "error: the budget is used up", "{name}");
}

#[test]
fn large_results_use_up_the_budget() {
    check_limited("slice", &json("1000000000000, 3"));
    check_limited("step", &json("1000000000000, 1"));
    check_limited("unique", &json("1000000000000"));
    check_limited("index", &json("1000000000000, \"x\""));
    // An array that contains the same array ten times, and so on: 10^12 elements in a few bytes.
    let doubled = |value: Value| Value::array(vec![value; 10]);
    let nest = (0..12).fold(Value::from(1), |value, _| doubled(value));
    check_limited("flatten", std::slice::from_ref(&nest));
    check_limited("join", std::slice::from_ref(&nest));
    check_limited("include", std::slice::from_ref(&nest));
    check_limited("tree_each", &[nest]);
}

#[test]
fn ranges_are_not_collected_before_they_are_visited() {
    let mut host = Notebook::default();
    let block = host.block(1, |_| Err(pp_functions::Interrupt::Break));
    for name in ["each", "map", "filter", "reverse_each"] {
        let text = run(&mut host, name, &json("9000000000000000000"), Some(&block));
        assert!(!text.starts_with("error"), "{name}: {text}");
    }
    let text = run(&mut host, "step", &json("9000000000000000000, 1000000000000000000"), None);
    assert!(!text.starts_with("error"), "{text}");
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let nest = |depth: usize| (0..depth).fold(Value::array(Vec::new()), |value, _| Value::array(vec![value]));
    let deep = nest(50_000);
    for name in ["flatten", "join"] {
        assert_eq!(run(&mut Notebook::default(), name, std::slice::from_ref(&deep), None).len(), 2);
    }
    take_apart(deep);
    // Checking the signature takes time that grows with the square of the depth.
    let text = run(&mut Notebook::default(), "upcase", &[nest(500)], None);
    assert_eq!(text.len(), 1002);
}

/// Drops a nest of arrays level by level.
fn take_apart(mut value: Value) {
    while let Value::Array(values) = value {
        value = match Arc::try_unwrap(values) {
            Ok(mut values) => values.0.pop().unwrap_or(Value::Undef),
            Err(_) => Value::Undef,
        };
    }
}
