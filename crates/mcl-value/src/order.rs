//! The display order of map keys (spec 03 §1.6).

use std::cmp::Ordering;

use crate::Value;

impl Value {
    /// Compares two values of the same type in a total order: numeric, bytewise for strings, lexicographic for lists,
    /// and by display form for maps and structs. NaN comes last. Values of different types, which cannot be in one map,
    /// are ordered by kind.
    #[must_use]
    pub fn display_order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => {
                a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()).then(Ordering::Equal))
            }
            (Value::List(a), Value::List(b)) => a
                .iter()
                .zip(b.iter())
                .map(|(a, b)| a.display_order(b))
                .find(|order| order.is_ne())
                .unwrap_or_else(|| a.len().cmp(&b.len())),
            (Value::Map(_), Value::Map(_)) | (Value::Struct(_), Value::Struct(_)) => {
                self.to_string().cmp(&other.to_string())
            }
            _ => self.kind_rank().cmp(&other.kind_rank()),
        }
    }

    fn kind_rank(&self) -> u8 {
        match self {
            Value::Nil => 0,
            Value::Bool(_) => 1,
            Value::Str(_) => 2,
            Value::Int(_) => 3,
            Value::Float(_) => 4,
            Value::List(_) => 5,
            Value::Map(_) => 6,
            Value::Struct(_) => 7,
            Value::Func(_) => 8,
        }
    }
}
