//! The exponents of floating-point numbers.

/// Returns `frac · 2^exponent`.
#[must_use]
pub fn ldexp(frac: f64, exponent: i64) -> f64 {
    libm::ldexp(frac, i32::try_from(exponent.clamp(-10_000, 10_000)).unwrap_or(0))
}

/// Returns the binary exponent; the minimum of `i32` for zero, and its maximum for NaN and infinities.
#[must_use]
pub fn ilogb(x: f64) -> i64 {
    if x == 0.0 {
        i64::from(i32::MIN)
    } else if x.is_finite() {
        i64::from(libm::frexp(x).1 - 1)
    } else {
        i64::from(i32::MAX)
    }
}

/// Returns the binary exponent as a float.
#[must_use]
pub fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        f64::from(libm::frexp(x).1 - 1)
    } else {
        x * x
    }
}
