//! Why a file cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::system::FileKind;

/// Why a file cannot be used.
#[derive(Debug)]
pub enum Error {
    /// A system call failed.
    Io {
        /// The attempted action, such as `write` or `remove`.
        action: &'static str,
        /// The object of the action.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A symbolic link that any of several users could have made or moved.
    UntrustedLink {
        /// The link.
        link: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// A symbolic link of one user leads to an object of another one.
    ForeignTarget {
        /// The link.
        link: PathBuf,
        /// The user who could have made it.
        user: u32,
        /// What it leads to.
        reached: PathBuf,
        /// The owner of that.
        owner: u32,
    },
    /// A file with other names, in a directory in which a user could have made this name.
    ForeignHardLink {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// The object is of another class than required.
    WrongKind {
        /// The object.
        path: PathBuf,
        /// What it is.
        found: FileKind,
        /// What it must be.
        wanted: FileKind,
    },
    /// Other programs change the file faster than this one.
    Disturbed {
        /// The file.
        path: PathBuf,
    },
    /// What another program put at a path meanwhile could not get its name back.
    Displaced {
        /// The path.
        path: PathBuf,
        /// Where it is now.
        now: PathBuf,
    },
    /// What is at a path does not fit into the limits of the backups, so it must not be replaced or removed.
    TooLargeForBackup {
        /// The path.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The copy of a content in a backup is missing or was changed.
    InvalidBackup {
        /// The path whose content it was.
        path: PathBuf,
    },
    /// A path that only the user of the process may change can be changed by others.
    Unprotected {
        /// The path.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Its group.
        group: u32,
        /// Its mode.
        mode: u32,
    },
}

impl Error {
    /// Returns the error of a system call.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, error: impl Into<io::Error>) -> Error {
        Error::Io { action, path: path.into(), error: error.into() }
    }

    /// Returns a function that makes the error of a system call, for `map_err`.
    pub fn on<E: Into<io::Error>>(action: &'static str, path: &Path) -> impl FnOnce(E) -> Error {
        let path = path.to_path_buf();
        move |error| Error::Io { action, path, error: error.into() }
    }

    /// Returns the class of the error of a system call.
    #[must_use]
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Error::Io { error, .. } => Some(error.kind()),
            _ => None,
        }
    }

    /// Returns whether the object, or a directory above it, does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.io_kind() == Some(io::ErrorKind::NotFound)
    }

    /// Returns the error as one of the standard library, for callers that know no other.
    #[must_use]
    pub fn into_io(self) -> io::Error {
        match self {
            Error::Io { error, .. } => error,
            other => io::Error::other(other),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { action, path, error } => write!(f, "cannot {action} {}: {error}", path.display()),
            Error::UntrustedLink { link, owner } => write!(
                f,
                "{} is a symbolic link of user {owner} in a directory that others may change; replace it, or make its \
                 directory writable for its owner only",
                link.display()
            ),
            Error::ForeignTarget { link, user, reached, owner } => write!(
                f,
                "{} is a symbolic link that user {user} can change, and leads to {}, which belongs to user {owner}; \
                 replace the link, or name its target in the program",
                link.display(),
                reached.display()
            ),
            Error::ForeignHardLink { path, owner } => write!(
                f,
                "{} is another name of a file of user {owner}, in a directory that others may change; remove it",
                path.display()
            ),
            Error::WrongKind { path, found, wanted: FileKind::File } => {
                write!(f, "{} is {}, not a regular file", path.display(), found.noun())
            }
            Error::WrongKind { path, found, wanted } => {
                write!(f, "{} is {}, not {}", path.display(), found.noun(), wanted.noun())
            }
            Error::Disturbed { path } => write!(f, "another program keeps changing {}", path.display()),
            Error::Displaced { path, now } => write!(
                f,
                "another program changed {} meanwhile; what it wrote is kept in {}",
                path.display(),
                now.display()
            ),
            Error::TooLargeForBackup { path, limit } => write!(
                f,
                "{} exceeds the limit on backups ({limit} bytes), so it is not replaced or removed; raise the limit, or \
                 move it away",
                path.display()
            ),
            Error::InvalidBackup { path } => write!(f, "the backup of {} is incomplete or was changed", path.display()),
            Error::Unprotected { path, owner, group, mode } => write!(
                f,
                "{} can be changed by other users (owner {owner}, group {group}, mode {mode:04o})",
                path.display()
            ),
        }
    }
}

impl std::error::Error for Error {}

/// Turns the absence of what is to be removed into success.
pub(crate) fn done_if_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Returns whether a file system lacks what a system call asked for.
pub(crate) fn is_unsupported(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP].iter().any(|errno| code == Some(errno.raw_os_error()))
}
