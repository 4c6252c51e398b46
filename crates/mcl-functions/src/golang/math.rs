//! `golang/math`.

use go_compat::math;

use crate::Function;
use crate::args::Args;
use crate::table::{ok, pure};

/// A row for a function from float to float.
macro_rules! float {
    ($name:literal, $doc:literal, $function:expr) => {
        pure(concat!("golang/math.", $name), "func(x float) float", $doc, |_, args| ok($function(args.float(0)?)))
    };
}

/// A row for a function from two floats, under these names, to a float.
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
    float!("abs", "The absolute value.", f64::abs),
    float!("acos", "The arc cosine.", math::acos),
    float!("acosh", "The inverse hyperbolic cosine.", math::acosh),
    float!("asin", "The arc sine.", math::asin),
    float!("asinh", "The inverse hyperbolic sine.", math::asinh),
    float!("atan", "The arc tangent.", math::atan),
    floats!("atan_2", "y", "x", "The arc tangent of y/x, in the quadrant of the point.", math::atan2),
    float!("atanh", "The inverse hyperbolic tangent.", math::atanh),
    float!("cbrt", "The cube root.", math::cbrt),
    float!("ceil", "The least whole number that is not smaller.", f64::ceil),
    floats!("copysign", "f", "sign", "`f` with the sign of `sign`.", f64::copysign),
    float!("cos", "The cosine of an angle in radians.", math::cos),
    float!("cosh", "The hyperbolic cosine.", math::cosh),
    floats!("dim", "x", "y", "x-y, or 0 if that is negative.", math::dim),
    float!("erf", "The error function.", math::erf),
    float!("erfc", "The complementary error function.", math::erfc),
    float!("erfcinv", "The inverse of `erfc`.", |x: f64| math::erfinv(1.0 - x)),
    float!("erfinv", "The inverse of `erf`.", math::erfinv),
    float!("exp", "e to the power of x.", math::exp),
    float!("exp_2", "2 to the power of x.", math::exp2),
    float!("expm_1", "e to the power of x, minus 1; exact near 0.", math::expm1),
    float!("floor", "The greatest whole number that is not larger.", f64::floor),
    pure("golang/math.fma", "func(x float, y float, z float) float", "x·y + z, rounded once.", |_, args| {
        ok(math::fma(args.float(0)?, args.float(1)?, args.float(2)?))
    }),
    float!("gamma", "The gamma function.", math::gamma),
    floats!("hypot", "p", "q", "The length of the hypotenuse.", math::hypot),
    pure("golang/math.ilogb", "func(x float) int", "The binary exponent.", |_, args| ok(math::ilogb(args.float(0)?))),
    pure("golang/math.inf", "func(sign int) float", "An infinity: negative if `sign` is.", |_, args| {
        ok(if args.int(0)? >= 0 { f64::INFINITY } else { f64::NEG_INFINITY })
    }),
    pure(
        "golang/math.is_inf",
        "func(f float, sign int) bool",
        "Whether `f` is an infinity: the positive one for `sign` > 0, the negative one for `sign` < 0, either for 0.",
        |_, args| {
            let (f, sign) = (args.float(0)?, args.int(1)?);
            ok((sign >= 0 && f == f64::INFINITY) || (sign <= 0 && f == f64::NEG_INFINITY))
        },
    ),
    pure("golang/math.is_na_n", "func(f float) bool", "Whether it is not a number.", |_, args| {
        ok(args.float(0)?.is_nan())
    }),
    float!("j_0", "The Bessel function of the first kind, of order 0.", math::j0),
    float!("j_1", "The Bessel function of the first kind, of order 1.", math::j1),
    pure(
        "golang/math.jn",
        "func(n int, x float) float",
        "The Bessel function of the first kind, of order n.",
        |_, args| ok(math::jn(args.int(0)?, args.float(1)?)),
    ),
    pure("golang/math.ldexp", "func(frac float, exp int) float", "frac·2^exp.", |_, args| {
        ok(math::ldexp(args.float(0)?, args.int(1)?))
    }),
    float!("log", "The natural logarithm.", math::log),
    float!("log_10", "The decimal logarithm.", math::log10),
    float!("log_1_p", "The natural logarithm of 1+x; exact near 0.", math::log1p),
    float!("log_2", "The binary logarithm.", math::log2),
    float!("logb", "The binary exponent.", math::logb),
    floats!("max", "x", "y", "The larger one.", math::max),
    floats!("min", "x", "y", "The smaller one.", math::min),
    floats!("mod", "x", "y", "The remainder of x/y, with the sign of x.", |x: f64, y: f64| x % y),
    pure("golang/math.na_n", "func() float", "Not a number.", |_, _| ok(f64::NAN)),
    floats!("nextafter", "x", "y", "The next float after x in the direction of y.", math::nextafter),
    floats!("pow", "x", "y", "x to the power of y.", math::pow),
    pure("golang/math.pow_10", "func(n int) float", "10 to the power of n.", |_, args| ok(math::pow10(args.int(0)?))),
    floats!("remainder", "x", "y", "The IEEE 754 remainder of x/y.", math::remainder),
    float!("round", "The nearest whole number, halves away from zero.", f64::round),
    float!("round_to_even", "The nearest whole number, halves to the even one.", f64::round_ties_even),
    pure("golang/math.signbit", "func(x float) bool", "Whether x is negative or negative zero.", |_, args| {
        ok(args.float(0)?.is_sign_negative())
    }),
    float!("sin", "The sine of an angle in radians.", math::sin),
    float!("sinh", "The hyperbolic sine.", math::sinh),
    float!("sqrt", "The square root.", f64::sqrt),
    float!("tan", "The tangent of an angle in radians.", math::tan),
    float!("tanh", "The hyperbolic tangent.", math::tanh),
    float!("trunc", "The number without its fraction.", f64::trunc),
    float!("y_0", "The Bessel function of the second kind, of order 0.", math::y0),
    float!("y_1", "The Bessel function of the second kind, of order 1.", math::y1),
    pure(
        "golang/math.yn",
        "func(n int, x float) float",
        "The Bessel function of the second kind, of order n.",
        |_, args| ok(math::yn(args.int(0)?, args.float(1)?)),
    ),
];
