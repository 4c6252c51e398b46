//! `convert`: conversions between strings and other scalars (spec 03 §5.1).

use go_compat::strconv;

use crate::Function;
use crate::args::Args;
use crate::table::{Outcome, catchable, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("convert.format_bool", "func(a bool) str", "Returns `true` or `false` as a string.", |_, args| {
        ok(args.bool(0)?.to_string())
    })
    .example(r#"convert.format_bool(true) == "true""#),
    pure("convert.int_to_str", "func(a int) str", "Returns the integer in decimal.", |_, args| {
        ok(args.int(0)?.to_string())
    })
    .example(r#"convert.int_to_str(42) == "42""#),
    pure(
        "convert.parse_bool",
        "func(a str) bool",
        "Parses `1 t T TRUE true True` or `0 f F FALSE false False`; anything else is a catchable error.",
        |_, args| match strconv::parse_bool(args.bytes(0)?) {
            Some(value) => ok(value),
            None => catchable(format!("invalid bool: `{}`", args.text(0)?)),
        },
    )
    .example(r#"convert.parse_bool("true") == true"#),
    pure(
        "convert.str_to_float",
        "func(a str) float",
        "Parses a decimal or hexadecimal number, `inf` or `nan`; anything else is a catchable error.",
        |_, args| match strconv::parse_float(args.bytes(0)?, false) {
            Ok(value) => ok(value),
            Err(error) => catchable(error.message("ParseFloat", args.bytes(0)?)),
        },
    )
    .example(r#"convert.str_to_float("1.5") == 1.5"#),
    pure(
        "convert.str_to_int",
        "func(a str) int",
        "Parses a decimal integer with an optional sign; anything else is a catchable error.",
        |_, args| match strconv::parse_int(args.bytes(0)?, 10, 64) {
            Ok(value) => ok(value),
            Err(error) => catchable(error.message("ParseInt", args.bytes(0)?)),
        },
    )
    .example(r#"convert.str_to_int("42") == 42"#),
    pure("convert.to_float", "func(a int) float", "Returns the nearest float.", |_, args| to_float(args.int(0)?))
        .example("convert.to_float(2) == 2.0"),
    pure(
        "convert.to_int",
        "func(a float) int",
        "Truncates toward zero. NaN and values outside the range of `int` give the smallest `int`.",
        |_, args| ok(to_int(args.float(0)?)),
    )
    .example("convert.to_int(2.9) == 2"),
];

#[allow(clippy::cast_precision_loss)]
fn to_float(value: i64) -> Outcome {
    ok(value as f64)
}

/// Truncates as x86-64 processors do.
#[allow(clippy::cast_possible_truncation)]
pub(crate) fn to_int(value: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&value) { value as i64 } else { i64::MIN }
}
