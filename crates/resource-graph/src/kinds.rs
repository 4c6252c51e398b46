//! The table of all kinds.

use crate::Kind;

/// Every kind, sorted by name.
#[must_use]
pub fn all_kinds() -> &'static [Kind] {
    &[]
}

/// The kind of that name.
#[must_use]
pub fn kind(name: &str) -> Option<&'static Kind> {
    let kinds = all_kinds();
    kinds.binary_search_by(|k| k.name.cmp(name)).ok().map(|i| &kinds[i])
}
