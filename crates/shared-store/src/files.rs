//! Writing files durably.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use safe_fs::{Error, Files};

/// Creates a directory and its missing parents, accessible to the owner only.
///
/// # Errors
/// A directory cannot be created.
pub fn create_private_dir(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Replaces a file. Every reader sees either the old or the new contents, even after a crash. The process umask applies to
/// `mode`.
///
/// # Errors
/// The file cannot be written; the old contents remain.
pub fn write_atomically(path: &Path, contents: &[u8], mode: u32) -> std::io::Result<()> {
    let files = Files::of_kernel();
    files.write(path, contents, mode & !files.file_system().umask()).map_err(Error::into_io)
}
