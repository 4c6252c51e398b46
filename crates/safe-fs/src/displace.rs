//! Changes of a name whose present object must be backed up before.
//!
//! The object is stored while it has its name. Then it is *displaced*: it gets the name of a temporary file in the same step
//! in which the new object gets its name, or in which the name becomes free. Only then is it certain what had the name: if
//! another program was faster, that is another object, or has other content, and is stored as well before it is removed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;

use crate::backup::{Action, Extent, Saved};
use crate::error::{Error, is_unsupported};
use crate::files::Files;
use crate::replace_error::ReplaceError;
use crate::system::{Access, Rename, Stat};
use crate::target::Target;
use crate::tree;

/// How often a change is tried again because another program was faster.
const MAX_ATTEMPTS: usize = 32;

/// What comes after the name of an object that must not be removed and cannot have its name.
const KEPT: &str = ".mgmt-kept-";
/// Maximum length of what is before it, in bytes: names have at most 255.
const MAX_KEPT_NAME: usize = 200;

/// How what was displaced gets its name back.
#[derive(Clone, Copy, Debug)]
enum Undo<'s> {
    /// By another exchange with the object that took the name.
    Exchange(&'s Stat),
    /// By renaming, if nothing else has the name.
    Rename,
}

impl Files {
    /// Backs up entries of a directory, with everything in them, to [remove](Target::remove_tree) them one by one. All are
    /// written to the disk at once, which many single backups would wait for one after the other. Returns a backup for each
    /// name, which is empty where nobody wants backups or where it failed: that is reported by the removal.
    #[must_use]
    pub fn back_up_trees(&self, directory: &Path, names: &[OsString]) -> Vec<Saved> {
        let wanted = self.backups.as_ref().filter(|to| names.len() > 1 && to.backups.covers(directory));
        let opened = wanted.and_then(|to| Some((to, self.fs.open_direct(directory, Access::Path).ok()?)));
        match opened {
            Some((to, opened)) => to.backups.save_trees(&to.author, Action::Removed, directory, &opened, names),
            None => names.iter().map(|_| Saved::default()).collect(),
        }
    }
}

impl Target<'_> {
    /// Returns whether what has the name must be backed up before it changes.
    pub(crate) fn keeps_backups(&self) -> bool {
        self.files.backups.as_ref().is_some_and(|to| to.backups.covers(&self.path()))
    }

    /// Stores what has the name, unless it is stored already, or nobody wants backups.
    ///
    /// # Errors
    /// It cannot be stored, and must not be changed.
    pub(crate) fn back_up(&self, action: Action) -> Result<(), Error> {
        if !self.keeps_backups() {
            return Ok(());
        }
        match self.entry()? {
            Some((_, stat)) if !self.saved.borrow().has(&stat) => self.save(self.name(), action, Extent::Entry),
            Some(_) | None => Ok(()),
        }
    }

    /// Stores what has a name in the directory as what had the name of this target.
    fn save(&self, name: &OsStr, action: Action, extent: Extent) -> Result<(), Error> {
        let Some(to) = &self.files.backups else { return Ok(()) };
        let saved = to.backups.save(&to.author, action, &self.path(), (self.directory(), name), extent)?;
        self.saved.borrow_mut().extend(saved);
        Ok(())
    }

    /// Gives the temporary object `from` the name. What has the name until then is backed up.
    ///
    /// # Errors
    /// It cannot be backed up, it is a directory, or a system call failed.
    pub(crate) fn replace_entry(&self, from: &OsStr) -> Result<(), ReplaceError> {
        if !self.keeps_backups() {
            return self.rename_from(from, Rename::Replace).map_err(ReplaceError::Rename);
        }
        let own = self.object(from).map_err(ReplaceError::Rename)?;
        for _ in 0..MAX_ATTEMPTS {
            let entry = self.entry()?;
            if entry.as_ref().is_some_and(|(_, stat)| stat.is_directory()) {
                return Err(ReplaceError::Rename(Errno::ISDIR.into()));
            }
            self.back_up(Action::Replaced)?;
            let how = if entry.is_some() { Rename::Exchange } else { Rename::New };
            match self.rename_from(from, how) {
                Ok(()) if entry.is_some() => return self.remove_displaced(from, &own),
                Ok(()) => return Ok(()),
                Err(error) if is_unsupported(&error) => {
                    return self.rename_from(from, Rename::Replace).map_err(ReplaceError::Rename);
                }
                // Another program created the entry, or removed it, or the temporary one.
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists)
                        && self.fs().open_at(self.directory(), from, Access::Path).is_ok() => {}
                Err(error) => return Err(ReplaceError::Rename(error)),
            }
        }
        Err(ReplaceError::Refused(Error::Disturbed { path: self.path() }))
    }

    /// Removes what an exchange with `own` gave the name `from`. If it is not what was backed up, it is backed up first; if that fails,
    /// the exchange is undone.
    ///
    /// # Errors
    /// It was not backed up.
    pub(crate) fn remove_displaced(&self, from: &OsStr, own: &Stat) -> Result<(), ReplaceError> {
        self.settle(from, Action::Replaced, Undo::Exchange(own))
    }

    /// Removes what was displaced and has the name `aside` now. If it cannot be backed up, `undo` gives its name back.
    fn settle(&self, aside: &OsStr, action: Action, undo: Undo<'_>) -> Result<(), ReplaceError> {
        let save = || {
            if !self.keeps_backups() {
                return Ok(());
            }
            let path = self.path();
            let entry = self.fs().open_at(self.directory(), aside, Access::Path);
            let stat = entry.and_then(|entry| self.fs().stat(&entry)).map_err(Error::on("look at", &path))?;
            if stat.is_directory() {
                return Err(Error::Disturbed { path });
            }
            if self.saved.borrow().has(&stat) { Ok(()) } else { self.save(aside, action, Extent::Entry) }
        };
        match save() {
            Ok(()) => {
                // If this fails, the next process removes it.
                let _ = self.fs().remove_file(self.directory(), aside);
                Ok(())
            }
            Err(error) => match undo {
                Undo::Exchange(own) => self.undo_exchange(aside, own),
                Undo::Rename => self.rename_from(aside, Rename::New).map_err(|error| self.keep_aside(aside, error)),
            }
            .map_or_else(|lost| Err(ReplaceError::Lost(lost)), |()| Err(ReplaceError::Refused(error))),
        }
    }

    /// Returns the object that will replace the one with the name.
    pub(crate) fn object(&self, name: &OsStr) -> io::Result<Stat> {
        self.fs().stat(&self.fs().open_at(self.directory(), name, Access::Path)?)
    }

    /// Gives what was displaced its name back, so that the name `aside` is that of `own` again. If another program replaced
    /// `own` meanwhile, its object, which is newer than the displaced one, gets the name.
    ///
    /// # Errors
    /// What has the name `aside` must not be removed. It has a name that says so, if that is possible.
    pub(crate) fn undo_exchange(&self, aside: &OsStr, own: &Stat) -> Result<(), Error> {
        let mut expendable = vec![*own];
        let mut undo = || {
            for _ in 0..MAX_ATTEMPTS {
                let displaced = self.object(aside)?;
                self.rename_from(aside, Rename::Exchange)?;
                expendable.push(displaced);
                let now = self.object(aside)?;
                if expendable.iter().any(|object| object.is_same_object(&now)) {
                    return Ok(());
                }
            }
            Err(Errno::BUSY.into())
        };
        undo().map_err(|error| self.keep_aside(aside, error))
    }

    /// Gives what has the name `aside` a name that is not removed as that of a temporary file.
    fn keep_aside(&self, aside: &OsStr, error: io::Error) -> Error {
        // With the number, the name must not become too long.
        let name = self.name().as_bytes();
        let mut kept = OsStr::from_bytes(&name[..name.len().min(MAX_KEPT_NAME)]).to_owned();
        kept.push(format!("{KEPT}{:016x}", self.fs().random()));
        let names = ((self.directory(), aside), (self.directory(), &*kept));
        match self.fs().rename(names.0, names.1, Rename::New) {
            Ok(()) => Error::Displaced { path: self.path(), now: self.directory_path().join(kept) },
            Err(_) => Error::io("restore", self.path(), error),
        }
    }

    fn rename_from(&self, from: &OsStr, how: Rename) -> io::Result<()> {
        self.fs().rename((self.directory(), from), (self.directory(), self.name()), how)
    }

    /// Removes an entry that is not a directory, after backing it up.
    pub(crate) fn remove_saved_file(&self) -> Result<(), Error> {
        let path = self.path();
        match self.entry()? {
            None => return Ok(()),
            Some((_, stat)) if stat.is_directory() => return Err(Error::io("remove", path, Errno::ISDIR)),
            Some(_) => self.back_up(Action::Removed)?,
        }
        let (fs, directory) = (self.fs(), self.directory());
        let displace = |name: &OsStr| fs.rename((directory, self.name()), (directory, name), Rename::Replace);
        match self.files.temporaries.create(fs, self.directory_path(), displace) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io("remove", path, error)),
            Ok((name, ())) => {
                let settled = self.settle(&name, Action::Removed, Undo::Rename);
                self.files.temporaries.release(&name);
                settled.map_err(|error| error.at(&path))
            }
        }
    }

    /// Removes an entry with everything in it, after backing it up.
    pub(crate) fn remove_saved_tree(&self) -> Result<(), Error> {
        for attempt in 0..MAX_ATTEMPTS {
            match self.entry()? {
                Some((_, stat)) if stat.is_directory() => {
                    if attempt > 0 || !self.saved.borrow().has(&stat) {
                        self.save(self.name(), Action::Removed, Extent::Tree)?;
                    }
                }
                Some(_) => return self.remove_saved_file(),
                None => return Ok(()),
            }
            match tree::remove(self.files, self.directory(), self.name(), Some(&self.saved.borrow())) {
                // It is backed up next.
                Err(tree::RemoveError::NotSaved) => {}
                result => return result.map_err(|error| error.at(&self.path())),
            }
        }
        Err(Error::Disturbed { path: self.path() })
    }

    /// Backs up a directory, if it is empty and can be removed.
    pub(crate) fn back_up_empty_directory(&self) -> Result<(), Error> {
        let opened = self.fs().open_at(self.directory(), self.name(), Access::Directory);
        let is_empty = opened.and_then(|directory| self.fs().entries(&directory)).is_ok_and(|names| names.is_empty());
        if is_empty { self.back_up(Action::Removed) } else { Ok(()) }
    }
}
