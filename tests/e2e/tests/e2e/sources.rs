//! The files of the repository, for the tests that read them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A file of the repository.
pub struct Source {
    /// Path relative to the root of the repository, with `/`.
    pub path: String,
    pub text: String,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads every text file that git tracks or would track and whose name ends in one of `extensions`, in path order.
pub fn sources(extensions: &[&str]) -> Vec<Source> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git is installed");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let paths = String::from_utf8(listed.stdout).expect("paths are UTF-8");
    let mut paths: Vec<&str> =
        paths.split('\0').filter(|path| extensions.iter().any(|e| path.strip_suffix(e).is_some())).collect();
    paths.sort_unstable();
    paths.dedup();
    // A file that was deleted but not yet staged is still listed.
    paths
        .into_iter()
        .filter_map(|path| {
            Some(Source { path: path.to_owned(), text: std::fs::read_to_string(root().join(path)).ok()? })
        })
        .collect()
}

/// The number of the line that contains the byte `offset`, counted from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}
