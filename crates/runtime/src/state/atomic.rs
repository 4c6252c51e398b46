//! Replacing a file so that a crash leaves the old or the new content, never a mix.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A name for a temporary file beside the path, unique in this process; left-overs of a killed process are recognised
/// by the marker and may be removed.
pub(crate) fn temporary_beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    let base = path.file_name().unwrap_or_default();
    // Leave room for the marker within the limit of 255 bytes.
    if base.len() < 200 {
        name.push(base);
    }
    name.push(format!(".mgmt-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    path.with_file_name(name)
}

/// Writes the content to a temporary file beside the path, syncs it, and renames it. The directory is synced too.
///
/// # Errors
/// Any system call failed; the old file is untouched and the temporary one removed.
pub fn write_atomically(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let temporary = temporary_beside(path);
    let result = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)?;
        match path.parent() {
            Some(dir) => File::open(dir)?.sync_all(),
            None => Ok(()),
        }
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}
