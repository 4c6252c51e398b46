//! Writing state to the disk.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes a directory, and those above it, readable by the owner and the group only.
///
/// # Errors
/// It cannot be made.
pub fn create_private_dir(path: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o750).create(path)
}

/// Replaces a file so that every reader sees either the old or the new contents, even after a crash. `mode` is what the
/// mask of the process leaves of it.
///
/// # Errors
/// The file cannot be written; what was there is untouched.
pub fn write_atomically(path: &Path, contents: &[u8], mode: u32) -> std::io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let temporary = path.with_file_name(format!(".{name}.{}.{number}.tmp", std::process::id()));
    let write = || {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        file.write_all(contents)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().inspect_err(|_| drop(std::fs::remove_file(&temporary)))
}
