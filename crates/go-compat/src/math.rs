//! Package `math`: Go's algorithms where they differ from those of other libraries, so that results agree in the last
//! digit and do not depend on the machine.
//!
//! They derive from Stephen Moshier's Cephes library and from FreeBSD (THIRD-PARTY-NOTICES.md). The `libm` crate has
//! the other functions of FreeBSD.

mod comparison;
mod exponent;
mod hyperbolic;
mod polynomial;
mod power;
mod special;
mod trigonometric;

pub use libm::{cbrt, erf, erfc, exp, exp2, expm1, fma, j0, j1, log, log1p, nextafter, remainder, y0, y1};

pub use comparison::{dim, max, min};
pub use exponent::{ilogb, ldexp, logb};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use power::{hypot, log2, log10, pow, pow10};
pub use special::{erfinv, gamma, jn, yn};
pub use trigonometric::{acos, asin, atan, atan2, cos, sin, tan};

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(a: f64, b: f64) {
        assert!(a == b || (a - b).abs() <= 4.0 * f64::EPSILON * b.abs().max(1e-300), "{a} and {b}");
    }

    #[test]
    fn series_agree_with_other_libraries() {
        for i in -4000..4000 {
            let x = f64::from(i) / 97.3;
            close(sin(x), libm::sin(x));
            close(cos(x), libm::cos(x));
            close(atan(x), libm::atan(x));
            close(sinh(x), libm::sinh(x));
            close(cosh(x), libm::cosh(x));
            close(tanh(x), libm::tanh(x));
            close(asinh(x), libm::asinh(x));
            close(hypot(x, 1.5), libm::hypot(x, 1.5));
            close(atan2(x, -2.0), libm::atan2(x, -2.0));
            let unit = f64::from(i) / 4000.0;
            close(asin(unit), libm::asin(unit));
            close(atanh(unit), libm::atanh(unit));
            let back = libm::erf(erfinv(unit));
            assert!((back - unit).abs() < 1e-15, "{unit}: {back}");
            if x > 0.0 {
                // Go's formula loses digits near 1.
                assert!((log2(x) - libm::log2(x)).abs() < 1e-15 * x.max(10.0), "{x}");
                close(pow(x, 3.7), libm::pow(x, 3.7));
                close(acosh(1.0 + x), libm::acosh(1.0 + x));
                assert!((gamma(x) / libm::tgamma(x) - 1.0).abs() < 1e-14, "{x}");
            }
            if x.abs() > 0.1 && cos(x).abs() > 0.01 {
                close(tan(x), libm::tan(x));
            }
        }
    }

    #[test]
    fn tails_of_the_inverse_error_function() {
        for tail in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
            let x = 1.0 - tail;
            let back = libm::erfc(erfinv(x));
            assert!((back / (1.0 - x) - 1.0).abs() < 1e-13, "{tail}: {back}");
        }
    }

    #[test]
    fn exact_results() {
        assert_eq!(pow(2.0, 10.0).to_bits(), 1024f64.to_bits());
        assert_eq!(pow(2.0, -1074.0), 5e-324);
        assert_eq!(pow(-2.0, 3.0), -8.0);
        assert_eq!(log2(8.0), 3.0);
        assert_eq!(log10(1000.0), 2.999_999_999_999_999_6);
        assert_eq!(gamma(5.0), 24.0);
        assert_eq!(pow10(3), 1000.0);
        assert_eq!(pow10(-323), 1e-323);
        assert_eq!(pow10(309), f64::INFINITY);
        assert_eq!(pow10(-324), 0.0);
    }
}
