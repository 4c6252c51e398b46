//! The directory under the prefix, its lock and its layout.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use resource_graph::ResourceId;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use safe_fs::{Backups, FileKind, Files, Kernel, LastLink, Limits, Overlay, Record};
use sha2::{Digest, Sha256};
use shared_store::SharedStore;

/// The version of the directory layout, as written to its file.
const LAYOUT_VERSION: &str = "1\n";

/// The state directory of one agent, locked while this value exists.
#[derive(Debug)]
pub struct StateDir {
    prefix: PathBuf,
    engine: PathBuf,
    /// The files of the machine. Temporary files are recorded in the state, unless it is read-only.
    files: Arc<Files>,
    access: Access,
}

/// What may be done with the state.
#[derive(Debug)]
enum Access {
    /// Everything; the lock is held as long as this value exists.
    Locked(#[expect(dead_code, reason = "holds the lock")] File),
    /// Nothing may be created.
    ReadOnly,
    /// Everything is kept in memory.
    Overlay,
}

/// Why the state directory cannot be used.
#[derive(Debug)]
pub enum StateError {
    /// Another agent runs with this prefix.
    Locked {
        /// The prefix.
        prefix: PathBuf,
        /// The process id of the other agent.
        pid: String,
    },
    /// The state was written by a newer release.
    Newer {
        /// The prefix.
        prefix: PathBuf,
        /// The version of its layout.
        version: String,
    },
    /// The state directory is not safe to use.
    Unsafe(safe_fs::Error),
    /// A system call failed.
    Io {
        /// The path of the system call.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Locked { prefix, pid } => {
                write!(f, "another mgmt-rt (process {pid}) uses the prefix {}", prefix.display())
            }
            StateError::Newer { prefix, version } => {
                write!(f, "the state in {} was written by a newer mgmt-rt (layout {version})", prefix.display())
            }
            StateError::Unsafe(error) => write!(f, "cannot use the state directory: {error}"),
            StateError::Io { path, error } => write!(f, "cannot use {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for StateError {}

impl From<safe_fs::Error> for StateError {
    fn from(error: safe_fs::Error) -> StateError {
        match error {
            safe_fs::Error::Io { path, error, .. } => StateError::Io { path, error },
            other => StateError::Unsafe(other),
        }
    }
}

/// Returns the default prefix: the first directory in `$STATE_DIRECTORY` (a systemd unit), `/var/lib/mgmt` for root, else
/// `$XDG_STATE_HOME/mgmt` or `~/.local/state/mgmt`. Relative paths are ignored. `None` without a home directory.
#[must_use]
pub fn default_prefix() -> Option<PathBuf> {
    let dir = |name: &str| {
        let paths = std::env::var_os(name)?;
        std::env::split_paths(&paths).next().filter(|path| path.is_absolute())
    };
    if let Some(path) = dir("STATE_DIRECTORY") {
        return Some(path);
    }
    if rustix::process::geteuid().is_root() {
        return Some(PathBuf::from("/var/lib/mgmt"));
    }
    let home = || std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    dir("XDG_STATE_HOME")
        .or_else(|| home().map(|home| home.join(".local/state")))
        .map(|directory| directory.join("mgmt"))
}

/// Returns the directory below the prefix in which functions keep their state, including the shared store.
#[must_use]
pub fn functions_dir(prefix: &Path) -> PathBuf {
    prefix.join("local")
}

impl StateDir {
    /// Creates missing directories and acquires the lock.
    ///
    /// # Errors
    /// Another agent holds the lock, the layout is newer, or a system call failed.
    pub fn open(prefix: &Path) -> Result<StateDir, StateError> {
        let files = Files::of_kernel();
        let engine = protected_directories(files, prefix)?;
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error: io::Error| StateError::Io { path, error }
        };
        let lock_path = engine.join("lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
            .open(&lock_path)
            .map_err(io(&lock_path))?;
        if !lock.metadata().map_err(io(&lock_path))?.is_file() {
            return Err(match files.find(&lock_path, LastLink::Keep)?.map(|found| found.stat.kind) {
                Some(found) => safe_fs::Error::WrongKind { path: lock_path, found, wanted: FileKind::File }.into(),
                None => StateError::Io { path: lock_path, error: Errno::INVAL.into() },
            });
        }
        if let Err(LockHolder(pid)) = acquire(&mut lock) {
            let pid = if pid.trim().is_empty() { "unknown".to_owned() } else { pid.trim().to_owned() };
            return Err(StateError::Locked { prefix: prefix.to_path_buf(), pid });
        }
        // Informational only: a full disk must not prevent the agent from starting.
        let _ = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| writeln!(lock, "{}", std::process::id()));
        let version_path = engine.join("version");
        if !has_version(files, prefix, &version_path)? {
            files.write(&version_path, LAYOUT_VERSION.as_bytes(), 0o600)?;
        }
        // The state that has a record for its temporary files is opened next, and functions write without one.
        let private = [resource_dirs(&engine), engine.join("backups")];
        files.remove_unrecorded_temporaries(&engine, &private.each_ref().map(PathBuf::as_path))?;
        let functions = functions_dir(prefix);
        files.remove_unrecorded_temporaries(&functions, &[&functions.join("world")])?;
        let identity = identity(files, &engine)?;
        let files = Files::with_state(Arc::new(Kernel::new()), &identity, &engine)?;
        Ok(StateDir { prefix: prefix.to_path_buf(), engine, files: Arc::new(files), access: Access::Locked(lock) })
    }

    /// Opens the state without a lock, for reading only; an agent may be using it.
    #[must_use]
    pub fn read_only(prefix: &Path) -> StateDir {
        let engine = prefix.join("engine");
        let files = Arc::new(Files::new(Arc::new(Kernel::new())).with_private(engine.clone()));
        StateDir { prefix: prefix.to_path_buf(), engine, files, access: Access::ReadOnly }
    }

    /// Opens the state without a lock, for a plan: changes, those of all files included, are kept in memory.
    ///
    /// # Errors
    /// Those of [`StateDir::open`], except that another agent may hold the lock.
    pub fn overlay(prefix: &Path) -> Result<StateDir, StateError> {
        let files = Files::new(Arc::new(Overlay::new(Arc::new(Kernel::new()))));
        let engine = protected_directories(&files, prefix)?;
        let files = Arc::new(files.with_private(engine.clone()));
        has_version(&files, prefix, &engine.join("version"))?;
        Ok(StateDir { prefix: prefix.to_path_buf(), engine, files, access: Access::Overlay })
    }

    /// Returns `PREFIX/engine`.
    #[must_use]
    pub fn engine(&self) -> &Path {
        &self.engine
    }

    /// Returns the files of the machine, for all access while this state is in use.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the files like [`StateDir::files`].
    #[must_use]
    pub fn shared_files(&self) -> Arc<Files> {
        Arc::clone(&self.files)
    }

    /// Opens the store of backups, and removes what exceeds the limits.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn backups(&self, limits: Limits) -> Result<Arc<Backups>, safe_fs::Error> {
        let fs = self.files.shared_file_system();
        Backups::open(fs, &self.engine, limits).map(Arc::new)
    }

    /// Returns the records of the backups, from old to new.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn backup_records(&self) -> Result<Vec<Record>, safe_fs::Error> {
        match self.files.find(&self.engine, LastLink::Follow)? {
            Some(engine) => Backups::records(self.files.file_system(), &engine.path),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the store that hosts share, from the view of this host.
    #[must_use]
    pub fn shared_store(&self) -> SharedStore {
        SharedStore::with_files(self.shared_files(), &functions_dir(&self.prefix), &hostname())
    }

    /// Returns the path of the private directory of a resource, which may not exist.
    #[must_use]
    pub(crate) fn resource_path(&self, id: &ResourceId) -> PathBuf {
        let encoded = base64::engine::general_purpose::URL_SAFE.encode(id.name.as_bytes());
        let mut name = format!("{}-{encoded}+{}", id.kind, id.name.replace('/', "-"));
        if name.len() > 200 {
            // File names have at most 255 bytes, so long names are hashed.
            let hash = Sha256::digest(id.name.as_bytes());
            name = format!("{}-sha256-{}", id.kind, base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash));
        }
        self.resource_dirs().join(name)
    }

    /// Returns the directory of the private directories of all resources.
    pub(super) fn resource_dirs(&self) -> PathBuf {
        resource_dirs(&self.engine)
    }

    /// Returns the private directory of a resource; creates it with mode 0700 if needed.
    ///
    /// # Errors
    /// The directory cannot be created, or the state is read-only and does not have it.
    pub(crate) fn resource_dir(&self, id: &ResourceId) -> Result<PathBuf, safe_fs::Error> {
        let path = self.resource_path(id);
        match self.access {
            Access::Locked(_) | Access::Overlay => self.files.make_directories(&path, 0o700)?,
            Access::ReadOnly if path.is_dir() => {}
            Access::ReadOnly => {
                let error = io::ErrorKind::ReadOnlyFilesystem.into();
                return Err(safe_fs::Error::Io { action: "create", path, error });
            }
        }
        self.files.check_protected(&path)?;
        Ok(path)
    }
}

/// How long the lock of a process that is gone may be held: a child that it had just started holds the lock until it runs
/// its program.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// Time between two attempts to acquire such a lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The text in the file of a lock: the id of the process that holds it.
struct LockHolder(String);

/// Acquires the lock.
///
/// # Errors
/// Another process holds it.
fn acquire(lock: &mut File) -> Result<(), LockHolder> {
    let end = Instant::now() + LOCK_TIMEOUT;
    while flock(&*lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        let mut pid = String::new();
        let _ = lock.rewind().and_then(|()| lock.read_to_string(&mut pid));
        let holder = pid.trim().parse().ok().and_then(Pid::from_raw);
        let is_gone = holder.is_none_or(|holder| test_kill_process(holder) == Err(Errno::SRCH));
        if !is_gone || Instant::now() >= end {
            return Err(LockHolder(pid));
        }
        std::thread::sleep(LOCK_POLL_INTERVAL);
    }
    Ok(())
}

/// Returns the files of the machine, with all changes kept in memory.
#[must_use]
pub fn overlay_files() -> Arc<Files> {
    Arc::new(Files::new(Arc::new(Overlay::new(Arc::new(Kernel::new())))))
}

/// Returns the directory of the private directories of all resources.
fn resource_dirs(engine: &Path) -> PathBuf {
    engine.join("state")
}

/// Returns whether the version of the layout is recorded. What is not a number was corrupted and counts as missing: only this
/// layout exists so far.
///
/// # Errors
/// It is not the one of this release.
fn has_version(files: &Files, prefix: &Path, path: &Path) -> Result<bool, StateError> {
    match files.read(path)? {
        Some(text) if text == LAYOUT_VERSION.as_bytes() => Ok(true),
        Some(text) => match std::str::from_utf8(text.trim_ascii()) {
            Ok(version) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(StateError::Newer { prefix: prefix.to_path_buf(), version: version.to_owned() })
            }
            Ok(_) | Err(_) => Ok(false),
        },
        None => Ok(false),
    }
}

/// Creates missing directories below the prefix, and returns the path of `engine`.
///
/// # Errors
/// A directory, or a file of the state, can be changed by others, who could make the agent do what they want.
fn protected_directories(files: &Files, prefix: &Path) -> Result<PathBuf, StateError> {
    files.make_directories(prefix, 0o700)?;
    // Without root's rights, others who may change a directory above are the concern of its owner.
    if files.file_system().user() == 0 {
        files.check_path_protected(prefix)?;
    }
    let found = files.find(prefix, LastLink::Follow)?;
    let prefix = &found.map_or_else(|| prefix.to_path_buf(), |found| found.path);
    files.check_protected(prefix)?;
    let engine = prefix.join("engine");
    for directory in [engine.clone(), engine.join("state")] {
        // A link is not followed, so that it cannot lead to somebody else's state.
        if files.find(&directory, LastLink::Keep)?.is_none() {
            files.make_directories(&directory, 0o700)?;
        }
        files.check_protected(&directory)?;
    }
    files.check_entries_protected(&engine)?;
    let functions = functions_dir(prefix);
    if files.find(&functions, LastLink::Keep)?.is_some() {
        files.check_protected(&functions)?;
    }
    Ok(engine)
}

/// Returns the random number that distinguishes this state directory from others, in hexadecimal digits.
fn identity(files: &Files, engine: &Path) -> Result<String, StateError> {
    let path = engine.join("identity");
    let is_valid = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let stored = files.read(&path)?;
    if let Some(text) = stored.and_then(|text| String::from_utf8(text).ok()).filter(|text| is_valid(text)) {
        return Ok(text);
    }
    let text = format!("{:016x}", files.file_system().random());
    files.write(&path, text.as_bytes(), 0o600)?;
    Ok(text)
}

/// Returns the name of this machine, which is the value of `$hostname`.
#[must_use]
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
