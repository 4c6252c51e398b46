//! A file system that keeps all changes in memory.
//!
//! Reads fall through to the file system below; a change is visible only through the overlay. A plan runs the same code on an
//! overlay as an apply on the machine, so that both see, decide and change the same.
//!
//! Objects are identified by device and number, as in a kernel. An object that was changed has an entry in a table with what
//! differs from below; new objects exist in that table only. A directory knows its entries that differ from below.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustc_hash::FxHashMap;
use rustix::io::Errno;

use crate::system::{Access, FileKind, FileSystem, Handle, Rename, Stat, Timestamp};

/// The device of objects that exist in an overlay only.
const OVERLAY_DEVICE: u64 = u64::MAX;
/// The bits that a change of the owner of a program removes from its mode: setuid and setgid.
const SET_ID_BITS: u32 = 0o6000;

/// A file system in memory above another one.
pub struct Overlay {
    below: Arc<dyn FileSystem>,
    state: Mutex<State>,
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay").field("below", &self.below).finish_non_exhaustive()
    }
}

/// Device and number of an object.
type Id = (u64, u64);

#[derive(Default)]
struct State {
    objects: FxHashMap<Id, Changed>,
    /// The number of the last new object.
    last: u64,
    /// Handles of directories by path without links, as long as no directory and no link changes its place.
    directories: FxHashMap<PathBuf, Arc<Object>>,
}

/// What differs from the object below.
#[derive(Clone, Default)]
struct Changed {
    /// The attributes, if one of them changed; always there for a new object.
    stat: Option<Stat>,
    /// The content of a file.
    content: Option<Vec<u8>>,
    /// The target of a new symbolic link.
    link: PathBuf,
    /// The security label, if it changed.
    label: Option<Option<Vec<u8>>>,
    /// The entries of a directory that differ from below; `None` for those that were removed.
    entries: BTreeMap<OsString, Option<Entry>>,
}

/// An entry that a directory has in the overlay only.
#[derive(Clone)]
enum Entry {
    New(Id),
    /// An object from below that was renamed: where it is there.
    Moved {
        directory: Arc<Handle>,
        name: OsString,
    },
}

/// An open object.
struct Object {
    id: Id,
    /// The handle below; `None` for a new object.
    below: Option<Arc<Handle>>,
}

fn error<T>(errno: Errno) -> io::Result<T> {
    Err(errno.into())
}

fn now() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX), elapsed.subsec_nanos())
}

impl Overlay {
    /// Returns an overlay without changes.
    #[must_use]
    pub fn new(below: Arc<dyn FileSystem>) -> Overlay {
        Overlay { below, state: Mutex::default() }
    }

    /// Locks the table. A panic while it is locked leaves it consistent, so poisoning is ignored.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the object of a handle from below.
    fn object_below(&self, handle: Handle) -> io::Result<Object> {
        let stat = self.below.stat(&handle)?;
        Ok(Object { id: (stat.dev, stat.ino), below: Some(Arc::new(handle)) })
    }

    fn stat_of(&self, object: &Object) -> io::Result<Stat> {
        if let Some(stat) = self.state().objects.get(&object.id).and_then(|changed| changed.stat) {
            return Ok(stat);
        }
        match &object.below {
            Some(handle) => self.below.stat(handle),
            None => error(Errno::NOENT),
        }
    }

    /// Opens the entry of a directory.
    fn open_entry(&self, directory: &Object, name: &OsStr, access: Access) -> io::Result<Object> {
        if directory.below.is_none() && !self.stat_of(directory)?.is_directory() {
            return error(Errno::NOTDIR);
        }
        if name == "." {
            return self.reopen(directory, access);
        }
        let entry = self.state().objects.get(&directory.id).and_then(|changed| changed.entries.get(name).cloned());
        match (entry, &directory.below) {
            (Some(None), _) | (None, None) => error(Errno::NOENT),
            (Some(Some(Entry::New(id))), _) => self.reopen(&Object { id, below: None }, access),
            (Some(Some(Entry::Moved { directory, name })), _) => self.open_below(&directory, &name, access),
            (None, Some(handle)) => self.open_below(handle, name, access),
        }
    }

    fn open_below(&self, directory: &Handle, name: &OsStr, access: Access) -> io::Result<Object> {
        self.object_below(self.below.open_at(directory, name, access)?)
    }

    /// Opens an object again, for another access.
    fn reopen(&self, object: &Object, access: Access) -> io::Result<Object> {
        if let Some(handle) = &object.below {
            return self.open_below(handle, OsStr::new("."), access);
        }
        let kind = self.stat_of(object)?.kind;
        match (access, kind) {
            (Access::Path, _)
            | (Access::Read, FileKind::File | FileKind::Directory)
            | (Access::ReadWrite, FileKind::File)
            | (Access::Directory | Access::DirectoryOnSameMount, FileKind::Directory) => {
                Ok(Object { id: object.id, below: None })
            }
            (Access::Directory | Access::DirectoryOnSameMount, _) => error(Errno::NOTDIR),
            (_, FileKind::Link) => error(Errno::LOOP),
            (Access::ReadWrite, FileKind::Directory) => error(Errno::ISDIR),
            (Access::Read | Access::ReadWrite, _) => error(Errno::NXIO),
        }
    }

    /// Returns the directory at an absolute path without links, from the cache if it was opened before.
    fn directory_at(&self, path: &Path) -> io::Result<Arc<Object>> {
        if let Some(object) = self.state().directories.get(path) {
            return Ok(Arc::clone(object));
        }
        let mut at = Arc::new(self.object_below(self.below.root()?)?);
        for component in path.components() {
            let name = match component {
                Component::RootDir | Component::CurDir => continue,
                Component::Normal(name) => name,
                // The kernel would leave the directory that the path led to, which is the same without links.
                Component::ParentDir | Component::Prefix(_) => return error(Errno::INVAL),
            };
            let next = self.open_entry(&at, name, Access::Path)?;
            match self.stat_of(&next)?.kind {
                FileKind::Directory => at = Arc::new(next),
                FileKind::Link => return error(Errno::LOOP),
                FileKind::File | FileKind::Fifo | FileKind::Socket | FileKind::Device => {
                    return error(Errno::NOTDIR);
                }
            }
        }
        self.state().directories.insert(path.to_path_buf(), Arc::clone(&at));
        Ok(at)
    }

    /// Checks that an entry of the directory may be created or removed.
    fn check_writable(&self, directory: &Object) -> io::Result<()> {
        match &directory.below {
            // A changed mode or owner does not matter to root, and another user keeps the rights on what is his.
            Some(handle) => self.below.check_writable(handle),
            None => Ok(()),
        }
    }

    /// Adds a new object to a directory.
    fn add(&self, directory: &Object, name: &OsStr, kind: FileKind, mode: u32, link: &Path) -> io::Result<Object> {
        if name.len() > 255 {
            return error(Errno::NAMETOOLONG);
        }
        if self.open_entry(directory, name, Access::Path).is_ok() {
            return error(Errno::EXIST);
        }
        let above = self.stat_of(directory)?;
        if !above.is_directory() {
            return error(Errno::NOTDIR);
        }
        self.check_writable(directory)?;
        let inherits_group = above.mode & 0o2000 != 0;
        let mode = match kind {
            FileKind::Link => 0o777,
            FileKind::Directory if inherits_group => mode & !self.umask() | 0o2000,
            _ => mode & !self.umask(),
        };
        let mut state = self.state();
        state.last += 1;
        let id = (OVERLAY_DEVICE, state.last);
        let now = now();
        let stat = Stat {
            dev: id.0,
            ino: id.1,
            kind,
            mode,
            uid: self.user(),
            gid: if inherits_group { above.gid } else { self.group() },
            size: link.as_os_str().len() as u64,
            links: 1,
            modified: now,
            changed: now,
            has_access_list: false,
        };
        let changed = Changed {
            stat: Some(stat),
            content: (kind == FileKind::File).then(Vec::new),
            link: link.to_path_buf(),
            ..Changed::default()
        };
        state.objects.insert(id, changed);
        state.set_entry(directory, name, Some(Entry::New(id)), kind);
        Ok(Object { id, below: None })
    }

    /// Changes the attributes of an object.
    fn change(&self, object: &Object, change: impl FnOnce(&mut Stat)) -> io::Result<()> {
        let mut stat = self.stat_of(object)?;
        change(&mut stat);
        stat.changed = now();
        self.state().objects.entry(object.id).or_default().stat = Some(stat);
        Ok(())
    }

    /// Checks that the attributes of an object may be changed.
    fn check_owner(&self, object: &Object) -> io::Result<()> {
        let owner = self.stat_of(object)?.uid;
        if self.user() != 0 && owner != self.user() { error(Errno::PERM) } else { Ok(()) }
    }

    /// Changes the content of a file.
    fn edit(&self, object: &Object, edit: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let mut content = match self.state().objects.get(&object.id).and_then(|changed| changed.content.clone()) {
            Some(content) => content,
            None => self.content_below(object)?,
        };
        edit(&mut content);
        self.change(object, |stat| {
            stat.size = content.len() as u64;
            stat.modified = now();
        })?;
        self.state().objects.entry(object.id).or_default().content = Some(content);
        Ok(())
    }

    fn content_below(&self, object: &Object) -> io::Result<Vec<u8>> {
        let Some(handle) = &object.below else { return error(Errno::NOENT) };
        let mut content = Vec::new();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match self.below.read_at(handle, &mut buffer, content.len() as u64)? {
                0 => return Ok(content),
                n => content.extend_from_slice(&buffer[..n]),
            }
        }
    }

    fn names(&self, directory: &Object) -> io::Result<BTreeSet<OsString>> {
        let mut names: BTreeSet<OsString> = match &directory.below {
            Some(handle) => self.below.entries(handle)?.into_iter().collect(),
            None => BTreeSet::new(),
        };
        if let Some(changed) = self.state().objects.get(&directory.id) {
            for (name, entry) in &changed.entries {
                if entry.is_some() {
                    names.insert(name.clone());
                } else {
                    names.remove(name);
                }
            }
        }
        Ok(names)
    }

    /// Returns an entry in a form that another directory can hold.
    fn entry_of(&self, directory: &Object, name: &OsStr) -> io::Result<(Entry, FileKind)> {
        let object = self.open_entry(directory, name, Access::Path)?;
        let kind = self.stat_of(&object)?.kind;
        let entry = self.state().objects.get(&directory.id).and_then(|changed| changed.entries.get(name).cloned());
        match (entry.flatten(), &directory.below) {
            (Some(entry), _) => Ok((entry, kind)),
            (None, Some(handle)) => Ok((Entry::Moved { directory: Arc::clone(handle), name: name.to_owned() }, kind)),
            (None, None) => error(Errno::NOENT),
        }
    }

    fn is_same_object(&self, a: (&Object, &OsStr), b: (&Object, &OsStr)) -> io::Result<bool> {
        let id = |(directory, name)| self.open_entry(directory, name, Access::Path).map(|object| object.id);
        Ok(id(a)? == id(b)?)
    }

    /// Returns whether an entry is the directory with this id, or has it below.
    fn contains(&self, directory: &Object, name: &OsStr, id: Id) -> io::Result<bool> {
        let mut todo = vec![self.open_entry(directory, name, Access::Path)?];
        while let Some(object) = todo.pop() {
            if !self.stat_of(&object)?.is_directory() {
                continue;
            }
            if object.id == id {
                return Ok(true);
            }
            let listed = self.reopen(&object, Access::Directory)?;
            for name in self.names(&listed)? {
                todo.push(self.open_entry(&object, &name, Access::Path)?);
            }
        }
        Ok(false)
    }

    /// Checks that an entry may be replaced by one of this kind.
    fn check_replaceable(&self, directory: &Object, name: &OsStr, by: FileKind) -> io::Result<()> {
        let Ok(old) = self.open_entry(directory, name, Access::Path) else { return Ok(()) };
        match (self.stat_of(&old)?.is_directory(), by == FileKind::Directory) {
            (true, false) => error(Errno::ISDIR),
            (false, true) => error(Errno::NOTDIR),
            (true, true) if !self.names(&self.open_entry(directory, name, Access::Directory)?)?.is_empty() => {
                error(Errno::NOTEMPTY)
            }
            _ => Ok(()),
        }
    }

    fn remove(&self, directory: &Object, name: &OsStr, kind: FileKind) -> io::Result<()> {
        self.check_writable(directory)?;
        self.check_sticky(directory, name)?;
        self.state().set_entry(directory, name, None, kind);
        Ok(())
    }

    /// In a directory with the sticky bit, users remove only what is theirs.
    fn check_sticky(&self, directory: &Object, name: &OsStr) -> io::Result<()> {
        let above = self.stat_of(directory)?;
        let owner = self.stat_of(&self.open_entry(directory, name, Access::Path)?)?.uid;
        let user = self.user();
        let is_permitted = user == 0 || above.mode & 0o1000 == 0 || [above.uid, owner].contains(&user);
        if is_permitted { Ok(()) } else { error(Errno::PERM) }
    }
}

impl State {
    fn set_entry(&mut self, directory: &Object, name: &OsStr, entry: Option<Entry>, kind: FileKind) {
        self.objects.entry(directory.id).or_default().entries.insert(name.to_owned(), entry);
        if matches!(kind, FileKind::Directory | FileKind::Link) {
            self.directories.clear();
        }
    }
}

fn handle(object: Object) -> Handle {
    Handle::from_value(object)
}

impl FileSystem for Overlay {
    fn user(&self) -> u32 {
        self.below.user()
    }

    fn group(&self) -> u32 {
        self.below.group()
    }

    fn umask(&self) -> u32 {
        self.below.umask()
    }

    fn random(&self) -> u64 {
        self.below.random()
    }

    fn now(&self) -> SystemTime {
        self.below.now()
    }

    fn root(&self) -> io::Result<Handle> {
        Ok(handle(self.object_below(self.below.root()?)?))
    }

    fn open_direct(&self, path: &Path, access: Access) -> io::Result<Handle> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(handle(self.reopen(&self.object_below(self.below.root()?)?, access)?));
        };
        let directory = self.directory_at(parent)?;
        let opened = self.open_entry(&directory, name, access)?;
        // A symbolic link cannot be opened, except to look at it.
        if path.as_os_str().as_bytes().ends_with(b"/") && !self.stat_of(&opened)?.is_directory() {
            return error(Errno::NOTDIR);
        }
        Ok(handle(opened))
    }

    fn open_at(&self, directory: &Handle, name: &OsStr, access: Access) -> io::Result<Handle> {
        Ok(handle(self.open_entry(directory.value()?, name, access)?))
    }

    fn check_writable(&self, directory: &Handle) -> io::Result<()> {
        Overlay::check_writable(self, directory.value()?)
    }

    fn stat(&self, handle: &Handle) -> io::Result<Stat> {
        self.stat_of(handle.value()?)
    }

    fn read_link(&self, link: &Handle) -> io::Result<PathBuf> {
        let object: &Object = link.value()?;
        match &object.below {
            Some(handle) => self.below.read_link(handle),
            None => match self.state().objects.get(&object.id) {
                Some(changed) if changed.stat.is_some_and(|stat| stat.is_link()) => Ok(changed.link.clone()),
                _ => error(Errno::INVAL),
            },
        }
    }

    fn entries(&self, directory: &Handle) -> io::Result<Vec<OsString>> {
        Ok(self.names(directory.value()?)?.into_iter().collect())
    }

    fn read_at(&self, file: &Handle, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let object: &Object = file.value()?;
        if let Some(content) = self.state().objects.get(&object.id).and_then(|changed| changed.content.as_ref()) {
            let rest = usize::try_from(offset).ok().and_then(|offset| content.get(offset..)).unwrap_or_default();
            let length = rest.len().min(buffer.len());
            buffer[..length].copy_from_slice(&rest[..length]);
            return Ok(length);
        }
        match &object.below {
            Some(handle) => self.below.read_at(handle, buffer, offset),
            None => error(Errno::ISDIR),
        }
    }

    fn write_at(&self, file: &Handle, data: &[u8], offset: u64) -> io::Result<usize> {
        let Ok(start) = usize::try_from(offset) else { return error(Errno::FBIG) };
        self.edit(file.value()?, |content| {
            let end = start + data.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            content[start..end].copy_from_slice(data);
        })?;
        Ok(data.len())
    }

    fn reserve(&self, _file: &Handle, _length: u64) -> io::Result<()> {
        Ok(())
    }

    fn set_length(&self, file: &Handle, length: u64) -> io::Result<()> {
        let Ok(length) = usize::try_from(length) else { return error(Errno::FBIG) };
        self.edit(file.value()?, |content| content.resize(length, 0))
    }

    fn sync(&self, _handle: &Handle) -> io::Result<()> {
        Ok(())
    }

    fn sync_file_system(&self, _handle: &Handle) -> io::Result<()> {
        Ok(())
    }

    fn create_file(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<Handle> {
        Ok(handle(self.add(directory.value()?, name, FileKind::File, mode, Path::new(""))?))
    }

    fn create_directory(&self, directory: &Handle, name: &OsStr, mode: u32) -> io::Result<()> {
        self.add(directory.value()?, name, FileKind::Directory, mode, Path::new("")).map(drop)
    }

    fn create_link(&self, directory: &Handle, name: &OsStr, target: &Path) -> io::Result<()> {
        if target.as_os_str().is_empty() {
            return error(Errno::NOENT);
        }
        self.add(directory.value()?, name, FileKind::Link, 0o777, target).map(drop)
    }

    fn rename(&self, from: (&Handle, &OsStr), to: (&Handle, &OsStr), how: Rename) -> io::Result<()> {
        let (from_directory, to_directory): (&Object, &Object) = (from.0.value()?, to.0.value()?);
        for directory in [from_directory, to_directory] {
            if !self.stat_of(directory)?.is_directory() {
                return error(Errno::NOTDIR);
            }
        }
        let (moved, moved_kind) = self.entry_of(from_directory, from.1)?;
        self.check_writable(from_directory)?;
        self.check_writable(to_directory)?;
        self.check_sticky(from_directory, from.1)?;
        let exists = self.open_entry(to_directory, to.1, Access::Path).is_ok();
        if exists && how != Rename::New {
            self.check_sticky(to_directory, to.1)?;
        }
        if how == Rename::New && exists {
            return error(Errno::EXIST);
        }
        if how == Rename::Exchange && !exists {
            return error(Errno::NOENT);
        }
        if exists && self.is_same_object((from_directory, from.1), (to_directory, to.1))? {
            return Ok(());
        }
        if self.contains(from_directory, from.1, to_directory.id)?
            || how == Rename::Exchange && self.contains(to_directory, to.1, from_directory.id)?
        {
            return error(Errno::INVAL);
        }
        if how == Rename::Replace && exists && self.contains(to_directory, to.1, from_directory.id)? {
            return error(Errno::NOTEMPTY);
        }
        let replaced = match how {
            Rename::Exchange => Some(self.entry_of(to_directory, to.1)?),
            Rename::Replace => {
                self.check_replaceable(to_directory, to.1, moved_kind)?;
                None
            }
            Rename::New => None,
        };
        let mut state = self.state();
        match replaced {
            Some((entry, kind)) => state.set_entry(from_directory, from.1, Some(entry), kind),
            None => state.set_entry(from_directory, from.1, None, moved_kind),
        }
        // What was replaced may be a link as well.
        let kind = if exists { FileKind::Link } else { moved_kind };
        state.set_entry(to_directory, to.1, Some(moved), kind);
        Ok(())
    }

    fn remove_file(&self, directory: &Handle, name: &OsStr) -> io::Result<()> {
        let directory: &Object = directory.value()?;
        let kind = self.stat_of(&self.open_entry(directory, name, Access::Path)?)?.kind;
        if kind == FileKind::Directory {
            return error(Errno::ISDIR);
        }
        self.remove(directory, name, kind)
    }

    fn remove_directory(&self, directory: &Handle, name: &OsStr) -> io::Result<()> {
        let directory: &Object = directory.value()?;
        let removed = self.open_entry(directory, name, Access::Directory)?;
        if !self.names(&removed)?.is_empty() {
            return error(Errno::NOTEMPTY);
        }
        self.remove(directory, name, FileKind::Directory)
    }

    fn set_owner(&self, handle: &Handle, uid: Option<u32>, gid: Option<u32>) -> io::Result<()> {
        let object: &Object = handle.value()?;
        let stat = self.stat_of(object)?;
        if self.user() != 0 && uid.is_some_and(|uid| uid != stat.uid) {
            return error(Errno::PERM);
        }
        self.check_owner(object)?;
        self.change(object, |stat| {
            stat.uid = uid.unwrap_or(stat.uid);
            stat.gid = gid.unwrap_or(stat.gid);
            // As the kernel does for programs, also if root asks.
            if stat.is_file() && stat.mode & 0o111 != 0 {
                stat.mode &= !SET_ID_BITS;
            }
        })
    }

    fn set_mode(&self, handle: &Handle, mode: u32) -> io::Result<()> {
        let object: &Object = handle.value()?;
        self.check_owner(object)?;
        self.change(object, |stat| stat.mode = mode & 0o7777)
    }

    fn label(&self, handle: &Handle) -> io::Result<Option<Vec<u8>>> {
        let object: &Object = handle.value()?;
        if let Some(label) = self.state().objects.get(&object.id).and_then(|changed| changed.label.clone()) {
            return Ok(label);
        }
        match &object.below {
            Some(handle) => self.below.label(handle),
            None => Ok(None),
        }
    }

    fn set_label(&self, handle: &Handle, label: Option<&[u8]>) -> io::Result<()> {
        let object: &Object = handle.value()?;
        self.state().objects.entry(object.id).or_default().label = Some(label.map(<[u8]>::to_vec));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
