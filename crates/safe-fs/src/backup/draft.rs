//! Collects what is at a path, before it is replaced or removed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::record::{Action, Digest, Entry, Object, Record, StoredPath};
use super::store::{Backups, NewContent};
use crate::error::Error;
use crate::system::{Access, FileKind, FileSystem, Handle, Stat};
use crate::temporaries::write_all;

/// Up to this many copies are written to the disk one by one.
const MAX_SINGLE_SYNCS: usize = 4;
/// Size of the buffer for copying, in bytes.
const BUFFER: usize = 1 << 18;
/// How often an object is opened again because another one took its name meanwhile.
const MAX_ATTEMPTS: usize = 32;
/// Maximum number of nested directories that are open at a time.
const MAX_DEPTH: usize = 512;

/// How much of what has a name is backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A file or a link; a directory without what is in it.
    Entry,
    /// What has the name, with everything in it.
    Tree,
}

/// The objects of a backup, by device and number, as they were when they were copied.
#[derive(Debug, Default)]
pub struct Saved(FxHashMap<(u64, u64), Stat>);

impl Saved {
    /// Returns whether an object is the same as in the backup.
    pub(crate) fn has(&self, stat: &Stat) -> bool {
        self.0.get(&(stat.dev, stat.ino)).is_some_and(|saved| saved.is_unchanged(stat))
    }

    /// Adds the objects of a later backup.
    pub(crate) fn extend(&mut self, later: Saved) {
        self.0.extend(later.0);
    }
}

/// A backup that is being made. What was copied for it is removed if it is dropped.
struct Draft<'b> {
    backups: &'b Backups,
    entries: Vec<Entry>,
    contents: Vec<NewContent>,
    handles: Vec<Handle>,
    saved: Saved,
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        for content in &self.contents {
            self.backups.discard(&content.name);
        }
    }
}

impl Backups {
    /// Returns whether a path is the business of backups: not if it is in the state directory.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        !path.starts_with(&self.state)
    }

    /// Stores what has a name in a directory: a directory with what is in it, if its extent says so. Returns
    /// what was stored once it is on the disk; nothing if nothing has the name.
    ///
    /// # Errors
    /// Something cannot be read, exceeds the limits, or cannot be stored. Then it must not be replaced or removed.
    pub(crate) fn save(
        &self,
        author: &str,
        action: Action,
        path: &Path,
        (directory, name): (&Handle, &OsStr),
        extent: Extent,
    ) -> Result<Saved, Error> {
        let mut draft = Draft::new(self);
        let collected = draft.collect(directory, name, extent);
        let stored =
            collected.and_then(|()| self.store(author, action, std::slice::from_mut(&mut (draft, path.to_path_buf()))));
        match stored {
            Ok(mut saved) => Ok(saved.pop().unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let limit = self.limits.file.min(self.limits.total);
                Err(Error::TooLargeForBackup { path: path.to_path_buf(), limit })
            }
            Err(error) => Err(Error::io("back up", path, error)),
        }
    }

    /// Stores what has these names in a directory, with everything in it, as [`Backups::save`] does for each, at the cost of one:
    /// all is written to the disk at once. Returns what was stored of each name, which is nothing where that failed.
    pub(crate) fn save_trees(
        &self,
        author: &str,
        action: Action,
        path: &Path,
        directory: &Handle,
        names: &[OsString],
    ) -> Vec<Saved> {
        let mut copies = 0;
        let drafts = names.iter().map(|name| {
            let mut draft = Draft::new(self);
            if draft.collect(directory, name, Extent::Tree).is_err() {
                draft = Draft::new(self);
            }
            copies += draft.contents.len();
            if copies > MAX_SINGLE_SYNCS {
                draft.handles.clear();
            }
            (draft, path.join(name))
        });
        let mut drafts: Vec<(Draft<'_>, PathBuf)> = drafts.collect();
        let stored = self.store(author, action, &mut drafts);
        stored.unwrap_or_else(|_| names.iter().map(|_| Saved::default()).collect())
    }

    /// Writes backups to the disk, each with the path that it is of, and then their records.
    fn store(&self, author: &str, action: Action, drafts: &mut [(Draft<'_>, PathBuf)]) -> io::Result<Vec<Saved>> {
        let copies: usize = drafts.iter().map(|(draft, _)| draft.contents.len()).sum();
        if copies <= MAX_SINGLE_SYNCS {
            drafts.iter().flat_map(|(draft, _)| &draft.handles).try_for_each(|copy| self.fs.sync(copy))?;
        } else {
            self.sync_all()?;
        }
        let used = drafts.iter_mut().filter(|(draft, _)| !draft.entries.is_empty());
        let records = used.map(|(draft, path)| Record {
            id: 0,
            time_ms: 0,
            resource: author.to_owned(),
            action,
            path: StoredPath(path.clone()),
            entries: std::mem::take(&mut draft.entries),
        });
        let records: Vec<Record> = records.collect();
        self.append(records, drafts.iter().flat_map(|(draft, _)| &draft.contents))?;
        Ok(drafts.iter_mut().map(|(draft, _)| draft.stored()).collect())
    }
}

impl<'b> Draft<'b> {
    fn new(backups: &'b Backups) -> Draft<'b> {
        Draft { backups, entries: Vec::new(), contents: Vec::new(), handles: Vec::new(), saved: Saved::default() }
    }

    /// Returns what was stored. The copies belong to the store now.
    fn stored(&mut self) -> Saved {
        self.contents.clear();
        std::mem::take(&mut self.saved)
    }

    fn fs(&self) -> &dyn FileSystem {
        &*self.backups.fs
    }

    /// Adds an entry and, for a tree, what is below it.
    fn collect(&mut self, directory: &Handle, name: &OsStr, extent: Extent) -> io::Result<()> {
        let access = match extent {
            Extent::Entry => Access::Path,
            Extent::Tree => Access::DirectoryOnSameMount,
        };
        let top = self.add(directory, name, Path::new(""), access)?;
        let Some(top) = top.filter(|_| extent == Extent::Tree) else { return Ok(()) };
        let mut levels = vec![(PathBuf::new(), self.fs().entries(&top)?, top)];
        while let Some((path, names, directory)) = levels.last_mut() {
            let Some(name) = names.pop() else {
                levels.pop();
                continue;
            };
            let path = path.join(&name);
            let below = self.add(directory, &name, &path, Access::DirectoryOnSameMount)?;
            let Some(below) = below else { continue };
            if levels.len() == MAX_DEPTH {
                return Err(Errno::NAMETOOLONG.into());
            }
            levels.push((path, self.fs().entries(&below)?, below));
        }
        Ok(())
    }

    /// Adds one object. Returns the handle of a directory; nothing if it does not exist any more.
    fn add(&mut self, directory: &Handle, name: &OsStr, path: &Path, access: Access) -> io::Result<Option<Handle>> {
        for _ in 0..MAX_ATTEMPTS {
            let handle = match self.fs().open_at(directory, name, Access::Path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                result => result?,
            };
            let stat = self.fs().stat(&handle)?;
            let mut opened = None;
            let object = match stat.kind {
                FileKind::File | FileKind::Directory => {
                    let access = if stat.is_file() { Access::Read } else { access };
                    let found = match self.fs().open_at(directory, name, access) {
                        Ok(found) => found,
                        Err(_) if self.is_other(directory, name, &stat) => continue,
                        Err(error) => return Err(error),
                    };
                    if !self.fs().stat(&found)?.is_same_object(&stat) {
                        continue;
                    }
                    if stat.is_file() {
                        self.copy(&found, stat.size)?
                    } else {
                        opened = Some(found);
                        Object::Directory
                    }
                }
                FileKind::Link => Object::Link { target: StoredPath(self.fs().read_link(&handle)?) },
                FileKind::Fifo | FileKind::Socket | FileKind::Device => Object::Special,
            };
            self.entries.push(Entry {
                path: StoredPath(path.to_path_buf()),
                mode: stat.mode,
                uid: stat.uid,
                gid: stat.gid,
                label: self.fs().label(&handle).ok().flatten(),
                object,
            });
            self.saved.0.insert((stat.dev, stat.ino), stat);
            return Ok(opened);
        }
        Err(Errno::BUSY.into())
    }

    /// Returns whether another object has the name by now.
    fn is_other(&self, directory: &Handle, name: &OsStr, stat: &Stat) -> bool {
        let now = self.fs().open_at(directory, name, Access::Path).and_then(|handle| self.fs().stat(&handle));
        !now.is_ok_and(|now| now.is_same_object(stat))
    }

    /// Copies the content of a file.
    fn copy(&mut self, file: &Handle, expected: u64) -> io::Result<Object> {
        let limit = self.backups.limits.file;
        if expected > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let (name, copy) = self.backups.create()?;
        self.contents.push(NewContent { name, size: 0, digest: Digest([0; 32]) });
        let mut hasher = Sha256::new();
        let mut buffer = vec![0; BUFFER.min(usize::try_from(expected).unwrap_or(BUFFER) + 1)];
        let mut size = 0;
        loop {
            let n = self.fs().read_at(file, &mut buffer, size)?;
            if n == 0 {
                break;
            }
            hasher.update(&buffer[..n]);
            write_all(self.fs(), &copy, &buffer[..n], size)?;
            size += n as u64;
            if size > limit {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        let digest = Digest(hasher.finalize().into());
        if let Some(content) = self.contents.last_mut() {
            (content.size, content.digest) = (size, digest);
        }
        if self.contents.len() <= MAX_SINGLE_SYNCS {
            self.handles.push(copy);
        }
        Ok(Object::File { size, sha256: digest })
    }
}
