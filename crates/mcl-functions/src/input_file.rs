//! Reading files as inputs of a program: only regular files, and only as a whole.
//!
//! A file is changed by programs that know nothing of this one: a shell truncates it, writes and closes it. What lies between
//! is not a value. Where the file is watched, its [`InputVersion`] before and after the read tells whether somebody was at
//! work. New contents are confirmed by a second look, which is all there is without a watch.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::SeekFrom;
use rustix::io::Errno;
use safe_fs::{Error, FileKind, Files, LastLink, OpenFile, Timestamp};

use crate::{InputVersion, StreamContext};

/// Maximum size of a file that becomes a value, in bytes.
const MAX_SIZE: u64 = 256 << 20;
/// The bit of a mode that lets everybody read.
const READABLE_BY_OTHERS: u32 = 0o004;
/// How often a read is repeated at once while the file changes.
const MAX_ATTEMPTS: usize = 8;
/// How long a file has to be left alone before it counts as complete.
const SETTLE_TIME: Duration = Duration::from_millis(20);
/// The time after which new contents are confirmed. The kernel reports a truncation shortly after it can be seen.
const CONFIRMATION_DELAY: Duration = Duration::from_millis(10);
/// How long a file may change without a pause before it is read anyway.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(1);
/// How long that is while it is empty or changes during each read.
const MAX_INCOMPLETE_TIME: Duration = Duration::from_secs(10);

/// Reads a regular file. Never blocks on a fifo, never opens a device, and does not follow links that a user could have made
/// to what is not the user's: what a program reads may become readable for everybody.
///
/// # Errors
/// The file cannot be read, is not a regular file, reached by such a link, or is larger than 256 MiB.
pub(crate) fn read_regular(path: &Path) -> io::Result<Contents> {
    let mut file = open_regular(path)?;
    let is_private = file.stat().mode & READABLE_BY_OTHERS == 0;
    let mut before = stamp(&file)?;
    for _ in 1..MAX_ATTEMPTS {
        let bytes = read_all(&mut file)?;
        let after = stamp(&file)?;
        if before == after {
            return Ok(Contents { bytes, is_private });
        }
        before = after;
        file.rewind();
    }
    Ok(Contents { bytes: read_all(&mut file)?, is_private })
}

/// The contents of a file.
#[derive(Clone, PartialEq)]
pub(crate) struct Contents {
    pub(crate) bytes: Vec<u8>,
    /// Whether not everybody may read the file, according to its mode. What it contains must not be shown then.
    pub(crate) is_private: bool,
}

fn open_regular(path: &Path) -> io::Result<OpenFile<'static>> {
    let files = Files::of_kernel();
    // Looked at first, because opening a device can have effects.
    let found = files.find(path, LastLink::Follow).map_err(Error::into_io)?.ok_or(Errno::NOENT)?;
    match found.stat.kind {
        FileKind::File => {}
        FileKind::Directory => return Err(Errno::ISDIR.into()),
        _ => return Err(not_regular()),
    }
    match files.open(path, LastLink::Follow) {
        Ok(file) => file.ok_or_else(|| Errno::NOENT.into()),
        Err(Error::WrongKind { .. }) => Err(not_regular()),
        Err(error) => Err(error.into_io()),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

fn stamp(file: &OpenFile<'_>) -> io::Result<(u64, Timestamp)> {
    let stat = Files::of_kernel().file_system().stat(file.handle())?;
    Ok((stat.size, stat.modified))
}

fn read_all(file: &mut OpenFile<'_>) -> io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    file.take(MAX_SIZE + 1).read_to_end(&mut contents)?;
    if contents.len() as u64 > MAX_SIZE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 256 MiB"));
    }
    // A truncation can be seen long before its event arrives, but holds the lock of the inode until then. Looking for a hole
    // waits for that lock. Not every file system supports it, and an empty file has no hole.
    let _ = rustix::fs::seek(file.handle().descriptor()?, SeekFrom::Hole(0));
    Ok(contents)
}

/// Reads one file for a streaming function, which calls it with the path of each call.
#[derive(Default)]
pub(crate) struct InputFile {
    path: PathBuf,
    /// The last complete contents of the path.
    last: Option<Contents>,
    /// What was read before, and not confirmed.
    candidate: Option<Snapshot>,
    /// When the first candidate since the last confirmation was read, as time since the Unix epoch.
    unsettled_since: Option<Duration>,
}

/// The contents of a file at one time.
#[derive(PartialEq)]
struct Snapshot {
    contents: Contents,
    /// `None` if the file changed during the read, or is not watched.
    version: Option<InputVersion>,
    /// Whether nobody was seen at work during the read.
    is_consistent: bool,
}

impl InputFile {
    /// Returns the contents of a file that the context watches. While somebody writes to it, that is what it contained
    /// before, or `None` if it was not read before, and the context is asked for another call.
    ///
    /// # Errors
    /// The file cannot be read, or is not a regular file.
    pub(crate) fn read(&mut self, cx: &mut dyn StreamContext, path: &Path) -> io::Result<Option<Contents>> {
        if self.path != path {
            *self = InputFile { path: path.to_owned(), ..InputFile::default() };
        }
        let snapshot = take_snapshot(cx, path)?;
        let is_known = snapshot.is_consistent && self.last.as_ref() == Some(&snapshot.contents);
        let is_confirmed = snapshot.is_consistent && self.candidate.as_ref() == Some(&snapshot) && is_settled(path);
        let limit = if snapshot.is_consistent && !snapshot.contents.bytes.is_empty() {
            MAX_SETTLE_TIME
        } else {
            MAX_INCOMPLETE_TIME
        };
        let now = cx.monotonic();
        let waited = now.saturating_sub(*self.unsettled_since.get_or_insert(now));
        if is_known || is_confirmed || waited >= limit {
            (self.candidate, self.unsettled_since) = (None, None);
            self.last = Some(snapshot.contents);
        } else {
            cx.wake_after(if snapshot.is_consistent { CONFIRMATION_DELAY } else { SETTLE_TIME });
            self.candidate = Some(snapshot);
        }
        Ok(self.last.clone())
    }
}

fn take_snapshot(cx: &mut dyn StreamContext, path: &Path) -> io::Result<Snapshot> {
    // What a link leads to is watched, too.
    let watched =
        std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned());
    for _ in 1..MAX_ATTEMPTS {
        let version = cx.input_version(&watched);
        let contents = read_regular(path)?;
        if version == cx.input_version(&watched) && version.is_none_or(|version| !version.writing) {
            return Ok(Snapshot { contents, version, is_consistent: true });
        }
    }
    Ok(Snapshot { contents: read_regular(path)?, version: None, is_consistent: false })
}

/// Whether a file was left alone for [`SETTLE_TIME`]. One from the future was.
fn is_settled(path: &Path) -> bool {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    modified.ok().and_then(|at| SystemTime::now().duration_since(at).ok()).is_none_or(|age| age >= SETTLE_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifos_devices_and_sockets_are_refused_at_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a fifo");
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&fifo, &link).expect("a link");
        let socket = dir.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        for path in [&*fifo, &*link, &*socket, Path::new("/dev/null"), Path::new("/dev/zero")] {
            let error = read_regular(path).err().expect("refused");
            assert_eq!(error.to_string(), "not a regular file", "{}", path.display());
        }
        assert_eq!(read_regular(dir.path()).err().expect("refused").kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn secrets_are_not_read_for_the_user_who_made_a_link() {
        use std::os::unix::fs::lchown;
        if !rustix::process::geteuid().is_root() {
            return test_support::skip("needs root");
        }
        let dir = tempfile::tempdir().expect("a directory");
        let [home, secret, link, name] = ["home", "secret", "home/link", "home/name"].map(|name| dir.path().join(name));
        std::fs::create_dir(&home).expect("created");
        std::fs::write(&secret, "secret").expect("written");
        std::os::unix::fs::symlink(&secret, &link).expect("a link");
        assert_eq!(read_regular(&link).expect("a link of root").bytes, b"secret");
        std::fs::hard_link(&secret, &name).expect("another name");
        for path in [&home, &link] {
            lchown(path, Some(65534), Some(65534)).expect("given away");
        }
        for path in [&link, &name] {
            assert!(read_regular(path).err().expect("refused").to_string().contains("user 0"), "{}", path.display());
        }
        lchown(&secret, Some(65534), None).expect("given away");
        assert_eq!(read_regular(&link).expect("the user's own").bytes, b"secret");
    }

    #[test]
    fn files_without_a_size_are_read_to_their_end() {
        assert!(!read_regular(Path::new("/proc/self/status")).expect("readable").bytes.is_empty());
    }
}
