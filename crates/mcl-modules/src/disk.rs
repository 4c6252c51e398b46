//! The file system, and the texts that stand for files of it: those of standard input and of the buffers of an editor.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_lexer::Tokens;
use rustc_hash::FxHashMap;

/// Texts that stand for files, by absolute path without `.` and `..`. The files need not exist.
pub type Buffers = FxHashMap<PathBuf, Buffer>;

/// A text that stands for a file.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The text.
    pub text: Arc<str>,
    /// Its tokens, if they are known already.
    pub tokens: Option<Arc<Tokens>>,
}

impl From<&str> for Buffer {
    fn from(text: &str) -> Buffer {
        Buffer { text: text.into(), tokens: None }
    }
}

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
        input.or_else(|| self.buffers.get(path).map(|buffer| buffer.text.as_bytes()))
    }

    /// Returns the buffer that stands for a file, unless it is given on standard input.
    pub(crate) fn buffer(&self, path: &Path) -> Option<&Buffer> {
        self.buffers.get(path).filter(|_| self.input.as_ref().is_none_or(|(given, _)| given != path))
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
