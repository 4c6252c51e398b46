//! Reading one file, whatever it turns out to be.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{OFlags, makedev};

use crate::error::EnvironmentError;

/// Maximum size of a file of an environment. Spans count bytes in 32 bits.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Reads a regular file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(path, error);
    let file = open(path)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.len() > MAX_FILE_BYTES {
        return Err(EnvironmentError::TooLarge(path.to_owned()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // The file may grow, or be one of those whose length is zero until it is read.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(EnvironmentError::TooLarge(path.to_owned()));
    }
    Ok(bytes)
}

/// Reads the first bytes of a regular file, enough for the header of an artifact.
pub(crate) fn read_start(path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(path, error);
    let file = open(path)?;
    let mut start = Vec::new();
    file.take(64).read_to_end(&mut start).map_err(unreadable)?;
    Ok(start)
}

/// Opens a regular file. A pipe or device is rejected without waiting for it.
fn open(path: &Path) -> Result<File, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(path, error);
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    // Programs name the null device as an empty file: `file('/etc/optional', '/dev/null')`.
    let is_null = metadata.file_type().is_char_device() && metadata.rdev() == makedev(1, 3);
    if !metadata.is_file() && !is_null {
        return Err(EnvironmentError::NotAFile(path.to_owned()));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_and_directories_are_not_read() {
        for path in ["/dev/zero", "/"] {
            assert!(matches!(read_file(Path::new(path)), Err(EnvironmentError::NotAFile(_))), "{path}");
        }
        assert!(read_file(Path::new("/dev/null")).is_ok_and(|bytes| bytes.is_empty()));
    }
}
