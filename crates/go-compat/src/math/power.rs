//! Logarithms, powers and roots.

// The constants are given as published, with more digits than fit.
#![allow(clippy::excessive_precision)]

use std::f64::consts::{LN_2, LN_10};

use libm::{exp, frexp, log};

use crate::math::exponent::ldexp;

/// Returns the binary logarithm.
#[must_use]
pub fn log2(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return x.log2();
    }
    let (fraction, exponent) = frexp(x);
    // Exact powers of two must give exact results.
    if fraction == 0.5 { f64::from(exponent - 1) } else { log(fraction) * (1.0 / LN_2) + f64::from(exponent) }
}

/// Returns the decimal logarithm.
#[must_use]
pub fn log10(x: f64) -> f64 {
    log2(x) * (LN_2 / LN_10)
}

/// Returns the length of the hypotenuse, without unnecessary overflow.
#[must_use]
pub fn hypot(p: f64, q: f64) -> f64 {
    if p.is_infinite() || q.is_infinite() {
        return f64::INFINITY;
    }
    if p.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    let (large, small) = if p.abs() < q.abs() { (q.abs(), p.abs()) } else { (p.abs(), q.abs()) };
    if large == 0.0 {
        return 0.0;
    }
    let ratio = small / large;
    large * (1.0 + ratio * ratio).sqrt()
}

/// Returns `x` to the power of `y`: the fraction of `y` through logarithms, the integer by repeated squaring.
#[allow(clippy::cast_possible_truncation)]
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    // The special cases are those of C.
    if y == 0.0 || x == 1.0 || x == 0.0 || !x.is_finite() || !y.is_finite() {
        return x.powf(y);
    }
    if y == 1.0 {
        return x;
    }
    if y == 0.5 {
        return x.sqrt();
    }
    if y == -0.5 {
        return 1.0 / x.sqrt();
    }
    let (mut whole, mut fraction) = (y.abs().trunc(), y.abs().fract());
    if fraction != 0.0 && x < 0.0 {
        return f64::NAN;
    }
    if whole >= 9.223_372_036_854_775_808e18 {
        return match x {
            -1.0 => 1.0,
            _ if (x.abs() < 1.0) == (y > 0.0) => 0.0,
            _ => f64::INFINITY,
        };
    }
    let (mut result, mut exponent) = (1.0, 0i64);
    if fraction != 0.0 {
        if fraction > 0.5 {
            fraction -= 1.0;
            whole += 1.0;
        }
        result = exp(fraction * log(x));
    }
    let (mut base, base_exponent) = frexp(x);
    let mut base_exponent = i64::from(base_exponent);
    let mut rest = whole as i64;
    while rest != 0 {
        if !(-(1 << 12)..=1 << 12).contains(&base_exponent) {
            exponent += base_exponent;
            break;
        }
        if rest & 1 == 1 {
            result *= base;
            exponent += base_exponent;
        }
        base *= base;
        base_exponent <<= 1;
        if base < 0.5 {
            base += base;
            base_exponent -= 1;
        }
        rest >>= 1;
    }
    if y < 0.0 {
        result = 1.0 / result;
        exponent = -exponent;
    }
    ldexp(result, exponent)
}

/// Returns 10^n.
#[must_use]
pub fn pow10(n: i64) -> f64 {
    let power = |n: i64| format!("1e{n}").parse().unwrap_or(f64::NAN);
    match n {
        0..=308 => power(n / 32 * 32) * power(n % 32),
        -323..0 => power(-(-n / 32 * 32)) / power(-n % 32),
        309.. => f64::INFINITY,
        _ => 0.0,
    }
}
