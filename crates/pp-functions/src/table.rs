//! The tables of functions, one for each origin.

use crate::core;
use crate::function::{Convention, Function};
use crate::modules;
use crate::stdlib;

/// Functions with one origin.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The module that has them in Puppet; `None` for Puppet itself.
    pub module: Option<&'static str>,
    /// The functions, sorted by name.
    pub functions: &'static [&'static Function],
}

impl Table {
    /// Returns the function with a name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&'static Function> {
        let at = self.functions.binary_search_by(|function| function.name.cmp(name)).ok()?;
        self.functions.get(at).copied()
    }
}

/// Returns all tables, that of Puppet itself first.
#[must_use]
pub fn tables() -> &'static [Table] {
    static TABLES: &[Table] = &[
        Table { module: None, functions: core::FUNCTIONS },
        Table { module: Some("apache"), functions: modules::APACHE },
        Table { module: Some("archive"), functions: modules::ARCHIVE },
        Table { module: Some("collectd"), functions: modules::COLLECTD },
        Table { module: Some("datacat"), functions: modules::DATACAT },
        Table { module: Some("dns"), functions: modules::DNS },
        Table { module: Some("inifile"), functions: modules::INIFILE },
        Table { module: Some("ironic"), functions: modules::IRONIC },
        Table { module: Some("mcollective"), functions: modules::MCOLLECTIVE },
        Table { module: Some("memcached"), functions: modules::MEMCACHED },
        Table { module: Some("mongodb"), functions: modules::MONGODB },
        Table { module: Some("mysql"), functions: modules::MYSQL },
        Table { module: Some("neutron"), functions: modules::NEUTRON },
        Table { module: Some("nova"), functions: modules::NOVA },
        Table { module: Some("openstack_extras"), functions: modules::OPENSTACK_EXTRAS },
        Table { module: Some("openstacklib"), functions: modules::OPENSTACKLIB },
        Table { module: Some("postgresql"), functions: modules::POSTGRESQL },
        Table { module: Some("redis"), functions: modules::REDIS },
        Table { module: Some("ssh"), functions: modules::SSH },
        Table { module: Some("staging"), functions: modules::STAGING },
        Table { module: Some("stdlib"), functions: stdlib::FUNCTIONS },
        Table { module: Some("translate"), functions: modules::TRANSLATE },
        Table { module: Some("vswitch"), functions: modules::VSWITCH },
    ];
    TABLES
}

/// Returns all functions, those of Puppet itself first.
pub fn all_functions() -> impl Iterator<Item = &'static Function> {
    tables().iter().flat_map(|table| table.functions.iter().copied())
}

/// Returns the function of Puppet itself with a name.
#[must_use]
pub fn find_function(name: &str) -> Option<&'static Function> {
    tables().iter().find(|table| table.module.is_none())?.function(name)
}

/// Returns the function with a name that a module has in Puppet.
#[must_use]
pub fn find_module_function(module: &str, name: &str) -> Option<&'static Function> {
    tables().iter().find(|table| table.module == Some(module))?.function(name)
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
