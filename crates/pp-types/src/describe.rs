//! How messages name kinds of values.

use crate::types::Type;
use crate::value::Value;

/// Returns a noun with its article: `an Integer`, `a String`.
#[must_use]
pub fn with_article(noun: &str) -> String {
    let vowel = noun.starts_with(|c: char| "aeiouAEIOU".contains(c));
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// Returns the name that an operator has for its operand: `Integer`, `Undef Value`, `Array-Type`.
#[must_use]
pub fn operand_name(value: &Value) -> String {
    match value {
        Value::Undef => "Undef Value".to_owned(),
        Value::Default => "Default Value".to_owned(),
        Value::Boolean(_) => "Boolean".to_owned(),
        Value::Integer(_) => "Integer".to_owned(),
        Value::Float(_) => "Float".to_owned(),
        Value::String(_) => "String".to_owned(),
        Value::Regexp(_) => "Regexp".to_owned(),
        Value::Array(_) => "Array".to_owned(),
        Value::Hash(_) => "Hash".to_owned(),
        Value::Type(Type::Reference(name)) => format!("TypeReference['{name}']-Type"),
        Value::Type(ty) => format!("{}-Type", ty.simple_name()),
        Value::Sensitive(_) => "Sensitive".to_owned(),
        Value::Binary(_) => "Binary".to_owned(),
        Value::Timestamp(_) => "Timestamp".to_owned(),
        Value::Timespan(_) => "Timespan".to_owned(),
        Value::SemVer(_) => "Semver".to_owned(),
        Value::SemVerRange(_) => "SemverRange".to_owned(),
        Value::Uri(_) => "URI".to_owned(),
        Value::Iterator(_) => "Iterator".to_owned(),
        Value::Deferred(_) => "Deferred".to_owned(),
        Value::Error(_) => "Error".to_owned(),
        Value::Object(_) => "Object".to_owned(),
    }
}

/// Returns the name of the class of a value in Ruby, which some messages have.
#[must_use]
pub fn class_name(value: &Value) -> &str {
    match value {
        Value::Undef => "NilClass",
        Value::Default => "Symbol",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) => "String",
        Value::Regexp(_) => "Regexp",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Type(ty) => ty.simple_name(),
        Value::Sensitive(_) => "Sensitive",
        Value::Binary(_) => "Binary",
        Value::Timestamp(_) => "Timestamp",
        Value::Timespan(_) => "Timespan",
        Value::SemVer(_) => "SemVer",
        Value::SemVerRange(_) => "SemVerRange",
        Value::Uri(_) => "URI",
        Value::Iterator(_) => "Iterator",
        Value::Deferred(_) => "Deferred",
        Value::Error(_) => "Error",
        Value::Object(object) => object.ty.label(),
    }
}
