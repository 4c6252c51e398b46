//! The files of data, as the caller provides them.

use std::sync::Arc;

use pp_types::Error;

use crate::problem::error;

/// A layer of data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The setting `hiera_config`.
    Global,
    /// The environment.
    Environment,
    /// A module, by its name.
    Module(Arc<str>),
}

/// The `hiera.yaml` of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its path.
    pub path: Arc<str>,
    /// The directory that `datadir` is relative to.
    pub root: Arc<str>,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// It is a directory.
    pub is_directory: bool,
}

/// Where a private key is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeySource {
    /// A file.
    File(Arc<str>),
    /// A variable of the environment of the process that holds the key itself.
    Variable(Arc<str>),
}

/// Where files come from: a disk, an artifact. The answers must not change during a compilation.
pub trait DataFiles {
    /// Returns the `hiera.yaml` of a layer; `None` if it has none.
    fn config(&self, layer: &Layer) -> Option<ConfigFile>;

    /// Returns whether there is a module with a name.
    fn has_module(&self, name: &str) -> bool;

    /// Reads a file; `None` if there is no file with this path.
    ///
    /// # Errors
    /// A file that exists but cannot be read, or is too large.
    fn read(&self, path: &str) -> Result<Option<Arc<[u8]>>, Error>;

    /// Lists a directory, sorted by name; empty if it does not exist.
    fn list(&self, directory: &str) -> Vec<Entry>;

    /// Reads a private key. It is never part of an artifact.
    ///
    /// # Errors
    /// A key that is not there, cannot be read, or is not protected from other users.
    fn private_key(&self, source: &KeySource) -> Result<Vec<u8>, Error>;
}

/// No data at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoData;

impl DataFiles for NoData {
    fn config(&self, _: &Layer) -> Option<ConfigFile> {
        None
    }

    fn has_module(&self, _: &str) -> bool {
        false
    }

    fn read(&self, _: &str) -> Result<Option<Arc<[u8]>>, Error> {
        Ok(None)
    }

    fn list(&self, _: &str) -> Vec<Entry> {
        Vec::new()
    }

    fn private_key(&self, _: &KeySource) -> Result<Vec<u8>, Error> {
        Err(error("there are no private keys"))
    }
}

/// Joins a directory and a path, which may be absolute.
pub(crate) fn join(directory: &str, path: &str) -> String {
    match path {
        _ if path.starts_with('/') || directory.is_empty() => path.to_owned(),
        "" => directory.to_owned(),
        _ => {
            let is_absolute = directory.starts_with('/');
            let (mut directory, mut path) = (directory.trim_end_matches('/'), path);
            // The directory need not exist for its parent to.
            while let Some(rest) = path.strip_prefix("../") {
                let Some((parent, last)) = directory.rsplit_once('/').or(Some(("", directory))) else { break };
                if matches!(last, "" | "." | "..") {
                    break;
                }
                (directory, path) = (parent, rest);
            }
            match directory {
                "" if is_absolute => format!("/{path}"),
                "" => path.to_owned(),
                _ => format!("{directory}/{path}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_left_by_their_names() {
        assert_eq!(join("/a/b", "c"), "/a/b/c");
        assert_eq!(join("/a/b", "../../../c"), "/../c");
        assert_eq!(join("/a/data", "../c/d"), "/a/c/d");
        assert_eq!(join("", "c"), "c");
        assert_eq!(join("data", "../c"), "c");
        assert_eq!(join("/", "c"), "/c");
        assert_eq!(join("a", "/c"), "/c");
    }
}
