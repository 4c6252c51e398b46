//! Writing in place, for files that cannot be replaced because something is mounted on their name.
//!
//! Before the first byte changes, the old and the new content are stored in the state directory, and space is reserved. After
//! a crash the next process finds the copy and restores the old content, if the file is a mix of the two. If the file is
//! anything else, another program has written it since, and it is left alone.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::open_file::Reader;
use crate::system::{Access, FileSystem, Handle};
use crate::temporaries::write_all;

/// How the names of copies start.
const PREFIX: &str = "recover-";
const PREFIX_OF_UNFINISHED: &str = "unfinished-";

/// The directory of the copies.
#[derive(Debug)]
pub(crate) struct Recovery {
    pub(crate) state: Handle,
}

/// What a copy holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) path: PathBuf,
    pub(crate) dev: u64,
    pub(crate) ino: u64,
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
}

impl Copy {
    /// Numbers and lengths are in little-endian order.
    fn encode(&self) -> Vec<u8> {
        let path = self.path.as_os_str().as_bytes();
        let mut out = Vec::with_capacity(40 + path.len() + self.old.len() + self.new.len());
        for number in [self.dev, self.ino, path.len() as u64, self.old.len() as u64, self.new.len() as u64] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for part in [path, &self.old, &self.new] {
            out.extend_from_slice(part);
        }
        out
    }

    fn decode(mut bytes: &[u8]) -> Option<Copy> {
        fn number(bytes: &mut &[u8]) -> Option<u64> {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u64::from_le_bytes(*number))
        }
        fn part(bytes: &mut &[u8], length: u64) -> Option<Vec<u8>> {
            let (part, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
            *bytes = rest;
            Some(part.to_vec())
        }
        let bytes = &mut bytes;
        let (dev, ino) = (number(bytes)?, number(bytes)?);
        let (path_length, old_length, new_length) = (number(bytes)?, number(bytes)?, number(bytes)?);
        let path = PathBuf::from(OsString::from_vec(part(bytes, path_length)?));
        let (old, new) = (part(bytes, old_length)?, part(bytes, new_length)?);
        bytes.is_empty().then_some(Copy { path, dev, ino, old, new })
    }

    /// Returns whether the content is what an interrupted overwriting leaves: each byte is that of the old or the new content,
    /// or zero in space that was allocated but not written.
    fn is_mix(&self, content: &[u8]) -> bool {
        content.len() <= self.old.len().max(self.new.len())
            && content.iter().enumerate().all(|(i, byte)| {
                let (old, new) = (self.old.get(i), self.new.get(i));
                Some(byte) == old || Some(byte) == new || (old.is_none() && *byte == 0)
            })
    }
}

impl Recovery {
    /// Restores what an earlier process was writing.
    ///
    /// # Errors
    /// The state directory cannot be read. Files that cannot be restored are tried again by the next process.
    pub(crate) fn open(fs: &dyn FileSystem, state: Handle) -> io::Result<Recovery> {
        let listed = fs.open_at(&state, OsStr::new("."), Access::Directory)?;
        let mut is_clean = true;
        for name in fs.entries(&listed)? {
            let is_unfinished = name.as_bytes().starts_with(PREFIX_OF_UNFINISHED.as_bytes());
            let is_copy = name.as_bytes().starts_with(PREFIX.as_bytes());
            if is_unfinished || is_copy && restore(fs, &state, &name).is_ok() {
                fs.remove_file(&state, &name)?;
                is_clean = false;
            }
        }
        if !is_clean {
            // A copy that came back in a crash would undo what is written from now on.
            fs.sync(&listed)?;
        }
        Ok(Recovery { state })
    }

    /// Stores a copy on the disk and returns its name.
    pub(crate) fn store(&self, fs: &dyn FileSystem, copy: &Copy) -> io::Result<OsString> {
        let number = fs.random();
        let unfinished = OsString::from(format!("{PREFIX_OF_UNFINISHED}{number:016x}"));
        let name = OsString::from(format!("{PREFIX}{number:016x}"));
        let write = || {
            let file = fs.create_file(&self.state, &unfinished, 0o600)?;
            write_all(fs, &file, &copy.encode(), 0)?;
            fs.sync(&file)?;
            fs.rename((&self.state, &unfinished), (&self.state, &name), crate::system::Rename::Replace)?;
            fs.sync(&self.state)
        };
        write().inspect_err(|_| drop(fs.remove_file(&self.state, &unfinished)))?;
        Ok(name)
    }
}

fn restore(fs: &dyn FileSystem, state: &Handle, name: &OsStr) -> io::Result<()> {
    let bytes = content_of(fs, &fs.open_at(state, name, Access::Read)?)?;
    let Some(copy) = Copy::decode(&bytes) else { return Ok(()) };
    let file = match fs.open_direct(&copy.path, Access::ReadWrite) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        result => result?,
    };
    let stat = fs.stat(&file)?;
    if !stat.is_file() || (stat.dev, stat.ino) != (copy.dev, copy.ino) {
        return Ok(());
    }
    let content = content_of(fs, &file)?;
    if content != copy.new && content != copy.old && copy.is_mix(&content) {
        put(fs, &file, &copy.old)?;
    }
    Ok(())
}

/// Replaces the content of an open file. Never truncates before the new content is there.
pub(crate) fn put(fs: &dyn FileSystem, file: &Handle, content: &[u8]) -> io::Result<()> {
    write_all(fs, file, content, 0)?;
    fs.set_length(file, content.len() as u64)?;
    fs.sync(file)
}

/// Returns the content of an open file.
pub(crate) fn content_of(fs: &dyn FileSystem, file: &Handle) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    Reader { fs, handle: file, offset: 0 }.read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(old: &str, new: &str) -> Copy {
        Copy { path: PathBuf::from("/x"), dev: 1, ino: 2, old: old.into(), new: new.into() }
    }

    #[test]
    fn copies_are_read_as_they_were_written_and_torn_ones_are_not() {
        let copy = copy("old", "the new one");
        let bytes = copy.encode();
        assert_eq!(Copy::decode(&bytes), Some(copy));
        for end in 0..bytes.len() {
            assert_eq!(Copy::decode(&bytes[..end]), None);
        }
    }

    #[test]
    fn a_mix_has_bytes_of_both_contents_only() {
        let copy = copy("aaaa", "bbbbbb");
        for mix in ["aaaa", "bbaa", "bbbb", "abab", "bbbbb\0", "aaaabb"] {
            assert!(copy.is_mix(mix.as_bytes()), "{mix}");
        }
        for other in ["aaca", "bbbbbbb"] {
            assert!(!copy.is_mix(other.as_bytes()), "{other}");
        }
    }
}
