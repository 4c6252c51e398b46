//! Random changes of a directory, with events that are delivered late, and with a queue that overflows: no change of a
//! subscribed path is missed.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use resources::Scope;
use rustix::fs::inotify::ReadFlags;
use test_support::{RandomChoice as _, Rng, for_each_seed};

use crate::watcher::{Event, PathChange, Watcher};

/// Number of histories in a test run. `RUNS_FACTOR` multiplies it.
const RUNS: u64 = 300;

/// The names of directories and files, on each of two levels.
const DIRECTORIES: [&str; 3] = ["a", "b", "c"];
const FILES: [&str; 3] = ["f", "g", "l"];
const SCOPES: [Scope; 4] = [Scope::Name, Scope::Entry, Scope::Children, Scope::Recursive];

/// What a subscriber can see of a path, by path: everything that its scope covers.
type Seen = BTreeMap<PathBuf, Object>;

#[derive(Debug, PartialEq)]
enum Object {
    Directory { inode: u64, mode: u32 },
    Link(PathBuf),
    File { inode: u64, mode: u32, content: Vec<u8> },
}

#[test]
fn no_change_is_missed_whenever_events_are_read_and_whichever_are_lost() {
    for_each_seed(RUNS, |random| {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        let mut watcher = Watcher::new();
        let mut subscribers: Vec<(PathBuf, Scope, Seen)> = Vec::new();
        let mut late: Vec<Event> = Vec::new();
        for _ in 0..random.usize(5..60) {
            match random.usize(0..12) {
                0 if subscribers.len() < 8 => {
                    let (path, scope) = (any_path(&root, random), *random.pick(&SCOPES));
                    watcher.subscribe(&path, scope, subscribers.len() as u64);
                    let seen = look(&path, scope);
                    subscribers.push((path, scope, seen));
                }
                0..3 => {
                    deliver(&mut watcher, &mut late, random, &mut subscribers);
                }
                _ => change(&root, random),
            }
        }
        // Handling an event may cause others: watches that are removed.
        loop {
            late.extend(watcher.read_events().unwrap());
            if late.is_empty() {
                break;
            }
            handle(&mut watcher, std::mem::take(&mut late), &mut subscribers);
        }
        if let Some(at) = watcher.next_poll() {
            let changes = watcher.read_changes(at).unwrap();
            report(&changes, &mut subscribers);
        }
        for (path, scope, seen) in &subscribers {
            assert_eq!(look(path, *scope), *seen, "{} {scope:?}", path.display());
        }
    });
}

/// Delivers some of the events, or loses all after some, as a queue that overflows does.
fn deliver(watcher: &mut Watcher, late: &mut Vec<Event>, random: &mut Rng, subscribers: &mut [(PathBuf, Scope, Seen)]) {
    let mut events = std::mem::take(late);
    events.extend(watcher.read_events().unwrap());
    let split = random.usize(0..=events.len());
    match random.usize(0..3) {
        0 => {}
        1 => *late = events.split_off(split),
        _ => {
            events.truncate(split);
            events.push(Event { wd: -1, flags: ReadFlags::QUEUE_OVERFLOW, name: None });
        }
    }
    handle(watcher, events, subscribers);
}

fn handle(watcher: &mut Watcher, events: Vec<Event>, subscribers: &mut [(PathBuf, Scope, Seen)]) {
    let mut changes = Vec::new();
    for event in events {
        watcher.handle(&event, &mut changes);
    }
    report(&changes, subscribers);
}

/// Subscribers look again at what is reported.
fn report(changes: &[PathChange], subscribers: &mut [(PathBuf, Scope, Seen)]) {
    for change in changes {
        let (path, scope, seen) = &mut subscribers[change.token as usize];
        *seen = look(path, *scope);
    }
}

fn any_directory(root: &Path, random: &mut Rng) -> PathBuf {
    let mut path = root.to_owned();
    for _ in 0..random.usize(0..3) {
        path.push(random.pick(&DIRECTORIES));
    }
    path
}

fn any_path(root: &Path, random: &mut Rng) -> PathBuf {
    let directory = any_directory(root, random);
    let directory = if random.one_in(4) { directory.join("l") } else { directory };
    if random.one_in(3) { directory.join(random.pick(&DIRECTORIES)) } else { directory.join(random.pick(&FILES)) }
}

/// Changes something; what is impossible changes nothing.
fn change(root: &Path, random: &mut Rng) {
    let path = any_path(root, random);
    let _ = match random.usize(0..8) {
        0 => fs::create_dir_all(any_directory(root, random)),
        1 => fs::remove_dir_all(&path),
        2 => fs::remove_file(&path),
        3 => fs::rename(&path, any_path(root, random)),
        4 => symlink(any_path(root, random), any_directory(root, random).join("l")),
        5 => fs::set_permissions(&path, fs::Permissions::from_mode(*random.pick(&[0o700, 0o750, 0o755]))),
        _ => fs::write(&path, vec![b'x'; random.usize(0..9)]),
    };
}

fn look(path: &Path, scope: Scope) -> Seen {
    let mut seen = Seen::new();
    add(path, scope, &mut seen);
    seen
}

fn add(path: &Path, scope: Scope, seen: &mut Seen) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let object = object(path, &metadata);
    let target = match &object {
        Object::Link(target) if scope != Scope::Name => Some(target.clone()),
        _ => None,
    };
    // Links may form a cycle.
    if seen.insert(path.to_owned(), object).is_some() {
        return;
    }
    if let Some(target) = target {
        add(&target, Scope::Entry, seen);
    }
    let inner = match scope {
        Scope::Name | Scope::Entry => return,
        Scope::Children => Scope::Name,
        Scope::Recursive => Scope::Recursive,
    };
    if metadata.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            // The entries of a directory are not followed.
            let inner = if entry.file_type().is_ok_and(|ty| ty.is_symlink()) { Scope::Name } else { inner };
            add(&entry.path(), inner, seen);
        }
    }
}

fn object(path: &Path, metadata: &Metadata) -> Object {
    let (inode, mode) = (metadata.ino(), metadata.mode());
    if metadata.is_dir() {
        Object::Directory { inode, mode }
    } else if metadata.is_symlink() {
        Object::Link(fs::read_link(path).unwrap_or_default())
    } else {
        Object::File { inode, mode, content: fs::read(path).unwrap_or_default() }
    }
}
