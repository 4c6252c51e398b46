//! References: `File['/a']`, `Resource['file', '/a']`, `Class['a']`.

use std::sync::Arc;

use crate::describe::{operand_name, with_article};
use crate::error::{Error, ErrorKind};
use crate::infer::{generalize, infer};
use crate::named::capitalized;
use crate::parametrize::error::{bad_argument, error, expect_count};
use crate::types::Type;
use crate::value::Value;

fn is_type_name(name: &str) -> bool {
    name.split("::").all(|segment| {
        segment.starts_with(|c: char| c.is_ascii_uppercase())
            && segment.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

pub(super) fn resource(name: Option<&Arc<str>>, title: Option<&Arc<str>>, arguments: &[Value]) -> Result<Type, Error> {
    let title_of = |kind: &str, argument: &Value| match argument {
        Value::String(title) => Ok(Some(title.clone())),
        other => Err(bad_argument(kind, other, "a resource title String", 0)),
    };
    match (name, title) {
        (Some(name), None) => {
            expect_count(&format!("{name}-Type"), arguments, 1, 1)?;
            let kind = with_article(&format!("{name}-Type"));
            Ok(Type::Resource(Some(name.clone()), title_of(&kind, &arguments[0])?))
        }
        (None, _) => {
            expect_count("A Resource-Type", arguments, 1, 2)?;
            let name: Arc<str> = match &arguments[0] {
                Value::String(name) => capitalized(name.strip_prefix("::").unwrap_or(name)).into(),
                Value::Type(Type::Resource(Some(name), None)) => name.clone(),
                Value::Type(Type::Reference(name)) => name.clone(),
                other => {
                    let found = generalize(&infer(other)).to_string();
                    let message = "First argument to Resource[] must be a resource type or a String.";
                    return Err(error(format!("{message} Got {found}.")));
                }
            };
            if !is_type_name(&name) {
                let message = "does not conform to the naming rule /^((::)?[A-Z]\\w*)+$/";
                return Err(error(format!("Illegal type reference. The given name '{name}' {message}")));
            }
            let title = arguments.get(1).map_or(Ok(None), |title| title_of("a Resource-Type", title))?;
            Ok(Type::Resource(Some(name), title))
        }
        (Some(name), Some(title)) => Err(Error::new(
            ErrorKind::Operator,
            format!("Operator '[]' is not applicable to {name}[{}].", crate::text::quote(title)),
        )),
    }
}

pub(super) fn class(arguments: &[Value]) -> Result<Type, Error> {
    expect_count("A Class-Type", arguments, 1, 1)?;
    let name = match &arguments[0] {
        Value::String(name) => name.to_lowercase(),
        Value::Type(Type::Class(Some(name))) => name.to_string(),
        other => {
            let found = with_article(&operand_name(other));
            let message = "Illegal Class name in class reference.";
            return Err(error(format!("{message} {} cannot be used where a String is expected", upper_first(&found))));
        }
    };
    let valid = {
        let plain = name.strip_prefix("::").unwrap_or(&name);
        let mut segments = plain.split("::");
        let is_segment = |segment: &str, first: bool| {
            let mut chars = segment.chars();
            let starts = chars.next().is_some_and(|c| c.is_ascii_lowercase() || first && c == '_');
            starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        segments.next().is_some_and(|segment| is_segment(segment, true)) && segments.all(|s| is_segment(s, false))
    };
    if !valid {
        return Err(error(format!(
            "Illegal name. The given name '{name}' does not conform to the naming rule \
             /^((::)?[a-z_]\\w*)(::[a-z]\\w*)*$/"
        )));
    }
    Ok(Type::Class(Some(name.strip_prefix("::").unwrap_or(&name).into())))
}

fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
