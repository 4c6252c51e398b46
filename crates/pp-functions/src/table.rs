//! The tables of functions, one for each origin.

use crate::core;
use crate::function::Function;
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
