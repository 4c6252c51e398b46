//! The files of the data of an environment and its modules (spec 07 §5.13).

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pp_hiera::{ConfigFile, DataFiles, Entry, KeySource, Layer, data_locations};
use pp_types::{Error, ErrorKind};

use crate::error::EnvironmentError;
use crate::find::StoredFiles;
use crate::find::{entries, files_below};
use crate::read::{read_file, read_private, read_start};
use crate::services::{DiskServices, Role};

/// The name of the configuration of a layer.
const CONFIG: &str = "hiera.yaml";

/// The directory of the global layer in an artifact. No file of an environment has this name, because hidden files are not read.
const GLOBAL: &str = ".global";
/// The extensions of files of data.
const EXTENSIONS: [&str; 6] = ["yaml", "yml", "json", "conf", "hocon", "eyaml"];

impl DataFiles for DiskServices {
    fn config(&self, layer: &Layer) -> Option<ConfigFile> {
        let root = match layer {
            Layer::Global => match (&self.global_config, &self.stored) {
                (Some(path), _) => {
                    let root = path.parent()?.to_str()?;
                    return Some(ConfigFile { path: path.to_str()?.into(), root: root.into() });
                }
                (None, Some(_)) => PathBuf::from(GLOBAL),
                (None, None) => return None,
            },
            Layer::Environment => self.root.clone()?,
            Layer::Module(name) => self.module(name)?.directory.clone(),
        };
        let path = root.join(CONFIG);
        let exists = match &self.stored {
            Some(stored) => path.to_str().is_some_and(|path| stored.contains_key(path)),
            None => {
                self.ask(&path, Role::Instructions);
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
            if bytes.is_some() || !self.is_on_disk(path) {
                return Ok(bytes.map(|bytes| bytes.as_slice().into()));
            }
        }
        match DiskServices::read(self, Path::new(path), Role::Instructions) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(Error::new(ErrorKind::Evaluation, error.diagnostic().message)),
        }
    }

    fn list(&self, directory: &str) -> Vec<Entry> {
        if let Some(stored) = &self.stored {
            let found = normalized(directory).map_or_else(Vec::new, |directory| list_stored(stored, &directory));
            if !found.is_empty() || !self.is_on_disk(directory) {
                return found;
            }
        }
        let directory = Path::new(directory);
        self.ask(directory, Role::Instructions);
        if self.described(directory).is_some() {
            return Vec::new();
        }
        let entries = entries(directory).unwrap_or_default().into_iter();
        entries.map(|(name, path)| Entry { name, is_directory: path.is_dir() }).collect()
    }

    fn private_key(&self, source: &KeySource) -> Result<Vec<u8>, Error> {
        let failed = |message: String, help: &str| Error::new(ErrorKind::Evaluation, message).help(help);
        let path = match source {
            KeySource::Variable(name) => {
                let value = std::env::var(&**name).ok().filter(|value| !value.is_empty() && self.is_of_this_machine());
                let missing = || {
                    failed(
                        format!("the environment variable {name} holds no private key"),
                        "set it to the text of the key in PEM",
                    )
                };
                return value.map(String::into_bytes).ok_or_else(missing);
            }
            KeySource::File(path) => Path::new(&**path),
        };
        if self.stored.is_some() && path.is_relative() {
            let message = format!("the private key `{}` is not in the artifact", path.display());
            return Err(failed(
                message,
                "an artifact holds no keys: write the absolute path of the key on the host into `hiera.yaml`",
            ));
        }
        self.ask(path, Role::Input);
        let key = match self.described(path) {
            Some(None) => Err(EnvironmentError::unreadable(path, std::io::ErrorKind::NotFound.into())),
            Some(Some(key)) => Ok(key.to_vec()),
            None => read_private(path),
        };
        key.map_err(|error| {
            let diagnostic = error.diagnostic();
            let error = Error::new(ErrorKind::Evaluation, diagnostic.message);
            match diagnostic.help {
                Some(help) => error.help(help),
                None => error,
            }
        })
    }
}

impl DiskServices {
    /// Whether a path may be one of a global layer on disk, beside an environment in an artifact.
    fn is_on_disk(&self, path: &str) -> bool {
        self.global_config.is_some() && path.starts_with('/')
    }
}

/// Returns a path of an artifact without `.` and `..`; `None` if it leads out of it.
fn normalized(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::Prefix(_) => return None,
        }
    }
    Some(format!("{}{}", if path.starts_with('/') { "/" } else { "" }, parts.join("/")))
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

/// Whether a file is a private key, which is often kept beside the data and must not be in an artifact.
fn is_private_key(path: &Path) -> Result<bool, EnvironmentError> {
    let start = read_start(path)?;
    Ok(start.trim_ascii_start().starts_with(b"-----BEGIN") && start.windows(16).any(|part| part == b"PRIVATE KEY-----"))
}

/// The layer whose files an artifact holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StoredLayer<'a> {
    /// The global one, with its `hiera.yaml`.
    Global(&'a Path),
    /// The environment in a directory.
    Environment(&'a Path),
    /// A module in a directory.
    Module(&'a str, &'a Path),
}

/// Lists the files of the data of a layer, with their paths in an artifact: `hiera.yaml`, and what it can lead to.
///
/// # Errors
/// A directory that cannot be read, or has too many files; data outside of the layer that an artifact cannot name.
pub(crate) fn data_files(layer: StoredLayer<'_>) -> Result<Vec<(String, PathBuf)>, EnvironmentError> {
    let (config, root, prefix) = match layer {
        StoredLayer::Global(config) => {
            (config.to_owned(), config.parent().unwrap_or(Path::new("")), format!("{GLOBAL}/"))
        }
        StoredLayer::Environment(root) => (root.join(CONFIG), root, String::new()),
        StoredLayer::Module(name, root) => (root.join(CONFIG), root, format!("modules/{name}/")),
    };
    if !config.is_file() {
        return Ok(Vec::new());
    }
    let text = String::from_utf8_lossy(&read_file(&config)?).into_owned();
    let mut files = vec![(format!("{prefix}{CONFIG}"), config.clone())];
    for location in data_locations(&text) {
        let is_absolute = location.starts_with('/');
        if location == "/"
            || normalized(&location).is_none()
            || (is_absolute && matches!(layer, StoredLayer::Module(..)))
        {
            match layer {
                // It is an error when it is looked for.
                StoredLayer::Module(..) => continue,
                StoredLayer::Global(_) | StoredLayer::Environment(_) => {
                    return Err(EnvironmentError::DataElsewhere { config, location });
                }
            }
        }
        let path = root.join(&location);
        let found = match (path.is_dir(), location.is_empty()) {
            (false, _) => path.is_file().then_some(path).into_iter().collect(),
            (true, false) => files_below(&path, None)?,
            (true, true) => {
                let mut all = files_below(&path, None)?;
                let is_data =
                    |path: &PathBuf| path.extension().is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known));
                all.retain(is_data);
                all
            }
        };
        for path in found {
            if is_private_key(&path)? {
                continue;
            }
            let name = if is_absolute {
                path.to_str().map(str::to_owned)
            } else {
                path.strip_prefix(root).ok().and_then(Path::to_str).map(|inside| format!("{prefix}{inside}"))
            };
            files.extend(name.map(|name| (name, path)));
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
        assert_eq!(normalized("a/../../b"), None);
        assert_eq!(normalized("/srv/../data/a.yaml").as_deref(), Some("/data/a.yaml"));
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
