//! Reading one file, whatever it turns out to be.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{OFlags, makedev};

use crate::error::EnvironmentError;
use crate::limits::MAX_FILE_BYTES;

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

/// Reads a regular file in the directory of a module. A symbolic link must not lead out of it.
pub(crate) fn read_inside(directory: &Path, path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    check_inside(directory, path)?;
    read_file(path)
}

/// Checks that a path that exists is inside a directory, whatever symbolic links there are.
pub(crate) fn check_inside(directory: &Path, path: &Path) -> Result<(), EnvironmentError> {
    let real = |path: &Path| path.canonicalize().map_err(|error| EnvironmentError::unreadable(path, error));
    match real(path)?.starts_with(real(directory)?) {
        true => Ok(()),
        false => Err(EnvironmentError::OutsideModule(path.to_owned())),
    }
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
    fn links_do_not_lead_out_of_a_module() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let module = root.path().join("m");
        std::fs::create_dir_all(module.join("files")).expect("writable");
        std::fs::write(root.path().join("secret"), "x").expect("writable");
        std::fs::write(module.join("a"), "a").expect("writable");
        for (link, target) in [("files/out", "../../secret"), ("files/in", "../a"), ("files/gone", "nothing")] {
            std::os::unix::fs::symlink(target, module.join(link)).expect("writable");
        }
        let read = |name: &str| read_inside(&module, &module.join(name));
        assert_eq!(read("files/in").expect("inside"), b"a");
        assert!(matches!(read("files/out"), Err(EnvironmentError::OutsideModule(_))));
        assert!(read("files/gone").is_err_and(|error| error.is_missing()));
        // The module itself may be a link.
        std::os::unix::fs::symlink(&module, root.path().join("n")).expect("writable");
        let link = root.path().join("n");
        assert_eq!(read_inside(&link, &link.join("files/in")).expect("inside"), b"a");
    }

    #[test]
    fn devices_and_directories_are_not_read() {
        for path in ["/dev/zero", "/"] {
            assert!(matches!(read_file(Path::new(path)), Err(EnvironmentError::NotAFile(_))), "{path}");
        }
        assert!(read_file(Path::new("/dev/null")).is_ok_and(|bytes| bytes.is_empty()));
    }
}
