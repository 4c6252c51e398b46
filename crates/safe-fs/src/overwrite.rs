//! Overwrites a file, so that a crash leaves the old or the new content.

use std::io;
use std::path::Path;

use crate::error::Error;
use crate::files::Files;
use crate::recovery::{Copy, content_of, put};
use crate::system::{Handle, Stat};

/// Overwrites a file whose lock the caller holds.
pub(crate) fn overwrite(files: &Files, path: &Path, file: &Handle, stat: &Stat, new: &[u8]) -> Result<(), Error> {
    let fs = &*files.fs;
    let old = content_of(fs, file).map_err(Error::on("read", path))?;
    let copy = Copy { path: path.to_path_buf(), dev: stat.dev, ino: stat.ino, old, new: new.to_vec() };
    let stored = match &files.recovery {
        Some(recovery) => Some((recovery, recovery.store(fs, &copy).map_err(Error::on("keep a copy of", path))?)),
        None => None,
    };
    let result = match fs.reserve(file, new.len() as u64) {
        Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(error),
        // Other errors mean that the file system cannot reserve space.
        _ => put(fs, file, new).inspect_err(|_| {
            // The space of the old content is still allocated.
            let _ = put(fs, file, &copy.old);
        }),
    };
    if let Some((recovery, name)) = stored {
        // If the file is still a mix, the next process restores it.
        if content_of(fs, file).is_ok_and(|content| content == copy.old || content == new) {
            let _ = fs.remove_file(&recovery.state, &name);
        }
    }
    result.map_err(Error::on("write", path))
}
