//! Validation of a resource (spec 04 §3.6): meta parameters, name, then the conditions of its kind.
//!
//! Only parameters are examined, never the host. The same program validates alike on every machine, and a missing service
//! or tool fails the affected resource when it runs, not the whole graph (spec 05 §7.2).

use std::sync::Arc;

use mcl_value::Value;

use crate::similar_value::{help_for_value, similar_value};
use crate::{Check, Field, Meta, Params, Resource, ResourceKind};

/// Why a resource is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// The invalid parameter, `Meta:NAME` for a meta parameter; `None` if the resource as a whole is invalid.
    pub param: Option<Arc<str>>,
    /// One sentence without a final period.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Whether the value of the parameter is invalid, whatever the others are.
    pub is_about_value: bool,
    /// The values that the parameter can have instead, the most similar one first; empty if there are too many to list.
    pub allowed: Vec<&'static str>,
}

impl ValidationError {
    /// Creates an error of the resource as a whole.
    pub fn new(message: impl Into<String>) -> ValidationError {
        ValidationError { param: None, message: message.into(), help: None, is_about_value: false, allowed: Vec::new() }
    }

    /// Creates an error of one parameter.
    pub fn of(param: &str, message: impl Into<String>) -> ValidationError {
        ValidationError { param: Some(param.into()), ..ValidationError::new(message) }
    }

    /// Creates an error of the value of one parameter, which is invalid whatever the others are.
    pub(crate) fn of_value(param: &str, message: impl Into<String>) -> ValidationError {
        ValidationError { is_about_value: true, ..ValidationError::of(param, message) }
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> ValidationError {
        self.help = Some(help.into());
        self
    }
}

impl std::fmt::Display for ValidationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ValidationError {}

/// Validates a resource by its parameters alone, in the order of spec 04 §3.6.
///
/// # Errors
/// The first violated condition.
pub fn validate(resource: &Resource) -> Result<(), ValidationError> {
    let name: &str = &resource.id.name;
    let Some(params) = Params::of(resource) else {
        return Err(ValidationError::new(format!("unknown resource kind `{}`", resource.id.kind)));
    };
    if name.is_empty() {
        return Err(ValidationError::new(format!("empty name of a resource of kind `{}`", resource.id.kind)));
    }
    validate_meta(&resource.meta)?;
    if name.starts_with('$') && !resource.meta.dollar {
        return Err(ValidationError::new(format!("the name `{name}` starts with a `$`"))
            .help("if this is intended, add `Meta:dollar => true`"));
    }
    if resource.meta.hidden {
        return Ok(());
    }
    for field in params.kind().fields {
        match params.value(field.name) {
            Some(value) => check(params.kind(), field, value)?,
            None if field.required => return Err(missing(params.kind(), field)),
            None => {}
        }
    }
    (params.kind().validate)(&params)
}

fn validate_meta(meta: &Meta) -> Result<(), ValidationError> {
    if meta.burst == 0 && meta.limit < f64::MAX {
        return Err(ValidationError::of(
            "Meta:limit",
            "a finite `Meta:limit` with a `Meta:burst` of 0 admits no events",
        )
        .help("set `Meta:burst` to at least 1"));
    }
    for sema in &meta.sema {
        if sema.is_empty() {
            return Err(ValidationError::of("Meta:sema", "empty semaphore in `Meta:sema`"));
        }
        if sema.parse::<i64>().is_ok() {
            return Err(ValidationError::of(
                "Meta:sema",
                format!("invalid semaphore `{sema}` in `Meta:sema`: the name is missing"),
            )
            .help(format!("write the size after a name and a colon: `name:{sema}`")));
        }
    }
    if meta.export.iter().any(String::is_empty) {
        return Err(ValidationError::of("Meta:export", "empty host name in `Meta:export`")
            .help("use `*` to export to all hosts"));
    }
    Ok(())
}

fn missing(kind: &ResourceKind, field: &Field) -> ValidationError {
    let error = ValidationError::of(field.name, format!("missing parameter `{}` of `{}`", field.name, kind.name));
    match field.check {
        Check::OneOf(values) => {
            let error = error.help(format!("set it to {}", alternatives(values)));
            ValidationError { allowed: allowed(field, ""), ..error }
        }
        _ => error,
    }
}

/// Returns the values that a field can have, the one most similar to `found` first.
fn allowed(field: &Field, found: &str) -> Vec<&'static str> {
    let Check::OneOf(values) = field.check else { return Vec::new() };
    let mut values: Vec<&'static str> = values.iter().copied().filter(|value| !value.is_empty()).collect();
    let similar = similar_value(&values, found);
    values.sort_by_key(|value| similar != Some(*value));
    values
}

/// Formats the values that a field can have; `None` if it can have any value of its type.
#[must_use]
pub fn values_of(field: &Field) -> Option<String> {
    match field.check {
        Check::OneOf(values) => Some(alternatives(values)),
        Check::Any | Check::NotEmpty | Check::AbsolutePath | Check::AbsoluteFile | Check::AbsoluteDirectory => None,
    }
}

/// Formats alternatives as `"exists" or "absent"`.
fn alternatives(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().filter(|v| !v.is_empty()).map(|v| format!("{v:?}")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::from("\"\""),
    }
}

/// Validates the value of one parameter by its schema, whatever the others are.
///
/// # Errors
/// If no resource can have this value.
pub fn validate_value(kind: &ResourceKind, field: &Field, value: &Value) -> Result<(), ValidationError> {
    if let Value::Int(number) = value {
        let range = field.int_range();
        if !range.contains(number) {
            let (name, low, high) = (field.name, range.start(), range.end());
            let message = format!("invalid `{name}`: expected a number from {low} to {high}, found {number}");
            return Err(ValidationError::of_value(name, message));
        }
    }
    check(kind, field, value)
}

/// Validates the values of some parameters of a resource, whatever the others are.
///
/// # Errors
/// If no resource of that name can have one of the values.
pub fn validate_some_values(resource: &Resource) -> Result<(), ValidationError> {
    let Some(params) = Params::of(resource) else { return Ok(()) };
    (params.kind().validate)(&params).or_else(|error| if error.is_about_value { Err(error) } else { Ok(()) })
}

fn check(kind: &ResourceKind, field: &Field, value: &Value) -> Result<(), ValidationError> {
    if let Value::List(items) = value {
        return items.iter().try_for_each(|item| check(kind, field, item));
    }
    // File contents may be large: do not convert them without a condition.
    if field.check == Check::Any {
        return Ok(());
    }
    let Value::Str(string) = value else { return Ok(()) };
    let string = string.to_text();
    let name = field.name;
    let message = match field.check {
        Check::Any => return Ok(()),
        Check::OneOf(values) => {
            if values.contains(&&*string) {
                return Ok(());
            }
            let unset = if values.contains(&"") { ", or unset" } else { "" };
            format!("invalid `{name}`: expected {}{unset}, found {string:?}", alternatives(values))
        }
        Check::NotEmpty if string.is_empty() => format!("empty `{name}`"),
        Check::AbsolutePath | Check::AbsoluteFile | Check::AbsoluteDirectory
            if !string.is_empty() && !string.starts_with('/') =>
        {
            format!("invalid `{name}`: expected an absolute path, found {string:?}")
        }
        Check::AbsoluteFile if string.ends_with('/') => {
            format!("invalid `{name}`: expected a file, found the directory {string:?}")
        }
        Check::AbsoluteDirectory if !string.is_empty() && !string.ends_with('/') => {
            format!("invalid `{name}`: expected a directory with a trailing `/`, found {string:?}")
        }
        Check::NotEmpty | Check::AbsolutePath | Check::AbsoluteFile | Check::AbsoluteDirectory => return Ok(()),
    };
    let help = help_for_value(kind, field, &string);
    Err(ValidationError { help, allowed: allowed(field, &string), ..ValidationError::of_value(name, message) })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Asserts that a resource is invalid because of a parameter, or valid.
    #[track_caller]
    pub(crate) fn check(resource: Resource, param: Option<&str>) {
        let result = validate(&resource);
        assert_eq!(result.as_ref().err().and_then(|error| error.param.as_deref()), param, "{result:?}");
    }
}
