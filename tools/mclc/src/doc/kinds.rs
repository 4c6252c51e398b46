//! What the documentation of a resource kind says, in whatever format.

use resource_graph::{Check, ConstantValue, Field, KindConstant, ResourceKind};

/// The note of a kind without a provider.
pub const NOT_IMPLEMENTED: &str =
    "Not implemented in this release: resources of this kind type-check, but cannot be applied.";

/// Returns the parameters: those that every resource has to set come first.
pub fn parameters(kind: &ResourceKind) -> Vec<&'static Field> {
    let mut fields: Vec<&Field> = kind.fields.iter().collect();
    fields.sort_by_key(|field| !field.required);
    fields
}

/// Returns what a parameter has besides its type: whether it is required, its default.
pub fn attributes(field: &Field) -> Vec<String> {
    let mut attributes = Vec::new();
    if field.required {
        attributes.push("required".to_owned());
    }
    if !field.default.is_empty() {
        attributes.push(format!("default {}", field.default));
    }
    if field.sensitive {
        attributes.push("secret".to_owned());
    }
    attributes
}

/// Returns which values a parameter takes, as a sentence; `None` for all of its type.
pub fn allowed(kind: &ResourceKind, field: &Field) -> Option<String> {
    match field.check {
        Check::Any => {
            let range = field.int_range();
            if range == (i64::MIN..=i64::MAX) || !field.ty.contains("int") {
                return constants_sentence(kind, field);
            }
            let upper = if *range.end() == i64::MAX { String::new() } else { format!(" to {}", range.end()) };
            let from = if upper.is_empty() { "At least " } else { "From " };
            Some(format!("{from}{}{upper}.", range.start()))
        }
        Check::OneOf(values) => {
            let values: Vec<String> =
                values.iter().filter(|value| !value.is_empty()).map(|value| format!("`{value}`")).collect();
            Some(format!("One of {}.", values.join(", ")))
        }
        Check::NotEmpty => Some("Not empty.".to_owned()),
        Check::AbsolutePath => Some("An absolute path.".to_owned()),
        Check::AbsoluteFile => Some("An absolute path without a slash at its end.".to_owned()),
        Check::AbsoluteDirectory => Some("An absolute path with a slash at its end.".to_owned()),
    }
}

fn constants_sentence(kind: &ResourceKind, field: &Field) -> Option<String> {
    let constants = kind.constants.iter().filter(|constant| constant.param == field.name);
    let values: Vec<String> = constants.map(constant_value).collect();
    (!values.is_empty()).then(|| format!("For example {}.", values.join(", ")))
}

/// Returns the name of a constant, as programs write it.
pub fn constant_name(kind: &ResourceKind, constant: &KindConstant) -> String {
    format!("$const.res.{}.{}.{}", kind.name, constant.param, constant.name)
}

/// Returns the value of a constant, as programs write it.
pub fn constant_value(constant: &KindConstant) -> String {
    match constant.value {
        ConstantValue::Str(text) => format!("\"{text}\""),
        ConstantValue::Int(number) => number.to_string(),
    }
}

/// Returns what resources of the kind can do, one sentence each.
pub fn abilities(kind: &ResourceKind) -> Vec<String> {
    let mut abilities = Vec::new();
    if kind.traits.receive {
        abilities.push("Receives values that other resources send.".to_owned());
    }
    if !kind.sends.is_empty() {
        let sends: Vec<String> = kind.sends.iter().map(|send| format!("`{}` ({})", send.name, send.ty)).collect();
        abilities.push(format!("Sends {}.", sends.join(", ")));
    }
    if kind.traits.refresh || kind.refresh_parameter.is_some() {
        abilities.push("Reacts when a resource that it depends on with `Notify` or `Listen` has changed.".to_owned());
    }
    if kind.reversal.is_some() {
        abilities.push("Can be undone when it is removed from the program: `Meta:reverse`.".to_owned());
    }
    abilities
}
