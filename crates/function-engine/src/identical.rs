//! Comparison of a new result with the previous one.

use std::sync::Arc;

use mcl_value::Value;

/// Returns whether two values are indistinguishable. Unlike with `==`, `0.0` and `-0.0` differ, because they print
/// differently, and NaN equals itself.
pub(crate) fn identical(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::List(a), Value::List(b)) => {
            Arc::ptr_eq(a, b) || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| identical(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            Arc::ptr_eq(a, b)
                || a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|((ka, va), (kb, vb))| identical(ka, kb) && identical(va, vb))
        }
        (Value::Struct(a), Value::Struct(b)) => {
            Arc::ptr_eq(a, b)
                || a.fields.len() == b.fields.len()
                    && a.fields.iter().zip(&b.fields).all(|((na, va), (nb, vb))| na == nb && identical(va, vb))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use crate::identical::identical;

    #[test]
    fn signs_of_zero_differ_and_nan_is_itself() {
        assert!(!identical(&Value::Float(0.0), &Value::Float(-0.0)));
        assert!(identical(&Value::Float(f64::NAN), &Value::Float(f64::NAN)));
        assert!(!identical(&Value::list([0.0]), &Value::list([-0.0])));
        assert!(identical(&Value::list([f64::NAN]), &Value::list([f64::NAN])));
    }
}
