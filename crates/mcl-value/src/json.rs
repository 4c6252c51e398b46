//! Conversion of values to JSON (`graph --format json`) and back.
//!
//! JSON has no byte strings, no special floats and only string keys. Therefore a string that is not UTF-8 becomes
//! `{"$base64": "…"}`; NaN and the infinities become strings in display form; and so does a key that is not a string.
//! Given the type, [`Value::from_json`] converts the first two back, and keys of type bool, int and float.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use go_compat::strconv::format_float;
use serde_json::{Map, Number, Value as Json};

use crate::{Type, Value};

const BYTES: &str = "$base64";

/// JSON that does not fit a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The expected type.
    pub expected: Type,
    /// The JSON found instead.
    pub found: String,
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "expected a value of type {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for JsonError {}

impl Value {
    /// Converts the value to JSON. Functions and the nil value become `null`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Value::Bool(v) => Json::Bool(*v),
            Value::Int(v) => Json::Number((*v).into()),
            Value::Float(v) => match Number::from_f64(*v) {
                Some(number) => Json::Number(number),
                None => Json::String(format_float(*v)),
            },
            Value::Str(v) => match std::str::from_utf8(v.as_bytes()) {
                Ok(text) => Json::String(text.to_owned()),
                Err(_) => Json::Object(Map::from_iter([(BYTES.to_owned(), STANDARD.encode(v.as_bytes()).into())])),
            },
            Value::List(items) => Json::Array(items.iter().map(Value::to_json).collect()),
            Value::Map(map) => {
                let key = |key: &Value| match key {
                    Value::Str(s) => s.to_text().into_owned(),
                    other => other.to_string(),
                };
                Json::Object(map.iter().map(|(k, v)| (key(k), v.to_json())).collect())
            }
            Value::Struct(st) => {
                Json::Object(st.fields.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect())
            }
            Value::Func(_) | Value::Nil => Json::Null,
        }
    }

    /// Converts JSON to a value of this type.
    ///
    /// # Errors
    /// The JSON does not fit the type.
    pub fn from_json(json: &Json, ty: &Type) -> Result<Value, JsonError> {
        let mismatch = || {
            let mut found = json.to_string();
            if let Some((end, _)) = found.char_indices().nth(60) {
                found.truncate(end);
                found.push('…');
            }
            JsonError { expected: ty.clone(), found }
        };
        Ok(match (ty, json) {
            (Type::Bool, Json::Bool(v)) => Value::Bool(*v),
            (Type::Str, Json::String(v)) => Value::str(v.as_str()),
            (Type::Str, Json::Object(object)) => match object.get(BYTES) {
                Some(Json::String(text)) if object.len() == 1 => {
                    Value::str(STANDARD.decode(text).map_err(|_| mismatch())?)
                }
                _ => return Err(mismatch()),
            },
            (Type::Int, Json::Number(v)) => Value::Int(v.as_i64().ok_or_else(mismatch)?),
            (Type::Float, Json::Number(v)) => Value::Float(v.as_f64().ok_or_else(mismatch)?),
            (Type::Float, Json::String(v)) => parse_scalar(v, ty).ok_or_else(mismatch)?,
            (Type::List(element), Json::Array(items)) => {
                Value::List(items.iter().map(|item| Value::from_json(item, element)).collect::<Result<_, _>>()?)
            }
            (Type::Map(types), Json::Object(object)) => {
                let pair = |(key, value): (&String, &Json)| {
                    Ok((parse_scalar(key, &types.0).ok_or_else(mismatch)?, Value::from_json(value, &types.1)?))
                };
                Value::map(object.iter().map(pair).collect::<Result<Vec<_>, _>>()?)
            }
            (Type::Struct(fields), Json::Object(object)) if object.len() == fields.len() => {
                let field = |f: &crate::Field| {
                    let value = object.get(&*f.name).ok_or_else(mismatch)?;
                    Ok((f.name.clone(), Value::from_json(value, &f.ty)?))
                };
                Value::strukt(fields.iter().map(field).collect::<Result<Vec<_>, _>>()?)
            }
            (Type::Nil, Json::Null) => Value::Nil,
            _ => return Err(mismatch()),
        })
    }
}

fn parse_scalar(text: &str, ty: &Type) -> Option<Value> {
    match ty {
        Type::Str => Some(Value::str(text)),
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Float => text.parse().ok().map(Value::Float),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_survives_a_round_trip() {
        for (value, ty, json) in [
            (Value::Bool(true), "bool", "true"),
            (Value::Int(i64::MIN), "int", "-9223372036854775808"),
            (Value::Float(2.0), "float", "2.0"),
            (Value::Float(f64::INFINITY), "float", r#""+Inf""#),
            (Value::str("é"), "str", r#""é""#),
            (Value::str(vec![0xff]), "str", r#"{"$base64":"/w=="}"#),
            (Value::list(["a"]), "[]str", r#"["a"]"#),
            (Value::map([(7.into(), "x".into())]), "map{int: str}", r#"{"7":"x"}"#),
            (Value::strukt([("b", 1.into()), ("a", 2.into())]), "struct{b int; a int}", r#"{"b":1,"a":2}"#),
        ] {
            assert_eq!(value.to_json().to_string(), json);
            assert_eq!(Value::from_json(&value.to_json(), &Type::parse(ty).unwrap()), Ok(value));
        }
    }

    #[test]
    fn json_of_another_type_is_refused() {
        let error = Value::from_json(&serde_json::json!([1, "x"]), &Type::parse("[]int").unwrap()).unwrap_err();
        assert_eq!(error.to_string(), r#"expected a value of type int, found "x""#);
    }
}
