//! Polynomials.

/// Evaluates a polynomial. The coefficient of the highest power comes first.
pub(super) fn poly(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}
