//! `hiera.yaml` (spec 07 §5.13, §10.4).

use std::sync::Arc;

use pp_types::{Error, Hash, Value};

use crate::files::{ConfigFile, join};
use crate::problem::error;

/// The hierarchies of a layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Config {
    /// The path of the `hiera.yaml`.
    pub path: Arc<str>,
    /// The directory that data directories are relative to.
    pub root: Arc<str>,
    /// It is that of a module, which must not lead out of it.
    pub is_module: bool,
    /// It is ignored: of version 3, or not a hash.
    pub is_ignored: bool,
    /// The version of its format.
    pub version: i64,
    /// `hierarchy`
    pub levels: Vec<Arc<Level>>,
    /// `default_hierarchy`, of modules.
    pub default_levels: Vec<Arc<Level>>,
    /// What to report when it is first used.
    pub notices: Vec<Notice>,
}

/// A message about a `hiera.yaml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    Deprecated(String),
    Warning(String),
}

/// A hierarchy of a layer.
#[derive(Clone, Copy)]
pub enum Hierarchy {
    /// `hierarchy`
    Main,
    /// `default_hierarchy`
    Default,
}

/// A level of a hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    /// Its name.
    pub name: Arc<str>,
    /// What reads its data.
    pub backend: Backend,
    /// The directory of its files, before interpolation.
    pub datadir: Arc<str>,
    /// Where its data is.
    pub locations: Locations,
    /// Further options of the backend.
    pub options: Hash,
    /// What is appended to paths.
    pub extension: &'static str,
    /// The line in the `hiera.yaml`, if it is known.
    pub line: Option<usize>,
}

/// What reads data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    /// `data_hash: yaml_data`
    Yaml,
    /// `data_hash: json_data`
    Json,
    /// `data_hash: hocon_data`
    Hocon,
    /// `lookup_key: eyaml_lookup_key`
    Eyaml,
    /// A backend of version 3: not available.
    Unavailable(Arc<str>),
    /// `data_hash`: a function that returns all values.
    DataHash(Arc<str>),
    /// `lookup_key`: a function that is asked for one key.
    LookupKey(Arc<str>),
    /// `data_dig`: a function that is asked for a path.
    DataDig(Arc<str>),
}

/// Where the data of a level is, before interpolation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Locations {
    None,
    Paths(Vec<Arc<str>>),
    Globs(Vec<Arc<str>>),
    Uris(Vec<Arc<str>>),
    /// The variable whose elements are mapped, the name of an element, and the path with it.
    Mapped {
        variable: Arc<str>,
        element: Arc<str>,
        template: Arc<str>,
    },
}

/// What is known while a configuration is read.
pub(crate) struct Reader<'a> {
    pub file: &'a ConfigFile,
    pub lines: &'a [(String, usize)],
}

impl Reader<'_> {
    /// Creates an error with the location of a value in the file.
    pub(crate) fn error(&self, message: &str, path: &str) -> Error {
        in_file(message, &self.file.path, self.line(path))
    }

    /// Returns the line of a value in the file, if it is known.
    pub(crate) fn line(&self, path: &str) -> Option<usize> {
        self.lines.iter().find(|(known, _)| known == path).map(|(_, line)| *line)
    }
}

/// Creates an error with a location in a `hiera.yaml`.
fn in_file(message: &str, path: &str, line: Option<usize>) -> Error {
    match line {
        Some(line) => error(format!("{message} (file: {path}, line: {line})")),
        None => error(format!("{message} (file: {path})")),
    }
}

impl Config {
    /// Creates an error with the location of a level.
    pub(crate) fn error(&self, message: &str, line: Option<usize>) -> Error {
        in_file(message, &self.path, line)
    }

    /// Returns a path as seen from the directory of the layer.
    pub(crate) fn in_root(&self, path: &str) -> String {
        join(&self.root, path)
    }
}

/// Returns the string that an entry has under a name.
pub(crate) fn text(entry: &Hash, name: &str) -> Option<Arc<str>> {
    match entry.get(&Value::from(name)) {
        Some(Value::String(text)) => Some(Arc::clone(text)),
        _ => None,
    }
}

/// Returns the strings of the array that an entry has under a name.
pub(crate) fn strings(entry: &Hash, name: &str) -> Vec<Arc<str>> {
    match entry.get(&Value::from(name)) {
        Some(Value::Array(elements)) => {
            let strings = elements.iter().filter_map(|element| match element {
                Value::String(text) => Some(Arc::clone(text)),
                _ => None,
            });
            strings.collect()
        }
        _ => Vec::new(),
    }
}
