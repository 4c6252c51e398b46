//! The tables of functions, one for each origin.

use crate::core;
use crate::function::{Convention, Function};
use crate::stdlib;

/// Functions with one origin.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The module that has them in Puppet; `None` for Puppet itself.
    pub module: Option<&'static str>,
    /// The functions, sorted by name.
    pub functions: &'static [&'static Function],
}

/// Returns all tables, that of Puppet itself first.
#[must_use]
pub fn tables() -> &'static [Table] {
    static TABLES: [Table; 2] = [
        Table { module: None, functions: core::FUNCTIONS },
        Table { module: Some("stdlib"), functions: stdlib::FUNCTIONS },
    ];
    &TABLES
}

/// Returns all functions, those of Puppet itself first.
pub fn all_functions() -> impl Iterator<Item = &'static Function> {
    tables().iter().flat_map(|table| table.functions.iter().copied())
}

/// Returns the function of Puppet itself with a name.
#[must_use]
pub fn find_function(name: &str) -> Option<&'static Function> {
    find(core::FUNCTIONS, name)
}

/// Returns the function with a name that a module has in Puppet.
#[must_use]
pub fn find_module_function(module: &str, name: &str) -> Option<&'static Function> {
    let table = tables().iter().find(|table| table.module == Some(module))?;
    find(table.functions, name)
}

fn find(functions: &[&'static Function], name: &str) -> Option<&'static Function> {
    let at = functions.binary_search_by(|function| function.name.cmp(name)).ok()?;
    functions.get(at).copied()
}

/// Functions of Puppet itself that have the older interface, too, though they are called by signatures.
const LEGACY: [&str; 48] = [
    "assert_type",
    "binary_file",
    "break",
    "contain",
    "defined",
    "dig",
    "digest",
    "each",
    "epp",
    "filter",
    "find_file",
    "fqdn_rand",
    "generate",
    "hiera",
    "hiera_array",
    "hiera_hash",
    "hiera_include",
    "include",
    "inline_epp",
    "lest",
    "lookup",
    "map",
    "match",
    "md5",
    "new",
    "next",
    "realize",
    "reduce",
    "regsubst",
    "require",
    "return",
    "reverse_each",
    "scanf",
    "sha1",
    "sha256",
    "shellquote",
    "slice",
    "split",
    "sprintf",
    "step",
    "strftime",
    "tag",
    "tagged",
    "then",
    "type",
    "versioncmp",
    "with",
    "file",
];
const LOGGING: [&str; 9] = ["alert", "crit", "debug", "emerg", "err", "fail", "info", "notice", "warning"];

/// Returns whether templates in ERB can call a function as `scope.function_name([arguments])`.
#[must_use]
pub fn has_legacy_interface(name: &str) -> bool {
    let is_counted = |function: &Function| matches!(function.convention, Convention::Counted { .. });
    LEGACY.contains(&name)
        || LOGGING.contains(&name)
        || all_functions().any(|function| function.name == name && is_counted(function))
}
