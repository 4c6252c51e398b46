//! Programs among the files of a directory.

use std::path::{Path, PathBuf};

/// Returns whether a path has the name of a program.
pub fn is_program(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "mcl")
}

/// Returns the programs below a directory in the order of their names, except hidden directories and what `.gitignore` excludes.
///
/// # Errors
/// If a directory cannot be read.
pub fn programs_below(directory: &Path) -> Result<Vec<PathBuf>, ignore::Error> {
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(directory).require_git(false).sort_by_file_name(Ord::cmp).build() {
        let entry = entry?;
        if is_program(entry.path()) && entry.file_type().is_some_and(|kind| !kind.is_dir()) {
            let path = entry.into_path();
            files.push(path.strip_prefix(".").map(Path::to_owned).unwrap_or(path));
        }
    }
    Ok(files)
}
