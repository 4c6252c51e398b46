//! Files that only grow, such as journals.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::files::Files;
use crate::resolve::LastLink;
use crate::system::{FileSystem, Handle};
use crate::temporaries::write_all;

/// A file to whose end complete records are appended.
///
/// After a crash it has all records that were [synced](AppendFile::sync), and a part of those that were appended since.
#[derive(Debug)]
pub struct AppendFile {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    file: Handle,
    /// The length of the complete records, in bytes.
    length: u64,
}

impl Files {
    /// Gives a file this content, like [`Files::write`], and opens it for appending. The content and the name are on the disk
    /// when this returns.
    ///
    /// # Errors
    /// A system call failed, the file keeps its content; or a link must not be followed.
    pub fn append_to(&self, path: &Path, content: &[u8], mode: u32) -> Result<AppendFile, Error> {
        self.write(path, content, mode)?;
        let target = self.lock(path, LastLink::Follow)?;
        let file = target.open_to_write()?;
        Ok(AppendFile { fs: Arc::clone(&self.fs), path: target.path(), file, length: content.len() as u64 })
    }
}

impl AppendFile {
    /// Appends a record. If that fails, what was written of it is removed or, if that fails too, overwritten by the next one.
    ///
    /// # Errors
    /// The system call failed.
    pub fn append(&mut self, record: &[u8]) -> Result<(), Error> {
        match write_all(&*self.fs, &self.file, record, self.length) {
            Ok(()) => self.length += record.len() as u64,
            Err(error) => {
                let _ = self.fs.set_length(&self.file, self.length);
                return Err(self.error("write", error));
            }
        }
        Ok(())
    }

    /// Writes the appended records to the disk.
    ///
    /// # Errors
    /// The system call failed; they may be lost in a crash.
    pub fn sync(&self) -> Result<(), Error> {
        self.fs.sync(&self.file).map_err(|error| self.error("sync", error))
    }

    fn error(&self, action: &'static str, error: io::Error) -> Error {
        Error::io(action, &self.path, error)
    }
}
