//! Removing a directory tree.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use rustix::io::Errno;

use crate::backup::Saved;
use crate::error::{Error, done_if_missing};
use crate::files::Files;
use crate::system::{Access, FileSystem, Handle, Rename};

/// Maximum number of directories that are open at a time. What is deeper is moved up first.
const MAX_DEPTH: usize = 64;

/// A directory that is being emptied.
struct Level {
    directory: Handle,
    name: OsString,
    entries: Vec<OsString>,
}

/// Why a tree was not removed.
#[derive(Debug)]
pub(crate) enum RemoveError {
    /// A system call failed.
    Io(io::Error),
    /// Something in it was not backed up.
    NotSaved,
}

impl RemoveError {
    pub(crate) fn at(self, path: &Path) -> Error {
        match self {
            RemoveError::Io(error) => Error::io("remove", path, error),
            RemoveError::NotSaved => Error::Disturbed { path: path.to_path_buf() },
        }
    }
}

impl From<io::Error> for RemoveError {
    fn from(error: io::Error) -> RemoveError {
        RemoveError::Io(error)
    }
}

/// Removes an entry with everything in it. Directories are opened one below the other without following links, so nobody can
/// lead the removal elsewhere. If `saved` is given, only what it has is removed.
pub(crate) fn remove(files: &Files, parent: &Handle, name: &OsStr, saved: Option<&Saved>) -> Result<(), RemoveError> {
    let fs = &*files.fs;
    let remove_or_open = |parent: &Handle, name: &OsStr| remove_or_open(fs, parent, name, saved);
    let mut levels: Vec<Level> = Vec::new();
    let Some(level) = remove_or_open(parent, name)? else { return Ok(()) };
    levels.push(level);
    while let Some(level) = levels.last_mut() {
        let Some(entry) = level.entries.pop() else {
            let Level { name, .. } = levels.pop().expect("the level that was looked at");
            let above = levels.last().map_or(parent, |level| &level.directory);
            match done_if_missing(fs.remove_directory(above, &name)) {
                // Somebody created an entry meanwhile.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    let Some(level) = remove_or_open(above, &name)? else { continue };
                    if level.entries.is_empty() {
                        return Err(error.into());
                    }
                    levels.push(level);
                }
                result => result?,
            }
            continue;
        };
        let Some(below) = remove_or_open(&level.directory, &entry)? else { continue };
        if levels.len() < MAX_DEPTH {
            levels.push(below);
            continue;
        }
        // Move the directory up to the first level, where it is removed next.
        let (first, last) = (&levels[0], &levels[levels.len() - 1]);
        let moved = OsString::from(format!(".mgmt-tmp-{:016x}", fs.random()));
        fs.rename((&last.directory, &entry), (&first.directory, &moved), Rename::New)?;
        levels[0].entries.push(moved);
    }
    Ok(())
}

/// Removes an entry that is not a directory, or returns the open directory.
fn remove_or_open(
    fs: &dyn FileSystem,
    parent: &Handle,
    name: &OsStr,
    saved: Option<&Saved>,
) -> Result<Option<Level>, RemoveError> {
    if let Some(saved) = saved {
        match fs.open_at(parent, name, Access::Path).and_then(|entry| fs.stat(&entry)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
            Ok(stat) if !stat.is_directory() && !saved.has(&stat) => return Err(RemoveError::NotSaved),
            Ok(_) => {}
        }
    }
    match done_if_missing(fs.remove_file(parent, name)) {
        Ok(()) => return Ok(None),
        // What the kernel answers for a directory depends on the file system.
        Err(error) if [Errno::ISDIR, Errno::PERM].iter().any(|e| error.raw_os_error() == Some(e.raw_os_error())) => {}
        Err(error) => return Err(error.into()),
    }
    let directory = match fs.open_at(parent, name, Access::DirectoryOnSameMount) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        result => result?,
    };
    let entries = fs.entries(&directory)?;
    Ok(Some(Level { directory, name: name.to_owned(), entries }))
}
