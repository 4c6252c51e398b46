//! Removing a tree.

use std::fs;
use std::path::Path;

use crate::Failure;

/// Removes a directory with everything in it, never following links; refuses `/`.
pub(super) fn tree(path: &Path) -> Result<(), Failure> {
    if path.parent().is_none() {
        return Err(Failure::Refused("the root directory is never removed".to_owned()));
    }
    fs::remove_dir_all(path).map_err(Failure::on("remove", path))
}
