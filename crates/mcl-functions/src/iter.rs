//! `iter` (spec 03 §5.8). The function engine expands the functions that take function values.

use mcl_value::Value;

use crate::args::Args;
use crate::table::{call_site, engine, fatal, full, ok};
use crate::{CallSite, EngineFunction, Function, FunctionError, Signature};

pub(crate) static FUNCTIONS: &[Function] = &[
    engine(
        "iter.filter",
        Signature::Fixed("func(inputs []?1, function func(0 ?1) bool) []?1"),
        "Returns the elements for which the function returns true.",
        EngineFunction::Filter,
    )
    .example("iter.filter([1, 2, 3], func($n) { $n > 1 }) == [2, 3]"),
    full("iter.flatten", "func(inputs [][]?1) []?1", "Concatenates the inner lists.", |_, args| {
        let parts = args.list(0)?.iter().map(|inner| inner.as_list()).collect::<Option<Vec<_>>>();
        match parts {
            Some(parts) => ok(Value::List(parts.concat().into())),
            None => fatal("expected `[][]?1` as argument 0"),
        }
    })
    .example("iter.flatten([[1], [2, 3]]) == [1, 2, 3]"),
    engine(
        "iter.map",
        Signature::Fixed("func(inputs []?1, function func(0 ?1) ?2) []?2"),
        "Returns the results of the function for each element.",
        EngineFunction::Map,
    )
    .example("iter.map([1, 2], func($n) { $n * 2 }) == [2, 4]"),
    call_site(
        "iter.range",
        CallSite::IterRange,
        "Returns the integers from `start` (default 0) up to but excluding `stop`, by `step` (default 1).",
        |_, args| range(args),
    )
    .example("iter.range(1, 4) == [1, 2, 3]"),
    engine(
        "iter.reduce",
        Signature::CallSite(CallSite::IterReduce),
        "Combines the elements with the function, from left to right.",
        EngineFunction::Reduce,
    )
    .example("iter.reduce([1, 2, 3], func($a, $b) { $a + $b }) == 6"),
    engine(
        "iter.zip",
        Signature::Fixed("func(inputs1 []?1, inputs2 []?2, function func(x ?1, y ?2) ?3) []?3"),
        "Returns the results of the function for each pair of elements at the same index.",
        EngineFunction::Zip,
    )
    .example("iter.zip([1, 2], [10, 20], func($a, $b) { $a + $b }) == [11, 22]"),
];

/// Maximum number of elements of a range.
const MAX_RANGE: i128 = 10_000_000;

fn range(args: &[Value]) -> Result<Value, FunctionError> {
    let (start, stop, step) = match args.len() {
        1 => (0, args.int(0)?, 1),
        2 => (args.int(0)?, args.int(1)?, 1),
        3 => (args.int(0)?, args.int(1)?, args.int(2)?),
        _ => return fatal("function must have between 1 and 3 args"),
    };
    if step == 0 {
        return fatal("step value cannot be 0");
    }
    let (first, distance) = (i128::from(start), i128::from(stop) - i128::from(start));
    let step = i128::from(step);
    let count = if distance.signum() == step.signum() { (distance.abs() + step.abs() - 1) / step.abs() } else { 0 };
    if count > MAX_RANGE {
        return fatal(format!("range of {count} elements exceeds the limit of {MAX_RANGE}"));
    }
    let element = |i: i128| Value::Int(i64::try_from(first + i * step).unwrap_or(i64::MAX));
    ok(Value::List((0..count).map(element).collect()))
}
