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
    let read = |dir: &tempfile::TempDir, name: &str| fs::read_to_string(dir.path().join("engine").join(name)).unwrap();
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
    let error = StateDir::open(dir.path()).unwrap_err();
    assert!(matches!(error, StateError::Unsafe(safe_fs::Error::WrongKind { found: FileKind::Fifo, .. })), "{error}");
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
            let open = || protected_directories(&files(&machine), Path::new("/home/prefix"));
            assert!(open().is_ok(), "{:?}", open());
            machine.set_attributes("/home/prefix", mode, owner);
            assert!(matches!(open(), Err(StateError::Unsafe(_))), "user {user}, mode {mode:o} of {owner}");
        }
    }
}

#[test]
fn each_part_of_the_state_that_others_can_change_is_refused() {
    for path in ["engine", "engine/version", "engine/refresh", "engine/reversals", "engine/backups", "local"] {
        for (mode, owner) in [(0o666, 0), (0o602, 0), (0o600, 2000)] {
            let machine = Simulated::new(1);
            machine.make_directory("/prefix/engine");
            machine.make_directory("/prefix/local");
            machine.set_attributes("/prefix", 0o700, 0);
            let path = format!("/prefix/{path}");
            machine.put(&path, b"");
            machine.set_attributes(&path, mode, owner);
            let files = Files::new(Arc::new(machine));
            let result = protected_directories(&files, Path::new("/prefix"));
            assert!(matches!(result, Err(StateError::Unsafe(_))), "{path} with mode {mode:o} of {owner}: {result:?}");
        }
    }
}

/// What resources keep is looked at when it is used.
#[test]
fn private_directory_that_others_can_change_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let state = StateDir::open(dir.path()).unwrap();
    let file = state.resource_dir(&id("/x")).unwrap().join("output");
    state.files().write(&file, b"x", 0o600).unwrap();
    let set_mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set_mode(&file, 0o666);
    assert!(matches!(state.files().read(&file), Err(safe_fs::Error::Unprotected { .. })));
    set_mode(&file, 0o600);
    assert!(state.files().read(&file).is_ok());
    set_mode(&state.resource_path(&id("/x")), 0o777);
    assert!(matches!(state.resource_dir(&id("/x")), Err(safe_fs::Error::Unprotected { .. })));
}

#[test]
fn no_directory_is_created_behind_a_link_of_a_user() {
    let machine = Simulated::new(1);
    machine.make_directory("/home/user");
    machine.make_directory("/victim");
    machine.put_link("/home/user/x", "/victim");
    for path in ["/home/user", "/home/user/x"] {
        machine.set_attributes(path, 0o755, 1000);
    }
    let machine = Arc::new(machine);
    let files = Files::new(Arc::clone(&machine) as Arc<dyn FileSystem>);
    assert!(protected_directories(&files, Path::new("/home/user/x/state")).is_err());
    assert_eq!(machine.names("/victim"), [""; 0]);
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
    // A child that another test has just started may have it until it runs its program.
    eventually("the lock is free", || flock(&held, FlockOperation::NonBlockingLockExclusive).is_ok());
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
