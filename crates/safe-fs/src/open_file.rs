//! Open files as streams.

use std::io::{self, Read, Write};

use crate::system::{FileSystem, Handle, Stat};

/// Maximum size of a file that is read as a whole, in bytes. A user can make a file of any size in no time, without any disk.
pub const MAX_CONTENT_BYTES: u64 = 256 << 20;

/// A regular file that is open for reading.
#[derive(Debug)]
pub struct OpenFile<'f> {
    pub(crate) fs: &'f dyn FileSystem,
    pub(crate) handle: Handle,
    pub(crate) stat: Stat,
    pub(crate) offset: u64,
}

impl OpenFile<'_> {
    /// Returns the attributes at the time of opening.
    #[must_use]
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Returns the handle, to change attributes.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Starts again at the first byte.
    pub fn rewind(&mut self) {
        self.offset = 0;
    }

    /// Reads the content from the first byte on.
    ///
    /// # Errors
    /// The system call failed, or the file has more than [`MAX_CONTENT_BYTES`].
    pub fn read_all(&mut self) -> io::Result<Vec<u8>> {
        self.rewind();
        // One byte more shows the end without another read.
        let expected = usize::try_from(self.stat.size).unwrap_or(0).min(1 << 20);
        let mut content = Vec::with_capacity(expected + 1);
        if self.stat.size <= MAX_CONTENT_BYTES {
            self.by_ref().take(MAX_CONTENT_BYTES + 1).read_to_end(&mut content)?;
        }
        if content.len() as u64 <= MAX_CONTENT_BYTES && self.stat.size <= MAX_CONTENT_BYTES {
            Ok(content)
        } else {
            Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("the file is larger than {} MiB", MAX_CONTENT_BYTES >> 20),
            ))
        }
    }
}

impl Read for OpenFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut reader = Reader { fs: self.fs, handle: &self.handle, offset: self.offset };
        let read = reader.read(buffer);
        self.offset = reader.offset;
        read
    }
}

/// Reads from an open file, one part after the other.
pub(crate) struct Reader<'f> {
    pub(crate) fs: &'f dyn FileSystem,
    pub(crate) handle: &'f Handle,
    pub(crate) offset: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fs.read_at(self.handle, buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

/// Writes to an open file, one part after the other.
pub(crate) struct Writer<'f> {
    pub(crate) fs: &'f dyn FileSystem,
    pub(crate) handle: &'f Handle,
    pub(crate) offset: u64,
}

impl Write for Writer<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = self.fs.write_at(self.handle, data, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
