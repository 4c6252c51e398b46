//! What aliases stand for.

use std::sync::{Arc, OnceLock};

use crate::alias::Resolved;
use crate::types::Type;

/// Returns what a type stands for if it is an alias, built in or not.
pub(crate) fn definition(ty: &Type) -> Option<Resolved> {
    static DATA: OnceLock<Type> = OnceLock::new();
    static RICH_DATA: OnceLock<Type> = OnceLock::new();
    match ty {
        Type::Data => Some(Resolved::built_in(DATA.get_or_init(|| {
            let array = Type::array(Type::Data, None);
            let hash = Type::hash(Type::String(None), Type::Data, None);
            Type::Variant(Arc::new([Type::ScalarData, Type::Undef, hash, array]))
        }))),
        Type::RichData => Some(Resolved::built_in(RICH_DATA.get_or_init(|| {
            let key = Type::Variant(Arc::new([Type::String(None), Type::Numeric]));
            Type::Variant(Arc::new([
                Type::Scalar,
                Type::SemVerRange,
                Type::Binary,
                Type::Sensitive(None),
                Type::Type(None),
                Type::Object("TypeSet".into()),
                Type::Uri(None),
                Type::Object("Object".into()),
                Type::Undef,
                Type::Default,
                Type::hash(key, Type::RichData, None),
                Type::array(Type::RichData, None),
            ]))
        }))),
        Type::Alias(alias) => alias.resolved(),
        _ => None,
    }
}
