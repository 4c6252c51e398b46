//! Differences, maxima and minima.

/// Returns `x - y`, or 0 if that is negative.
#[must_use]
pub fn dim(x: f64, y: f64) -> f64 {
    let difference = x - y;
    if difference <= 0.0 { 0.0 } else { difference }
}

/// Returns the larger number. An infinity takes precedence over NaN.
#[must_use]
pub fn max(x: f64, y: f64) -> f64 {
    if x == f64::INFINITY || y == f64::INFINITY {
        f64::INFINITY
    } else if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == 0.0 && y == 0.0 {
        if x.is_sign_negative() { y } else { x }
    } else if x > y {
        x
    } else {
        y
    }
}

/// Returns the smaller number. An infinity takes precedence over NaN.
#[must_use]
pub fn min(x: f64, y: f64) -> f64 {
    -max(-x, -y)
}
