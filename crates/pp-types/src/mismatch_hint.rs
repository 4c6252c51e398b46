//! How a value would fit a type.

use crate::instance::is_instance;
use crate::number::parse_number;
use crate::text::{quote, source_form};
use crate::types::{StructMember, Type};
use crate::value::Value;
use mcl_diagnostics::nearest;

/// How many types around others are looked through. An alias can be that of itself.
const MAX_LEVELS: usize = 8;

/// Returns what was probably meant by a value that is not of a type.
#[must_use]
pub fn mismatch_hint(ty: &Type, value: &Value) -> Option<String> {
    hint_within(ty, value, MAX_LEVELS)
}

fn hint_within(ty: &Type, value: &Value, levels: usize) -> Option<String> {
    let inner = levels.checked_sub(1)?;
    match (ty, value) {
        (Type::Optional(Some(ty)) | Type::NotUndef(Some(ty)), value) => hint_within(ty, value, inner),
        (Type::Alias(alias), value) => hint_within(&*alias.resolved()?, value, inner),
        (_, Value::Undef) => Some("a parameter that may be without a value has the type `Optional[…]`".to_owned()),
        (Type::Enum(known), Value::String(text)) => {
            let similar = nearest(text, known.values.iter().map(|value| &**value))?;
            Some(format!("did you mean `{}`?", quote(similar)))
        }
        (Type::Struct(members), Value::Hash(entries)) => similar_key(members, entries.keys()),
        (Type::Integer(_) | Type::Float(_) | Type::Numeric, Value::String(text)) => {
            let number = parse_number(text).filter(|number| is_instance(ty, number))?;
            Some(format!("a number has no quotes: `{}`", source_form(&number)))
        }
        (Type::Boolean(_), Value::String(text)) if matches!(&**text, "true" | "false") => {
            Some(format!("a boolean has no quotes: `{text}`"))
        }
        (Type::String(_), Value::Integer(_) | Value::Float(_) | Value::Boolean(_)) => {
            Some(format!("a string has quotes: `{}`", quote(&source_form(value))))
        }
        (Type::Array(element, _), value) if is_instance(element, value) => {
            Some("a list of one value is an array, too: `[…]`".to_owned())
        }
        (Type::Sensitive(Some(secret)), value) if is_instance(secret, value) => {
            Some("a secret value is made with `Sensitive(…)`".to_owned())
        }
        _ => None,
    }
}

/// Suggests a key that is missing in place of one that is unknown.
fn similar_key<'a>(members: &[StructMember], mut keys: impl Iterator<Item = &'a Value>) -> Option<String> {
    let names = || members.iter().map(|member| &*member.name);
    keys.find_map(|key| match key {
        Value::String(key) if names().all(|name| *name != **key) => {
            let similar = nearest(key, names())?;
            Some(format!("did you mean the key `{similar}`?"))
        }
        _ => None,
    })
}
