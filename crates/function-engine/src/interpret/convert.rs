//! Checks whether a value can be stored in a parameter (spec 05 §3.3).

use mcl_value::{Type, Value};
use resource_graph::Repr;

/// The parsed type of a parameter.
#[derive(Clone, Debug)]
pub(crate) struct FieldType {
    /// `None` for an untyped field.
    pub(crate) ty: Option<Type>,
    pub(crate) repr: Repr,
}

/// The reason why a value cannot be stored in a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConversionError {
    /// The location within the value: `[3]`, `["key"]`, `->field`; empty for the whole value.
    pub(crate) path: String,
    pub(crate) problem: String,
}

impl ConversionError {
    fn new(problem: impl Into<String>) -> ConversionError {
        ConversionError { path: String::new(), problem: problem.into() }
    }

    fn inside(mut self, step: &str) -> ConversionError {
        self.path.insert_str(0, step);
        self
    }
}

/// Checks that a value can be stored. Values are as deep as their types, so the recursion is bounded.
///
/// # Errors
/// The first part of the value that has the wrong type or is out of range.
pub(crate) fn check(value: &Value, field: &FieldType) -> Result<(), ConversionError> {
    match &field.ty {
        Some(ty) => typed(value, ty, field.repr),
        None => untyped(value),
    }
}

fn typed(value: &Value, ty: &Type, repr: Repr) -> Result<(), ConversionError> {
    match (value, ty) {
        (Value::Bool(_), Type::Bool) | (Value::Str(_), Type::Str) => Ok(()),
        (Value::Int(n), Type::Int) => integer(*n, repr),
        (Value::Float(x), Type::Float) => float(*x, repr),
        (Value::List(items), Type::List(element)) => {
            for (i, item) in items.iter().enumerate() {
                typed(item, element, repr).map_err(|e| e.inside(&format!("[{i}]")))?;
            }
            Ok(())
        }
        (Value::Map(map), Type::Map(types)) => {
            for (key, item) in map.iter() {
                typed(key, &types.0, repr)
                    .and_then(|()| typed(item, &types.1, repr))
                    .map_err(|e| e.inside(&format!("[{key}]")))?;
            }
            Ok(())
        }
        (Value::Struct(fields), Type::Struct(types)) => {
            for (name, item) in &fields.fields {
                let Some(field) = types.iter().find(|t| t.name == *name) else {
                    return Err(ConversionError::new(format!("unknown field `{name}`: expected {ty}")));
                };
                typed(item, &field.ty, repr).map_err(|e| e.inside(&format!("->{name}")))?;
            }
            Ok(())
        }
        (_, Type::Variant) => untyped(value),
        (Value::Func(_), _) | (_, Type::Func(_)) => Err(ConversionError::new("expected data, found a function")),
        _ => Err(ConversionError::new(format!("expected {ty}, found {}", value.kind()))),
    }
}

fn untyped(value: &Value) -> Result<(), ConversionError> {
    match value {
        Value::Bool(_) | Value::Str(_) | Value::Int(_) | Value::Float(_) => Ok(()),
        Value::List(items) => {
            items.iter().enumerate().try_for_each(|(i, item)| untyped(item).map_err(|e| e.inside(&format!("[{i}]"))))
        }
        Value::Map(map) => {
            map.iter().try_for_each(|(key, item)| untyped(item).map_err(|e| e.inside(&format!("[{key}]"))))
        }
        Value::Struct(fields) => {
            fields.fields.iter().try_for_each(|(name, item)| untyped(item).map_err(|e| e.inside(&format!("->{name}"))))
        }
        Value::Func(_) => Err(ConversionError::new("expected data, found a function")),
        Value::Nil => Err(ConversionError::new("missing value")),
    }
}

fn integer(n: i64, repr: Repr) -> Result<(), ConversionError> {
    let (low, high, name): (i64, u64, &str) = match repr {
        Repr::Plain | Repr::Int64 | Repr::Float32 => return Ok(()),
        Repr::Int8 => (i8::MIN.into(), i8::MAX as u64, "8-bit integer"),
        Repr::Int16 => (i16::MIN.into(), i16::MAX as u64, "16-bit integer"),
        Repr::Int32 => (i32::MIN.into(), i32::MAX as u64, "32-bit integer"),
        Repr::Uint8 => (0, u8::MAX.into(), "unsigned 8-bit integer"),
        Repr::Uint16 => (0, u16::MAX.into(), "unsigned 16-bit integer"),
        Repr::Uint32 => (0, u32::MAX.into(), "unsigned 32-bit integer"),
        Repr::Uint | Repr::Uint64 => (0, u64::MAX, "unsigned integer"),
    };
    if n < low && low == 0 {
        return Err(ConversionError::new(format!("{n} is negative: expected an {name}")));
    }
    if n < low || u64::try_from(n).is_ok_and(|n| n > high) {
        return Err(ConversionError::new(format!("{n} is out of range for an {name} ({low} to {high})")));
    }
    Ok(())
}

fn float(x: f64, repr: Repr) -> Result<(), ConversionError> {
    // Infinities and NaN exist in 32 bits as well.
    if repr == Repr::Float32 && x.is_finite() && x.abs() > f64::from(f32::MAX) {
        let value = Value::Float(x);
        return Err(ConversionError::new(format!("{value} is out of range for a 32-bit float")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcl_value::FuncValue;

    use super::*;

    #[track_caller]
    fn fits(value: impl Into<Value>, ty: &str, repr: Repr, expected: &str) {
        let ty = (ty != "any").then(|| Type::parse(ty).unwrap());
        let result = check(&value.into(), &FieldType { ty, repr });
        let error = result.map_or_else(|e| format!("{}: {}", e.path, e.problem), |()| String::new());
        assert!(if expected.is_empty() { error.is_empty() } else { error.contains(expected) }, "{error}");
    }

    #[test]
    fn integers_are_checked_against_their_width() {
        fits(127, "int", Repr::Int8, "");
        fits(128, "int", Repr::Int8, "128 is out of range");
        fits(-128, "int", Repr::Int8, "");
        fits(-129, "int", Repr::Int8, "out of range");
        fits(-1, "int", Repr::Uint8, "-1 is negative");
        fits(255, "int", Repr::Uint8, "");
        fits(256, "int", Repr::Uint8, "out of range");
        fits(i64::MAX, "int", Repr::Uint64, "");
        fits(4_294_967_296_i64, "int", Repr::Uint32, "out of range");
        fits(i64::MIN, "int", Repr::Plain, "");
    }

    #[test]
    fn floats_are_checked_against_their_width() {
        fits(1e39, "float", Repr::Float32, "out of range");
        fits(f64::INFINITY, "float", Repr::Float32, "");
        fits(1e300, "float", Repr::Plain, "");
    }

    #[test]
    fn location_within_a_container_is_reported() {
        fits(Value::list([1, 300]), "[]int", Repr::Int8, "[1]: 300");
        fits(Value::map([("a".into(), Value::list([300]))]), "map{str: []int}", Repr::Int8, "[\"a\"][0]: 300");
        fits(Value::strukt([("x", 300.into())]), "struct{x int}", Repr::Int8, "->x: 300");
    }

    #[test]
    fn functions_are_never_stored() {
        let function = || Value::Func(FuncValue(std::sync::Arc::new(())));
        fits(function(), "func(int) str", Repr::Plain, "found a function");
        fits(Value::list([function()]), "any", Repr::Plain, "[0]: expected data");
    }
}
