//! The files of the data of an environment and its modules (spec 07 §5.13).

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pp_hiera::{ConfigFile, DataFiles, Entry, Layer, data_directories};
use pp_types::{Error, ErrorKind};

use crate::error::EnvironmentError;
use crate::find::{entries, files_below};
use crate::read::read_file;
use crate::services::{DiskServices, StoredFiles};

/// The name of the configuration of a layer.
const CONFIG: &str = "hiera.yaml";

impl DataFiles for DiskServices {
    fn config(&self, layer: &Layer) -> Option<ConfigFile> {
        let root = match layer {
            Layer::Global => {
                let path = self.global_config.as_ref()?;
                let root = path.parent()?.to_str()?;
                return Some(ConfigFile { path: path.to_str()?.into(), root: root.into() });
            }
            Layer::Environment => self.root.clone()?,
            Layer::Module(name) => self.module(name)?.directory.clone(),
        };
        let path = root.join(CONFIG);
        let exists = match &self.stored {
            Some(stored) => path.to_str().is_some_and(|path| stored.contains_key(path)),
            None => {
                self.ask(&path);
                path.is_file()
            }
        };
        if !exists {
            return None;
        }
        Some(ConfigFile { path: path.to_str()?.into(), root: root.to_str()?.into() })
    }

    fn has_module(&self, name: &str) -> bool {
        self.module(name).is_some()
    }

    fn read(&self, path: &str) -> Result<Option<Arc<[u8]>>, Error> {
        if let Some(stored) = &self.stored {
            let bytes = normalized(path).and_then(|path| stored.get(&path));
            return Ok(bytes.map(|bytes| bytes.as_slice().into()));
        }
        match DiskServices::read(self, Path::new(path)) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(Error::new(ErrorKind::Evaluation, error.diagnostic().message)),
        }
    }

    fn list(&self, directory: &str) -> Vec<Entry> {
        if let Some(stored) = &self.stored {
            return normalized(directory).map_or_else(Vec::new, |directory| list_stored(stored, &directory));
        }
        let directory = Path::new(directory);
        self.ask(directory);
        let entries = entries(directory).unwrap_or_default().into_iter();
        entries.map(|(name, path)| Entry { name, is_directory: path.is_dir() }).collect()
    }
}

/// Returns a path of an artifact without `.` and `..`; `None` if it leads out of it.
fn normalized(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

fn list_stored(stored: &StoredFiles, directory: &str) -> Vec<Entry> {
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let below = stored.range(prefix.clone()..).map_while(|(path, _)| path.strip_prefix(&prefix));
    let mut found: Vec<Entry> = Vec::new();
    for path in below {
        let (name, is_directory) = path.split_once('/').map_or((path, false), |(name, _)| (name, true));
        if found.last().is_none_or(|last| last.name != name) {
            found.push(Entry { name: name.to_owned(), is_directory });
        }
    }
    found
}

/// Lists the files of the data in the directory of an environment or module: `hiera.yaml`, and what is in its data directories.
///
/// # Errors
/// A directory that cannot be read, or has too many files.
pub(crate) fn data_files(root: &Path) -> Result<Vec<PathBuf>, EnvironmentError> {
    let config = root.join(CONFIG);
    if !config.is_file() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&read_file(&config)?).into_owned();
    let mut files = vec![config];
    for directory in data_directories(&text) {
        let is_inside = !directory.is_empty() && normalized(&directory).is_some();
        if is_inside {
            files.extend(files_below(&root.join(directory), None)?);
        }
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_an_artifact_do_not_leave_it() {
        assert_eq!(normalized("modules/m/data/../x.yaml").as_deref(), Some("modules/m/x.yaml"));
        assert_eq!(normalized("./data//a.yaml").as_deref(), Some("data/a.yaml"));
        assert_eq!(normalized("../a"), None);
        assert_eq!(normalized("/etc/passwd"), None);
    }

    #[test]
    fn directories_of_an_artifact_are_listed() {
        let stored: StoredFiles =
            ["data/a.yaml", "data/b/c.yaml", "data/b/d.yaml", "datb"].map(|path| (path.to_owned(), Vec::new())).into();
        let names: Vec<(String, bool)> =
            list_stored(&stored, "data").into_iter().map(|entry| (entry.name, entry.is_directory)).collect();
        assert_eq!(names, [("a.yaml".to_owned(), false), ("b".to_owned(), true)]);
    }
}
