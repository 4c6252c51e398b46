//! Open files as streams.

use std::io::{self, Read, Write};

use crate::system::{FileSystem, Handle, Stat};

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
    /// The system call failed.
    pub fn read_all(&mut self) -> io::Result<Vec<u8>> {
        self.rewind();
        // One byte more shows the end without another read.
        let expected = usize::try_from(self.stat.size).unwrap_or(0).min(1 << 20);
        let mut content = Vec::with_capacity(expected + 1);
        self.read_to_end(&mut content)?;
        Ok(content)
    }
}

impl Read for OpenFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fs.read_at(&self.handle, buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
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
