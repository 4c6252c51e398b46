//! The table of all functions.

use crate::Function;

/// Every function, sorted by name.
#[must_use]
pub fn all_functions() -> &'static [Function] {
    &[]
}

/// The function of that registered name.
#[must_use]
pub fn function(name: &str) -> Option<&'static Function> {
    let all = all_functions();
    all.binary_search_by(|f| f.name.cmp(name)).ok().map(|i| &all[i])
}

/// Whether a system module of exactly this name exists (spec 01 §6.4).
#[must_use]
pub fn module_exists(module: &str) -> bool {
    all_functions().iter().any(|f| f.name.rsplit_once('.').is_some_and(|(m, _)| m == module))
}
