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
    float!("abs", "Returns the absolute value.", f64::abs).example("math.abs(-1.5) == 1.5"),
    float!("acos", "Returns the arc cosine.", math::acos).example("math.acos(1.0) == 0.0"),
    float!("acosh", "Returns the inverse hyperbolic cosine.", math::acosh).example("math.acosh(1.0) == 0.0"),
    float!("asin", "Returns the arc sine.", math::asin).example("math.asin(0.0) == 0.0"),
    float!("asinh", "Returns the inverse hyperbolic sine.", math::asinh).example("math.asinh(0.0) == 0.0"),
    float!("atan", "Returns the arc tangent.", math::atan).example("math.atan(0.0) == 0.0"),
    floats!("atan_2", "y", "x", "Returns the arc tangent of y/x, in the quadrant of the point (x, y).", math::atan2)
        .example("math.atan_2(0.0, 1.0) == 0.0"),
    float!("atanh", "Returns the inverse hyperbolic tangent.", math::atanh).example("math.atanh(0.0) == 0.0"),
    float!("cbrt", "Returns the cube root.", math::cbrt).example("math.cbrt(27.0) == 3.0"),
    float!("ceil", "Returns the least integer greater than or equal to x.", f64::ceil).example("math.ceil(1.2) == 2.0"),
    floats!("copysign", "f", "sign", "Returns `f` with the sign of `sign`.", f64::copysign)
        .example("math.copysign(1.5, -1.0) == -1.5"),
    float!("cos", "Returns the cosine of an angle in radians.", math::cos).example("math.cos(0.0) == 1.0"),
    float!("cosh", "Returns the hyperbolic cosine.", math::cosh).example("math.cosh(0.0) == 1.0"),
    floats!("dim", "x", "y", "Returns x-y, or 0 if that is negative.", math::dim).example("math.dim(5.0, 3.0) == 2.0"),
    float!("erf", "Returns the error function.", math::erf).example("math.erf(0.0) == 0.0"),
    float!("erfc", "Returns the complementary error function.", math::erfc).example("math.erfc(0.0) == 1.0"),
    float!("erfcinv", "Returns the inverse of `erfc`.", |x: f64| math::erfinv(1.0 - x))
        .example("math.erfcinv(1.0) == 0.0"),
    float!("erfinv", "Returns the inverse of `erf`.", math::erfinv).example("math.erfinv(0.0) == 0.0"),
    float!("exp", "Returns e to the power of x.", math::exp).example("math.exp(0.0) == 1.0"),
    float!("exp_2", "Returns 2 to the power of x.", math::exp2).example("math.exp_2(3.0) == 8.0"),
    float!("expm_1", "Returns e to the power of x, minus 1; accurate near 0.", math::expm1)
        .example("math.expm_1(0.0) == 0.0"),
    float!("floor", "Returns the greatest integer less than or equal to x.", f64::floor)
        .example("math.floor(1.8) == 1.0"),
    pure("golang/math.fma", "func(x float, y float, z float) float", "Returns x·y + z, rounded once.", |_, args| {
        ok(math::fma(args.float(0)?, args.float(1)?, args.float(2)?))
    })
    .example("math.fma(2.0, 3.0, 1.0) == 7.0"),
    float!("gamma", "Returns the gamma function.", math::gamma).example("math.gamma(5.0) == 24.0"),
    floats!("hypot", "p", "q", "Returns the square root of p² + q².", math::hypot)
        .example("math.hypot(3.0, 4.0) == 5.0"),
    pure("golang/math.ilogb", "func(x float) int", "Returns the binary exponent as an integer.", |_, args| {
        ok(math::ilogb(args.float(0)?))
    })
    .example("math.ilogb(8.0) == 3"),
    pure(
        "golang/math.inf",
        "func(sign int) float",
        "Returns positive infinity if `sign` >= 0, otherwise negative infinity.",
        |_, args| ok(if args.int(0)? >= 0 { f64::INFINITY } else { f64::NEG_INFINITY }),
    )
    .example("math.inf(1) > 1.0"),
    pure(
        "golang/math.is_inf",
        "func(f float, sign int) bool",
        "Returns whether `f` is +Inf (`sign` > 0), -Inf (`sign` < 0) or either (`sign` = 0).",
        |_, args| {
            let (f, sign) = (args.float(0)?, args.int(1)?);
            ok((sign >= 0 && f == f64::INFINITY) || (sign <= 0 && f == f64::NEG_INFINITY))
        },
    )
    .example("math.is_inf(1.0, 0) == false"),
    pure("golang/math.is_na_n", "func(f float) bool", "Returns whether `f` is NaN.", |_, args| {
        ok(args.float(0)?.is_nan())
    })
    .example("math.is_na_n(1.0) == false"),
    float!("j_0", "Returns the Bessel function of the first kind, of order 0.", math::j0)
        .example("math.j_0(0.0) == 1.0"),
    float!("j_1", "Returns the Bessel function of the first kind, of order 1.", math::j1)
        .example("math.j_1(0.0) == 0.0"),
    pure(
        "golang/math.jn",
        "func(n int, x float) float",
        "Returns the Bessel function of the first kind, of order n.",
        |_, args| ok(math::jn(args.int(0)?, args.float(1)?)),
    )
    .example("math.jn(2, 0.0) == 0.0"),
    pure("golang/math.ldexp", "func(frac float, exp int) float", "Returns frac·2^exp.", |_, args| {
        ok(math::ldexp(args.float(0)?, args.int(1)?))
    })
    .example("math.ldexp(0.5, 4) == 8.0"),
    float!("log", "Returns the natural logarithm.", math::log).example("math.log(1.0) == 0.0"),
    float!("log_10", "Returns the decimal logarithm.", math::log10).example("math.log_10(1.0) == 0.0"),
    float!("log_1_p", "Returns the natural logarithm of 1+x; accurate near 0.", math::log1p)
        .example("math.log_1_p(0.0) == 0.0"),
    float!("log_2", "Returns the binary logarithm.", math::log2).example("math.log_2(8.0) == 3.0"),
    float!("logb", "Returns the binary exponent.", math::logb).example("math.logb(8.0) == 3.0"),
    floats!("max", "x", "y", "Returns the larger number.", math::max).example("math.max(1.0, 2.0) == 2.0"),
    floats!("min", "x", "y", "Returns the smaller number.", math::min).example("math.min(1.0, 2.0) == 1.0"),
    floats!("mod", "x", "y", "Returns the remainder of x/y, with the sign of x.", |x: f64, y: f64| x % y)
        .example("math.mod(7.0, 4.0) == 3.0"),
    pure("golang/math.na_n", "func() float", "Returns NaN.", |_, _| ok(f64::NAN)),
    floats!("nextafter", "x", "y", "Returns the next representable float after x toward y.", math::nextafter)
        .example("math.nextafter(1.0, 2.0) > 1.0"),
    floats!("pow", "x", "y", "Returns x to the power of y.", math::pow).example("math.pow(2.0, 10.0) == 1024.0"),
    pure("golang/math.pow_10", "func(n int) float", "Returns 10 to the power of n.", |_, args| {
        ok(math::pow10(args.int(0)?))
    })
    .example("math.pow_10(3) == 1000.0"),
    floats!("remainder", "x", "y", "Returns the IEEE 754 remainder of x/y.", math::remainder)
        .example("math.remainder(7.0, 4.0) == -1.0"),
    float!("round", "Rounds to the nearest integer, halves away from zero.", f64::round)
        .example("math.round(1.5) == 2.0"),
    float!("round_to_even", "Rounds to the nearest integer, halves to even.", f64::round_ties_even)
        .example("math.round_to_even(2.5) == 2.0"),
    pure("golang/math.signbit", "func(x float) bool", "Returns whether x is negative or negative zero.", |_, args| {
        ok(args.float(0)?.is_sign_negative())
    })
    .example("math.signbit(-1.0) == true"),
    float!("sin", "Returns the sine of an angle in radians.", math::sin).example("math.sin(0.0) == 0.0"),
    float!("sinh", "Returns the hyperbolic sine.", math::sinh).example("math.sinh(0.0) == 0.0"),
    float!("sqrt", "Returns the square root.", f64::sqrt).example("math.sqrt(2.25) == 1.5"),
    float!("tan", "Returns the tangent of an angle in radians.", math::tan).example("math.tan(0.0) == 0.0"),
    float!("tanh", "Returns the hyperbolic tangent.", math::tanh).example("math.tanh(0.0) == 0.0"),
    float!("trunc", "Removes the fractional part.", f64::trunc).example("math.trunc(1.8) == 1.0"),
    float!("y_0", "Returns the Bessel function of the second kind, of order 0.", math::y0)
        .example("math.y_0(1.0) > 0.0"),
    float!("y_1", "Returns the Bessel function of the second kind, of order 1.", math::y1)
        .example("math.y_1(1.0) < 0.0"),
    pure(
        "golang/math.yn",
        "func(n int, x float) float",
        "Returns the Bessel function of the second kind, of order n.",
        |_, args| ok(math::yn(args.int(0)?, args.float(1)?)),
    )
    .example("math.yn(2, 1.0) < 0.0"),
];
