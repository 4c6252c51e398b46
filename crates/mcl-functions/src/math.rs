//! `math` (spec 03 §5.12). Go's `math` package is in `golang/math`.

use mcl_value::{Type, Value};

use crate::Function;
use crate::args::Args;
use crate::table::{Outcome, catchable, fatal, ok, pure};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("math.fortytwo", "func() ?1", "Returns 42 as the inferred type, `int` or `float`.", |cx, _| {
        match cx.ty.result {
            Type::Int => ok(42),
            Type::Float => ok(42.0),
            _ => fatal("can't build math.fortytwo: did not match"),
        }
    })
    .choices(&["func() float", "func() int"])
    .example("math.fortytwo() + 1 == 43"),
    pure("math.minus1", "func(x int) int", "Subtracts one.", |_, args| ok(args.int(0)?.wrapping_sub(1)))
        .example("math.minus1(43) == 42"),
    pure(
        "math.mod",
        "func(0 ?1, 1 ?1) ?1",
        "Returns the remainder, with the sign of the dividend; division by zero is a catchable error.",
        |_, args| match (args.any(0)?, args.any(1)?) {
            (Value::Int(_), Value::Int(0)) => catchable("result is not a number"),
            (Value::Int(a), Value::Int(b)) => ok(a.wrapping_rem(*b)),
            (Value::Float(a), Value::Float(b)) => finite(a % b),
            (other, _) => fatal(format!("can't take the remainder of a {}", other.kind())),
        },
    )
    .choices(&["func(0 int, 1 int) int", "func(0 float, 1 float) float"])
    .example("math.mod(7, 4) == 3"),
    pure(
        "math.pow",
        "func(x float, y float) float",
        "Returns `x` to the power of `y`; a result that is not finite is a catchable error.",
        |_, args| finite(go_compat::math::pow(args.float(0)?, args.float(1)?)),
    )
    .example("math.pow(2.0, 10.0) == 1024.0"),
    pure(
        "math.sqrt",
        "func(x float) float",
        "Returns the square root; a result that is not finite is a catchable error.",
        |_, args| finite(args.float(0)?.sqrt()),
    )
    .example("math.sqrt(2.25) == 1.5"),
];

fn finite(result: f64) -> Outcome {
    if result.is_nan() {
        catchable("result is not a number")
    } else if result == f64::INFINITY {
        catchable("result is positive infinity")
    } else if result == f64::NEG_INFINITY {
        catchable("result is negative infinity")
    } else {
        ok(result)
    }
}
