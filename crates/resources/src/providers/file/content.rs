//! The content that a file must have.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use safe_fs::{LastLink, OpenFile, Stat};

use crate::Failure;
use crate::file_access::failure;

/// Maximum size of contents in a diff, in bytes.
pub(super) const DIFF_LIMIT: u64 = 1 << 20;
/// Size of a read, in bytes.
const CHUNK_SIZE: usize = 64 * 1024;

/// The source of a file's new content.
pub(super) enum Content<'a> {
    Bytes { bytes: &'a [u8], privacy: Privacy },
    File { path: PathBuf, file: OpenFile<'a> },
}

/// What content says about the mode of its file, if the resource does not set it.
#[derive(Clone, Copy)]
pub(super) enum Privacy {
    Public,
    /// It is sensitive: only its owner may read a new file.
    Sensitive,
    /// The mode is at most this one, that of the most private file that the content is from.
    AtMost(u32),
}

/// The mode of a new file with sensitive content.
const SENSITIVE_MODE: u32 = 0o600;

impl<'a> Content<'a> {
    /// Returns the content of an empty file.
    pub(super) fn empty() -> Content<'static> {
        Content::Bytes { bytes: b"", privacy: Privacy::Public }
    }

    /// Opens a file to copy from.
    pub(super) fn open(files: &'a safe_fs::Files, path: &Path) -> Result<Content<'a>, Failure> {
        match files.open(path, LastLink::Follow).map_err(failure)? {
            Some(file) => Ok(Content::File { path: path.to_path_buf(), file }),
            None => Err(Failure::io("read the source", path, Errno::NOENT)),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Content::Bytes { bytes, .. } => bytes.len() as u64,
            Content::File { file, .. } => file.stat().size,
        }
    }

    /// Returns the mode of a file with this content that replaces one with the mode `old`; `None` for the default.
    pub(super) fn mode(&self, old: Option<u32>, umask: u32) -> Option<u32> {
        match self {
            Content::Bytes { privacy: Privacy::Public | Privacy::AtMost(0o7777), .. } => old,
            Content::Bytes { privacy: Privacy::Sensitive, .. } => Some(old.unwrap_or(SENSITIVE_MODE)),
            Content::Bytes { privacy: Privacy::AtMost(max), .. } => Some(old.unwrap_or(0o666 & !umask) & max),
            Content::File { file, .. } => Some(file.stat().mode),
        }
    }

    pub(super) fn is_same_file(&self, other: &Stat) -> bool {
        match self {
            Content::Bytes { .. } => false,
            Content::File { file, .. } => file.stat().is_same_object(other),
        }
    }

    /// Returns whether a file has this content.
    pub(super) fn equals(&mut self, file: &mut OpenFile<'_>) -> io::Result<bool> {
        if file.stat().size != self.len() {
            return Ok(false);
        }
        match self {
            Content::Bytes { bytes, .. } => starts_with(file, bytes),
            Content::File { file: source, .. } => {
                source.rewind();
                let mut chunk = vec![0; CHUNK_SIZE];
                loop {
                    match source.read(&mut chunk)? {
                        0 => return Ok(file.read(&mut chunk)? == 0),
                        n if starts_with(file, &chunk[..n])? => {}
                        _ => return Ok(false),
                    }
                }
            }
        }
    }

    pub(super) fn write_to(&mut self, out: &mut dyn Write, target: &Path) -> Result<(), Failure> {
        match self {
            Content::Bytes { bytes, .. } => out.write_all(bytes).map_err(Failure::on("write", target)),
            Content::File { path, file } => {
                file.rewind();
                let mut chunk = vec![0; CHUNK_SIZE];
                loop {
                    match file.read(&mut chunk).map_err(Failure::on("copy", path))? {
                        0 => return Ok(()),
                        n => out.write_all(&chunk[..n]).map_err(Failure::on("write", target))?,
                    }
                }
            }
        }
    }

    pub(super) fn for_diff(&mut self) -> Option<Vec<u8>> {
        (self.len() <= DIFF_LIMIT).then(|| match self {
            Content::Bytes { bytes, .. } => Some(bytes.to_vec()),
            Content::File { file, .. } => file.read_all().ok(),
        })?
    }
}

/// Returns whether the next bytes of the file are these.
fn starts_with(file: &mut OpenFile<'_>, bytes: &[u8]) -> io::Result<bool> {
    let mut buffer = vec![0; bytes.len().min(CHUNK_SIZE)];
    for expected in bytes.chunks(CHUNK_SIZE) {
        let part = &mut buffer[..expected.len()];
        match file.read_exact(part) {
            Ok(()) if part == expected => {}
            Ok(()) => return Ok(false),
            // The file shrank during the comparison.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Returns the mode that what is made from a file may have at most: nobody may read more of it than of the file.
pub(crate) fn max_mode(source: &Stat) -> u32 {
    let mut max = 0o7777;
    if source.mode & 0o004 == 0 {
        max &= !0o007;
    }
    if source.mode & 0o040 == 0 {
        max &= !0o070;
    }
    max
}
