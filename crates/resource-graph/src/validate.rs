//! Validation of a resource (spec 04 §3.6): meta parameters, name, then the conditions of its kind.
//!
//! Only parameters are looked at, never the host: the same program validates alike on every machine, and a missing
//! service or tool fails the affected resource when it runs, not the whole graph (spec 05 §7.2).

use std::borrow::Cow;
use std::sync::Arc;

use mcl_value::{MapValue, Value};

use crate::{Check, Field, Meta, Resource, ResourceKind, kind};

/// Why a resource is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationError {
    /// The parameter to blame; meta parameters as `Meta:limit`; none when it is the resource as a whole.
    pub param: Option<Arc<str>>,
    /// One sentence, without a final full stop.
    pub message: String,
    /// A way out.
    pub help: Option<String>,
}

impl ValidationError {
    /// An error of the resource as a whole.
    pub fn new(message: impl Into<String>) -> ValidationError {
        ValidationError { param: None, message: message.into(), help: None }
    }

    /// An error of one parameter.
    pub fn of(param: &str, message: impl Into<String>) -> ValidationError {
        ValidationError { param: Some(param.into()), message: message.into(), help: None }
    }

    /// Adds a way out.
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

/// The parameters of a resource as its kind sees them: with the defaults of the kind, and zero values where there are none.
#[derive(Clone, Copy, Debug)]
pub struct Params<'a> {
    kind: &'static ResourceKind,
    resource: &'a Resource,
}

impl<'a> Params<'a> {
    /// The parameters of that resource; none for an unknown kind.
    #[must_use]
    pub fn of(resource: &'a Resource) -> Option<Params<'a>> {
        Some(Params { kind: kind(&resource.id.kind)?, resource })
    }

    /// The resource's kind.
    #[must_use]
    pub fn kind(&self) -> &'static ResourceKind {
        self.kind
    }

    /// The resource's name.
    #[must_use]
    pub fn name(&self) -> &'a str {
        &self.resource.id.name
    }

    /// The resource's meta parameters.
    #[must_use]
    pub fn meta(&self) -> &'a Meta {
        &self.resource.meta
    }

    /// Whether the program set it.
    #[must_use]
    pub fn is_set(&self, param: &str) -> bool {
        self.resource.params.contains_key(param)
    }

    /// The value that the program set.
    #[must_use]
    pub fn value(&self, param: &str) -> Option<&'a Value> {
        self.resource.params.get(param)
    }

    fn default(&self, param: &str) -> &'static str {
        self.kind.field(param).map_or("", |f| f.default)
    }

    /// A boolean.
    #[must_use]
    pub fn bool(&self, param: &str) -> bool {
        match self.value(param) {
            Some(Value::Bool(b)) => *b,
            _ => self.default(param) == "true",
        }
    }

    /// An integer.
    #[must_use]
    pub fn int(&self, param: &str) -> i64 {
        match self.value(param) {
            Some(Value::Int(i)) => *i,
            _ => self.default(param).parse().unwrap_or(0),
        }
    }

    /// A text that the program set.
    #[must_use]
    pub fn set_text(&self, param: &str) -> Option<Cow<'a, str>> {
        match self.value(param) {
            Some(Value::Str(s)) => Some(s.to_text()),
            _ => None,
        }
    }

    /// A text, `""` when there is neither a value nor a default.
    #[must_use]
    pub fn text(&self, param: &str) -> Cow<'a, str> {
        self.set_text(param).unwrap_or_else(|| {
            let default = self.kind.field(param).and_then(Field::default_text);
            Cow::Borrowed(default.unwrap_or(""))
        })
    }

    /// A text that falls back to the resource's name when it is not set or empty.
    #[must_use]
    pub fn text_or_name(&self, param: &str) -> Cow<'a, str> {
        match self.set_text(param) {
            Some(text) if !text.is_empty() => text,
            _ => Cow::Borrowed(self.name()),
        }
    }

    /// The elements of a list; empty when it is not set.
    #[must_use]
    pub fn list(&self, param: &str) -> &'a [Value] {
        match self.value(param) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// The texts of a list.
    pub fn texts(&self, param: &str) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
        self.list(param).iter().filter_map(|v| match v {
            Value::Str(s) => Some(s.to_text()),
            _ => None,
        })
    }

    /// The entries of a map, in the order of its keys; none when it is not set.
    pub fn entries(&self, param: &str) -> impl Iterator<Item = (&'a Value, &'a Value)> + use<'a> {
        self.value(param).and_then(Value::as_map).into_iter().flat_map(MapValue::iter)
    }
}

/// For kinds without conditions of their own.
pub(crate) fn nothing_more(_: &Params<'_>) -> Result<(), ValidationError> {
    Ok(())
}

/// Validates a resource by its parameters alone, in the order of spec 04 §3.6.
///
/// # Errors
/// The first condition that does not hold.
pub fn validate(resource: &Resource) -> Result<(), ValidationError> {
    let name: &str = &resource.id.name;
    let Some(params) = Params::of(resource) else {
        return Err(ValidationError::new(format!("there is no resource kind `{}`", resource.id.kind)));
    };
    if name.is_empty() {
        return Err(ValidationError::new(format!("a resource of kind `{}` has an empty name", resource.id.kind)));
    }
    validate_meta(&resource.meta)?;
    if name.starts_with('$') && !resource.meta.dollar {
        return Err(ValidationError::new(format!("the name `{name}` starts with a `$`"))
            .help("if that is no mistake, say so with `Meta:dollar => true`"));
    }
    if resource.meta.hidden {
        return Ok(());
    }
    for field in params.kind.fields {
        match params.value(field.name) {
            Some(value) => check(field, value)?,
            None if field.required => return Err(missing(params.kind, field)),
            None => {}
        }
    }
    (params.kind.validate)(&params)
}

fn validate_meta(meta: &Meta) -> Result<(), ValidationError> {
    if meta.burst == 0 && meta.limit < f64::MAX {
        return Err(ValidationError::of(
            "Meta:limit",
            "with a finite `Meta:limit` and `Meta:burst` at 0 no event could ever pass",
        )
        .help("set `Meta:burst` to at least 1"));
    }
    for sema in &meta.sema {
        if sema.is_empty() {
            return Err(ValidationError::of("Meta:sema", "a semaphore in `Meta:sema` is empty"));
        }
        if sema.parse::<i64>().is_ok() {
            return Err(ValidationError::of(
                "Meta:sema",
                format!("the semaphore `{sema}` in `Meta:sema` is only a number"),
            )
            .help(format!("name it, and put the size behind a colon: `name:{sema}`")));
        }
    }
    if meta.export.iter().any(String::is_empty) {
        return Err(ValidationError::of("Meta:export", "a host name in `Meta:export` is empty")
            .help("use `*` to export to all hosts"));
    }
    Ok(())
}

fn missing(kind: &ResourceKind, field: &Field) -> ValidationError {
    let error = ValidationError::of(field.name, format!("`{}` needs the parameter `{}`", kind.name, field.name));
    match field.check {
        Check::OneOf(values) => error.help(format!("set it to {}", alternatives(values))),
        _ => error,
    }
}

/// `"exists" or "absent"`.
fn alternatives(values: &[&str]) -> String {
    let quoted: Vec<String> = values.iter().filter(|v| !v.is_empty()).map(|v| format!("{v:?}")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::from("\"\""),
    }
}

fn check(field: &Field, value: &Value) -> Result<(), ValidationError> {
    if let Value::List(items) = value {
        return items.iter().try_for_each(|item| check(field, item));
    }
    // A content may be large: where there is no condition it is not looked at.
    if field.check == Check::Any {
        return Ok(());
    }
    let Value::Str(text) = value else { return Ok(()) };
    let text = text.to_text();
    let name = field.name;
    let complaint = match field.check {
        Check::Any => return Ok(()),
        Check::OneOf(values) => {
            if values.contains(&&*text) {
                return Ok(());
            }
            let unset = if values.contains(&"") { ", or not set" } else { "" };
            format!("`{name}` must be {}{unset}, not {text:?}", alternatives(values))
        }
        Check::NotEmpty if text.is_empty() => format!("`{name}` must not be empty"),
        Check::AbsolutePath | Check::AbsoluteFile | Check::AbsoluteDirectory
            if !text.is_empty() && !text.starts_with('/') =>
        {
            format!("`{name}` must be an absolute path, and {text:?} does not start with `/`")
        }
        Check::AbsoluteFile if text.ends_with('/') => format!("`{name}` must be a file, and {text:?} ends with `/`"),
        Check::AbsoluteDirectory if !text.is_empty() && !text.ends_with('/') => {
            format!("`{name}` must be a directory, and {text:?} does not end with `/`")
        }
        Check::NotEmpty | Check::AbsolutePath | Check::AbsoluteFile | Check::AbsoluteDirectory => return Ok(()),
    };
    Err(ValidationError::of(name, complaint))
}
