//! Functions with blocks.

use pp_functions::Interrupt;
use pp_types::{Value, interpolate};

use crate::host::{Body, Notebook, json, run};

/// Calls a function with a block of one or two parameters.
#[track_caller]
fn check(name: &str, arguments: &str, parameters: usize, body: Body, expected: &str) {
    let mut host = Notebook::default();
    let block = host.block(parameters, body);
    assert_eq!(run(&mut host, name, &json(arguments), Some(&block)), expected, "{name}({arguments})");
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(integer) => *integer,
        other => panic!("{other:?} is not an integer"),
    }
}

fn double(arguments: &[Value]) -> Result<Value, Interrupt> {
    Ok(Value::Integer(integer(&arguments[0]) * 2))
}

fn is_large(arguments: &[Value]) -> Result<Value, Interrupt> {
    Ok(Value::Boolean(integer(arguments.last().unwrap()) > 1))
}

fn collect(arguments: &[Value]) -> Result<Value, Interrupt> {
    Ok(Value::array(arguments.to_vec()))
}

fn add(arguments: &[Value]) -> Result<Value, Interrupt> {
    Ok(Value::Integer(integer(&arguments[0]) + integer(&arguments[1])))
}

fn break_at_two(arguments: &[Value]) -> Result<Value, Interrupt> {
    match arguments.last() {
        Some(Value::Integer(2)) => Err(Interrupt::Break),
        _ => Ok(Value::Boolean(true)),
    }
}

fn next_nine(_: &[Value]) -> Result<Value, Interrupt> {
    Err(Interrupt::Next(Value::Integer(9)))
}

fn leave(_: &[Value]) -> Result<Value, Interrupt> {
    Err(Interrupt::Return(Value::Integer(7)))
}

fn descending(arguments: &[Value]) -> Result<Value, Interrupt> {
    Ok(Value::Integer(integer(&arguments[1]) - integer(&arguments[0])))
}

fn length(arguments: &[Value]) -> Result<Value, Interrupt> {
    Ok(Value::Integer(i64::try_from(interpolate(&arguments[0]).len()).unwrap()))
}

#[test]
fn each_and_map_pass_elements_or_pairs() {
    check("each", "[1, 2]", 1, double, "[1, 2]");
    check("map", "[1, 2]", 1, double, "[2, 4]");
    check("map", "[5, 6]", 2, collect, "[[0, 5], [1, 6]]");
    check("map", r#"{"a": 1}"#, 1, collect, "[[['a', 1]]]");
    check("map", r#"{"a": 1}"#, 2, collect, "[['a', 1]]");
    check("map", "3", 1, double, "[0, 2, 4]");
    check("map", r#""ab""#, 2, collect, "[[0, 'a'], [1, 'b']]");
}

#[test]
fn break_next_and_return_leave_blocks() {
    check("map", "[1, 2, 3]", 1, break_at_two, "[true]");
    check("filter", "[1, 2, 3]", 1, break_at_two, "[1]");
    check("filter", r#"{"a": 2}"#, 2, break_at_two, "break");
    check("any", "[2]", 1, break_at_two, "break");
    check("each", "[1, 2, 3]", 1, break_at_two, "[1, 2, 3]");
    check("map", "[1, 2]", 1, next_nine, "[9, 9]");
    check("each", "[1, 2]", 1, leave, "return 7");
}

#[test]
fn filter_keeps_the_kind_of_collection() {
    check("filter", "[1, 2, 3]", 1, is_large, "[2, 3]");
    check("filter", r#"{"a": 1, "b": 2}"#, 2, is_large, "{'b' => 2}");
    check("filter", "[1, 2, 3]", 2, is_large, "[2, 3]");
}

#[test]
fn any_and_all_stop_early() {
    check("any", "[1, 2]", 1, is_large, "true");
    check("all", "[1, 2]", 1, is_large, "false");
    check("all", "[]", 1, is_large, "true");
    check("any", "[]", 1, is_large, "false");
}

#[test]
fn reduce_starts_with_memo_or_first_element() {
    check("reduce", "[1, 2, 3]", 2, add, "6");
    check("reduce", "[1, 2, 3], 10", 2, add, "16");
    check("reduce", "[]", 2, add, "undef");
    check("reduce", "[7]", 2, add, "7");
    check("reduce", "[1, 2, 3]", 2, break_at_two, "1");
}

#[test]
fn slice_spreads_and_pads() {
    check("slice", "[1, 2, 3], 2", 1, collect, "[1, 2, 3]");
    let mut host = Notebook::default();
    assert_eq!(run(&mut host, "slice", &json("[1, 2, 3], 2"), None), "[[1, 2], [3]]");
    // As in Puppet, a range is not one slice.
    for (arguments, slices) in [
        ("2, 2", "[[0], [1]]"),
        ("1, 2", "[[0]]"),
        ("3, 2", "[[0, 1], [2]]"),
        ("5, 5", "[[0, 1, 2, 3], [4]]"),
        ("5, 7", "[[0, 1, 2, 3], [4]]"),
    ] {
        assert_eq!(run(&mut host, "slice", &json(arguments), None), slices, "{arguments}");
    }
    assert_eq!(run(&mut host, "slice", &json(r#"{"a": 1, "b": 2}, 1"#), None), "[[['a', 1]], [['b', 2]]]");
    check("slice", "[1, 2], 2", 0, collect, "error: slice(): block must define at least one parameter. Block has 0.");
    check("slice", "[1, 2], 2", 3, collect, "error: slice(): block has 3 parameters, but a slice has only 2 elements");
}

#[test]
fn sort_max_and_min_compare_with_the_block() {
    check("sort", "[1, 3, 2]", 2, descending, "[3, 2, 1]");
    check("max", "[1, 3, 2]", 2, descending, "1");
    check("min", "1, 3, 2", 2, descending, "3");
    check("sort", "[1, 2]", 2, |_| Ok("x".into()), "error: comparison of String with 0 failed");
    check("sort", "[3, 1, 2]", 2, |_| Ok(Value::Undef), "error: comparison of Integer with 2 failed");
}

#[test]
fn groups_by_the_result_of_the_block() {
    check("group_by", r#"["a", "bb", "cc"]"#, 1, length, "{1 => ['a'], 2 => ['bb', 'cc']}");
    check("partition", "[1, 2, 3]", 1, is_large, "[[2, 3], [1]]");
    check("partition", r#"{"a": 1, "b": 2}"#, 2, is_large, "[[['b', 2]], [['a', 1]]]");
    check("unique", r#"["a", "b", "cc"]"#, 1, length, "['a', 'cc']");
    check("index", "[1, 2, 3]", 1, is_large, "1");
    check("index", r#"{"a": 1, "b": 2}"#, 2, is_large, "'b'");
}

#[test]
fn values_pass_through_blocks() {
    check("with", "1, 2", 2, add, "3");
    check("then", "2", 1, double, "4");
    check("then", "null", 1, double, "undef");
    check("lest", "null", 0, next_nine, "9");
    check("lest", "5", 0, next_nine, "5");
    check("unwrap", "5", 1, double, "10");
    check("tree_each", "[1, [2]]", 2, collect, "[1, [2]]");
    check("tree_each", "[1, [2]]", 1, leave, "return 7");
    check("step", "[1, 2, 3], 2", 1, double, "undef");
    check("reverse_each", "[1, 2]", 1, break_at_two, "undef");
    check("call", r#""map", [1, 2]"#, 1, double, "[2, 4]");
}

#[test]
fn blocks_with_the_wrong_parameters_are_refused() {
    check("each", "[1]", 3, collect, "error: 'each' block expects between 1 and 2 arguments, got 3");
    check("reduce", "[1]", 1, collect, "error: 'reduce' block expects 2 arguments, got 1");
    check("upcase", r#""a""#, 1, collect, "error: 'upcase' does not expect a block");
}
