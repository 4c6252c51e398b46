//! Parameters whose values must not be shown.
//!
//! A parameter is sensitive if its value was computed from a sensitive one, if Puppet says so, or if its kind does. Plans,
//! logs and messages show [`MASK`] instead; files of the agent and artifacts that hold such a value are private.

use std::borrow::Cow;

use mcl_value::Value;

use crate::{Resource, kind};

/// Replaces a value that must not be shown.
pub const MASK: &str = "********";

/// The length of the shortest number that is masked in text, in characters. Shorter ones occur everywhere by chance.
const MIN_MASKED_NUMBER: usize = 4;
/// The length of the shortest line of a longer text that is masked for itself, in characters.
const MIN_MASKED_LINE: usize = 8;

/// Returns whether the value of a parameter must not be shown, according to its resource or its kind.
#[must_use]
pub fn is_sensitive(resource: &Resource, param: &str) -> bool {
    resource.sensitive.iter().any(|name| **name == *param) || declares_sensitive(&resource.id.kind, param)
}

/// Returns whether the kind of this name says that the value of a parameter must not be shown.
#[must_use]
pub fn declares_sensitive(of: &str, param: &str) -> bool {
    kind(of).and_then(|kind| kind.field(param)).is_some_and(|field| field.sensitive)
}

/// Returns whether a resource holds a value that must not be shown, or may send one.
#[must_use]
pub fn holds_sensitive(resource: &Resource) -> bool {
    let sends = kind(&resource.id.kind).is_some_and(|kind| kind.sends.iter().any(|send| send.sensitive));
    sends || has_sensitive_parameter(resource)
}

/// Returns whether what a resource sends as this key must not be shown: because its kind says so, or because a parameter is
/// sensitive, from which it may be computed.
#[must_use]
pub fn sends_sensitive(resource: &Resource, key: &str) -> bool {
    has_sensitive_parameter(resource)
        || kind(&resource.id.kind).and_then(|k| k.send(key)).is_some_and(|send| send.sensitive)
}

/// Returns whether a parameter that is set must not be shown.
#[must_use]
pub fn has_sensitive_parameter(resource: &Resource) -> bool {
    let Some(kind) = kind(&resource.id.kind) else { return !resource.sensitive.is_empty() };
    !resource.sensitive.is_empty()
        || kind.fields.iter().any(|field| field.sensitive && resource.params.contains_key(field.name))
}

/// Returns whether a file with this mode cannot be read by everybody. Its contents must not be shown.
#[must_use]
pub fn is_private_mode(mode: u32) -> bool {
    const READABLE_BY_OTHERS: u32 = 0o004;
    mode & READABLE_BY_OTHERS == 0
}

/// Returns whether two declarations of a resource hide the same parameters.
#[must_use]
pub fn hides_same(a: &Resource, b: &Resource) -> bool {
    let all_in = |a: &Resource, b: &Resource| a.sensitive.iter().all(|name| b.sensitive.contains(name));
    a.sensitive == b.sensitive || (all_in(a, b) && all_in(b, a))
}

/// Returns the sensitive strings and numbers in the parameters of a resource, the longest first. Commands are shown with
/// single spaces between their words, so a string with other whitespace is returned in both forms.
#[must_use]
pub fn sensitive_texts(resource: &Resource) -> Vec<String> {
    let mut texts = Vec::new();
    let is_marked = |name: &str| is_sensitive(resource, name);
    for (_, value) in resource.params.iter().filter(|(name, _)| is_marked(name)) {
        collect(value, &mut texts);
    }
    texts.retain(|text| !text.is_empty());
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.dedup();
    texts
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::Str(string) => {
            let text = String::from_utf8_lossy(string.as_bytes()).into_owned();
            texts.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            // Messages quote single lines of a text.
            texts.extend(text.lines().map(str::trim).filter(|line| line.len() >= MIN_MASKED_LINE).map(str::to_owned));
            texts.push(text);
        }
        Value::Int(_) | Value::Float(_) => {
            let text = value.to_string();
            texts.extend(Some(text).filter(|text| text.len() >= MIN_MASKED_NUMBER));
        }
        Value::List(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Map(map) => map.iter().for_each(|(key, item)| {
            collect(key, texts);
            collect(item, texts);
        }),
        Value::Struct(fields) => fields.fields.iter().for_each(|(_, item)| collect(item, texts)),
        Value::Bool(_) | Value::Func(_) | Value::Nil => {}
    }
}

/// Returns the text with [`MASK`] in the place of each of these texts ([`sensitive_texts`]).
#[must_use]
pub fn masked<'t>(text: &'t str, sensitive: &[String]) -> Cow<'t, str> {
    let mut text = Cow::Borrowed(text);
    for secret in sensitive {
        if text.contains(secret.as_str()) {
            text = Cow::Owned(text.replace(secret.as_str(), MASK));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ResourceId;

    fn resource(param: &str, value: impl Into<Value>) -> Resource {
        let mut resource = Resource::new(ResourceId::new("exec", "e")).with(param, value);
        resource.sensitive.push(param.into());
        resource
    }

    #[track_caller]
    fn check(value: impl Into<Value>, text: &str, expected: &str) {
        assert_eq!(masked(text, &sensitive_texts(&resource("cmd", value))), expected);
    }

    #[test]
    fn sensitive_values_are_masked_in_text() {
        check("hunter2", "run `login hunter2 --x`", "run `login ******** --x`");
        check("login  hunter2", "run `login hunter2`", "run `********`");
        check("first line\nsecond line", "found second line", "found ********");
        check(Value::list(["alpha", "beta"]), "beta, alpha", "********, ********");
        check(123_456, "the pin 123456", "the pin ********");
        check(7, "7 of 7", "7 of 7");
        check("", "nothing", "nothing");
    }

    #[test]
    fn longer_values_are_masked_before_their_parts() {
        check(Value::list(["pass", "password1"]), "password1", "********");
    }

    #[test]
    fn kinds_mark_their_own_parameters() {
        let resource = Resource::new(ResourceId::new("user", "u")).with("comment", "visible");
        assert!(sensitive_texts(&resource).is_empty());
    }
}
