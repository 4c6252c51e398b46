//! Which types a program can use.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::resource_type::ResourceType;
use crate::{core, modules};

/// A type of which only the name is known.
static OPEN: ResourceType = ResourceType::new("", "A type of a module, of which only the name is known.", &[]).open();

/// Returns all types, sorted by module and name.
pub fn types() -> impl Iterator<Item = &'static ResourceType> {
    core::TYPES.iter().chain(modules::TYPES).copied()
}

/// Finds a type by its name in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static ResourceType> {
    types().find(|t| t.name.eq_ignore_ascii_case(name))
}

/// The native types that a program can use: those of Puppet itself, and those of the modules that are installed.
#[derive(Clone, Debug)]
pub struct KnownTypes {
    /// By the name in lower case, and capitalized.
    types: FxHashMap<Arc<str>, &'static ResourceType>,
}

impl Default for KnownTypes {
    fn default() -> KnownTypes {
        KnownTypes::core()
    }
}

impl KnownTypes {
    /// Returns the types of Puppet itself.
    #[must_use]
    pub fn core() -> KnownTypes {
        KnownTypes::of(core::TYPES.iter().copied())
    }

    /// Returns all types that this crate declares.
    #[must_use]
    pub fn all() -> KnownTypes {
        KnownTypes::of(types())
    }

    fn of(types: impl Iterator<Item = &'static ResourceType>) -> KnownTypes {
        let mut known = KnownTypes { types: FxHashMap::default() };
        types.for_each(|t| known.insert(t.name, t));
        known
    }

    fn insert(&mut self, name: &str, declared: &'static ResourceType) {
        self.types.insert(capitalize(name).into(), declared);
        self.types.insert(name.into(), declared);
    }

    /// Adds the types of a module, such as `cron_core`, as far as this crate declares them.
    pub fn add_module(&mut self, module: &str) {
        for declared in modules::TYPES.iter().filter(|t| t.module == Some(module)) {
            self.insert(declared.name, declared);
        }
    }

    /// Adds a type by its name. If this crate does not declare it, any attribute is accepted.
    pub fn add_type(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        if !self.types.contains_key(name.as_str()) {
            self.insert(&name, find(&name).unwrap_or(&OPEN));
        }
    }

    /// Finds a type by its name, in lower case or capitalized.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'static ResourceType> {
        self.types.get(name).copied()
    }

    /// Returns the names in lower case, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.types.keys().map(|n| &**n).filter(|n| n.starts_with(char::is_lowercase)).collect();
        names.sort_unstable();
        names
    }
}

/// Capitalizes each `::` segment of a name in lower case.
fn capitalize(name: &str) -> String {
    let segment = |s: &str| s.get(..1).map_or_else(String::new, |first| first.to_ascii_uppercase() + &s[1..]);
    name.split("::").map(segment).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_both_names() {
        let known = KnownTypes::core();
        assert_eq!(known.find("file").map(|t| t.name), Some("file"));
        assert_eq!(known.find("File").map(|t| t.name), Some("file"));
        assert!(known.find("cron").is_none());
        assert_eq!(known.names().first(), Some(&"component"));
    }

    #[test]
    fn modules_add_types() {
        let mut known = KnownTypes::core();
        known.add_module("cron_core");
        assert_eq!(known.find("Cron").and_then(|t| t.module), Some("cron_core"));
        known.add_type("my_type");
        let mine = known.find("My_type").expect("the type was added");
        assert!(mine.is_open() && mine.has_parameter("anything"));
        known.add_type("cron");
        assert!(!known.find("cron").expect("the type is declared").has_parameter("colour"));
    }
}
