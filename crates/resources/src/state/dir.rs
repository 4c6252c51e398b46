//! The directory under the prefix, its lock and its layout.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use resource_graph::ResourceId;
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};
use shared_store::SharedStore;

use crate::write_atomically;

/// The layout this build writes.
const VERSION: &str = "1\n";

/// The state of one agent, locked for as long as this value lives.
#[derive(Debug)]
pub struct StateDir {
    prefix: PathBuf,
    engine: PathBuf,
    /// `None` where nothing is written.
    lock: Option<File>,
}

/// Why the state cannot be used.
#[derive(Debug)]
pub enum StateError {
    /// Another agent runs with this prefix.
    Locked {
        /// The prefix.
        prefix: PathBuf,
        /// What the other one wrote into the lock.
        pid: String,
    },
    /// Written by a newer build.
    Newer {
        /// The prefix.
        prefix: PathBuf,
        /// Its version.
        version: String,
    },
    /// A system call failed.
    Io {
        /// On what.
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
            StateError::Io { path, error } => write!(f, "cannot use {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for StateError {}

/// The prefix when none is given: `$STATE_DIRECTORY` (a systemd unit), `/var/lib/mgmt` for root, else
/// `$XDG_STATE_HOME/mgmt` or `~/.local/state/mgmt`. `None` for a user without a home.
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

/// Where functions keep their state below the prefix, the shared state included.
#[must_use]
pub fn functions_dir(prefix: &Path) -> PathBuf {
    prefix.join("local")
}

impl StateDir {
    /// Makes the directories where needed and takes the lock.
    ///
    /// # Errors
    /// Another agent holds the lock, the layout is newer, or the file system refuses.
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
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut pid = String::new();
            let _ = lock.read_to_string(&mut pid);
            let pid = if pid.trim().is_empty() { "unknown".to_owned() } else { pid.trim().to_owned() };
            return Err(StateError::Locked { prefix: prefix.to_path_buf(), pid });
        }
        // Only told to people: a full disk must not keep the agent from starting.
        let _ = lock.set_len(0).and_then(|()| writeln!(lock, "{}", std::process::id()));
        let version_path = engine.join("version");
        match fs::read_to_string(&version_path) {
            Ok(text) if text == VERSION => {}
            Ok(text) => {
                return Err(StateError::Newer { prefix: prefix.to_path_buf(), version: text.trim().to_owned() });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                write_atomically(&version_path, VERSION.as_bytes(), 0o600).map_err(io(&version_path))?;
            }
            Err(error) => return Err(StateError::Io { path: version_path, error }),
        }
        Ok(StateDir { prefix: prefix.to_path_buf(), engine, lock: Some(lock) })
    }

    /// What is there, to be read only; an agent may run with it meanwhile.
    #[must_use]
    pub fn read_only(prefix: &Path) -> StateDir {
        StateDir { prefix: prefix.to_path_buf(), engine: prefix.join("engine"), lock: None }
    }

    /// `PREFIX/engine`.
    #[must_use]
    pub fn engine(&self) -> &Path {
        &self.engine
    }

    /// The state that hosts share, as this host sees it.
    #[must_use]
    pub fn world(&self) -> SharedStore {
        SharedStore::new(&functions_dir(&self.prefix), &hostname())
    }

    /// Where the private directory of a resource is, made or not.
    #[must_use]
    pub fn resource_path(&self, id: &ResourceId) -> PathBuf {
        let encoded = base64::engine::general_purpose::URL_SAFE.encode(id.name.as_bytes());
        let mut name = format!("{}-{encoded}+{}", id.kind, id.name.replace('/', "-"));
        if name.len() > 200 {
            // The limit of a file name is 255 bytes: long names go by their hash.
            let hash = Sha256::digest(id.name.as_bytes());
            name = format!("{}-sha256-{}", id.kind, base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(hash));
        }
        self.engine.join("state").join(name)
    }

    /// The private directory of a resource, made if needed with mode 0700.
    ///
    /// # Errors
    /// It cannot be made, or nothing may be written.
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

fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Returns the name of this machine, as `$hostname` has it.
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
    fn second_agent_is_told_who_holds_the_prefix() {
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
}
