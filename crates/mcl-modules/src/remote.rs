//! Where remote modules are, or have to be put by `mclc get`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::Span;

use crate::clean::real_part;

/// An import of a remote module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteImport {
    /// The string of the import statement.
    pub span: Span,
    /// Where git can get the module: the import name without query and fragment.
    pub clone_url: Arc<str>,
    /// Where the module is.
    pub location: RemoteLocation,
}

/// Where a remote module is (spec 01 §6.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteLocation {
    /// In this directory, with its `metadata.yaml`.
    Found(PathBuf),
    /// In no module directory.
    Missing {
        /// The nearest module directory, which need not exist.
        module_directory: PathBuf,
        /// Where to put the module.
        target: PathBuf,
    },
    /// There is no module directory.
    NoModuleDirectory,
}

/// Returns whether a path is strictly below a directory, also after symbolic links are followed. Neither needs to exist.
#[must_use]
pub fn is_below(path: &Path, directory: &Path) -> bool {
    let (Some(real_path), Some(real_directory)) = (real_part(path), real_part(directory)) else { return false };
    path != directory && path.starts_with(directory) && real_path.starts_with(real_directory)
}
