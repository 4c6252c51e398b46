//! A locked file, and its replacement.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::backup::{Action, Saved};
use crate::error::{Error, done_if_missing, is_unsupported};
use crate::files::Files;
use crate::locks::LockGuard;
use crate::open_file::{OpenFile, Writer};
use crate::overwrite::overwrite;
use crate::replace_error::ReplaceError;
use crate::resolve::{LastLink, Location, locate};
use crate::system::{Access, FileKind, FileSystem, Handle, Rename, Stat};
use crate::tree;

/// The bits that give a program the rights of its owner or group: setuid and setgid.
pub(crate) const SET_ID_BITS: u32 = 0o6000;

/// A name whose lock this thread holds.
#[derive(Debug)]
pub struct Target<'f> {
    pub(crate) files: &'f Files,
    pub(crate) location: Location,
    /// What was backed up under this lock.
    pub(crate) saved: RefCell<Saved>,
    _guard: LockGuard<'f>,
}

/// Owner, mode and label of a new file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAttributes {
    /// The owner; `None` for the user of the process.
    pub uid: Option<u32>,
    /// The group; `None` for that of the process or the directory.
    pub gid: Option<u32>,
    /// The mode; `None` for the default, which depends on the umask.
    pub mode: Option<u32>,
    /// The security label; `None` for that of the directory's policy.
    pub label: Option<Vec<u8>>,
    /// Whether the owner may differ if the process is not permitted to set it: then it only kept that of an old file.
    pub owner_is_optional: bool,
}

/// What became of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// The new file has the name.
    Done,
    /// Another program changed the file meanwhile, or removed the temporary file. Nothing is replaced.
    Disturbed,
    /// The name is a mount point, which cannot be replaced.
    MountPoint,
}

/// What must be at a name when it is replaced.
#[derive(Clone, Copy, Debug)]
pub enum Expected<'a> {
    /// Anything but a directory.
    Anything,
    /// Nothing.
    Nothing,
    /// A file with this content.
    Content(&'a [u8]),
}

/// A new file that does not have its name yet. Removed when dropped.
#[derive(Debug)]
pub struct Temporary<'t> {
    target: &'t Target<'t>,
    name: OsString,
    handle: Handle,
    offset: u64,
    attributes: NewAttributes,
    /// Whether the file has the name.
    is_committed: bool,
}

impl Files {
    /// Waits for the lock of a file and returns it as the target of changes. The file need not exist, its directory must.
    ///
    /// # Errors
    /// A system call failed, or a link must not be followed.
    pub fn lock(&self, path: &Path, last: LastLink) -> Result<Target<'_>, Error> {
        loop {
            let location = match locate(&*self.fs, path, last) {
                // The missing directory is in the way of a file that is to be created.
                Err(Error::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(Error::io("create", path, error));
                }
                result => result?,
            };
            let mut guard = self.locks.lock_name(&location.directory_stat, &location.name);
            // While this thread waited, a link may have taken the place of the file.
            match self.fs.open_at(&location.directory, &location.name, Access::Path) {
                Ok(entry) => {
                    let stat = self.fs.stat(&entry).map_err(Error::on("look at", path))?;
                    if stat.is_link() && last != LastLink::Keep && location.untrusted_link.is_none() {
                        continue;
                    }
                    if stat.is_file() {
                        guard.lock_object(&stat);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::io("open", path, error)),
            }
            return Ok(Target::new(self, location, guard));
        }
    }
}

impl<'f> Target<'f> {
    pub(crate) fn new(files: &'f Files, location: Location, guard: LockGuard<'f>) -> Target<'f> {
        Target { files, location, saved: RefCell::default(), _guard: guard }
    }

    pub(crate) fn fs(&self) -> &dyn FileSystem {
        &*self.files.fs
    }

    pub(crate) fn directory(&self) -> &Handle {
        &self.location.directory
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.location.name
    }

    /// Returns the path without symbolic links.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.location.path()
    }

    /// Returns the path of the directory without symbolic links.
    #[must_use]
    pub fn directory_path(&self) -> &Path {
        &self.location.directory_path
    }

    /// Opens the entry to look at it; `None` if there is none. A link is not followed.
    ///
    /// # Errors
    /// The system call failed.
    pub fn entry(&self) -> Result<Option<(Handle, Stat)>, Error> {
        let handle = match self.fs().open_at(self.directory(), self.name(), Access::Path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result.map_err(Error::on("open", &self.path()))?,
        };
        let stat = self.fs().stat(&handle).map_err(Error::on("look at", &self.path()))?;
        Ok(Some((handle, stat)))
    }

    /// Returns the entry like [`Target::entry`], after checking that it is not a second name that a user gave to somebody
    /// else's file, so that its attributes may be changed.
    ///
    /// # Errors
    /// It is such a name, or the system call failed.
    pub fn own_entry(&self) -> Result<Option<(Handle, Stat)>, Error> {
        let entry = self.entry()?;
        match &entry {
            Some((_, stat)) if self.is_foreign_hard_link(stat) => {
                Err(Error::ForeignHardLink { path: self.path(), owner: stat.uid })
            }
            _ => Ok(entry),
        }
    }

    /// Returns whether the entry could be a second name that a user gave to somebody else's file.
    #[must_use]
    pub(crate) fn is_foreign_hard_link(&self, entry: &Stat) -> bool {
        self.files.trust().is_foreign_hard_link(&self.location.directory_stat, entry)
    }

    /// Opens the file for reading; `None` if it does not exist.
    ///
    /// # Errors
    /// It is not a regular file, or the system call failed.
    pub fn open(&self) -> Result<Option<OpenFile<'_>>, Error> {
        self.files.open_entry(&self.location)
    }

    /// Opens the file to read and write it in place.
    pub(crate) fn open_to_write(&self) -> Result<Handle, Error> {
        self.fs().open_at(self.directory(), self.name(), Access::ReadWrite).map_err(Error::on("open", &self.path()))
    }

    /// Returns the attributes of an open file, to give them to its replacement.
    #[must_use]
    pub fn attributes_of(&self, file: &Handle, stat: &Stat) -> NewAttributes {
        NewAttributes {
            uid: Some(stat.uid).filter(|uid| *uid != self.fs().user()),
            // That of the process is not the default in a directory with the setgid bit.
            gid: Some(stat.gid),
            mode: Some(stat.mode),
            label: self.fs().label(file).ok().flatten(),
            owner_is_optional: true,
        }
    }

    /// Creates the file that will replace this one.
    ///
    /// # Errors
    /// A system call failed.
    pub fn create(&self, attributes: NewAttributes) -> Result<Temporary<'_>, Error> {
        // Until the file has its owner and mode, nobody else may open it.
        let umask = self.fs().umask();
        let is_default = attributes.uid.is_none() && attributes.gid.is_none();
        let mode = match attributes.mode {
            None if is_default => 0o666,
            Some(mode) if is_default && mode <= 0o777 && mode & umask == 0 => mode,
            _ => 0o600,
        };
        let make = |name: &OsStr| self.fs().create_file(self.directory(), name, mode);
        let created = self.files.temporaries.create(self.fs(), &self.location.directory_path, make);
        let (name, handle) = created.map_err(Error::on("create", &self.path()))?;
        let temporary = Temporary { target: self, name, handle, offset: 0, attributes, is_committed: false };
        temporary.set_attributes(mode)?;
        Ok(temporary)
    }

    /// Writes new content to the file that has the name, for a mount point. After a crash the old content is restored by the
    /// next process, if there is a state directory.
    ///
    /// # Errors
    /// A system call failed; the file has its old content, as far as possible.
    pub fn write_in_place(&self, content: &[u8]) -> Result<(), Error> {
        let path = self.path();
        let file = self.open_to_write()?;
        let stat = self.fs().stat(&file).map_err(Error::on("look at", &path))?;
        if !stat.is_file() {
            return Err(Error::WrongKind { path, found: stat.kind, wanted: FileKind::File });
        }
        self.back_up(Action::Replaced)?;
        overwrite(self.files, &path, &file, &stat, content)
    }

    /// Creates an empty directory with this owner and mode, or the default ones. Returns whether it is new: another process may
    /// have created it meanwhile.
    ///
    /// # Errors
    /// A system call failed, or the name is in use by something else.
    pub fn make_directory(&self, attributes: &NewAttributes) -> Result<bool, Error> {
        let path = self.path();
        let is_default = attributes.uid.is_none() && attributes.gid.is_none() && attributes.label.is_none();
        let mode = attributes.mode.unwrap_or(0o777);
        // Other attributes are set under a temporary name, so that nobody sees, and no crash leaves, half of them.
        let made = if is_default && mode <= 0o777 && mode & self.fs().umask() == 0
            || is_default && attributes.mode.is_none()
        {
            self.fs().create_directory(self.directory(), self.name(), mode)
        } else {
            self.make_directory_aside(attributes)
        };
        match made {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match self.entry()? {
                Some((_, stat)) if stat.is_directory() => Ok(false),
                Some((_, stat)) => Err(Error::WrongKind { path, found: stat.kind, wanted: FileKind::Directory }),
                None => Err(Error::Disturbed { path }),
            },
            Err(error) => Err(Error::io("create", path, error)),
        }
    }

    fn make_directory_aside(&self, attributes: &NewAttributes) -> io::Result<()> {
        let fs = self.fs();
        let make = |name: &OsStr| fs.create_directory(self.directory(), name, 0o700);
        let (name, ()) = self.files.temporaries.create(fs, &self.location.directory_path, make)?;
        let finish = || {
            let directory = fs.open_at(self.directory(), &name, Access::Directory)?;
            if attributes.uid.is_some() || attributes.gid.is_some() {
                fs.set_owner(&directory, attributes.uid, attributes.gid)?;
            }
            fs.set_mode(&directory, attributes.mode.unwrap_or(0o777 & !fs.umask()))?;
            if let Some(label) = &attributes.label {
                fs.set_label(&directory, Some(label))?;
            }
            match fs.rename((self.directory(), &name), (self.directory(), self.name()), Rename::New) {
                // Not every file system has this flag. An empty directory is replaced, nothing else.
                Err(error) if is_unsupported(&error) => {
                    fs.rename((self.directory(), &name), (self.directory(), self.name()), Rename::Replace)
                }
                result => result,
            }
        };
        let result = finish();
        if result.is_err() {
            let _ = fs.remove_directory(self.directory(), &name);
        }
        self.files.temporaries.release(&name);
        result
    }

    /// Makes the name a symbolic link. It replaces what is there, except for a directory.
    ///
    /// # Errors
    /// A system call failed.
    pub fn make_link(&self, target: &Path) -> Result<(), Error> {
        let fs = self.fs();
        let path = self.path();
        let make = |name: &OsStr| fs.create_link(self.directory(), name, target);
        let created = self.files.temporaries.create(fs, &self.location.directory_path, make);
        let (name, ()) = created.map_err(Error::on("create", &path))?;
        let result = self.replace_entry(&name);
        if matches!(result, Err(ReplaceError::Rename(_) | ReplaceError::Refused(_))) {
            let _ = fs.remove_file(self.directory(), &name);
        }
        self.files.temporaries.release(&name);
        result.map_err(|error| error.at(&path))
    }

    /// Removes an entry that is not a directory. Its absence is success.
    ///
    /// # Errors
    /// The system call failed.
    pub fn remove_file(&self) -> Result<(), Error> {
        if self.keeps_backups() {
            return self.remove_saved_file();
        }
        done_if_missing(self.fs().remove_file(self.directory(), self.name())).map_err(Error::on("remove", &self.path()))
    }

    /// Removes an empty directory. Its absence is success.
    ///
    /// # Errors
    /// The system call failed.
    pub fn remove_directory(&self) -> Result<(), Error> {
        if self.keeps_backups() {
            self.back_up_empty_directory()?;
        }
        done_if_missing(self.fs().remove_directory(self.directory(), self.name()))
            .map_err(Error::on("remove", &self.path()))
    }

    /// Removes an entry and, if it is a directory, everything in it. Does not follow links and does not enter mounts.
    ///
    /// # Errors
    /// A system call failed, or something is mounted below. The root directory is refused.
    pub fn remove_tree(&self) -> Result<(), Error> {
        if self.name() == "." {
            return Err(Error::io("remove", self.path(), Errno::BUSY));
        }
        if self.keeps_backups() {
            return self.remove_saved_tree();
        }
        tree::remove(self.files, self.directory(), self.name(), None).map_err(|error| error.at(&self.path()))
    }

    /// Makes use of a [backup](Files::back_up_trees) that was made before this lock. What has changed since is backed up again.
    pub fn use_backup(&self, saved: Saved) {
        self.saved.borrow_mut().extend(saved);
    }

    /// Writes the entries of the directory to the disk.
    ///
    /// # Errors
    /// The system call failed.
    pub fn sync_directory(&self) -> Result<(), Error> {
        self.fs().sync(self.directory()).map_err(Error::on("sync", &self.location.directory_path))
    }
}

impl Temporary<'_> {
    fn fs(&self) -> &dyn FileSystem {
        self.target.fs()
    }

    fn set_attributes(&self, created_with: u32) -> Result<(), Error> {
        let NewAttributes { uid, gid, mode, label, owner_is_optional } = &self.attributes;
        let path = self.target.path();
        if uid.is_some() || gid.is_some() {
            match self.fs().set_owner(&self.handle, *uid, *gid) {
                Err(error) if *owner_is_optional && error.kind() == io::ErrorKind::PermissionDenied => {}
                result => result.map_err(Error::on("change the owner of", &path))?,
            }
        }
        let wanted = match mode {
            None if created_with == 0o666 => None,
            Some(mode) if *mode == created_with && uid.is_none() && gid.is_none() => None,
            mode => Some(mode.unwrap_or(0o666 & !self.fs().umask())),
        };
        if let Some(mode) = wanted {
            self.fs().set_mode(&self.handle, mode).map_err(Error::on("change the mode of", &path))?;
        }
        if let Some(label) = label {
            // Where labels cannot be set, the policy of the directory applies.
            let _ = self.fs().set_label(&self.handle, Some(label));
        }
        Ok(())
    }

    /// Returns a stream that appends to the file.
    pub fn writer(&mut self) -> impl Write + '_ {
        WriteTo(self)
    }

    /// Gives the file its name, if the name is as expected. The content is on the disk before, the name may not be until the
    /// directory is [synced](Target::sync_directory).
    ///
    /// # Errors
    /// A system call failed; nothing is replaced.
    pub fn commit(mut self, expected: Expected<'_>) -> Result<Commit, Error> {
        let path = self.target.path();
        if let Some(mode) = self.attributes.mode.filter(|mode| mode & SET_ID_BITS != 0) {
            // Without the rights of root, writing has cleared the bits.
            self.fs().set_mode(&self.handle, mode).map_err(Error::on("change the mode of", &path))?;
        }
        self.fs().sync(&self.handle).map_err(Error::on("sync", &path))?;
        let result = match expected {
            Expected::Anything if self.target.keeps_backups() => match self.target.replace_entry(&self.name) {
                Ok(()) => Ok(()),
                Err(ReplaceError::Rename(error)) => Err(error),
                Err(error) => {
                    self.is_committed = matches!(error, ReplaceError::Lost(_));
                    return Err(error.at(&path));
                }
            },
            Expected::Anything => self.rename(Rename::Replace),
            Expected::Nothing => match self.rename(Rename::New) {
                Err(error) if is_unsupported(&error) => match self.target.entry()? {
                    Some(_) => return Ok(Commit::Disturbed),
                    None => self.rename(Rename::Replace),
                },
                result => result,
            },
            Expected::Content(content) => match self.exchange()? {
                Err(error) if is_unsupported(&error) => {
                    let found = self.target.open()?.and_then(|mut file| file.read_all().ok());
                    if found.as_deref() != Some(content) {
                        return Ok(Commit::Disturbed);
                    }
                    self.rename(Rename::Replace)
                }
                Ok(()) => return self.finish_exchange(content),
                result => result,
            },
        };
        match result {
            Ok(()) => {
                self.is_committed = true;
                Ok(Commit::Done)
            }
            Err(error) if error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => Ok(Commit::MountPoint),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory
                ) =>
            {
                Ok(Commit::Disturbed)
            }
            Err(error) => Err(Error::io("replace", path, error)),
        }
    }

    fn rename(&self, how: Rename) -> io::Result<()> {
        let directory = self.target.directory();
        self.fs().rename((directory, &self.name), (directory, self.target.name()), how)
    }

    /// Exchanges the names, after a backup.
    fn exchange(&self) -> Result<io::Result<()>, Error> {
        self.target.back_up(Action::Replaced)?;
        Ok(self.rename(Rename::Exchange))
    }

    /// Looks at what had the name until now: unless it has the expected content, it gets the name back.
    fn finish_exchange(mut self, content: &[u8]) -> Result<Commit, Error> {
        let directory = self.target.directory();
        // If anything fails from here on, what has the temporary name is not known, and must not be removed.
        self.is_committed = true;
        let own = self.fs().stat(&self.handle).map_err(Error::on("look at", &self.target.path()))?;
        let is_expected = || {
            let handle = self.fs().open_at(directory, &self.name, Access::Read).ok()?;
            let stat = self.fs().stat(&handle).ok().filter(|stat| stat.is_file())?;
            OpenFile { fs: self.fs(), handle, stat, offset: 0 }.read_all().ok()
        };
        if is_expected().is_some_and(|found| found == content) {
            let removed = self.target.remove_displaced(&self.name, &own);
            self.is_committed = !matches!(removed, Err(ReplaceError::Refused(_)));
            return removed.map(|()| Commit::Done).map_err(|error| error.at(&self.target.path()));
        }
        self.target.undo_exchange(&self.name, &own)?;
        self.is_committed = false;
        Ok(Commit::Disturbed)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = self.fs().remove_file(self.target.directory(), &self.name);
        }
        self.target.files.temporaries.release(&self.name);
    }
}

struct WriteTo<'w, 't>(&'w mut Temporary<'t>);

impl Write for WriteTo<'_, '_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let Temporary { target, handle, offset, .. } = &mut *self.0;
        let mut writer = Writer { fs: target.fs(), handle, offset: *offset };
        let n = writer.write(data)?;
        *offset = writer.offset;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
