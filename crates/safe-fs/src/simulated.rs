//! A kernel in memory, for tests: it crashes between any two system calls, and any call can fail or be preceded by a change
//! that another program makes.
//!
//! Each file has the content that programs see and the content on the disk; each directory has its entries and the changes
//! that are not on the disk yet. [`FileSystem::sync`] writes both. A crash keeps what is on the disk and, of the rest, whatever
//! the random numbers say: any subset of the changes of a directory, and a mix of the bytes of a file. Like on a journaling file
//! system, a rename within a directory is kept or lost as a whole.

mod disk;
mod fault;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::io::Errno;

use crate::simulated::disk::{Disk, Node, Object, ROOT};
pub use crate::simulated::fault::{Fault, MachineFault};
use crate::system::{Access, FileKind, FileSystem, Handle, Rename, Stat};

/// The simulated kernel.
pub struct Simulated {
    state: Mutex<State>,
}

struct State {
    disk: Disk,
    calls: u64,
    /// The number of calls among them that wait for the disk.
    syncs: u64,
    fault: Option<(u64, Fault)>,
    crashed: bool,
    is_full: bool,
    /// The user of the process.
    user: u32,
    now: SystemTime,
}

/// What the clock of a new machine shows, in seconds since 1970.
const START: u64 = 1_800_000_000;

impl Deref for State {
    type Target = Disk;

    fn deref(&self) -> &Disk {
        &self.disk
    }
}

impl DerefMut for State {
    fn deref_mut(&mut self) -> &mut Disk {
        &mut self.disk
    }
}

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Simulated({} calls)", self.lock().calls)
    }
}

impl Simulated {
    /// Returns a machine with an empty root directory. The seed determines the random numbers.
    #[must_use]
    pub fn new(seed: u64) -> Simulated {
        let state = State {
            disk: Disk::new(seed),
            calls: 0,
            syncs: 0,
            fault: None,
            crashed: false,
            is_full: false,
            user: 0,
            now: UNIX_EPOCH + Duration::from_secs(START),
        };
        Simulated { state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the user of the process, which is root otherwise. It cannot change owners; other permissions
    /// are not checked.
    pub fn run_as(&self, user: u32) {
        self.lock().user = user;
    }

    /// Sets the clock, which otherwise stands still.
    pub fn set_clock(&self, now: SystemTime) {
        self.lock().now = now;
    }

    /// Returns the number of system calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.lock().calls
    }

    /// Returns the number of system calls so far that waited for the disk.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.lock().syncs
    }

    /// Injects a fault before the system call with this number, counted from the first one.
    pub fn inject(&self, call: u64, fault: impl Into<Fault>) {
        self.lock().fault = Some((call, fault.into()));
    }

    /// Ends a fault, whether or not it has happened: restarts the machine for a crash, withdraws another one.
    pub fn end(&self, fault: MachineFault) {
        match fault {
            MachineFault::Crash => self.restart(),
            MachineFault::Full | MachineFault::Fail(_) => self.withdraw_fault(),
        }
    }

    /// Withdraws a fault that has not happened yet, and ends that of a full disk.
    pub fn withdraw_fault(&self) {
        let mut state = self.lock();
        state.fault = None;
        state.is_full = false;
    }

    /// Returns whether the injected fault has happened.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.lock().fault.is_none()
    }

    /// Crashes the machine, if it has not crashed, and starts it again with what is on its disk.
    pub fn restart(&self) {
        let mut state = self.lock();
        state.fault = None;
        state.crashed = false;
        state.is_full = false;
        state.disk.crash();
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

    /// Sets the mode and the owner of an object, like a program that has it open.
    ///
    /// # Panics
    /// If the object does not exist.
    pub fn set_attributes(&self, path: &str, mode: u32, uid: u32) {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        let number = state.entry(directory, name.as_ref()).expect("the object exists");
        let object = state.objects.get_mut(&number).expect("an entry has an object");
        (object.mode, object.uid) = (mode, uid);
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

    /// Returns every object below a directory by its path, sorted. Directories end with a slash.
    #[must_use]
    pub fn tree(&self, path: &str) -> BTreeMap<String, Shown> {
        let mut state = self.lock();
        let (directory, _) = state.directories(&format!("{path}/x"));
        let mut found = BTreeMap::new();
        let mut todo = vec![(path.to_owned(), directory)];
        while let Some((path, directory)) = todo.pop() {
            let Node::Directory { entries, .. } = &state.objects[&directory].node else { continue };
            for (name, number) in entries {
                let path = format!("{path}/{}", name.to_string_lossy());
                let object = &state.objects[number];
                let shown = |content: &[u8]| Shown { mode: object.mode, uid: object.uid, content: content.to_vec() };
                match &object.node {
                    Node::File { content, .. } => drop(found.insert(path, shown(content))),
                    Node::Link(target) => drop(found.insert(path, shown(target.as_os_str().as_encoded_bytes()))),
                    Node::Directory { .. } => {
                        found.insert(format!("{path}/"), shown(b""));
                        todo.push((path, *number));
                    }
                }
            }
        }
        found
    }

    /// Creates a symbolic link of root. Missing directories are created.
    ///
    /// # Panics
    /// If the path leads through a file.
    pub fn put_link(&self, path: &str, target: &str) {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        let number = state.add(Object::new(Node::Link(target.into()), 0o777));
        state.change(directory, vec![(name.into(), Some(number))]);
    }

    /// Removes an entry with everything in it; does nothing if there is none.
    ///
    /// # Panics
    /// If the path leads through a file.
    pub fn remove(&self, path: &str) {
        let mut state = self.lock();
        let (directory, name) = state.directories(path);
        if state.entry(directory, name.as_ref()).is_some() {
            state.change(directory, vec![(name.into(), None)]);
        }
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
                Fault::Full => state.is_full = true,
                Fault::Foreign(act) => {
                    drop(state);
                    act(self);
                    state = self.lock();
                }
            }
        }
        Ok(state)
    }

    /// Begins a system call that needs space.
    fn call_for_space(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = self.call()?;
        if state.is_full { Err(Errno::NOSPC.into()) } else { Ok(state) }
    }
}

/// What is at a path: its attributes, and the content of a file or the target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The permissions.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The content or the target; empty for a directory.
    pub content: Vec<u8>,
}

impl FileSystem for Simulated {
    fn user(&self) -> u32 {
        self.lock().user
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

    fn now(&self) -> SystemTime {
        self.lock().now
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
            has_access_list: false,
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
        let is_full = state.is_full;
        let object = state.object(file)?;
        let length = if let Node::File { content, .. } = &object.node { content.len() as u64 } else { 0 };
        // What has space already can be overwritten on a full disk, too.
        if is_full && offset + data.len() as u64 > length.max(object.reserved) {
            return Err(Errno::NOSPC.into());
        }
        let offset = usize::try_from(offset).map_err(|_| Errno::FBIG)?;
        let short = state.coin();
        let n = if short { data.len().div_ceil(2) } else { data.len() };
        let content = state.file(file)?;
        content.resize(content.len().max(offset + n), 0);
        content[offset..offset + n].copy_from_slice(&data[..n]);
        Ok(n)
    }

    fn reserve(&self, file: &Handle, length: u64) -> io::Result<()> {
        let mut state = self.call_for_space()?;
        let object = state.object(file)?;
        object.reserved = object.reserved.max(length);
        Ok(())
    }

    fn set_length(&self, file: &Handle, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(|_| Errno::FBIG)?;
        self.call()?.file(file)?.resize(length, 0);
        Ok(())
    }

    fn sync(&self, handle: &Handle) -> io::Result<()> {
        let mut state = self.call()?;
        state.syncs += 1;
        state.object(handle)?.sync();
        Ok(())
    }

    fn sync_file_system(&self, handle: &Handle) -> io::Result<()> {
        let mut state = self.call()?;
        state.syncs += 1;
        state.object(handle)?;
        state.objects.values_mut().for_each(Object::sync);
        Ok(())
    }

    fn create_file(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<Handle> {
        self.call_for_space()?.create(directory, name, Object::new(Node::file(), mode & !0o022))
    }

    fn create_directory(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<()> {
        self.call_for_space()?.create(directory, name, Object::new(Node::directory(), mode & !0o022)).map(drop)
    }

    fn create_link(&self, directory: &Handle, name: &OsStr, target: &Path) -> io::Result<()> {
        self.call_for_space()?.create(directory, name, Object::new(Node::Link(target.to_path_buf()), 0o777)).map(drop)
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
        let is_root = state.user == 0;
        let object = state.object(handle)?;
        let (uid, gid) = (uid.unwrap_or(object.uid), gid.unwrap_or(object.gid));
        if !is_root && (uid, gid) != (object.uid, object.gid) {
            return Err(Errno::PERM.into());
        }
        (object.uid, object.gid) = (uid, gid);
        Ok(())
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        self.call()?.object(handle)?.mode = mode;
        Ok(())
    }

    fn label(&self, handle: &Handle) -> io::Result<Option<Vec<u8>>> {
        Ok(self.call()?.object(handle)?.label.clone())
    }

    fn set_label(&self, handle: &Handle, label: Option<&[u8]>) -> io::Result<()> {
        self.call()?.object(handle)?.label = label.map(<[u8]>::to_vec);
        Ok(())
    }
}
