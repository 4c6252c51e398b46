//! One writer at a time for each file.
//!
//! A writer holds the lock of a file from before it reads the file until it has replaced it. Files are identified by what they
//! are, not by how a path spells them: a name in a directory and, where the name exists, the object itself, which may have
//! other names and mounts.

use std::ffi::{OsStr, OsString};
use std::sync::{Condvar, Mutex, PoisonError};

use rustc_hash::FxHashSet;

use crate::system::Stat;

/// What a lock protects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Name { dev: u64, ino: u64, name: OsString },
    Object { dev: u64, ino: u64 },
}

/// The locks of a process.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    held: Mutex<FxHashSet<Key>>,
    released: Condvar,
}

/// Releases its locks when it is dropped.
#[derive(Debug)]
pub(crate) struct LockGuard<'l> {
    locks: &'l Locks,
    keys: Vec<Key>,
}

impl Locks {
    /// Waits for the lock of a name in a directory.
    pub(crate) fn lock_name(&self, directory: &Stat, name: &OsStr) -> LockGuard<'_> {
        let key = Key::Name { dev: directory.dev, ino: directory.ino, name: name.to_owned() };
        self.wait(&key);
        LockGuard { locks: self, keys: vec![key] }
    }

    fn wait(&self, key: &Key) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while held.contains(key) {
            held = self.released.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        held.insert(key.clone());
    }
}

impl LockGuard<'_> {
    /// Waits for the lock of the object that has the name. Cannot deadlock: every thread locks one name, then one object.
    pub(crate) fn lock_object(&mut self, object: &Stat) {
        debug_assert_eq!(self.keys.len(), 1, "an object is locked once, after its name");
        let key = Key::Object { dev: object.dev, ino: object.ino };
        self.locks.wait(&key);
        self.keys.push(key);
    }
}

impl Drop for LockGuard<'_> {
    fn drop(&mut self) {
        let mut held = self.locks.held.lock().unwrap_or_else(PoisonError::into_inner);
        for key in &self.keys {
            held.remove(key);
        }
        drop(held);
        self.locks.released.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;
    use crate::system::FileKind;

    const ROUNDS: usize = 500;
    const THREADS: usize = 4;
    /// What a busy machine may need until a thread runs that nothing holds up.
    const TIMEOUT: Duration = Duration::from_secs(60);

    fn object(ino: u64) -> Stat {
        Stat {
            dev: 1,
            ino,
            kind: FileKind::File,
            mode: 0o644,
            uid: 0,
            gid: 0,
            size: 0,
            links: 1,
            modified: (0, 0),
            changed: (0, 0),
            has_access_list: false,
        }
    }

    /// Runs threads that take a lock again and again, and checks that no two of them have it at a time.
    #[track_caller]
    fn assert_exclusive<'l>(lock: impl Fn(usize) -> LockGuard<'l> + Sync) {
        let (inside, start) = (AtomicU32::new(0), Barrier::new(THREADS));
        let overlaps = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (lock, inside, overlaps, start) = (&lock, &inside, &overlaps, &start);
                scope.spawn(move || {
                    start.wait();
                    for _ in 0..ROUNDS {
                        let _guard = lock(thread);
                        overlaps.fetch_add(inside.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(overlaps.into_inner(), 0);
    }

    #[test]
    fn one_thread_at_a_time_has_a_name() {
        let locks = Locks::default();
        assert_exclusive(|_| locks.lock_name(&object(1), "a".as_ref()));
        assert!(locks.held.lock().unwrap().is_empty());
    }

    #[test]
    fn one_thread_at_a_time_has_an_object_with_several_names() {
        let locks = Locks::default();
        assert_exclusive(|thread| {
            let mut guard = locks.lock_name(&object(1), thread.to_string().as_ref());
            guard.lock_object(&object(2));
            guard
        });
        assert!(locks.held.lock().unwrap().is_empty());
    }

    #[test]
    fn other_names_and_other_directories_do_not_wait() {
        let locks = Locks::default();
        let mut first = locks.lock_name(&object(1), "a".as_ref());
        first.lock_object(&object(7));
        let (sender, done) = channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _other_name = locks.lock_name(&object(1), "b".as_ref());
                let mut other_directory = locks.lock_name(&object(2), "a".as_ref());
                other_directory.lock_object(&object(8));
                sender.send(()).unwrap();
            });
            let is_done = done.recv_timeout(TIMEOUT).is_ok();
            drop(first);
            assert!(is_done);
        });
    }

    /// The two that wait for one guard wait for different keys, and the first that gets its own may keep it for long.
    #[test]
    fn all_that_wait_are_woken() {
        for _ in 0..20 {
            let locks = Locks::default();
            let mut held = locks.lock_name(&object(1), "a".as_ref());
            held.lock_object(&object(2));
            let (sender, got) = channel();
            let both = Barrier::new(3);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    both.wait();
                    let guard = locks.lock_name(&object(1), "a".as_ref());
                    sender.clone().send(()).unwrap();
                    both.wait();
                    drop(guard);
                });
                scope.spawn(|| {
                    let mut guard = locks.lock_name(&object(1), "b".as_ref());
                    both.wait();
                    guard.lock_object(&object(2));
                    sender.clone().send(()).unwrap();
                    both.wait();
                });
                both.wait();
                // Both are about to wait, or wait already.
                std::thread::park_timeout(Duration::from_millis(2));
                drop(held);
                let woken = (0..2).filter(|_| got.recv_timeout(TIMEOUT).is_ok()).count();
                if woken < 2 {
                    locks.released.notify_all();
                }
                both.wait();
                assert_eq!(woken, 2);
            });
        }
    }
}
