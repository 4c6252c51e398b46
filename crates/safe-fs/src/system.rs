//! The system calls that this crate needs, relative to open directories.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A file system as the kernel offers it: objects are reached by handles, and an operation on a name needs the handle of its
/// directory. No operation follows a symbolic link.
///
/// [`Kernel`](crate::Kernel) is the real one, the overlay keeps all changes in memory, and the simulated one
/// injects crashes, errors and other writers.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Returns the user whose rights apply.
    fn user(&self) -> u32;

    /// Returns the group of new files, unless their directory determines it.
    fn group(&self) -> u32;

    /// Returns the bits that are cleared in the modes of new files.
    fn umask(&self) -> u32;

    /// Returns a random number that nobody can predict.
    fn random(&self) -> u64;

    /// Returns the time of the clock, which may be wrong, and jump.
    fn now(&self) -> SystemTime;

    /// Opens the root directory with [`Access::Path`].
    ///
    /// # Errors
    /// The system call failed.
    fn root(&self) -> io::Result<Handle>;

    /// Opens an absolute path in one step.
    ///
    /// # Errors
    /// `ELOOP` if any component is a symbolic link, or another error of the system call.
    fn open_direct(&self, path: &Path, access: Access) -> io::Result<Handle>;

    /// Opens the entry of a directory; `.` is the directory itself.
    ///
    /// # Errors
    /// `ELOOP` if the entry is a symbolic link and the access is not [`Access::Path`], or another error of the system call.
    fn open_at(&self, directory: &Handle, name: &OsStr, access: Access) -> io::Result<Handle>;

    /// Checks that the process may create and remove entries of a directory, without doing so.
    ///
    /// # Errors
    /// The permissions or the file system do not allow it.
    fn check_writable(&self, directory: &Handle) -> io::Result<()>;

    /// Returns the attributes of an open object.
    ///
    /// # Errors
    /// The system call failed.
    fn stat(&self, handle: &Handle) -> io::Result<Stat>;

    /// Returns the target of a symbolic link that was opened with [`Access::Path`].
    ///
    /// # Errors
    /// The system call failed.
    fn read_link(&self, link: &Handle) -> io::Result<PathBuf>;

    /// Returns the names of the entries of a directory, in no order.
    ///
    /// # Errors
    /// The system call failed.
    fn entries(&self, directory: &Handle) -> io::Result<Vec<OsString>>;

    /// Reads from a file at an offset, in bytes. Returns 0 at the end.
    ///
    /// # Errors
    /// The system call failed.
    fn read_at(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes to a file at an offset, in bytes. Returns how many bytes were written.
    ///
    /// # Errors
    /// The system call failed.
    fn write_at(&self, file: &Handle, data: &[u8], offset: u64) -> io::Result<usize>;

    /// Reserves space for the first `length` bytes of a file, without changing its size.
    ///
    /// # Errors
    /// There is not enough space, or the file system cannot reserve any.
    fn reserve(&self, file: &Handle, length: u64) -> io::Result<()>;

    /// Truncates or extends a file.
    ///
    /// # Errors
    /// The system call failed.
    fn set_length(&self, file: &Handle, length: u64) -> io::Result<()>;

    /// Writes a file, or the entries of a directory, to the disk.
    ///
    /// # Errors
    /// The system call failed; the data may be lost in a crash.
    fn sync(&self, handle: &Handle) -> io::Result<()>;

    /// Writes everything in the file system of an open object to the disk.
    ///
    /// # Errors
    /// The system call failed; data may be lost in a crash.
    fn sync_file_system(&self, handle: &Handle) -> io::Result<()>;

    /// Creates a file and opens it for reading and writing.
    ///
    /// # Errors
    /// `EEXIST` if the name is in use, whatever it names, or another error of the system call.
    fn create_file(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<Handle>;

    /// Creates a directory.
    ///
    /// # Errors
    /// `EEXIST` if the name is in use, or another error of the system call.
    fn create_directory(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<()>;

    /// Creates a symbolic link.
    ///
    /// # Errors
    /// `EEXIST` if the name is in use, or another error of the system call.
    fn create_link(&self, directory: &Handle, name: &OsStr, target: &Path) -> io::Result<()>;

    /// Renames an entry within a file system.
    ///
    /// # Errors
    /// Depending on `how`, the target exists or does not exist; or another error of the system call.
    fn rename(&self, from: (&Handle, &OsStr), to: (&Handle, &OsStr), how: Rename) -> io::Result<()>;

    /// Removes an entry that is not a directory.
    ///
    /// # Errors
    /// The system call failed.
    fn remove_file(&self, directory: &Handle, name: &OsStr) -> io::Result<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// The system call failed.
    fn remove_directory(&self, directory: &Handle, name: &OsStr) -> io::Result<()>;

    /// Changes the owner and the group of an open object, which may be a symbolic link.
    ///
    /// # Errors
    /// The system call failed.
    fn set_owner(&self, handle: &Handle, uid: Option<u32>, gid: Option<u32>) -> io::Result<()>;

    /// Changes the mode of an open object, which must not be a symbolic link.
    ///
    /// # Errors
    /// The system call failed.
    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()>;

    /// Returns the security label of an open object; `None` without one, or on a file system without labels.
    ///
    /// # Errors
    /// The system call failed.
    fn label(&self, handle: &Handle) -> io::Result<Option<Vec<u8>>>;

    /// Sets the security label of an open object, or removes it.
    ///
    /// # Errors
    /// The system call failed.
    fn set_label(&self, handle: &Handle, label: Option<&[u8]>) -> io::Result<()>;
}

/// What a handle is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To look at the object, or to reach the entries of a directory. The object may be of any kind, and opening has no effect.
    Path,
    /// To read. Never waits for a writer of a fifo.
    Read,
    /// To read and write a file.
    ReadWrite,
    /// To list a directory.
    Directory,
    /// To list a directory, unless something is mounted on it.
    DirectoryOnSameMount,
}

/// What happens to an entry with the new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rename {
    /// It is replaced.
    Replace,
    /// Its existence is an error.
    New,
    /// It gets the old name. Its absence is an error.
    Exchange,
}

/// The class of a file system object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A fifo.
    Fifo,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl FileKind {
    /// Returns the noun with its article.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            FileKind::File => "a file",
            FileKind::Directory => "a directory",
            FileKind::Link => "a symbolic link",
            FileKind::Fifo => "a fifo",
            FileKind::Socket => "a socket",
            FileKind::Device => "a device",
        }
    }
}

/// A point in time: seconds and nanoseconds.
pub type Timestamp = (i64, u32);

/// The attributes of a file system object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The device.
    pub dev: u64,
    /// The number of the object on its device.
    pub ino: u64,
    /// Its class.
    pub kind: FileKind,
    /// The permissions with setuid, setgid and sticky bits: at most `0o7777`.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The size in bytes.
    pub size: u64,
    /// The number of names.
    pub links: u64,
    /// The time of the last change of the content.
    pub modified: Timestamp,
    /// The time of the last change of content or attributes.
    pub changed: Timestamp,
    /// Whether there is an access control list. Its limit shows in the permissions of the group, so it is only looked for where these
    /// seem to let nobody but root's group write.
    pub has_access_list: bool,
}

impl Stat {
    /// Returns whether this is a directory.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }

    /// Returns whether this is a regular file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::File
    }

    /// Returns whether this is a symbolic link.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.kind == FileKind::Link
    }

    /// Returns whether both are the same object.
    #[must_use]
    pub fn is_same_object(&self, other: &Stat) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Returns whether both are the same object with, as far as times tell, the same content.
    #[must_use]
    pub fn is_unchanged(&self, other: &Stat) -> bool {
        self.is_same_object(other) && (self.size, self.modified) == (other.size, other.modified)
    }
}

/// An open object of a [`FileSystem`]. Only the file system that returned it can use it.
pub struct Handle(Repr);

enum Repr {
    Descriptor(OwnedFd),
    Virtual(Arc<dyn Any + Send + Sync>),
}

impl Handle {
    /// Returns a handle of the kernel.
    #[must_use]
    pub(crate) fn from_descriptor(descriptor: OwnedFd) -> Handle {
        Handle(Repr::Descriptor(descriptor))
    }

    /// Returns a handle of a file system in memory.
    #[must_use]
    pub fn from_value<T: Any + Send + Sync>(value: T) -> Handle {
        Handle(Repr::Virtual(Arc::new(value)))
    }

    /// Returns the descriptor.
    ///
    /// # Errors
    /// The handle belongs to another file system.
    pub fn descriptor(&self) -> io::Result<&OwnedFd> {
        match &self.0 {
            Repr::Descriptor(descriptor) => Ok(descriptor),
            Repr::Virtual(_) => Err(foreign_handle()),
        }
    }

    /// Returns the value.
    ///
    /// # Errors
    /// The handle belongs to another file system.
    pub fn value<T: Any + Send + Sync>(&self) -> io::Result<&T> {
        match &self.0 {
            Repr::Virtual(value) => value.downcast_ref().ok_or_else(foreign_handle),
            Repr::Descriptor(_) => Err(foreign_handle()),
        }
    }
}

fn foreign_handle() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the handle belongs to another file system")
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Descriptor(descriptor) => write!(f, "Handle({descriptor:?})"),
            Repr::Virtual(_) => f.write_str("Handle(virtual)"),
        }
    }
}
