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
