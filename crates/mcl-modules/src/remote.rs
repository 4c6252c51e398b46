//! What a remote import needs on disk, for whom fetches modules.

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
    /// Where the module lies.
    pub place: RemotePlace,
}

/// Where a remote module lies (spec 01 §6.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemotePlace {
    /// In this directory, with its `metadata.yaml`.
    Found(PathBuf),
    /// In no module directory.
    Missing {
        /// The nearest of them, which need not exist.
        module_directory: PathBuf,
        /// Where the module belongs in it.
        target: PathBuf,
    },
    /// There is no module directory to search.
    Nowhere,
}

/// Whether a path lies properly below a directory, also when the symbolic links on the way are followed. Neither needs to
/// exist.
#[must_use]
pub fn lies_below(path: &Path, directory: &Path) -> bool {
    let (Some(real_path), Some(real_directory)) = (real_part(path), real_part(directory)) else { return false };
    path != directory && path.starts_with(directory) && real_path.starts_with(real_directory)
}
