//! The text of values inside Ruby's arrays and hashes: `["a", 1, nil]`, `{"a"=>1}`.

pub use pp_types::inspect_string;
use pp_types::{Hash, Type, Value, interpolate, with_stack};

use crate::ruby::titlecase::capitalize;

/// Returns what Ruby's `inspect` shows for a value.
pub(crate) fn inspect(value: &Value) -> String {
    let mut text = String::new();
    inspect_into(value, &mut text);
    text
}

/// Appends what Ruby's `inspect` shows for a value.
pub(crate) fn inspect_into(value: &Value, text: &mut String) {
    with_stack(|| match value {
        Value::Undef => text.push_str("nil"),
        Value::Default => text.push_str(":default"),
        Value::String(string) => inspect_string(string, text),
        Value::Array(values) => {
            text.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    text.push_str(", ");
                }
                inspect_into(value, text);
            }
            text.push(']');
        }
        Value::Hash(entries) => {
            text.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    text.push_str(", ");
                }
                inspect_into(key, text);
                text.push_str("=>");
                inspect_into(value, text);
            }
            text.push('}');
        }
        Value::Type(Type::Resource(Some(ty), Some(title))) => {
            text.push_str(ty);
            text.push('[');
            text.push_str(title);
            text.push(']');
        }
        Value::Type(Type::Class(Some(name))) => {
            text.push_str("Class[");
            for (at, segment) in name.split("::").enumerate() {
                if at > 0 {
                    text.push_str("::");
                }
                text.push_str(&capitalize(segment));
            }
            text.push(']');
        }
        other => text.push_str(&interpolate(other)),
    });
}

/// Returns what Ruby's `inspect` shows for a hash whose keys became symbols: `{:a=>1, :"b c"=>2}`.
pub(crate) fn inspect_with_symbols(entries: &Hash) -> String {
    let entry = |(key, value): (&Value, &Value)| {
        let name = interpolate(key);
        let is_word = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let symbol = if is_word { name } else { inspect(&name.into()) };
        format!(":{symbol}=>{}", inspect(value))
    };
    format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
}

/// Returns the name of the Ruby class of a value, which messages about comparisons contain.
pub(crate) fn class_name(value: &Value) -> String {
    match value {
        Value::Type(ty) => type_class(ty),
        other => pp_types::class_name(other).to_owned(),
    }
}

fn type_class(ty: &Type) -> String {
    match ty {
        Type::Resource(..) => "Puppet::Pops::Types::PResourceType".to_owned(),
        Type::Class(_) => "Puppet::Pops::Types::PClassType".to_owned(),
        ty => {
            let text = ty.to_string();
            let name = text.split('[').next().unwrap_or_default();
            format!("Puppet::Pops::Types::P{name}Type")
        }
    }
}
