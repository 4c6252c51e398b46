//! Which parameters of a translated resource are sensitive: those that hold what Puppet wraps in `Sensitive`.

use std::cmp::Reverse;

use mcl_value::Value;
use resource_graph::masked;

use crate::catalog::CatalogResource;
use crate::translate::native::Native;
use crate::value::PuppetValue;

/// Marks the parameters that hold the value of a sensitive one. A value that none of them holds as it is was converted, and
/// any of them may show it.
pub(super) fn mark(native: &mut Native, from: &CatalogResource) {
    for (name, value) in from.parameters.iter().filter(|(name, _)| from.is_sensitive(name)) {
        let texts = texts_of(value);
        let holds = |value: &Value| texts.iter().any(|text| holds_text(value, text));
        let mut found: Vec<&'static str> =
            native.params.iter().filter(|(_, value)| holds(value)).map(|(field, _)| *field).collect();
        // The name is shown, as every title is.
        let is_known = !found.is_empty() || native.sensitive.contains(&name.as_str()) || texts.is_empty();
        if !is_known {
            found.extend(native.params.iter().map(|(field, _)| *field));
        }
        for field in found {
            if !native.sensitive.contains(&field) {
                native.sensitive.push(field);
            }
        }
    }
}

/// Returns the sensitive texts of a resource, the longest first, to mask them in messages.
pub(super) fn texts(resource: &CatalogResource) -> Vec<String> {
    let sensitive = resource.parameters.iter().filter(|(name, _)| resource.is_sensitive(name));
    let mut texts: Vec<String> = sensitive.flat_map(|(_, value)| texts_of(value)).collect();
    texts.sort_by_key(|text| Reverse(text.len()));
    texts
}

/// Returns the problems of a translation without the sensitive values that they quote.
pub(super) fn without_secrets(mut problems: Vec<String>, resource: &CatalogResource) -> Vec<String> {
    let sensitive = texts(resource);
    if !sensitive.is_empty() {
        for problem in &mut problems {
            *problem = masked(problem, &sensitive).into_owned();
        }
    }
    problems
}

/// Returns the texts of the scalars in a value that are not empty.
fn texts_of(value: &PuppetValue) -> Vec<String> {
    let mut out = Vec::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            PuppetValue::Sensitive(inner) => todo.push(inner),
            PuppetValue::Array(items) => todo.extend(items),
            PuppetValue::Hash(pairs) => todo.extend(pairs.iter().flat_map(|(key, value)| [key, value])),
            PuppetValue::Deferred { arguments, .. } => todo.extend(arguments),
            PuppetValue::Opaque { fields, .. } => todo.extend(fields.iter().map(|(_, value)| value)),
            scalar => out.extend(scalar.scalar_text().filter(|text| !text.is_empty())),
        }
    }
    out
}

fn holds_text(value: &Value, text: &str) -> bool {
    match value {
        Value::Str(string) => string.to_text().contains(text),
        Value::List(items) => items.iter().any(|item| holds_text(item, text)),
        Value::Map(map) => map.iter().any(|(key, item)| holds_text(key, text) || holds_text(item, text)),
        Value::Struct(fields) => fields.fields.iter().any(|(_, item)| holds_text(item, text)),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => value.to_string() == text,
        Value::Func(_) | Value::Nil => false,
    }
}

#[cfg(test)]
mod tests {
    use pp_resource_types::KnownTypes;

    use crate::{TranslateOptions, build_relationships, read_catalog, translate};

    /// Translates one resource and returns its sensitive parameters, after checking that no message quotes the secret.
    fn sensitive(type_name: &str, parameters: &str, wrapped: &str) -> Vec<String> {
        let catalog = format!(
            r#"{{"name": "n", "resources": [{{"type": "{type_name}", "title": "t", "parameters": {parameters},
                "sensitive_parameters": {wrapped}}}]}}"#
        );
        let (catalog, _) = read_catalog(catalog.as_bytes()).unwrap();
        let graph = build_relationships(catalog, &KnownTypes::all()).unwrap();
        let translation = translate(&graph, &TranslateOptions::default()).unwrap();
        for warning in &translation.warnings {
            assert!(!warning.message.contains("s3cret"), "{}", warning.message);
        }
        let resources = translation.graph.resources().map(|(_, resource)| resource);
        let mut names: Vec<String> = resources.flat_map(|r| &r.sensitive).map(ToString::to_string).collect();
        names.sort();
        names
    }

    #[test]
    fn sensitive_parameters_of_every_type_end_in_sensitive_parameters() {
        assert_eq!(sensitive("Package", r#"{"ensure": "s3cret"}"#, r#"["ensure"]"#), ["state"]);
        assert_eq!(sensitive("User", r#"{"ensure": "present", "shell": "s3cret"}"#, r#"["shell"]"#), ["shell"]);
        assert_eq!(sensitive("User", r#"{"ensure": "present", "uid": 4711}"#, r#"["uid"]"#), ["uid"]);
        assert_eq!(sensitive("User", r#"{"ensure": "present", "home": "/s3cret/"}"#, r#"["home"]"#), ["homedir"]);
        let mount = r#"{"ensure": "mounted", "device": "//h/s", "fstype": "cifs", "options": "rw,password=s3cret"}"#;
        assert!(!sensitive("Mount", mount, r#"["options"]"#).is_empty());
        assert_eq!(sensitive("Package", r#"{"ensure": "1.0"}"#, "[]"), [""; 0]);
    }

    #[test]
    fn warnings_do_not_quote_sensitive_values() {
        assert_eq!(sensitive("Package", r#"{"provider": "s3cret"}"#, r#"["provider"]"#), ["env"], "the fallback");
        let nested = r#"{"ensure": "present", "groups": ["a", {"__ptype": "Sensitive", "__pvalue": "s3cret"}]}"#;
        assert!(!sensitive("User", nested, "[]").is_empty());
    }
}
