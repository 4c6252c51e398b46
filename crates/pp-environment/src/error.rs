//! Why an environment cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use mcl_diagnostics::{Code, Diagnostic, Stage};

use crate::limits::{MAX_FILE_BYTES, MAX_FILES};

/// Why an environment, one of its files, or a file of facts cannot be read.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum EnvironmentError {
    Unreadable {
        path: PathBuf,
        error: io::Error,
    },
    /// A directory, device, socket or pipe where a file is expected.
    NotAFile(PathBuf),
    TooLarge(PathBuf),
    TooManyFiles(PathBuf),
    TooDeep(PathBuf),
    /// A private key that users other than its owner can use.
    Unprotected(PathBuf),
    /// A symbolic link in a module that leads out of it.
    OutsideModule(PathBuf),
    /// Data of a `hiera.yaml` that is not in its directory, or whose place only variables say.
    DataElsewhere {
        config: PathBuf,
        location: String,
    },
    /// The files of the modules together are too large for an artifact.
    ModulesTooLarge(PathBuf),
    /// A path on the command line that is neither a manifest nor a directory.
    NotAManifest(PathBuf),
    NoManifests(PathBuf),
    /// An `environment.conf` that is not a list of settings.
    InvalidSettings {
        path: PathBuf,
        line: usize,
        text: String,
    },
    /// A file of facts that is not YAML or JSON, or is not a hash of facts.
    InvalidFacts {
        path: PathBuf,
        reason: String,
    },
}

impl EnvironmentError {
    pub(crate) fn unreadable(path: &Path, error: io::Error) -> EnvironmentError {
        EnvironmentError::Unreadable { path: path.to_owned(), error }
    }

    /// Whether there is no file.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            EnvironmentError::Unreadable { error, .. } => {
                matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
            }
            _ => false,
        }
    }

    /// Returns the error as a diagnostic.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let error = |code: Code, message: String| Diagnostic::error(code, Stage::Puppet, message);
        match self {
            EnvironmentError::Unreadable { path, error: cause } => {
                error(Code::P0701, format!("cannot read `{}`: {}", path.display(), reason(cause)))
            }
            EnvironmentError::NotAFile(path) => error(Code::P0701, format!("`{}` is not a file", path.display())),
            EnvironmentError::TooLarge(path) => error(
                Code::P0701,
                format!("`{}` is too large: the limit is {} MiB", path.display(), MAX_FILE_BYTES >> 20),
            ),
            EnvironmentError::TooManyFiles(path) => {
                error(Code::P0701, format!("`{}` contains more than {MAX_FILES} files", path.display()))
            }
            EnvironmentError::TooDeep(path) => {
                error(Code::P0701, format!("the directories of `{}` are nested too deeply", path.display()))
            }
            EnvironmentError::Unprotected(path) => {
                error(Code::P0701, format!("the private key `{}` is not protected: other users can use it", path.display()))
                    .help(format!("only its owner may write it, and only its owner and its group may read it: `chmod 0400 {}`", path.display()))
            }
            EnvironmentError::OutsideModule(path) => {
                error(Code::P0701, format!("`{}` is a symbolic link out of its module", path.display()))
                    .help("a module holds its own files: copy the file into the module")
            }
            EnvironmentError::DataElsewhere { config, location } => error(
                Code::P0701,
                format!("`{}` leads to data in `{location}`, which an artifact cannot hold", config.display()),
            )
            .help("keep the data below the directory of `hiera.yaml`, or write an absolute path that begins without a variable"),
            EnvironmentError::ModulesTooLarge(path) => error(
                Code::P0701,
                format!(
                    "the files of the module `{}` do not fit into an artifact: the limit is {} MiB",
                    path.display(),
                    MAX_FILE_BYTES >> 20
                ),
            ),
            EnvironmentError::NotAManifest(path) => {
                error(Code::P0701, format!("`{}` is neither a manifest nor a directory", path.display()))
                    .help("name a `.pp` file, a directory of manifests, or the directory of an environment")
            }
            EnvironmentError::NoManifests(path) => error(Code::P0704, format!("no manifests in `{}`", path.display()))
                .help("put a `site.pp` into its directory `manifests`, or name the manifest to compile"),
            EnvironmentError::InvalidSettings { path, line, text } => {
                error(Code::P0703, format!("line {line} of `{}` is not a setting: `{text}`", path.display()))
                    .help("write a setting as `name = value`")
            }
            EnvironmentError::InvalidFacts { path, reason } => {
                error(Code::P0702, format!("invalid facts in `{}`: {reason}", path.display()))
                    .help("write facts as a hash in YAML or JSON, e.g. with `facter --json` or `puppet facts show`")
            }
        }
    }
}

/// Returns the text of an I/O error without its number, in lower case.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
