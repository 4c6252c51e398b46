//! The directory under the prefix, its lock and its layout.

use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine;
use resource_graph::ResourceId;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use safe_fs::{Backups, Files, Kernel, LastLink, Limits, Overlay, Record};
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
        let files = Files::of_kernel();
        let engine = protected_directories(files, prefix, make_private)?;
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
            return Err(StateError::Io { path: lock_path, error: Errno::INVAL.into() });
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
        StateDir {
            prefix: prefix.to_path_buf(),
            engine,
            files: Arc::clone(Files::of_kernel()),
            access: Access::ReadOnly,
        }
    }

    /// Opens the state without a lock, for a plan: changes, those of all files included, are kept in memory.
    ///
    /// # Errors
    /// Those of [`StateDir::open`], except that another agent may hold the lock.
    pub fn overlay(prefix: &Path) -> Result<StateDir, StateError> {
        let files = overlay_files();
        let engine = protected_directories(&files, prefix, |path| Ok(files.make_directories(path, 0o700)?))?;
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
        Backups::open(fs, &self.engine, limits, SystemTime::now()).map(Arc::new)
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
    pub fn resource_path(&self, id: &ResourceId) -> PathBuf {
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
    pub fn resource_dir(&self, id: &ResourceId) -> Result<PathBuf, safe_fs::Error> {
        let path = self.resource_path(id);
        match self.access {
            Access::Locked(_) | Access::Overlay => self.files.make_directories(&path, 0o700)?,
            Access::ReadOnly if path.is_dir() => {}
            Access::ReadOnly => {
                let error = io::ErrorKind::ReadOnlyFilesystem.into();
                return Err(safe_fs::Error::Io { action: "create", path, error });
            }
        }
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

/// Creates a directory, and missing ones above it, with mode 0700.
fn make_private(path: &Path) -> Result<(), StateError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|error| StateError::Io { path: path.to_path_buf(), error })
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

/// Creates missing directories below the prefix with `create`, and returns the path of `engine`.
///
/// # Errors
/// A directory can be changed by others, who could make the agent do what they want.
fn protected_directories(
    files: &Files,
    prefix: &Path,
    create: impl Fn(&Path) -> Result<(), StateError>,
) -> Result<PathBuf, StateError> {
    create(prefix)?;
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
            create(&directory)?;
        }
        files.check_protected(&directory)?;
    }
    for optional in [engine.join("reversals"), engine.join("backups"), functions_dir(prefix)] {
        if files.find(&optional, LastLink::Keep)?.is_some() {
            files.check_protected(&optional)?;
        }
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
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use safe_fs::FileSystem;
    use safe_fs::simulated::Simulated;
    use test_support::eventually;

    use super::*;
    use crate::provider_test::reopen;

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
        reopen(dir.path());
    }

    /// Gives a path of the state to another user; returns whether that was possible.
    fn give_away(path: &Path) -> bool {
        if !rustix::process::geteuid().is_root() {
            test_support::skip("needs root");
            return false;
        }
        std::os::unix::fs::lchown(path, Some(65534), Some(65534)).unwrap();
        true
    }

    #[test]
    fn state_that_others_can_change_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let prefix = scratch.path().join("prefix");
        let is_refused = || {
            let is_refused = matches!(StateDir::open(&prefix), Err(StateError::Unsafe(_)));
            let is_planned = StateDir::overlay(&prefix).is_ok();
            assert_eq!(is_refused, !is_planned, "a plan refuses what an agent refuses");
            is_refused
        };
        for name in ["", "engine", "engine/state", "engine/reversals", "engine/backups", "local"] {
            let path = prefix.join(name);
            fs::create_dir_all(&path).unwrap();
            for mode in [0o777, 0o702, 0o1777] {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                assert!(is_refused(), "{name} {mode:o}");
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
            drop(reopen(&prefix));
            if !give_away(&path) {
                return;
            }
            assert!(is_refused(), "{name} of another user");
            std::os::unix::fs::chown(&path, Some(0), Some(0)).unwrap();
        }
        assert!(give_away(scratch.path()));
        assert!(is_refused(), "the directory of the prefix is another user's");
    }

    #[test]
    fn links_in_the_state_are_not_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let (prefix, victim) = (scratch.path().join("prefix"), scratch.path().join("victim"));
        drop(StateDir::open(&prefix).unwrap());
        fs::write(&victim, "precious").unwrap();
        fs::remove_file(prefix.join("engine/lock")).unwrap();
        std::os::unix::fs::symlink(&victim, prefix.join("engine/lock")).unwrap();
        assert!(StateDir::open(&prefix).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::rename(prefix.join("engine"), scratch.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(scratch.path().join("elsewhere"), prefix.join("engine")).unwrap();
        fs::remove_file(scratch.path().join("elsewhere/lock")).unwrap();
        assert!(StateDir::open(&prefix).is_err());
    }

    #[test]
    fn nobody_else_can_read_the_state() {
        let scratch = tempfile::tempdir().unwrap();
        let prefix = scratch.path().join("a/prefix");
        let state = reopen(&prefix);
        state.resource_dir(&id("/x")).unwrap();
        let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
        let directories =
            [prefix.clone(), prefix.join("engine"), prefix.join("engine/state"), state.resource_path(&id("/x"))];
        for path in directories {
            assert_eq!(mode(&path), 0o700, "{}", path.display());
        }
        for name in ["lock", "version", "identity"] {
            assert_eq!(mode(&prefix.join("engine").join(name)), 0o600, "{name}");
        }
    }

    #[test]
    fn version_and_identity_are_kept_and_invalid_identities_replaced() {
        let read =
            |dir: &tempfile::TempDir, name: &str| fs::read_to_string(dir.path().join("engine").join(name)).unwrap();
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        drop((reopen(one.path()), reopen(other.path())));
        let first = read(&one, "identity");
        assert_eq!(first.len(), 16);
        assert_ne!(first, read(&other, "identity"));
        assert_eq!(read(&one, "version"), LAYOUT_VERSION);
        drop(reopen(one.path()));
        assert_eq!(read(&one, "identity"), first);
        for invalid in ["", "0123", "0123456789abcdeg", "p123456789abcdef"] {
            fs::write(one.path().join("engine/identity"), invalid).unwrap();
            drop(reopen(one.path()));
            let identity = read(&one, "identity");
            assert!(identity.len() == 16 && identity != invalid, "{invalid:?} became {identity:?}");
        }
    }

    #[test]
    fn lock_file_has_the_process_id_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        drop(reopen(dir.path()));
        let path = dir.path().join("engine/lock");
        fs::write(&path, "a longer text than the number of a process\nand another line\n").unwrap();
        let _state = reopen(dir.path());
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}\n", std::process::id()));
    }

    #[test]
    fn fifo_in_place_of_the_lock_is_an_error_at_once() {
        let dir = tempfile::tempdir().unwrap();
        drop(reopen(dir.path()));
        let path = dir.path().join("engine/lock");
        fs::remove_file(&path).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert!(matches!(StateDir::open(dir.path()), Err(StateError::Io { .. })));
    }

    #[test]
    fn temporary_files_without_a_record_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        drop(StateDir::open(dir.path()).unwrap());
        let left = ["engine/.mgmt-tmp-p1-0", "local/pool/a/.mgmt-tmp-p23-1", "local/vardir/d/e/.mgmt-tmp-p4-2"];
        for path in left.map(|path| dir.path().join(path)) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "left").unwrap();
        }
        fs::write(dir.path().join("local/pool/a/x.uid"), "1\n").unwrap();
        reopen(dir.path());
        assert!(left.iter().all(|path| !dir.path().join(path).exists()));
        assert!(dir.path().join("local/pool/a/x.uid").exists());
    }

    #[test]
    fn newer_layout_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        drop(StateDir::open(dir.path()).unwrap());
        fs::write(dir.path().join("engine/version"), "7\n").unwrap();
        // A child that another test has just started may hold the lock until it runs its program.
        eventually("the layout is refused", || matches!(StateDir::open(dir.path()), Err(StateError::Newer { .. })));
        assert!(StateDir::overlay(dir.path()).unwrap_err().to_string().contains("newer"));
    }

    #[test]
    fn corrupted_version_is_written_again() {
        let dir = tempfile::tempdir().unwrap();
        for content in [&b""[..], b"\0\0", b"one\n", b"\xff\n"] {
            drop(reopen(dir.path()));
            fs::write(dir.path().join("engine/version"), content).unwrap();
            drop(StateDir::overlay(dir.path()).expect("a plan"));
            drop(reopen(dir.path()));
            assert_eq!(fs::read_to_string(dir.path().join("engine/version")).unwrap(), LAYOUT_VERSION, "{content:?}");
        }
    }

    #[test]
    fn temporary_files_with_a_record_are_not_looked_for() {
        let dir = tempfile::tempdir().unwrap();
        drop(StateDir::open(dir.path()).unwrap());
        // Directories of resources and copies of files may be many; what is in them has a record.
        let kept = ["engine/state/file-x/.mgmt-tmp-p1-0", "engine/backups/contents/.mgmt-tmp-p1-0"];
        for path in kept.map(|path| dir.path().join(path)) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "another program's").unwrap();
        }
        for name in ["engine/state", "engine/backups"] {
            fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(0o700)).unwrap();
        }
        drop(reopen(dir.path()));
        assert!(kept.iter().all(|path| dir.path().join(path).exists()));
    }

    #[test]
    fn state_for_reading_creates_no_directory() {
        let dir = tempfile::tempdir().unwrap();
        drop(reopen(dir.path()).resource_dir(&id("/known")).unwrap());
        let state = StateDir::read_only(dir.path());
        assert!(state.resource_dir(&id("/known")).is_ok());
        let error = state.resource_dir(&id("/unknown")).unwrap_err();
        assert!(matches!(error, safe_fs::Error::Io { action: "create", .. }), "{error}");
        assert!(!state.resource_path(&id("/unknown")).exists());
    }

    /// Without root's rights, the directories above the prefix are not looked at.
    #[test]
    fn prefix_that_others_can_change_is_refused_for_every_user() {
        for user in [0, 1000] {
            for (mode, owner) in [(0o777, user), (0o700, 2000)] {
                let machine = Simulated::new(1);
                machine.run_as(user);
                machine.make_directory("/home/prefix");
                machine.set_attributes("/home/prefix", 0o700, user);
                let files = |machine: &Arc<Simulated>| Files::new(Arc::clone(machine) as Arc<dyn FileSystem>);
                let machine = Arc::new(machine);
                let open = || {
                    let files = files(&machine);
                    protected_directories(&files, Path::new("/home/prefix"), |path| {
                        Ok(files.make_directories(path, 0o700)?)
                    })
                };
                assert!(open().is_ok(), "{:?}", open());
                machine.set_attributes("/home/prefix", mode, owner);
                assert!(matches!(open(), Err(StateError::Unsafe(_))), "user {user}, mode {mode:o} of {owner}");
            }
        }
    }

    #[test]
    fn overlay_creates_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::overlay(&dir.path().join("a/b")).unwrap();
        assert!(state.files().read(&state.engine().join("x")).unwrap().is_none());
        state.files().write(&state.engine().join("x"), b"x", 0o600).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
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
