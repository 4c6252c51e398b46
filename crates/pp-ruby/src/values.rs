//! Values as JSON: what JSON lacks is an object with the kind of the value.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pp_types::{Error, ErrorKind, Regexp, Value, with_stack};
use serde_json::{Value as Json, json};

/// Returns a value as JSON. Values without a class in Ruby become strings with their kind.
pub(crate) fn encode(value: &Value) -> Json {
    with_stack(|| match value {
        Value::Undef => Json::Null,
        Value::Boolean(value) => Json::Bool(*value),
        Value::Integer(value) => Json::from(*value),
        Value::Float(value) => match serde_json::Number::from_f64(value.0) {
            Some(number) => Json::Number(number),
            None if value.0.is_nan() => object("float", "NaN"),
            None => object("float", if value.0 > 0.0 { "Infinity" } else { "-Infinity" }),
        },
        Value::String(text) => Json::from(&**text),
        Value::Array(elements) => Json::Array(elements.iter().map(encode).collect()),
        Value::Iterator(iterator) => Json::Array(iterator.all().iter().map(encode).collect()),
        Value::Hash(entries) => {
            let entries = entries.iter().map(|(key, value)| json!([encode(key), encode(value)]));
            json!({"t": "hash", "v": Json::Array(entries.collect())})
        }
        Value::Sensitive(inner) => json!({"t": "sensitive", "v": encode(inner)}),
        Value::Default => json!({"t": "default"}),
        Value::Regexp(regexp) => object("regexp", regexp.source()),
        Value::Binary(bytes) => object("binary", &STANDARD.encode(bytes)),
        Value::Type(ty) => object("type", &ty.to_string()),
        Value::Timestamp(_)
        | Value::Timespan(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Uri(_)
        | Value::Deferred(_)
        | Value::Object(_)
        | Value::Error(_) => object(kind(value), &pp_types::interpolate(value)),
    })
}

fn object(kind: &str, text: &str) -> Json {
    json!({"t": kind, "v": text})
}

/// Returns the name of the type that makes the value of its text.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "SemVer",
        Value::SemVerRange(_) => "SemVerRange",
        Value::Uri(_) => "URI",
        _ => "String",
    }
}

/// Returns the value that JSON represents.
///
/// # Errors
/// JSON that does not represent a value.
pub(crate) fn decode(json: &Json) -> Result<Value, Error> {
    with_stack(|| match json {
        Json::Null => Ok(Value::Undef),
        Json::Bool(value) => Ok(Value::Boolean(*value)),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Ok(Value::Integer(integer)),
            (None, Some(float)) => Ok(Value::from(float)),
            (None, None) => Err(invalid("a number")),
        },
        Json::String(text) => Ok(Value::from(text.as_str())),
        Json::Array(elements) => Ok(Value::array(elements.iter().map(decode).collect::<Result<_, _>>()?)),
        Json::Object(object) => {
            let text = || object.get("v").and_then(Json::as_str).ok_or_else(|| invalid("an object"));
            match object.get("t").and_then(Json::as_str) {
                Some("hash") => entries(object.get("v")),
                Some("sensitive") => {
                    let inner = decode(object.get("v").unwrap_or(&Json::Null))?;
                    Ok(Value::Sensitive(inner.into()))
                }
                Some("default") => Ok(Value::Default),
                Some("float") => Ok(Value::from(match text()? {
                    "NaN" => f64::NAN,
                    "Infinity" => f64::INFINITY,
                    _ => f64::NEG_INFINITY,
                })),
                Some("integer") => {
                    let message = format!("the integer {} is outside 64 bits", text()?);
                    Err(Error::new(ErrorKind::Arithmetic, message))
                }
                Some("regexp") => Ok(Value::Regexp(Regexp::new(text()?))),
                Some("binary") => {
                    let bytes = STANDARD.decode(text()?).map_err(|_| invalid("bytes"))?;
                    Ok(Value::Binary(bytes.into()))
                }
                Some("type") => pp_types::parse_type(text()?, &|_| None).map(Value::Type),
                Some(kind @ ("Timestamp" | "Timespan" | "SemVer" | "SemVerRange" | "URI")) => {
                    let ty = pp_types::parse_type(kind, &|_| None)?;
                    pp_types::new_instance(&ty, &[Value::from(text()?)])
                }
                Some("String") => Ok(Value::from(text()?)),
                _ => Err(invalid("an object")),
            }
        }
    })
}

fn entries(json: Option<&Json>) -> Result<Value, Error> {
    let entries = json.and_then(Json::as_array).ok_or_else(|| invalid("a hash"))?;
    let entry = |entry: &Json| match entry.as_array().map(Vec::as_slice) {
        Some([key, value]) => Ok((decode(key)?, decode(value)?)),
        _ => Err(invalid("a hash")),
    };
    Ok(Value::hash(entries.iter().map(entry).collect::<Result<_, _>>()?))
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::Evaluation, format!("the helper sent {what} that is not a value"))
}
