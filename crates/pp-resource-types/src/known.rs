//! Which types a program can use.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::known_type::KnownType;
use crate::read_type::ReadType;
use crate::reading::Reading;
use crate::resource_type::ResourceType;
use crate::{core, modules};

/// Returns all types, sorted by module and name.
pub fn types() -> impl Iterator<Item = &'static ResourceType> {
    core::TYPES.iter().chain(modules::TYPES).copied()
}

/// Finds a type by its name in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static ResourceType> {
    types().find(|t| t.name.eq_ignore_ascii_case(name))
}

/// Reads the source of a type.
pub type TypeReader = Arc<dyn Fn() -> Reading + Send + Sync>;

/// The native types that a program can use: those of Puppet itself, and those of the modules that are installed. Cloning is
/// cheap, and clones share what was read.
#[derive(Clone, Debug)]
pub struct KnownTypes {
    /// By the name in lower case, and capitalized.
    types: FxHashMap<Arc<str>, Entry>,
}

/// A type by its name.
#[derive(Clone, Debug)]
struct Entry {
    declared: Option<&'static ResourceType>,
    source: Option<Arc<Source>>,
}

/// The source of a type, which is read when the type is used for the first time.
struct Source {
    reading: OnceLock<Reading>,
    reader: TypeReader,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("reading", &self.reading).finish_non_exhaustive()
    }
}

impl Source {
    fn read(&self) -> &Reading {
        self.reading.get_or_init(|| (self.reader)())
    }
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
        types.for_each(|t| known.insert(t.name, Entry { declared: Some(t), source: None }));
        known
    }

    fn insert(&mut self, name: &str, entry: Entry) {
        self.types.insert(capitalize(name).into(), entry.clone());
        self.types.insert(name.into(), entry);
    }

    /// Adds the types of a module, such as `cron_core`, as far as this crate declares them.
    pub fn add_module(&mut self, module: &str) {
        for declared in modules::TYPES.iter().filter(|t| t.module == Some(module)) {
            self.insert(declared.name, Entry { declared: Some(declared), source: None });
        }
    }

    /// Adds a type of a module, whose source is read when the type is used for the first time. The first type with a name takes precedence.
    pub fn add_source(&mut self, name: &str, reader: TypeReader) {
        let name = name.to_ascii_lowercase();
        let known = self.types.get(name.as_str());
        // What Puppet itself has is not replaced by a module.
        if known.is_some_and(|entry| entry.source.is_some() || entry.declared.is_some_and(|t| t.module.is_none())) {
            return;
        }
        let source = Arc::new(Source { reading: OnceLock::new(), reader });
        self.insert(&name, Entry { declared: find(&name), source: Some(source) });
    }

    /// Finds a type by its name, in lower case or capitalized.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<KnownType<'_>> {
        let entry = self.types.get(name)?;
        let reading = entry.source.as_ref().map(|source| source.read());
        if matches!(reading, Some(Reading::Nothing)) && entry.declared.is_none() {
            return None;
        }
        Some(KnownType::new(entry.declared, reading))
    }

    /// Returns whether there is a type of a name, in lower case or capitalized, without reading its source.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// Returns the types whose source was read so far, sorted by name.
    #[must_use]
    pub fn read_so_far(&self) -> Vec<&ReadType> {
        let read = self.types.iter().filter(|(name, _)| name.starts_with(char::is_lowercase));
        let mut read: Vec<&ReadType> = read
            .filter_map(|(_, entry)| match entry.source.as_ref()?.reading.get()? {
                Reading::Type(read) => Some(&**read),
                Reading::Name | Reading::Nothing | Reading::Broken(_) => None,
            })
            .collect();
        read.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        read
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
        let name = |name: &str| known.find(name).and_then(|t| t.declared()).map(|t| t.name);
        assert_eq!(name("file"), Some("file"));
        assert_eq!(name("File"), Some("file"));
        assert!(known.find("cron").is_none());
        assert_eq!(known.names().first(), Some(&"component"));
    }

    #[test]
    fn modules_add_types() {
        let mut known = KnownTypes::core();
        known.add_module("cron_core");
        assert_eq!(known.find("Cron").and_then(|t| t.module()), Some("cron_core"));
        known.add_source("my_type", Arc::new(|| Reading::Name));
        let mine = known.find("My_type").expect("the type was added");
        assert!(mine.is_open() && mine.has_parameter("anything"));
    }

    #[test]
    fn a_source_is_read_when_it_is_used() {
        let mut known = KnownTypes::core();
        let reader = |name: &str| {
            let read = ReadType { name: name.to_owned(), module: "m".to_owned(), ..ReadType::default() };
            Arc::new(move || Reading::Type(Box::new(read.clone()))) as TypeReader
        };
        for name in ["mine", "cron", "file"] {
            known.add_source(name, reader(name));
        }
        assert!(known.contains("mine") && known.read_so_far().is_empty());
        let mine = known.find("Mine").expect("the type was added");
        assert!(!mine.has_parameter("colour") && mine.module() == Some("m"));
        assert_eq!(known.read_so_far().len(), 1);
        // The source says which attributes there are, the declaration what else is known.
        let cron = known.find("cron").expect("the type was added");
        assert!(cron.declared().is_some() && !cron.has_parameter("command"));
        assert!(known.find("file").expect("a core type").has_parameter("path"));
    }

    #[test]
    fn a_file_may_declare_nothing_or_be_broken() {
        let mut known = KnownTypes::core();
        known.add_source("empty", Arc::new(|| Reading::Nothing));
        known.add_source("broken", Arc::new(|| Reading::Broken("syntax error".to_owned())));
        assert!(known.find("empty").is_none());
        assert_eq!(known.find("broken").and_then(|broken| broken.failure()), Some("syntax error"));
    }
}
