//! Types by their names.

use std::sync::Arc;

use crate::types::{EnumType, TupleType, Type};

/// Returns the built-in data type with this name, e.g. `Integer`; `None` for the names of resource types and aliases.
#[must_use]
pub fn named(name: &str) -> Option<Type> {
    let empty_tuple = || Arc::new(TupleType { types: Vec::new(), size: None });
    Some(match name {
        "Any" => Type::Any,
        "Array" => Type::array(Type::Any, None),
        "Binary" => Type::Binary,
        "Boolean" => Type::Boolean(None),
        "Callable" => Type::Callable(None),
        "CatalogEntry" => Type::CatalogEntry,
        "Class" => Type::Class(None),
        "Collection" => Type::Collection(None),
        "Data" => Type::Data,
        "Default" => Type::Default,
        "Enum" => Type::Enum(Arc::new(EnumType { values: Vec::new(), ignore_case: false })),
        "Float" => Type::any_float(),
        "Hash" => Type::hash(Type::Any, Type::Any, None),
        "Init" => Type::Init(None),
        "Integer" => Type::any_integer(),
        "Iterable" => Type::Iterable(None),
        "Iterator" => Type::Iterator(None),
        "NotUndef" => Type::NotUndef(None),
        "Numeric" => Type::Numeric,
        "Optional" => Type::Optional(None),
        "Pattern" => Type::Pattern(Arc::new([])),
        "Regexp" => Type::Regexp(None),
        "Resource" => Type::Resource(None, None),
        "RichData" => Type::RichData,
        "Runtime" => Type::Runtime(None),
        "Scalar" => Type::Scalar,
        "ScalarData" => Type::ScalarData,
        "SemVer" => Type::SemVer(Arc::new([])),
        "SemVerRange" => Type::SemVerRange,
        "Sensitive" => Type::Sensitive(None),
        "String" => Type::String(None),
        "Struct" => Type::Struct(Arc::new([])),
        "Timespan" => Type::Timespan(None),
        "Timestamp" => Type::Timestamp(None),
        "Tuple" => Type::Tuple(empty_tuple()),
        "Type" => Type::Type(None),
        "URI" => Type::Uri(None),
        "Undef" => Type::Undef,
        "Variant" => Type::Variant(Arc::new([])),
        "Deferred" | "Error" | "Object" | "Target" | "TypeSet" => Type::Object(name.into()),
        "TypeReference" => Type::Reference("UnresolvedReference".into()),
        _ => return None,
    })
}

/// Returns the name of a resource type with its segments capitalized.
pub(crate) fn capitalized(name: &str) -> String {
    let segment = |segment: &str| {
        let mut chars = segment.chars();
        chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
    };
    name.split("::").map(segment).collect::<Vec<String>>().join("::")
}
