//! Operators: calls of `_operator` with the operator as a string (spec 03 §4).

use mcl_value::Value;

use crate::FunctionError;
use crate::table::{Outcome, catchable, fatal, ok};

/// Applies an operator to its operands.
pub(crate) fn apply(operator: &str, operands: &[Value]) -> Outcome {
    match (operator, operands) {
        ("+", [Value::Str(a), Value::Str(b)]) => ok([a.as_bytes(), b.as_bytes()].concat()),
        ("+", [Value::Int(a), Value::Int(b)]) => ok(a.wrapping_add(*b)),
        ("+", [Value::Float(a), Value::Float(b)]) => ok(a + b),
        ("-", [Value::Int(a), Value::Int(b)]) => ok(a.wrapping_sub(*b)),
        ("-", [Value::Float(a), Value::Float(b)]) => ok(a - b),
        ("*", [Value::Int(a), Value::Int(b)]) => ok(a.wrapping_mul(*b)),
        ("*", [Value::Float(a), Value::Float(b)]) => ok(a * b),
        #[allow(clippy::cast_precision_loss)]
        ("/", [Value::Int(a), Value::Int(b)]) => divide(*a as f64, *b as f64),
        ("/", [Value::Float(a), Value::Float(b)]) => divide(*a, *b),
        ("==" | "!=", [Value::Func(_), _] | [_, Value::Func(_)]) => unsupported(operands),
        ("==", [a, b]) => ok(a == b),
        ("!=", [a, b]) => ok(a != b),
        ("<", [Value::Int(a), Value::Int(b)]) => ok(a < b),
        ("<", [Value::Float(a), Value::Float(b)]) => ok(a < b),
        (">", [Value::Int(a), Value::Int(b)]) => ok(a > b),
        (">", [Value::Float(a), Value::Float(b)]) => ok(a > b),
        ("<=", [Value::Int(a), Value::Int(b)]) => ok(a <= b),
        ("<=", [Value::Float(a), Value::Float(b)]) => ok(a <= b),
        (">=", [Value::Int(a), Value::Int(b)]) => ok(a >= b),
        (">=", [Value::Float(a), Value::Float(b)]) => ok(a >= b),
        ("and", [Value::Bool(a), Value::Bool(b)]) => ok(*a && *b),
        ("or", [Value::Bool(a), Value::Bool(b)]) => ok(*a || *b),
        ("not", [Value::Bool(a)]) => ok(!a),
        ("π", []) => ok(std::f64::consts::PI),
        ("+" | "-" | "*" | "/" | "<" | ">" | "<=" | ">=" | "and" | "or", [_, _]) | ("not", [_]) => {
            unsupported(operands)
        }
        ("+" | "-" | "*" | "/" | "==" | "!=" | "<" | ">" | "<=" | ">=" | "and" | "or" | "not" | "π", _) => {
            fatal("operator has wrong size")
        }
        _ => fatal("operator not found"),
    }
}

fn divide(a: f64, b: f64) -> Outcome {
    if b == 0.0 { catchable("can't divide by zero") } else { ok(a / b) }
}

fn unsupported(operands: &[Value]) -> Outcome {
    Err(FunctionError::fatal(format!("unsupported kind: {}", operands.first().map_or("nil", Value::kind))))
}
