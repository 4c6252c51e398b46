//! How messages call values and types.

use pp_types::{Type, Value};

/// Returns what a value is: `Integer`, `Undef Value`, `Hash`, `File-Type`.
pub(crate) fn label(value: &Value) -> String {
    let name = match value {
        Value::Undef => "Undef Value",
        Value::Default => "Default Value",
        Value::Boolean(_) => "Boolean",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Regexp(_) => "Regexp",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Type(ty) => return type_label(ty),
        Value::Sensitive(_) => "Sensitive",
        Value::Binary(_) => "Binary",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "Semver",
        Value::SemVerRange(_) => "Semverrange",
        Value::Uri(_) => "URI",
        Value::Iterator(_) => "Iterator",
        Value::Deferred(_) => "Deferred",
        Value::Error(_) => "Error",
    };
    name.to_owned()
}

/// Returns what a type is: `Integer-Type`, `File-Type`.
fn type_label(ty: &Type) -> String {
    match ty {
        Type::Resource(Some(name), _) => format!("{name}-Type"),
        Type::Alias(alias) => format!("{}-Type", alias.name),
        _ => {
            let text = ty.to_string();
            let end = text.find('[').unwrap_or(text.len());
            format!("{}-Type", &text[..end])
        }
    }
}

/// Returns what a value is, with its article: `an Integer`.
pub(crate) fn a_label(value: &Value) -> String {
    with_article(&label(value))
}

/// Puts the indefinite article before a noun.
pub(crate) fn with_article(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}
