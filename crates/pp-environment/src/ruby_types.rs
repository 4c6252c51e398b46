//! The resource types that modules declare in Ruby (spec 09 §7): found by the names of their files, read when they are used.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mcl_diagnostics::{Code, Diagnostic, Stage};
use pp_resource_types::{KnownTypes, Program, ReadType, Reading, Relation, Unreadable};
use pp_ruby_types::{TypeError, TypeSource, read_type};

use crate::find::{Module, entries};
use crate::read::read_inside;

/// Maximum number of files of providers of a type.
const MAX_PROVIDERS: usize = 64;

/// The types of modules, and the files that were read for them.
#[derive(Debug, Default)]
pub struct RubyTypes {
    files: Arc<Files>,
    /// The modules and paths of the types, by their names.
    types: BTreeMap<String, (Arc<str>, PathBuf)>,
}

/// The Ruby files of modules.
#[derive(Debug, Default)]
struct Files {
    modules: Vec<Module>,
    read: Mutex<Vec<PathBuf>>,
}

impl Files {
    fn read(&self, module: &Module, path: &Path) -> Option<Vec<u8>> {
        let bytes = read_inside(&module.directory, path).ok()?;
        self.read.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Some(bytes)
    }

    /// Reads a file in `lib` of a module.
    fn library(&self, path: &str) -> Option<Vec<u8>> {
        let path = Path::new(path);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        self.modules.iter().find_map(|module| self.read(module, &module.directory.join("lib").join(path)))
    }

    /// Reads the providers of a type.
    fn providers(&self, name: &str) -> Vec<Vec<u8>> {
        let mut providers = Vec::new();
        for module in &self.modules {
            for (_, path) in ruby_files(&module.directory.join("lib/puppet/provider").join(name)) {
                if providers.len() < MAX_PROVIDERS {
                    providers.extend(self.read(module, &path));
                }
            }
        }
        providers
    }

    fn reading(&self, name: &str, module: &str, path: &Path) -> Reading {
        let Some(module) = self.modules.iter().find(|known| &*known.name == module) else { return Reading::Name };
        let Some(bytes) = self.read(module, path) else { return Reading::Name };
        let source = TypeSource {
            name,
            module: &module.name,
            bytes: &bytes,
            providers: &self.providers(name),
            library: &|path| self.library(path),
        };
        match read_type(&source) {
            Ok(read) => Reading::Type(Box::new(read)),
            Err(TypeError::TooLarge | TypeError::Unreadable) => Reading::Name,
            Err(TypeError::NoType | TypeError::OtherName(_)) => Reading::Nothing,
            Err(error @ (TypeError::Syntax { .. } | TypeError::UnknownName { .. })) => {
                Reading::Broken(error.to_string())
            }
        }
    }
}

/// Returns the names and paths of the Ruby files in a directory, sorted; none if there is no such directory.
fn ruby_files(directory: &Path) -> Vec<(String, PathBuf)> {
    let files = if directory.is_dir() { entries(directory).unwrap_or_default() } else { Vec::new() };
    files.into_iter().filter_map(|(name, path)| Some((name.strip_suffix(".rb")?.to_owned(), path))).collect()
}

impl RubyTypes {
    /// Lists the types of modules. The first of a name wins.
    #[must_use]
    pub fn find(modules: &[Module]) -> RubyTypes {
        let mut types = BTreeMap::new();
        for module in modules {
            for (name, path) in ruby_files(&module.directory.join("lib/puppet/type")) {
                types.entry(name).or_insert_with(|| (Arc::clone(&module.name), path));
            }
        }
        RubyTypes { files: Arc::new(Files { modules: modules.to_vec(), read: Mutex::default() }), types }
    }

    /// Adds the types to those that a program can use.
    pub(crate) fn add_to(&self, known: &mut KnownTypes) {
        for (name, (module, path)) in &self.types {
            let (files, module, path) = (Arc::clone(&self.files), Arc::clone(module), path.clone());
            let own_name = name.clone();
            known.add_source(name, Arc::new(move || files.reading(&own_name, &module, &path)));
        }
    }

    /// Reads all types.
    pub(crate) fn read_all(&self) -> BTreeMap<String, Reading> {
        let read = |(name, (module, path)): (&String, &(Arc<str>, PathBuf))| {
            (name.clone(), self.files.reading(name, module, path))
        };
        self.types.iter().map(read).collect()
    }

    /// Returns the files that were read so far.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.files.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Adds types from an artifact to those that a program can use.
pub(crate) fn add_stored(stored: BTreeMap<String, Reading>, known: &mut KnownTypes) {
    for (name, reading) in stored {
        known.add_source(&name, Arc::new(move || reading.clone()));
    }
}

/// Returns whether the programs of a type from an artifact can be run.
pub(crate) fn is_valid(reading: &Reading) -> bool {
    match reading {
        Reading::Type(read) => read.relations.iter().filter_map(titles).all(Program::is_valid),
        Reading::Name | Reading::Nothing | Reading::Broken(_) => true,
    }
}

fn titles(relation: &Relation) -> Option<&Program> {
    relation.titles.as_ref()
}

/// Returns a warning for each type that a program used and whose attributes or titles could not be read.
pub(crate) fn warnings(known: &KnownTypes) -> Vec<Diagnostic> {
    known.read_so_far().into_iter().filter_map(warning).collect()
}

fn warning(read: &ReadType) -> Option<Diagnostic> {
    let first = |what: Unreadable| read.unread.iter().find(|unread| unread.what == what);
    let (unread, what) = match (first(Unreadable::Attributes), first(Unreadable::Titles)) {
        (Some(unread), _) => (unread, "its attributes are computed, so any is accepted"),
        (None, Some(unread)) => (unread, "what its titles mean is computed, so two resources may be the same one"),
        (None, None) => return None,
    };
    let (name, module, line) = (&read.name, &read.module, unread.line);
    let message =
        format!("the type `{name}` of the module `{module}` is not fully known: {what} (line {line} of its source)");
    Some(
        Diagnostic::warning(Code::P0516, Stage::Puppet, message)
            .help("the source is read without running it: names in literal lists and loops over them are understood"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<Module>) {
        let root = tempfile::tempdir().expect("a temporary directory");
        for (name, text) in files {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("writable");
            std::fs::write(path, text).expect("writable");
        }
        let module = |name: &str| Module { name: name.into(), directory: root.path().join(name) };
        let modules = vec![module("a"), module("b")];
        (root, modules)
    }

    #[test]
    fn types_are_read_when_they_are_used() {
        let (_root, modules) = modules(&[
            ("a/lib/puppet/type/thing.rb", "Puppet::Type.newtype(:thing) { newparam(:name) }"),
            ("a/lib/puppet/type/broken.rb", "Puppet::Type.newtype(:broken) {"),
            ("b/lib/puppet/type/thing.rb", "Puppet::Type.newtype(:thing) { newparam(:other) }"),
            ("b/lib/puppet/type/empty.rb", "# nothing"),
            ("b/lib/puppet/provider/thing/ruby.rb", "Puppet::Type.type(:thing).provide(:ruby) { }"),
        ]);
        let types = RubyTypes::find(&modules);
        let mut known = KnownTypes::core();
        types.add_to(&mut known);
        assert!(types.files().is_empty());
        let thing = known.find("thing").expect("the type of the first module");
        assert!(thing.has_parameter("name") && thing.has_parameter("provider") && !thing.has_parameter("other"));
        assert_eq!(types.files().len(), 2);
        assert!(known.find("broken").is_some_and(|broken| broken.failure().is_some()));
        assert!(known.find("empty").is_none());
        assert_eq!(types.read_all().len(), 3);
    }

    #[test]
    fn what_is_not_known_is_a_warning() {
        let text = "Puppet::Type.newtype(:thing) do\n  newparam(:name)\n  newparam(compute)\nend";
        let (_root, modules) = modules(&[("a/lib/puppet/type/thing.rb", text)]);
        let mut known = KnownTypes::core();
        RubyTypes::find(&modules).add_to(&mut known);
        assert_eq!(warnings(&known).len(), 0);
        assert!(known.find("thing").is_some_and(|thing| thing.has_parameter("anything")));
        let [warning] = &warnings(&known)[..] else { panic!("one warning") };
        assert!(warning.message.contains("line 3"), "{}", warning.message);
    }
}
