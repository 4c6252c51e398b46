//! Replacing a file so that a crash leaves the old or the new content, never a mix.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The name of the temporary file for a path, in the same directory. It follows from the path, so what a killed process
/// left behind is found and replaced by the next attempt, which comes because the path is not in its state yet.
pub(crate) fn temporary_beside(path: &Path) -> PathBuf {
    let base = path.file_name().unwrap_or_default();
    let mut name = OsString::from(".");
    // The limit of a file name is 255 bytes.
    if base.len() < 240 {
        name.push(base);
    } else {
        name.push(URL_SAFE_NO_PAD.encode(Sha256::digest(base.as_bytes())));
    }
    name.push(".mgmt-new");
    path.with_file_name(name)
}

/// Makes a temporary file with that function; what a killed process left under the name is removed first.
pub(crate) fn make_temporary<T>(temporary: &Path, mut make: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match make() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(temporary)?;
            make()
        }
        result => result,
    }
}

/// Writes the content to a temporary file beside the path, syncs it, and renames it. The directory is synced too.
///
/// # Errors
/// Any system call failed; the old file is untouched and the temporary one removed.
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
    fn what_a_killed_process_left_does_not_stand_in_the_way() {
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
