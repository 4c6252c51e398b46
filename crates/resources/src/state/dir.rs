//! The directory under the prefix, its lock and its layout.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use resource_graph::ResourceId;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use safe_fs::{Files, Kernel};
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
    /// `None` for a read-only state.
    lock: Option<File>,
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

/// Returns the default prefix: `$STATE_DIRECTORY` (a systemd unit), `/var/lib/mgmt` for root, else
/// `$XDG_STATE_HOME/mgmt` or `~/.local/state/mgmt`. `None` without a home directory.
#[must_use]
pub fn default_prefix() -> Option<PathBuf> {
    let dir = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(path) = dir("STATE_DIRECTORY") {
        return Some(path);
    }
    if rustix::process::geteuid().is_root() {
        return Some(PathBuf::from("/var/lib/mgmt"));
    }
    dir("XDG_STATE_HOME").or_else(|| dir("HOME").map(|h| h.join(".local/state"))).map(|d| d.join("mgmt"))
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
        let engine = prefix.join("engine");
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |error: io::Error| StateError::Io { path, error }
        };
        make_private(&engine.join("state")).map_err(io(&engine))?;
        let lock_path = engine.join("lock");
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .map_err(io(&lock_path))?;
        if let Err(pid) = acquire(&mut lock) {
            let pid = if pid.trim().is_empty() { "unknown".to_owned() } else { pid.trim().to_owned() };
            return Err(StateError::Locked { prefix: prefix.to_path_buf(), pid });
        }
        // Informational only: a full disk must not prevent the agent from starting.
        let _ = lock.set_len(0).and_then(|()| lock.rewind()).and_then(|()| writeln!(lock, "{}", std::process::id()));
        let version_path = engine.join("version");
        match fs::read_to_string(&version_path) {
            Ok(text) if text == LAYOUT_VERSION => {}
            Ok(text) => {
                return Err(StateError::Newer { prefix: prefix.to_path_buf(), version: text.trim().to_owned() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let write = Files::of_kernel().write(&version_path, LAYOUT_VERSION.as_bytes(), 0o600);
                write.map_err(StateError::from)?;
            }
            Err(error) => return Err(StateError::Io { path: version_path, error }),
        }
        let identity = identity(&engine)?;
        let files = Files::with_state(Arc::new(Kernel::new()), &identity, &engine).map_err(StateError::from)?;
        Ok(StateDir { prefix: prefix.to_path_buf(), engine, files: Arc::new(files), lock: Some(lock) })
    }

    /// Opens the state without a lock, for reading only; an agent may be using it.
    #[must_use]
    pub fn read_only(prefix: &Path) -> StateDir {
        let engine = prefix.join("engine");
        StateDir { prefix: prefix.to_path_buf(), engine, files: Arc::clone(Files::of_kernel()), lock: None }
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

    /// Returns the store that hosts share, from the view of this host.
    #[must_use]
    pub fn shared_store(&self) -> SharedStore {
        SharedStore::new(&functions_dir(&self.prefix), &hostname())
    }

    /// Returns the path of the private directory of a resource, which may not exist.
    #[must_use]
    pub fn resource_path(&self, id: &ResourceId) -> PathBuf {
        let encoded = base64::engine::general_purpose::URL_SAFE.encode(id.name.as_bytes());
        let mut name = format!("{}-{encoded}+{}", id.kind, id.name.replace('/', "-"));
        if name.len() > 200 {
            // File names have at most 255 bytes, so long names are hashed.
            let hash = Sha256::digest(id.name.as_bytes());
            name = format!("{}-sha256-{}", id.kind, base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash));
        }
        self.engine.join("state").join(name)
    }

    /// Returns the private directory of a resource; creates it with mode 0700 if needed.
    ///
    /// # Errors
    /// The directory cannot be created, or the state is read-only and does not have it.
    pub fn resource_dir(&self, id: &ResourceId) -> io::Result<PathBuf> {
        let path = self.resource_path(id);
        if self.lock.is_some() {
            make_private(&path)?;
        } else if !path.is_dir() {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        Ok(path)
    }
}

/// How long the lock of a process that is gone may be held: a child that it had just started holds the lock until it runs
/// its program.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// Time between two attempts to acquire such a lock.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Acquires the lock.
///
/// # Errors
/// The text in the file, which is the id of the process that holds it.
fn acquire(lock: &mut File) -> Result<(), String> {
    let end = Instant::now() + LOCK_TIMEOUT;
    while flock(&*lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        let mut pid = String::new();
        let _ = lock.rewind().and_then(|()| lock.read_to_string(&mut pid));
        let holder = pid.trim().parse().ok().and_then(Pid::from_raw);
        let is_gone = holder.is_none_or(|holder| test_kill_process(holder) == Err(Errno::SRCH));
        if !is_gone || Instant::now() >= end {
            return Err(pid);
        }
        std::thread::sleep(LOCK_POLL_INTERVAL);
    }
    Ok(())
}

/// Creates a directory, and missing ones above it, with mode 0700.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Returns the random number that distinguishes this state directory from others, in hexadecimal digits.
fn identity(engine: &Path) -> Result<String, StateError> {
    let path = engine.join("identity");
    let files = Files::of_kernel();
    let is_valid = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let stored = files.read(&path).map_err(StateError::from)?;
    if let Some(text) = stored.and_then(|text| String::from_utf8(text).ok()).filter(|text| is_valid(text)) {
        return Ok(text);
    }
    let text = format!("{:016x}", files.file_system().random());
    files.write(&path, text.as_bytes(), 0o600).map_err(StateError::from)?;
    Ok(text)
}

/// Returns the name of this machine, which is the value of `$hostname`.
#[must_use]
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> ResourceId {
        ResourceId { kind: "file".into(), name: name.into() }
    }

    #[test]
    fn a_second_agent_gets_the_process_id_of_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let first = StateDir::open(dir.path()).unwrap();
        let error = StateDir::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(first);
        StateDir::open(dir.path()).unwrap();
    }

    #[test]
    fn newer_layout_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        drop(StateDir::open(dir.path()).unwrap());
        fs::write(dir.path().join("engine/version"), "7\n").unwrap();
        assert!(StateDir::open(dir.path()).unwrap_err().to_string().contains("newer"));
    }

    #[test]
    fn resource_directory_has_the_documented_name_and_long_names_fit() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::open(dir.path()).unwrap();
        assert!(state.resource_path(&id("/srv/x")).ends_with("file-L3Nydi94+-srv-x"));
        let long = state.resource_dir(&id(&"/a".repeat(3000))).unwrap();
        assert!(long.file_name().unwrap().len() <= 255);
    }

    #[test]
    fn lock_of_a_process_that_is_gone_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        drop(StateDir::open(dir.path()).unwrap());
        let path = dir.path().join("engine/lock");
        // A process that is gone, and its child with the lock.
        let mut gone = std::process::Command::new("/bin/true").spawn().unwrap();
        let pid = gone.id();
        gone.wait().unwrap();
        fs::write(&path, format!("{pid}\n")).unwrap();
        let held = File::open(&path).unwrap();
        flock(&held, FlockOperation::NonBlockingLockExclusive).unwrap();
        let opened = std::thread::spawn({
            let prefix = dir.path().to_path_buf();
            move || StateDir::open(&prefix).is_ok()
        });
        std::thread::park_timeout(Duration::from_millis(50));
        drop(held);
        assert!(opened.join().unwrap());
    }

    #[test]
    fn lock_of_a_running_process_is_an_error_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let _first = StateDir::open(dir.path()).unwrap();
        let started = Instant::now();
        assert!(matches!(StateDir::open(dir.path()), Err(StateError::Locked { .. })));
        assert!(started.elapsed() < LOCK_TIMEOUT);
    }
}
