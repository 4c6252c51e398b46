//! Replaces files atomically: after a crash a file has the old or the new content, never a mix.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Returns the name of the temporary file for a path, in the same directory. It is a function of the path, so the next attempt
/// finds and replaces a file that a killed process left.
pub(crate) fn temporary_beside(path: &Path) -> PathBuf {
    let base = path.file_name().unwrap_or_default();
    let mut name = OsString::from(".");
    // File names have at most 255 bytes.
    if base.len() < 240 {
        name.push(base);
    } else {
        name.push(URL_SAFE_NO_PAD.encode(Sha256::digest(base.as_bytes())));
    }
    name.push(".mgmt-new");
    path.with_file_name(name)
}

/// Creates a temporary file with `make`; removes one that a killed process left and tries again.
pub(crate) fn make_temporary<T>(temporary: &Path, mut make: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match make() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(temporary)?;
            make()
        }
        result => result,
    }
}

/// Writes the content to a temporary file in the same directory, syncs it, renames it, and syncs the directory.
///
/// # Errors
/// A system call failed. The old file is unchanged and the temporary one removed.
pub fn write_atomically(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let temporary = temporary_beside(path);
    let result = (|| {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(mode);
        let mut file = make_temporary(&temporary, || options.open(&temporary))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_left_by_a_killed_process_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::write(temporary_beside(&path), "half").unwrap();
        write_atomically(&path, b"whole", 0o600).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn temporary_name_of_a_long_name_fits() {
        let path = PathBuf::from(format!("/d/{}", "n".repeat(255)));
        assert!(temporary_beside(&path).file_name().unwrap().len() <= 255);
    }
}
