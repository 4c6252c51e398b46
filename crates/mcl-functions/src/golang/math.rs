//! `golang/math`.

use go_compat::math;

use crate::Function;
use crate::args::Args;
use crate::table::{ok, pure};

/// Declares a function of one float.
macro_rules! float {
    ($name:literal, $doc:literal, $function:expr) => {
        pure(concat!("golang/math.", $name), "func(x float) float", $doc, |_, args| ok($function(args.float(0)?)))
    };
}

/// Declares a function of two floats with these names.
macro_rules! floats {
    ($name:literal, $first:literal, $second:literal, $doc:literal, $function:expr) => {
        pure(
            concat!("golang/math.", $name),
            concat!("func(", $first, " float, ", $second, " float) float"),
            $doc,
            |_, args| ok($function(args.float(0)?, args.float(1)?)),
        )
    };
}

pub(crate) static FUNCTIONS: &[Function] = &[
    float!("abs", "Returns the absolute value.", f64::abs),
    float!("acos", "Returns the arc cosine.", math::acos),
    float!("acosh", "Returns the inverse hyperbolic cosine.", math::acosh),
    float!("asin", "Returns the arc sine.", math::asin),
    float!("asinh", "Returns the inverse hyperbolic sine.", math::asinh),
    float!("atan", "Returns the arc tangent.", math::atan),
    floats!("atan_2", "y", "x", "Returns the arc tangent of y/x, in the quadrant of the point (x, y).", math::atan2),
    float!("atanh", "Returns the inverse hyperbolic tangent.", math::atanh),
    float!("cbrt", "Returns the cube root.", math::cbrt),
    float!("ceil", "Returns the least integer greater than or equal to x.", f64::ceil),
    floats!("copysign", "f", "sign", "Returns `f` with the sign of `sign`.", f64::copysign),
    float!("cos", "Returns the cosine of an angle in radians.", math::cos),
    float!("cosh", "Returns the hyperbolic cosine.", math::cosh),
    floats!("dim", "x", "y", "Returns x-y, or 0 if that is negative.", math::dim),
    float!("erf", "Returns the error function.", math::erf),
    float!("erfc", "Returns the complementary error function.", math::erfc),
    float!("erfcinv", "Returns the inverse of `erfc`.", |x: f64| math::erfinv(1.0 - x)),
    float!("erfinv", "Returns the inverse of `erf`.", math::erfinv),
    float!("exp", "Returns e to the power of x.", math::exp),
    float!("exp_2", "Returns 2 to the power of x.", math::exp2),
    float!("expm_1", "Returns e to the power of x, minus 1; accurate near 0.", math::expm1),
    float!("floor", "Returns the greatest integer less than or equal to x.", f64::floor),
    pure("golang/math.fma", "func(x float, y float, z float) float", "Returns x·y + z, rounded once.", |_, args| {
        ok(math::fma(args.float(0)?, args.float(1)?, args.float(2)?))
    }),
    float!("gamma", "Returns the gamma function.", math::gamma),
    floats!("hypot", "p", "q", "Returns the square root of p² + q².", math::hypot),
    pure("golang/math.ilogb", "func(x float) int", "Returns the binary exponent as an integer.", |_, args| {
        ok(math::ilogb(args.float(0)?))
    }),
    pure(
        "golang/math.inf",
        "func(sign int) float",
        "Returns positive infinity if `sign` >= 0, otherwise negative infinity.",
        |_, args| ok(if args.int(0)? >= 0 { f64::INFINITY } else { f64::NEG_INFINITY }),
    ),
    pure(
        "golang/math.is_inf",
        "func(f float, sign int) bool",
        "Returns whether `f` is +Inf (`sign` > 0), -Inf (`sign` < 0) or either (`sign` = 0).",
        |_, args| {
            let (f, sign) = (args.float(0)?, args.int(1)?);
            ok((sign >= 0 && f == f64::INFINITY) || (sign <= 0 && f == f64::NEG_INFINITY))
        },
    ),
    pure("golang/math.is_na_n", "func(f float) bool", "Returns whether `f` is NaN.", |_, args| {
        ok(args.float(0)?.is_nan())
    }),
    float!("j_0", "Returns the Bessel function of the first kind, of order 0.", math::j0),
    float!("j_1", "Returns the Bessel function of the first kind, of order 1.", math::j1),
    pure(
        "golang/math.jn",
        "func(n int, x float) float",
        "Returns the Bessel function of the first kind, of order n.",
        |_, args| ok(math::jn(args.int(0)?, args.float(1)?)),
    ),
    pure("golang/math.ldexp", "func(frac float, exp int) float", "Returns frac·2^exp.", |_, args| {
        ok(math::ldexp(args.float(0)?, args.int(1)?))
    }),
    float!("log", "Returns the natural logarithm.", math::log),
    float!("log_10", "Returns the decimal logarithm.", math::log10),
    float!("log_1_p", "Returns the natural logarithm of 1+x; accurate near 0.", math::log1p),
    float!("log_2", "Returns the binary logarithm.", math::log2),
    float!("logb", "Returns the binary exponent.", math::logb),
    floats!("max", "x", "y", "Returns the larger number.", math::max),
    floats!("min", "x", "y", "Returns the smaller number.", math::min),
    floats!("mod", "x", "y", "Returns the remainder of x/y, with the sign of x.", |x: f64, y: f64| x % y),
    pure("golang/math.na_n", "func() float", "Returns NaN.", |_, _| ok(f64::NAN)),
    floats!("nextafter", "x", "y", "Returns the next representable float after x toward y.", math::nextafter),
    floats!("pow", "x", "y", "Returns x to the power of y.", math::pow),
    pure("golang/math.pow_10", "func(n int) float", "Returns 10 to the power of n.", |_, args| {
        ok(math::pow10(args.int(0)?))
    }),
    floats!("remainder", "x", "y", "Returns the IEEE 754 remainder of x/y.", math::remainder),
    float!("round", "Rounds to the nearest integer, halves away from zero.", f64::round),
    float!("round_to_even", "Rounds to the nearest integer, halves to even.", f64::round_ties_even),
    pure("golang/math.signbit", "func(x float) bool", "Returns whether x is negative or negative zero.", |_, args| {
        ok(args.float(0)?.is_sign_negative())
    }),
    float!("sin", "Returns the sine of an angle in radians.", math::sin),
    float!("sinh", "Returns the hyperbolic sine.", math::sinh),
    float!("sqrt", "Returns the square root.", f64::sqrt),
    float!("tan", "Returns the tangent of an angle in radians.", math::tan),
    float!("tanh", "Returns the hyperbolic tangent.", math::tanh),
    float!("trunc", "Removes the fractional part.", f64::trunc),
    float!("y_0", "Returns the Bessel function of the second kind, of order 0.", math::y0),
    float!("y_1", "Returns the Bessel function of the second kind, of order 1.", math::y1),
    pure(
        "golang/math.yn",
        "func(n int, x float) float",
        "Returns the Bessel function of the second kind, of order n.",
        |_, args| ok(math::yn(args.int(0)?, args.float(1)?)),
    ),
];
