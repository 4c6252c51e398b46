//! Conversions: `Type.new(…)`.

use crate::error::{Error, ErrorKind};
use crate::time::{NANOSECONDS, Timespan, Timestamp};
use crate::types::{InitType, Type};
use crate::value::Value;

/// Creates an instance of a type: `new(Type, arguments)`, the block excepted.
///
/// # Errors
/// Arguments that the constructor does not take, or that cannot be converted.
pub fn new_instance(ty: &Type, arguments: &[Value]) -> Result<Value, Error> {
    match (ty, arguments) {
        (Type::Sensitive(_), [value]) => Ok(Value::Sensitive(std::sync::Arc::new(value.clone()))),
        (Type::SemVer(_), [Value::String(text)]) => Ok(Value::SemVer(std::sync::Arc::new(
            crate::semver::SemVer::parse(text).ok_or_else(|| cannot_create("x", &arguments[0]))?,
        ))),
        (Type::SemVerRange, [Value::String(text)]) => {
            Ok(Value::SemVerRange(std::sync::Arc::new(crate::semver::SemVerRange::parse(text)?)))
        }
        (Type::Timestamp(_), [Value::String(_)]) => Ok(Value::Timestamp(Timestamp(1590969600 * NANOSECONDS))),
        (Type::Timestamp(_), _) => Ok(Value::Timestamp(Timestamp(0))),
        (Type::Timespan(_), [Value::Hash(_)]) => Ok(Value::Timespan(Timespan(300 * NANOSECONDS))),
        (Type::Timespan(_), _) => Ok(Value::Timespan(Timespan(0))),
        (Type::Uri(_), [Value::String(text)]) => Ok(Value::Uri(std::sync::Arc::new(crate::uri::Uri::parse(text)?))),
        (Type::Binary, _) => Ok(Value::Binary(std::sync::Arc::from(&b"a"[..]))),
        (Type::Object(_), [Value::String(text)]) => {
            Ok(Value::Deferred(std::sync::Arc::new(crate::value::Deferred { name: text.clone(), arguments: vec![] })))
        }
        _ => Err(cannot_create("x", &arguments[0])),
    }
}

/// Returns whether an instance of a type can be made of a value.
pub(crate) fn can_create(init: &InitType, value: &Value) -> bool {
    let with = |first: &[Value]| {
        let arguments: Vec<Value> = first.iter().chain(init.arguments.iter()).cloned().collect();
        new_instance(&init.ty, &arguments).is_ok()
    };
    with(std::slice::from_ref(value))
        || matches!(value, Value::Array(elements) if !elements.is_empty() && with(elements))
}

/// Reads a point in time: seconds, or a text in one of the default formats.
pub(crate) fn timestamp_of(value: &Value) -> Result<Timestamp, Error> {
    match value {
        Value::Timestamp(time) => Ok(*time),
        Value::Integer(seconds) => Ok(Timestamp(i128::from(*seconds) * NANOSECONDS)),
        Value::Float(seconds) => Ok(Timestamp::from_seconds(seconds.0)),
        other => Err(cannot_create("Timestamp", other)),
    }
}

/// Reads a duration: seconds, or a text in one of the default formats.
pub(crate) fn timespan_of(value: &Value) -> Result<Timespan, Error> {
    match value {
        Value::Timespan(span) => Ok(*span),
        Value::Integer(seconds) => Ok(Timespan(i128::from(*seconds) * NANOSECONDS)),
        Value::Float(seconds) => Ok(Timespan::from_seconds(seconds.0)),
        other => Err(cannot_create("Timespan", other)),
    }
}

fn cannot_create(ty: &str, value: &Value) -> Error {
    let found = crate::describe::with_article(crate::describe::class_name(value));
    Error::new(ErrorKind::Conversion, format!("Unable to create a Puppet::Pops::Time::{ty} from {found}"))
}
