//! A kernel in memory, for tests: it crashes between any two system calls, and any call can fail or be preceded by a change
//! that another program makes.
//!
//! Each file has the content that programs see and the content on the disk; each directory has its entries and the changes
//! that are not on the disk yet. [`FileSystem::sync`] writes both. A crash keeps what is on the disk and, of the rest, whatever
//! the random numbers say: any subset of the changes of a directory, and a mix of the bytes of a file. Like on a journaling file
//! system, a rename within a directory is kept or lost as a whole.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use crate::system::{Access, FileKind, FileSystem, Handle, Rename, Stat};

const ROOT: u64 = 1;

/// What happens at a system call.
pub enum Fault {
    /// The machine crashes before it. Every later call fails until [`Simulated::restart`].
    Crash,
    /// It fails with this error.
    Fail(Errno),
    /// Another program does something before it.
    Foreign(Box<dyn FnOnce(&Simulated) + Send>),
}

/// The simulated kernel.
pub struct Simulated {
    state: Mutex<State>,
}

struct State {
    objects: BTreeMap<u64, Object>,
    random: u64,
    clock: i64,
    calls: u64,
    fault: Option<(u64, Fault)>,
    crashed: bool,
}

#[derive(Clone)]
struct Object {
    node: Node,
    mode: u32,
    uid: u32,
    gid: u32,
    modified: i64,
    /// Whether something is mounted on it, so that its name cannot be changed.
    is_mount_point: bool,
}

#[derive(Clone)]
enum Node {
    File { content: Vec<u8>, on_disk: Vec<u8> },
    Directory { entries: BTreeMap<OsString, u64>, on_disk: BTreeMap<OsString, u64>, pending: Vec<Change> },
    Link(PathBuf),
}

/// The new entries of some names, changed together.
type Change = Vec<(OsString, Option<u64>)>;

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Simulated({} calls)", self.lock().calls)
    }
}

impl Simulated {
    /// Returns a machine with an empty root directory. The seed determines the random numbers.
    #[must_use]
    pub fn new(seed: u64) -> Simulated {
        let root = Object::new(Node::directory(), 0o755);
        let objects = BTreeMap::from([(ROOT, root)]);
        let random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Simulated { state: Mutex::new(State { objects, random, clock: 0, calls: 0, fault: None, crashed: false }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of system calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// Injects a fault before the system call with this number, counted from the first one.
    pub fn inject(&self, call: u64, fault: Fault) {
        self.lock().fault = Some((call, fault));
    }

    /// Withdraws a fault that has not happened yet.
    pub fn withdraw_fault(&self) {
        self.lock().fault = None;
    }

    /// Crashes the machine, if it has not crashed, and starts it again with what is on its disk.
    pub fn restart(&self) {
        let mut state = self.lock();
        state.fault = None;
        state.crashed = false;
        let numbers: Vec<u64> = state.objects.keys().copied().collect();
        for number in numbers {
            let mut object = state.objects[&number].clone();
            match &mut object.node {
                Node::File { content, on_disk } => {
                    let length = if state.coin() { content.len() } else { on_disk.len() };
                    let byte = |i: usize, cached: bool| {
                        let (first, second) = if cached { (&*content, &*on_disk) } else { (&*on_disk, &*content) };
                        first.get(i).or(second.get(i)).copied().unwrap_or(0)
                    };
                    let (torn, cached) = (state.coin(), state.coin());
                    let mixed = (0..length).map(|i| byte(i, if torn { state.coin() } else { cached })).collect();
                    if *content != *on_disk {
                        *on_disk = mixed;
                    }
                    content.clone_from(on_disk);
                }
                Node::Directory { entries, on_disk, pending } => {
                    for change in std::mem::take(pending) {
                        if state.coin() {
                            apply(on_disk, &change);
                        }
                    }
                    entries.clone_from(on_disk);
                }
                Node::Link(_) => {}
            }
            state.objects.insert(number, object);
        }
    }

    /// Writes everything to the disk.
    pub fn sync_all(&self) {
        for object in self.lock().objects.values_mut() {
            object.sync();
        }
    }

    /// Creates a file, or replaces its content in place, like a shell does. Missing directories are created.
    ///
    /// # Panics
    /// If the path leads through a file.
    pub fn put(&self, path: &str, content: &[u8]) {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        let number = match state.entry(directory, name.as_ref()) {
            Some(number) => number,
            None => {
                let number = state.add(Object::new(Node::file(), 0o644));
                state.change(directory, vec![(name.into(), Some(number))]);
                number
            }
        };
        state.clock += 1;
        let clock = state.clock;
        let object = state.objects.get_mut(&number).expect("it was found");
        object.modified = clock;
        if let Node::File { content: present, .. } = &mut object.node {
            *present = content.to_vec();
        }
    }

    /// Replaces a file by a new one, like an editor does.
    ///
    /// # Panics
    /// If the path leads through a file.
    pub fn replace(&self, path: &str, content: &[u8]) {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        let mut object = Object::new(Node::file(), 0o644);
        if let Node::File { content: present, .. } = &mut object.node {
            *present = content.to_vec();
        }
        let number = state.add(object);
        state.change(directory, vec![(name.into(), Some(number))]);
    }

    /// Creates a directory with the missing ones above it.
    ///
    /// # Panics
    /// If the path leads through a file.
    pub fn make_directory(&self, path: &str) {
        let _ = self.lock().directories(&format!("{path}/x"));
    }

    /// Mounts something on a file.
    ///
    /// # Panics
    /// If the file does not exist.
    pub fn mount_on(&self, path: &str) {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        let number = state.entry(directory, name.as_ref()).expect("the file exists");
        state.objects.get_mut(&number).expect("an entry has an object").is_mount_point = true;
    }

    /// Returns the content of a file that programs see; `None` if it does not exist.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        match &state.objects[&state.entry(directory, name.as_ref())?].node {
            Node::File { content, .. } => Some(content.clone()),
            Node::Directory { .. } | Node::Link(_) => None,
        }
    }

    /// Returns the names in a directory.
    #[must_use]
    pub fn names(&self, path: &str) -> Vec<String> {
        let mut state = self.lock();
        let (directory, _) = state.directories(&format!("{path}/x"));
        let Node::Directory { entries, .. } = &state.objects[&directory].node else { return Vec::new() };
        entries.keys().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Begins a system call: injects the fault that is due.
    fn call(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        state.calls += 1;
        if state.crashed {
            return Err(Errno::IO.into());
        }
        let is_due = state.fault.as_ref().is_some_and(|(call, _)| *call == state.calls);
        if let Some((_, fault)) = state.fault.take_if(|_| is_due) {
            match fault {
                Fault::Crash => {
                    state.crashed = true;
                    return Err(Errno::IO.into());
                }
                Fault::Fail(error) => return Err(error.into()),
                Fault::Foreign(act) => {
                    drop(state);
                    act(self);
                    state = self.lock();
                }
            }
        }
        Ok(state)
    }
}

fn apply(entries: &mut BTreeMap<OsString, u64>, change: &Change) {
    for (name, number) in change {
        match number {
            Some(number) => drop(entries.insert(name.clone(), *number)),
            None => drop(entries.remove(name)),
        }
    }
}

impl Node {
    fn file() -> Node {
        Node::File { content: Vec::new(), on_disk: Vec::new() }
    }

    fn directory() -> Node {
        Node::Directory { entries: BTreeMap::new(), on_disk: BTreeMap::new(), pending: Vec::new() }
    }
}

impl Object {
    fn new(node: Node, mode: u32) -> Object {
        Object { node, mode, uid: 0, gid: 0, modified: 0, is_mount_point: false }
    }

    fn sync(&mut self) {
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

impl State {
    fn next_random(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn coin(&mut self) -> bool {
        self.next_random() & 0x1000 != 0
    }

    fn add(&mut self, object: Object) -> u64 {
        self.clock += 1;
        let number = self.objects.keys().next_back().map_or(ROOT, |last| last + 1);
        self.objects.insert(number, Object { modified: self.clock, ..object });
        number
    }

    fn entry(&self, directory: u64, name: &OsStr) -> Option<u64> {
        match &self.objects[&directory].node {
            _ if name == "." => Some(directory),
            Node::Directory { entries, .. } => entries.get(name).copied(),
            Node::File { .. } | Node::Link(_) => None,
        }
    }

    fn change(&mut self, directory: u64, change: Change) {
        if let Some(Object { node: Node::Directory { entries, pending, .. }, .. }) = self.objects.get_mut(&directory) {
            apply(entries, &change);
            pending.push(change);
        }
    }

    /// Creates the directories of a path, and returns the last one with the last component.
    fn directories<'p>(&mut self, path: &'p str) -> (u64, &'p str) {
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

    fn object(&mut self, handle: &Handle) -> io::Result<&mut Object> {
        let number: &u64 = handle.value()?;
        self.objects.get_mut(number).ok_or_else(|| Errno::BADF.into())
    }

    fn file(&mut self, handle: &Handle) -> io::Result<&mut Vec<u8>> {
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

    fn open(&self, number: u64, access: Access) -> io::Result<Handle> {
        match (&self.objects[&number].node, access) {
            (Node::Link(_), access) if access != Access::Path => Err(Errno::LOOP.into()),
            (Node::File { .. }, Access::Directory | Access::DirectoryOnSameMount) => Err(Errno::NOTDIR.into()),
            (Node::Directory { .. }, Access::ReadWrite) => Err(Errno::ISDIR.into()),
            _ => Ok(Handle::from_value(number)),
        }
    }

    fn create(&mut self, directory: &Handle, name: &OsStr, object: Object) -> io::Result<Handle> {
        let directory: u64 = *directory.value()?;
        if self.entry(directory, name).is_some() {
            return Err(Errno::EXIST.into());
        }
        let number = self.add(object);
        self.change(directory, vec![(name.to_owned(), Some(number))]);
        Ok(Handle::from_value(number))
    }
}

impl FileSystem for Simulated {
    fn user(&self) -> u32 {
        0
    }

    fn group(&self) -> u32 {
        0
    }

    fn umask(&self) -> u32 {
        0o022
    }

    fn random(&self) -> u64 {
        self.lock().next_random()
    }

    fn root(&self) -> io::Result<Handle> {
        drop(self.call()?);
        Ok(Handle::from_value(ROOT))
    }

    fn open_direct(&self, path: &Path, access: Access) -> io::Result<Handle> {
        let state = self.call()?;
        let mut above = vec![ROOT];
        for component in path.components() {
            let at = above[above.len() - 1];
            match component {
                Component::ParentDir if above.len() > 1 => drop(above.pop()),
                Component::Normal(name) => match &state.objects[&at].node {
                    Node::Directory { .. } => above.push(state.entry(at, name).ok_or(Errno::NOENT)?),
                    Node::File { .. } => return Err(Errno::NOTDIR.into()),
                    Node::Link(_) => return Err(Errno::LOOP.into()),
                },
                _ => {}
            }
        }
        state.open(above[above.len() - 1], access)
    }

    fn open_at(&self, directory: &Handle, name: &OsStr, access: Access) -> io::Result<Handle> {
        let state = self.call()?;
        let number = state.entry(*directory.value()?, name).ok_or(Errno::NOENT)?;
        state.open(number, access)
    }

    fn check_writable(&self, directory: &Handle) -> io::Result<()> {
        self.call()?.object(directory).map(drop)
    }

    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        let mut state = self.call()?;
        let number: u64 = *handle.value()?;
        let links = state.objects.values().filter_map(|object| match &object.node {
            Node::Directory { entries, .. } => Some(entries.values().filter(|n| **n == number).count() as u64),
            Node::File { .. } | Node::Link(_) => None,
        });
        let links = links.sum();
        let object = state.object(handle)?;
        let (kind, size) = match &object.node {
            Node::File { content, .. } => (FileKind::File, content.len() as u64),
            Node::Directory { .. } => (FileKind::Directory, 0),
            Node::Link(_) => (FileKind::Link, 0),
        };
        Ok(Stat {
            dev: 1,
            ino: number,
            kind,
            mode: object.mode,
            uid: object.uid,
            gid: object.gid,
            size,
            links,
            modified: (object.modified, 0),
            changed: (object.modified, 0),
        })
    }

    fn read_link(&self, link: &Handle) -> io::Result<PathBuf> {
        match &self.call()?.object(link)?.node {
            Node::Link(target) => Ok(target.clone()),
            Node::File { .. } | Node::Directory { .. } => Err(Errno::INVAL.into()),
        }
    }

    fn entries(&self, directory: &Handle) -> io::Result<Vec<OsString>> {
        match &self.call()?.object(directory)?.node {
            Node::Directory { entries, .. } => Ok(entries.keys().cloned().collect()),
            Node::File { .. } | Node::Link(_) => Err(Errno::NOTDIR.into()),
        }
    }

    fn read_at(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut state = self.call()?;
        let Node::File { content, .. } = &state.object(file)?.node else { return Err(Errno::ISDIR.into()) };
        let rest = usize::try_from(offset).ok().and_then(|offset| content.get(offset..)).unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    /// Writes a part of the data only, as a kernel may.
    fn write_at(&self, file: &Handle, data: &[u8], offset: u64) -> io::Result<usize> {
        let mut state = self.call()?;
        let offset = usize::try_from(offset).map_err(|_| Errno::FBIG)?;
        let short = state.coin();
        let n = if short { data.len().div_ceil(2) } else { data.len() };
        let content = state.file(file)?;
        content.resize(content.len().max(offset + n), 0);
        content[offset..offset + n].copy_from_slice(&data[..n]);
        Ok(n)
    }

    fn reserve(&self, file: &Handle, _length: u64) -> io::Result<()> {
        self.call()?.object(file).map(drop)
    }

    fn set_length(&self, file: &Handle, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| Errno::FBIG)?;
        self.call()?.file(file)?.resize(length, 0);
        Ok(())
    }

    fn sync(&self, handle: &Handle) -> io::Result<()> {
        self.call()?.object(handle)?.sync();
        Ok(())
    }

    fn sync_file_system(&self, handle: &Handle) -> io::Result<()> {
        let mut state = self.call()?;
        state.object(handle)?;
        state.objects.values_mut().for_each(Object::sync);
        Ok(())
    }

    fn create_file(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<Handle> {
        self.call()?.create(directory, name, Object::new(Node::file(), mode & !0o022))
    }

    fn create_directory(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<()> {
        self.call()?.create(directory, name, Object::new(Node::directory(), mode & !0o022)).map(drop)
    }

    fn create_link(&self, directory: &Handle, name: &OsStr, target: &Path) -> io::Result<()> {
        self.call()?.create(directory, name, Object::new(Node::Link(target.to_path_buf()), 0o777)).map(drop)
    }

    fn rename(&self, from: (&Handle, &OsStr), to: (&Handle, &OsStr), how: Rename) -> io::Result<()> {
        let mut state = self.call()?;
        let (from_directory, to_directory): (u64, u64) = (*from.0.value()?, *to.0.value()?);
        let moved = state.entry(from_directory, from.1).ok_or(Errno::NOENT)?;
        let present = state.entry(to_directory, to.1);
        match (how, present) {
            (Rename::New, Some(_)) => return Err(Errno::EXIST.into()),
            (Rename::Exchange, None) => return Err(Errno::NOENT.into()),
            _ => {}
        }
        if let Some(present) = present {
            if state.objects[&present].is_mount_point || state.objects[&moved].is_mount_point {
                return Err(Errno::BUSY.into());
            }
            let is_directory = |number: u64| matches!(state.objects[&number].node, Node::Directory { .. });
            if how == Rename::Replace && is_directory(present) && !is_directory(moved) {
                return Err(Errno::ISDIR.into());
            }
        }
        let left = if how == Rename::Exchange { present } else { None };
        if from_directory == to_directory {
            state.change(from_directory, vec![(from.1.to_owned(), left), (to.1.to_owned(), Some(moved))]);
        } else {
            state.change(from_directory, vec![(from.1.to_owned(), left)]);
            state.change(to_directory, vec![(to.1.to_owned(), Some(moved))]);
        }
        Ok(())
    }

    fn remove_file(&self, directory: &Handle, name: &OsStr) -> io::Result<()> {
        let mut state = self.call()?;
        let directory: u64 = *directory.value()?;
        let number = state.entry(directory, name).ok_or(Errno::NOENT)?;
        if matches!(state.objects[&number].node, Node::Directory { .. }) {
            return Err(Errno::ISDIR.into());
        }
        state.change(directory, vec![(name.to_owned(), None)]);
        Ok(())
    }

    fn remove_directory(&self, directory: &Handle, name: &OsStr) -> io::Result<()> {
        let mut state = self.call()?;
        let directory: u64 = *directory.value()?;
        let number = state.entry(directory, name).ok_or(Errno::NOENT)?;
        match &state.objects[&number].node {
            Node::Directory { entries, .. } if entries.is_empty() => {
                state.change(directory, vec![(name.to_owned(), None)]);
                Ok(())
            }
            Node::Directory { .. } => Err(Errno::NOTEMPTY.into()),
            Node::File { .. } | Node::Link(_) => Err(Errno::NOTDIR.into()),
        }
    }

    fn set_owner(&self, handle: &Handle, uid: Option<u32>, gid: Option<u32>) -> io::Result<()> {
        let mut state = self.call()?;
        let object = state.object(handle)?;
        object.uid = uid.unwrap_or(object.uid);
        object.gid = gid.unwrap_or(object.gid);
        Ok(())
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        self.call()?.object(handle)?.mode = mode;
        Ok(())
    }

    fn label(&self, handle: &Handle) -> io::Result<Option<Vec<u8>>> {
        self.call()?.object(handle)?;
        Ok(None)
    }

    fn set_label(&self, handle: &Handle, _label: Option<&[u8]>) -> io::Result<()> {
        self.call()?.object(handle).map(drop)
    }
}
