//! Reading one file, whatever it turns out to be.
//!
//! What a link of a user leads to is read only if it is that user's: what root reads here may become readable for everybody.

use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::makedev;
use safe_fs::{Error, FileKind, Files, LastLink, OpenFile};

use crate::error::EnvironmentError;
use crate::limits::MAX_FILE_BYTES;

/// Reads a regular file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    match open(path)? {
        Some(file) => read(file, path),
        None => Ok(Vec::new()),
    }
}

/// Reads standard input to its end.
pub(crate) fn read_standard_input() -> Result<Vec<u8>, EnvironmentError> {
    let path = Path::new("<stdin>");
    let mut bytes = Vec::new();
    let input = std::io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    input.map_err(|error| EnvironmentError::unreadable(path, error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(EnvironmentError::TooLarge(path.to_owned()));
    }
    Ok(bytes)
}

fn read(file: OpenFile<'_>, path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(path, error);
    let size = file.stat().size;
    if size > MAX_FILE_BYTES {
        return Err(EnvironmentError::TooLarge(path.to_owned()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
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
    if real(path)?.starts_with(real(directory)?) {
        Ok(())
    } else {
        Err(EnvironmentError::OutsideModule(path.to_owned()))
    }
}

/// Reads a file that other users must not be able to read or write.
pub(crate) fn read_private(path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    let Some(file) = open(path)? else { return Ok(Vec::new()) };
    // The group may read it: a server of Puppet has a group of its own.
    match file.stat().mode & 0o027 {
        0 => read(file, path),
        _ => Err(EnvironmentError::Unprotected(path.to_owned())),
    }
}

/// Reads the first bytes of a regular file, enough for the header of an artifact.
pub(crate) fn read_start(path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(path, error);
    let mut start = Vec::new();
    let Some(file) = open(path)? else { return Ok(start) };
    file.take(64).read_to_end(&mut start).map_err(unreadable)?;
    Ok(start)
}

/// Opens a regular file; `None` for the null device. A pipe or another device is rejected without waiting for it.
fn open(path: &Path) -> Result<Option<OpenFile<'static>>, EnvironmentError> {
    let unreadable = |error| EnvironmentError::unreadable(path, error);
    let absolute = std::path::absolute(path).map_err(unreadable)?;
    let files = Files::of_kernel();
    let not_a_file = |error: Error| match error {
        Error::WrongKind { .. } => EnvironmentError::NotAFile(path.to_owned()),
        error => unreadable(error.into_io()),
    };
    // Looked at first, because opening a device can have effects.
    let found = files.find(&absolute, LastLink::Follow).map_err(not_a_file)?;
    match found.map(|found| found.stat.kind) {
        None => Err(unreadable(std::io::ErrorKind::NotFound.into())),
        Some(FileKind::File) => {
            let file = files.open(&absolute, LastLink::Follow).map_err(not_a_file)?;
            file.map_or_else(|| Err(unreadable(std::io::ErrorKind::NotFound.into())), |file| Ok(Some(file)))
        }
        // Programs name the null device as an empty file: `file('/etc/optional', '/dev/null')`.
        Some(_) if is_null(path) => Ok(None),
        Some(_) => Err(EnvironmentError::NotAFile(path.to_owned())),
    }
}

fn is_null(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.file_type().is_char_device() && found.rdev() == makedev(1, 3))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

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
    fn secrets_are_not_read_for_the_user_who_made_a_link() {
        if !rustix::process::geteuid().is_root() {
            return test_support::skip("needs root");
        }
        let root = tempfile::tempdir().expect("a temporary directory");
        let [home, secret, own] = ["home", "secret", "home/own"].map(|name| root.path().join(name));
        std::fs::create_dir(&home).expect("writable");
        std::fs::write(&secret, "secret").expect("writable");
        std::fs::write(&own, "own").expect("writable");
        let [to_secret, to_own, name] = ["to-secret", "to-own", "name"].map(|name| home.join(name));
        std::os::unix::fs::symlink(&secret, &to_secret).expect("writable");
        std::os::unix::fs::symlink("own", &to_own).expect("writable");
        std::fs::hard_link(&secret, &name).expect("writable");
        for path in [&home, &own, &to_secret, &to_own] {
            std::os::unix::fs::lchown(path, Some(65534), Some(65534)).expect("given away");
        }
        for path in [&to_secret, &name] {
            let error = read_file(path).expect_err("refused").diagnostic().message;
            assert!(error.contains("user 0"), "{error}");
        }
        assert_eq!(read_file(&to_own).expect("the user's own"), b"own");
    }

    #[test]
    fn private_files_are_not_those_of_others() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let path = root.path().join("key");
        std::fs::write(&path, "k").expect("writable");
        let set = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("our own file");
        for mode in [0o600, 0o400, 0o640] {
            set(mode);
            assert_eq!(read_private(&path).expect("private"), b"k", "{mode:o}");
        }
        for mode in [0o644, 0o602, 0o660, 0o601] {
            set(mode);
            assert!(matches!(read_private(&path), Err(EnvironmentError::Unprotected(_))), "{mode:o}");
        }
        assert!(read_private(&root.path().join("none")).is_err_and(|error| error.is_missing()));
    }

    #[test]
    fn devices_and_directories_are_not_read() {
        for path in ["/dev/zero", "/"] {
            assert!(matches!(read_file(Path::new(path)), Err(EnvironmentError::NotAFile(_))), "{path}");
        }
        assert!(read_file(Path::new("/dev/null")).is_ok_and(|bytes| bytes.is_empty()));
    }
}
