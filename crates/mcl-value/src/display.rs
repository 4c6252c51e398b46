//! The canonical display form S(v) (spec 03 §1.3).

use std::fmt;

use go_compat::strconv::{format_float, quote};

use crate::Value;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(v) => write!(f, "{v}"),
            Value::Str(v) => f.write_str(&quote(v.as_bytes())),
            Value::Int(v) => write!(f, "{v}"),
            Value::Float(v) => f.write_str(&format_float(*v)),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Map(map) => {
                f.write_str("{")?;
                for (i, (key, value)) in map.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
            Value::Struct(st) => {
                f.write_str("struct{")?;
                for (i, (name, value)) in st.fields.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if i == 0 { "" } else { "; " })?;
                }
                f.write_str("}")
            }
            Value::Func(_) => f.write_str("func"),
            Value::Nil => f.write_str("nil"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_print_canonically() {
        for (value, text) in [
            (Value::Bool(true), "true"),
            (Value::str("a\tb"), r#""a\tb""#),
            (Value::Int(-42), "-42"),
            (Value::Float(1e20), "100000000000000000000"),
            (Value::list([1, 2]), "[1, 2]"),
            (Value::list(["a"]), r#"["a"]"#),
            (Value::list::<Value>([]), "[]"),
            (Value::map([]), "{}"),
            (Value::map([("b".into(), 2.into()), ("a".into(), 1.into())]), r#"{"a": 1, "b": 2}"#),
            (Value::strukt([("a", 1.into()), ("b", "x".into())]), r#"struct{a: 1; b: "x"}"#),
            (Value::strukt::<&str>([]), "struct{}"),
            (Value::Nil, "nil"),
        ] {
            assert_eq!(value.to_string(), text);
        }
    }
}
