//! The objects of the simulated disk: what programs see of them, and what survives a crash.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;

use crate::system::{Access, Handle};

pub(super) const ROOT: u64 = 1;

/// All objects.
pub(super) struct Disk {
    pub(super) objects: BTreeMap<u64, Object>,
    pub(super) random: u64,
    pub(super) clock: i64,
}

#[derive(Clone)]
pub(super) struct Object {
    pub(super) node: Node,
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) label: Option<Vec<u8>>,
    pub(super) modified: i64,
    /// The length for which space was reserved, in bytes.
    pub(super) reserved: u64,
    /// Whether something is mounted on it, so that its name cannot be changed.
    pub(super) is_mount_point: bool,
}

#[derive(Clone)]
pub(super) enum Node {
    File { content: Vec<u8>, on_disk: Vec<u8> },
    Directory { entries: BTreeMap<OsString, u64>, on_disk: BTreeMap<OsString, u64>, pending: Vec<Change> },
    Link(PathBuf),
}

/// The new entries of some names, changed together.
pub(super) type Change = Vec<(OsString, Option<u64>)>;

pub(super) fn apply(entries: &mut BTreeMap<OsString, u64>, change: &Change) {
    for (name, number) in change {
        match number {
            Some(number) => drop(entries.insert(name.clone(), *number)),
            None => drop(entries.remove(name)),
        }
    }
}

impl Node {
    pub(super) fn file() -> Node {
        Node::File { content: Vec::new(), on_disk: Vec::new() }
    }

    pub(super) fn directory() -> Node {
        Node::Directory { entries: BTreeMap::new(), on_disk: BTreeMap::new(), pending: Vec::new() }
    }
}

impl Object {
    pub(super) fn new(node: Node, mode: u32) -> Object {
        Object { node, mode, uid: 0, gid: 0, label: None, modified: 0, reserved: 0, is_mount_point: false }
    }

    pub(super) fn sync(&mut self) {
        match &mut self.node {
            Node::File { content, on_disk } => on_disk.clone_from(content),
            Node::Directory { entries, on_disk, pending } => {
                on_disk.clone_from(entries);
                pending.clear();
            }
            Node::Link(_) => {}
        }
    }
}

impl Disk {
    /// Returns a disk with an empty root directory.
    pub(super) fn new(seed: u64) -> Disk {
        let objects = BTreeMap::from([(ROOT, Object::new(Node::directory(), 0o755))]);
        Disk { objects, random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, clock: 0 }
    }

    /// Keeps what is on the disk and, of the rest, whatever the random numbers say.
    pub(super) fn crash(&mut self) {
        let numbers: Vec<u64> = self.objects.keys().copied().collect();
        for number in numbers {
            let mut object = self.objects[&number].clone();
            match &mut object.node {
                Node::File { content, on_disk } => {
                    if content != on_disk {
                        *on_disk = self.mix(content, on_disk);
                    }
                    content.clone_from(on_disk);
                }
                Node::Directory { entries, on_disk, pending } => {
                    for change in std::mem::take(pending) {
                        if self.coin() {
                            apply(on_disk, &change);
                        }
                    }
                    entries.clone_from(on_disk);
                }
                Node::Link(_) => {}
            }
            self.objects.insert(number, object);
        }
    }

    /// Returns a mix of the bytes of two contents.
    fn mix(&mut self, content: &[u8], on_disk: &[u8]) -> Vec<u8> {
        let length = if self.coin() { content.len() } else { on_disk.len() };
        let byte = |i: usize, cached: bool| {
            let (first, second) = if cached { (content, on_disk) } else { (on_disk, content) };
            first.get(i).or(second.get(i)).copied().unwrap_or(0)
        };
        let (torn, cached) = (self.coin(), self.coin());
        (0..length).map(|i| byte(i, if torn { self.coin() } else { cached })).collect()
    }

    pub(super) fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    pub(super) fn coin(&mut self) -> bool {
        self.next_random() & 0x1000 != 0
    }

    pub(super) fn add(&mut self, object: Object) -> u64 {
        self.clock += 1;
        let number = self.objects.keys().next_back().map_or(ROOT, |last| last + 1);
        self.objects.insert(number, Object { modified: self.clock, ..object });
        number
    }

    pub(super) fn entry(&self, directory: u64, name: &OsStr) -> Option<u64> {
        match &self.objects[&directory].node {
            _ if name == "." => Some(directory),
            Node::Directory { entries, .. } => entries.get(name).copied(),
            Node::File { .. } | Node::Link(_) => None,
        }
    }

    pub(super) fn change(&mut self, directory: u64, change: Change) {
        if let Some(Object { node: Node::Directory { entries, pending, .. }, .. }) = self.objects.get_mut(&directory) {
            apply(entries, &change);
            pending.push(change);
        }
    }

    /// Creates the directories of a path, and returns the last one with the last component.
    pub(super) fn directories<'p>(&mut self, path: &'p str) -> (u64, &'p str) {
        let (directories, name) = path.rsplit_once('/').expect("an absolute path");
        let mut at = ROOT;
        for part in directories.split('/').filter(|part| !part.is_empty()) {
            at = match self.entry(at, part.as_ref()) {
                Some(number) => number,
                None => {
                    let number = self.add(Object::new(Node::directory(), 0o755));
                    self.change(at, vec![(part.into(), Some(number))]);
                    number
                }
            };
        }
        (at, name)
    }

    pub(super) fn object(&mut self, handle: &Handle) -> io::Result<&mut Object> {
        let number: &u64 = handle.value()?;
        self.objects.get_mut(number).ok_or_else(|| Errno::BADF.into())
    }

    pub(super) fn file(&mut self, handle: &Handle) -> io::Result<&mut Vec<u8>> {
        self.clock += 1;
        let clock = self.clock;
        let object = self.object(handle)?;
        match &mut object.node {
            Node::File { content, .. } => {
                object.modified = clock;
                Ok(content)
            }
            Node::Directory { .. } => Err(Errno::ISDIR.into()),
            Node::Link(_) => Err(Errno::INVAL.into()),
        }
    }

    pub(super) fn open(&self, number: u64, access: Access) -> io::Result<Handle> {
        match (&self.objects[&number].node, access) {
            (Node::Link(_), access) if access != Access::Path => Err(Errno::LOOP.into()),
            (Node::File { .. }, Access::Directory | Access::DirectoryOnSameMount) => Err(Errno::NOTDIR.into()),
            (Node::Directory { .. }, Access::ReadWrite) => Err(Errno::ISDIR.into()),
            _ => Ok(Handle::from_value(number)),
        }
    }

    pub(super) fn create(&mut self, directory: &Handle, name: &OsStr, object: Object) -> io::Result<Handle> {
        let directory: u64 = *directory.value()?;
        if self.entry(directory, name).is_some() {
            return Err(Errno::EXIST.into());
        }
        let number = self.add(object);
        self.change(directory, vec![(name.to_owned(), Some(number))]);
        Ok(Handle::from_value(number))
    }
}
