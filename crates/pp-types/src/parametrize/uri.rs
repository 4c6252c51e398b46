//! `URI[…]`: the parts that a URI must have.

use std::sync::Arc;

use crate::error::Error;
use crate::parametrize::error::{expect_count, expected_types, in_access};
use crate::types::Type;
use crate::uri::{PART_NAMES, Uri};
use crate::value::{Hash, Value};

pub(super) fn uri(arguments: &[Value]) -> Result<Type, Error> {
    expect_count("URI-Type", arguments, 1, 1)?;
    match &arguments[0] {
        Value::String(source) => {
            let uri = Uri::parse(source).map_err(in_access)?;
            Ok(Type::Uri(Some(Arc::new(Value::hash(uri.type_parts())))))
        }
        Value::Uri(uri) => Ok(Type::Uri(Some(Arc::new(Value::hash(uri.type_parts()))))),
        Value::Hash(parts) if parts.is_empty() => Ok(Type::Uri(None)),
        parts @ Value::Hash(entries) if are_parts(entries) => Ok(Type::Uri(Some(Arc::new(parts.clone())))),
        other => {
            let help =
                format!("the parts are {}; each is a string, a regular expression or a type", PART_NAMES.join(", "));
            Err(expected_types("URI-Type", other, 0).help(help))
        }
    }
}

/// Returns whether the parts of a type `URI[{…}]` exist, and can be asked for.
fn are_parts(parts: &Hash) -> bool {
    parts.iter().all(|(name, part)| {
        let is_name = |known: &&str| matches!(name, Value::String(name) if **name == **known);
        let Some(name) = PART_NAMES.iter().find(|known| is_name(known)) else { return false };
        match part {
            Value::Undef => true,
            Value::Integer(port) => *name == "port" && *port >= 0,
            Value::String(text) => *name != "port" && !text.is_empty(),
            Value::Regexp(_) => *name != "port",
            Value::Type(ty) => is_type_of_parts(ty),
            _ => false,
        }
    })
}

fn is_type_of_parts(ty: &Type) -> bool {
    match ty {
        Type::Variant(types) => types.iter().all(is_type_of_parts),
        Type::Undef
        | Type::NotUndef(_)
        | Type::String(_)
        | Type::StringValue(_)
        | Type::Enum(_)
        | Type::Pattern(_)
        | Type::Regexp(_)
        | Type::Integer(_) => true,
        _ => false,
    }
}
