//! What can be named on a command line (spec 01 §6.8; program text itself cannot).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::clean::{absolute, relative};

/// The start of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A `.mcl` file on its own.
    File(PathBuf),
    /// A directory with a `metadata.yaml` or a `main.mcl`.
    Directory(PathBuf),
    /// Text from elsewhere (standard input, an editor) that stands for the file at this path, which need not exist.
    Text {
        /// Relative imports count from its directory.
        path: PathBuf,
        /// The bytes of the file.
        text: Vec<u8>,
    },
}

/// Why a path on the command line cannot be compiled.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum InputError {
    Missing { path: PathBuf },
    NotMcl { path: PathBuf },
    NoModule { path: PathBuf },
    Unreadable { path: PathBuf, error: io::Error },
    TooLarge { path: PathBuf },
    WorkingDirectory(io::Error),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Missing { path } => write!(f, "`{}` does not exist", path.display()),
            InputError::NotMcl { path } if path.extension().is_some_and(|extension| extension == "pp") => {
                write!(f, "`{}` is a Puppet manifest, which `mclc puppet` compiles", path.display())
            }
            InputError::NotMcl { path } => {
                write!(f, "`{}` is not a program: expected a `.mcl` file, a module directory, or `-`", path.display())
            }
            InputError::NoModule { path } => {
                write!(f, "directory `{}` contains neither `metadata.yaml` nor `main.mcl`", path.display())
            }
            InputError::Unreadable { path, error } => write!(f, "cannot read `{}`: {}", path.display(), reason(error)),
            InputError::TooLarge { path } => write!(f, "`{}` is too large: the limit is 256 MiB", path.display()),
            InputError::WorkingDirectory(error) => write!(f, "cannot access the working directory: {}", reason(error)),
        }
    }
}

impl std::error::Error for InputError {}

/// Returns the text of an I/O error without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

impl Input {
    /// Classifies a path on the command line.
    ///
    /// # Errors
    /// If the path cannot be read, or is neither a directory, a `.mcl` file nor a `metadata.yaml`.
    pub fn from_path(path: &Path) -> Result<Input, InputError> {
        let owned = || path.to_owned();
        let kind = match path.metadata() {
            Ok(kind) => kind,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(InputError::Missing { path: owned() }),
            Err(error) => return Err(InputError::Unreadable { path: owned(), error }),
        };
        if kind.is_dir() {
            return Ok(Input::Directory(owned()));
        }
        if path.file_name().is_some_and(|name| name == "metadata.yaml") {
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            return Ok(Input::Directory(parent.to_owned()));
        }
        if path.extension().is_some_and(|extension| extension == "mcl") {
            return Ok(Input::File(owned()));
        }
        Err(InputError::NotMcl { path: owned() })
    }

    /// Returns the path from the working directory to the directory of the program: empty, or ends in a slash. It is
    /// absolute only if the program is outside the working directory and was given as an absolute path.
    #[must_use]
    pub fn prefix(&self) -> String {
        let directory = match self {
            Input::Directory(path) => path.as_path(),
            Input::File(path) | Input::Text { path, .. } => path.parent().unwrap_or(Path::new("")),
        };
        let Ok(here) = std::env::current_dir() else { return String::new() };
        let target = absolute(directory, &here);
        let shown = if directory.is_relative() || target.starts_with(&here) {
            relative(&target, &here)
        } else {
            target.to_string_lossy().into_owned()
        };
        if shown.is_empty() || shown.ends_with('/') { shown } else { shown + "/" }
    }
}
