//! The file system, and the texts that stand for files of it: those of standard input and of the buffers of an editor.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Texts that stand for files, by absolute path without `.` and `..`. The files need not exist.
pub type Buffers = FxHashMap<PathBuf, Arc<str>>;

/// Where sources are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    pub(crate) buffers: Arc<Buffers>,
    /// The bytes of the file that is given on standard input.
    pub(crate) input: Option<(PathBuf, Vec<u8>)>,
}

impl Disk {
    /// Returns the bytes that stand for a file.
    pub(crate) fn given(&self, path: &Path) -> Option<&[u8]> {
        let input = self.input.as_ref().filter(|(given, _)| given == path).map(|(_, bytes)| bytes.as_slice());
        input.or_else(|| self.buffers.get(path).map(|text| text.as_bytes()))
    }

    /// Returns the bytes of a file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.given(path).map_or_else(|| std::fs::read(path), |bytes| Ok(bytes.to_vec()))
    }

    pub(crate) fn is_file(&self, path: &Path) -> bool {
        self.given(path).is_some() || path.is_file()
    }

    /// Whether there is anything at a path, perhaps a link that leads nowhere.
    pub(crate) fn has_entry(&self, path: &Path) -> bool {
        self.given(path).is_some() || path.symlink_metadata().is_ok()
    }
}
