//! The watcher on real directories.

mod random;

use std::fs;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::*;

/// Reads changes until the token comes, for at most five seconds.
fn wait_for(watcher: &mut Watcher, token: u64) -> bool {
    let end = Instant::now() + Duration::from_secs(5);
    while Instant::now() < end {
        if watcher.read(Instant::now()).unwrap().contains(&token) {
            return true;
        }
        let fd = watcher.fd().unwrap();
        let _ = poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 50_000_000 }));
    }
    false
}

fn quiet(watcher: &mut Watcher) -> Vec<u64> {
    watcher.read(Instant::now()).unwrap()
}

#[test]
fn file_is_noticed_when_its_missing_parents_appear_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut watcher = Watcher::new();
    watcher.subscribe(&dir.path().join("a/b/c/file"), Scope::Entry, 7);
    for sub in ["a", "a/b", "a/b/c"] {
        fs::create_dir(dir.path().join(sub)).unwrap();
        assert!(wait_for(&mut watcher, 7), "{sub}");
    }
    fs::write(dir.path().join("a/b/c/file"), "x").unwrap();
    assert!(wait_for(&mut watcher, 7));
    fs::remove_dir_all(dir.path().join("a")).unwrap();
    assert!(wait_for(&mut watcher, 7));
    quiet(&mut watcher);
    fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
    fs::write(dir.path().join("a/b/c/file"), "y").unwrap();
    assert!(wait_for(&mut watcher, 7));
}

#[test]
fn target_of_a_link_is_watched_whenever_the_link_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for directory in ["one", "two"] {
        fs::create_dir(path(directory)).unwrap();
        fs::write(path(directory).join("f"), "").unwrap();
    }
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, path(name)).unwrap();
    let mut watcher = Watcher::new();
    let subscription = watcher.subscribe(&path("x"), Scope::Entry, 7);
    link("chain", "x");
    assert!(wait_for(&mut watcher, 7), "the link appears");
    link("one/f", "chain");
    assert!(wait_for(&mut watcher, 7), "the second link appears");
    quiet(&mut watcher);
    fs::write(path("one/f"), "x").unwrap();
    assert!(wait_for(&mut watcher, 7), "the target changes");
    link("two/f", "new");
    fs::rename(path("new"), path("chain")).unwrap();
    assert!(wait_for(&mut watcher, 7), "the link is replaced");
    quiet(&mut watcher);
    fs::write(path("one/f"), "y").unwrap();
    assert_eq!(quiet(&mut watcher), [0; 0], "the old target is left alone");
    fs::write(path("two/f"), "y").unwrap();
    assert!(wait_for(&mut watcher, 7), "the new target changes");
    watcher.unsubscribe(subscription);
    assert_eq!(watcher.nodes.len(), 1, "only the root is left");
}

#[test]
fn cycle_of_links_is_followed_for_a_while() {
    let dir = tempfile::tempdir().unwrap();
    for (target, name) in [("a", "b"), ("b", "a")] {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap();
    }
    let mut watcher = Watcher::new();
    let subscription = watcher.subscribe(&dir.path().join("a"), Scope::Entry, 7);
    fs::remove_file(dir.path().join("b")).unwrap();
    assert!(wait_for(&mut watcher, 7));
    watcher.unsubscribe(subscription);
    assert_eq!(watcher.nodes.len(), 1, "only the root is left");
}

#[test]
fn ten_thousand_files_of_one_directory_need_few_watches() {
    let dir = tempfile::tempdir().unwrap();
    let mut watcher = Watcher::new();
    let subscriptions: Vec<Subscription> =
        (0..10_000).map(|i| watcher.subscribe(&dir.path().join(format!("f{i}")), Scope::Entry, i)).collect();
    assert!(watcher.by_wd.len() <= dir.path().components().count());
    fs::write(dir.path().join("f77"), "x").unwrap();
    assert!(wait_for(&mut watcher, 77));
    for subscription in subscriptions {
        watcher.unsubscribe(subscription);
    }
    assert_eq!(watcher.nodes.len(), 1, "only the root is left");
    assert!(watcher.by_wd.len() <= 1);
}

#[test]
fn renamed_ancestor_is_noticed_and_the_old_object_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b")).unwrap();
    fs::write(dir.path().join("a/b/file"), "x").unwrap();
    let mut watcher = Watcher::new();
    watcher.subscribe(&dir.path().join("a/b/file"), Scope::Entry, 1);
    fs::rename(dir.path().join("a"), dir.path().join("z")).unwrap();
    assert!(wait_for(&mut watcher, 1));
    quiet(&mut watcher);
    fs::write(dir.path().join("z/b/file"), "edited").unwrap();
    assert_eq!(quiet(&mut watcher), [0u64; 0]);
}

#[test]
fn unrelated_entries_are_not_reported() {
    let dir = tempfile::tempdir().unwrap();
    let mut watcher = Watcher::new();
    watcher.subscribe(&dir.path().join("file"), Scope::Entry, 1);
    fs::write(dir.path().join("other"), "x").unwrap();
    assert_eq!(quiet(&mut watcher), [0u64; 0]);
}

#[test]
fn everything_below_is_reported_in_directories_made_later() {
    let dir = tempfile::tempdir().unwrap();
    let mut watcher = Watcher::new();
    let subscription = watcher.subscribe(dir.path(), Scope::Recursive, 3);
    fs::create_dir_all(dir.path().join("new/deep")).unwrap();
    assert!(wait_for(&mut watcher, 3));
    quiet(&mut watcher);
    fs::write(dir.path().join("new/deep/file"), "x").unwrap();
    assert!(wait_for(&mut watcher, 3));
    watcher.unsubscribe(subscription);
    assert_eq!(watcher.nodes.len(), 1, "only the root is left");
}

#[test]
fn removed_directories_below_a_recursive_subscription_are_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let mut watcher = Watcher::new();
    watcher.subscribe(dir.path(), Scope::Recursive, 3);
    let nodes = watcher.nodes.len();
    for i in 0..50 {
        let new = dir.path().join(format!("new{i}"));
        fs::create_dir_all(new.join("deep/deeper")).unwrap();
        assert!(wait_for(&mut watcher, 3));
        fs::rename(&new, dir.path().join("moved")).unwrap();
        quiet(&mut watcher);
        fs::remove_dir_all(dir.path().join("moved")).unwrap();
        quiet(&mut watcher);
    }
    assert!(watcher.nodes.len() <= nodes + 1, "{} nodes", watcher.nodes.len());
    let watches: usize = watcher.by_wd.values().map(Vec::len).sum();
    assert!(watches <= nodes, "{watches} watches");
}

#[test]
fn writer_is_done_when_it_closes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut watcher = Watcher::with_write_phases();
    watcher.subscribe(&path, Scope::Entry, 1);
    let mut phases = || -> Vec<WritePhase> {
        watcher.read_changes(Instant::now()).unwrap().into_iter().map(|change| change.phase).collect()
    };
    let mut writer = fs::File::create(&path).unwrap();
    assert_eq!(phases().last(), Some(&WritePhase::Writing));
    io::Write::write_all(&mut writer, b"x").unwrap();
    assert_eq!(phases().last(), Some(&WritePhase::Writing));
    drop(writer);
    assert_eq!(phases(), [WritePhase::Done]);
    fs::write(dir.path().join("other"), "y").unwrap();
    fs::rename(dir.path().join("other"), &path).unwrap();
    assert_eq!(phases(), [WritePhase::Done]);
}

#[test]
fn without_inotify_everything_is_polled_and_the_limit_reported_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut watcher = Watcher { inotify: None, limit_reached: true, ..Watcher::new() };
    watcher.subscribe(&dir.path().join("file"), Scope::Entry, 9);
    assert!(watcher.take_limit_reached());
    let due = watcher.next_poll().unwrap();
    assert_eq!(watcher.read(due).unwrap(), [9]);
    assert!(!watcher.take_limit_reached());
    assert!(watcher.next_poll().is_some());
}
