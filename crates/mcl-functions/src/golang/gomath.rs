//! Go's `math` algorithms.

/// `x` to the power of `y`.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    x.powf(y)
}
