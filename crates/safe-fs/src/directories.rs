//! Creating directories with those above them.

use std::path::Path;

use crate::error::Error;
use crate::files::Files;
use crate::resolve::LastLink;
use crate::system::FileKind;
use crate::target::NewAttributes;

impl Files {
    /// Creates a directory and the missing ones above it, all with this mode. An existing one is left as it is. New
    /// directories are on the disk when this returns, so that a crash does not take what is written in them next.
    ///
    /// # Errors
    /// Something else has the name, a link must not be followed, or a system call failed.
    pub fn make_directories(&self, path: &Path, mode: u32) -> Result<(), Error> {
        let path = &std::path::absolute(path).map_err(Error::on("find", path))?;
        let mut missing = Vec::new();
        for ancestor in path.ancestors() {
            match self.find(ancestor, LastLink::Follow)? {
                None => missing.push(ancestor),
                Some(found) if found.stat.is_directory() => break,
                Some(found) => {
                    let path = ancestor.to_path_buf();
                    return Err(Error::WrongKind { path, found: found.stat.kind, wanted: FileKind::Directory });
                }
            }
        }
        let attributes = NewAttributes { mode: Some(mode), ..NewAttributes::default() };
        for directory in missing.into_iter().rev() {
            let target = self.lock(directory, LastLink::Follow)?;
            if target.make_directory(&attributes)?
                && let Err(error) = target.sync_directory()
            {
                // The next attempt must not find it, and take it for one that is on the disk.
                let _ = target.remove_directory();
                return Err(error);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn missing_directories_get_the_mode_and_existing_ones_keep_theirs() {
        let scratch = tempfile::tempdir().unwrap();
        let files = Files::of_kernel();
        let mode = |name: &str| fs::metadata(scratch.path().join(name)).unwrap().permissions().mode() & 0o777;
        fs::create_dir(scratch.path().join("a")).unwrap();
        fs::set_permissions(scratch.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
        files.make_directories(&scratch.path().join("a/b/c"), 0o700).unwrap();
        files.make_directories(&scratch.path().join("a/b/c"), 0o711).unwrap();
        assert_eq!([mode("a"), mode("a/b"), mode("a/b/c")], [0o755, 0o700, 0o700]);
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("a"), "").unwrap();
        assert!(Files::of_kernel().make_directories(&scratch.path().join("a"), 0o700).is_err());
        assert!(Files::of_kernel().make_directories(&scratch.path().join("a/b"), 0o700).is_err());
    }
}
