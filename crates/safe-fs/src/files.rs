//! Access to files by path.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::io::Errno;

use crate::backup::Backups;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::locks::Locks;
use crate::open_file::OpenFile;
use crate::recovery::Recovery;
use crate::resolve::{LastLink, Location, locate};
use crate::system::{Access, FileKind, FileSystem, Handle, Stat};
use crate::temporaries::{Temporaries, sweep_unrecorded};
use crate::trust::Trust;

/// The files of one file system, with the locks and the temporary files of this process.
///
/// All access to one file must go through one value and its [backed up](Files::backed_up) variants, or writers do not exclude
/// each other.
pub struct Files {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) locks: Arc<Locks>,
    pub(crate) temporaries: Arc<Temporaries>,
    pub(crate) recovery: Option<Arc<Recovery>>,
    pub(crate) backups: Option<BackedUp>,
    /// A directory whose files are used only if nobody else can change them.
    private: Option<PathBuf>,
}

/// Where to keep what changes replace or remove, and who makes the changes.
#[derive(Clone)]
pub(crate) struct BackedUp {
    pub(crate) backups: Arc<Backups>,
    pub(crate) author: String,
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Files").field("fs", &self.fs).finish_non_exhaustive()
    }
}

/// An object that a path leads to.
#[derive(Debug)]
pub struct Found {
    /// The object, opened to look at it.
    pub handle: Handle,
    /// Its attributes.
    pub stat: Stat,
    /// Its path without symbolic links.
    pub path: PathBuf,
    /// Whether it is a symbolic link that a user could have made, see [`LastLink::FollowTrusted`].
    pub is_untrusted_link: bool,
}

impl Files {
    /// Returns the files of the machine, for uses without a state directory.
    #[must_use]
    pub fn of_kernel() -> &'static Arc<Files> {
        static FILES: OnceLock<Arc<Files>> = OnceLock::new();
        FILES.get_or_init(|| Arc::new(Files::new(Arc::new(Kernel::new()))))
    }

    /// Returns the files of a file system. A crash may leave temporary files.
    #[must_use]
    pub fn new(fs: Arc<dyn FileSystem>) -> Files {
        let (locks, temporaries) = (Arc::default(), Arc::new(Temporaries::of_process()));
        Files { fs, locks, temporaries, recovery: None, backups: None, private: None }
    }

    /// Returns the same files, of which those below a directory without symbolic links are opened only if
    /// [nobody else can change them](Files::check_protected).
    #[must_use]
    pub fn with_private(self, directory: PathBuf) -> Files {
        Files { private: Some(directory), ..self }
    }

    /// Returns the files of a file system, with what must survive a crash in a state directory. What earlier processes left
    /// is removed, and files that they were writing are restored.
    ///
    /// `identity` distinguishes the state directory from others on this machine. The caller must hold its lock.
    ///
    /// # Errors
    /// The state directory cannot be read or written.
    pub fn with_state(fs: Arc<dyn FileSystem>, identity: &str, state: &Path) -> Result<Files, Error> {
        let directory = fs.open_direct(state, Access::Path).map_err(Error::on("open", state))?;
        let temporaries =
            Temporaries::recorded(&*fs, identity, &directory).map_err(Error::on("clean up by the record in", state))?;
        let recovery = Recovery::open(&*fs, directory).map_err(Error::on("recover files from", state))?;
        let (locks, temporaries, recovery) = (Arc::default(), Arc::new(temporaries), Some(Arc::new(recovery)));
        Ok(Files { fs, locks, temporaries, recovery, backups: None, private: Some(state.to_path_buf()) })
    }

    /// Returns the same files for changes by `author`, such as `file[/etc/motd]`: what they replace or remove is kept, except
    /// for the files of the state directory. A change that cannot be backed up fails.
    #[must_use]
    pub fn backed_up(&self, backups: &Arc<Backups>, author: String) -> Files {
        Files {
            fs: Arc::clone(&self.fs),
            locks: Arc::clone(&self.locks),
            temporaries: Arc::clone(&self.temporaries),
            recovery: self.recovery.clone(),
            backups: Some(BackedUp { backups: Arc::clone(backups), author }),
            private: self.private.clone(),
        }
    }

    /// Returns the file system, to share it.
    #[must_use]
    pub fn shared_file_system(&self) -> Arc<dyn FileSystem> {
        Arc::clone(&self.fs)
    }

    /// Returns the file system.
    #[must_use]
    pub fn file_system(&self) -> &dyn FileSystem {
        &*self.fs
    }

    pub(crate) fn trust(&self) -> Trust {
        Trust::of(self.fs.user())
    }

    /// Looks at an object. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// A system call failed, or a link must not be followed.
    pub fn find(&self, path: &Path, last: LastLink) -> Result<Option<Found>, Error> {
        if last == LastLink::Keep
            && let Ok(handle) = self.fs.open_direct(path, Access::Path)
        {
            let stat = self.fs.stat(&handle).map_err(Error::on("look at", path))?;
            return Ok(Some(Found { handle, stat, path: path.to_path_buf(), is_untrusted_link: false }));
        }
        let location = match locate(&*self.fs, path, last) {
            Err(error) if error.is_missing() => return Ok(None),
            result => result?,
        };
        let handle = match self.fs.open_at(&location.directory, &location.name, Access::Path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result.map_err(Error::on("open", path))?,
        };
        let stat = self.fs.stat(&handle).map_err(Error::on("look at", path))?;
        let is_untrusted_link = stat.is_link() && location.untrusted_link.is_some();
        Ok(Some(Found { handle, stat, path: location.path(), is_untrusted_link }))
    }

    /// Opens a regular file for reading. Returns `None` if it does not exist. A path without links costs two system calls.
    ///
    /// # Errors
    /// A system call failed, a link must not be followed, the object is not a regular file, or its name could be a second one
    /// that a user gave to somebody else's file.
    pub fn open(&self, path: &Path, last: LastLink) -> Result<Option<OpenFile<'_>>, Error> {
        let handle = match self.fs.open_direct(path, Access::Read) {
            Ok(handle) => handle,
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_absolute() => return Ok(None),
            Err(_) => match locate(&*self.fs, path, last) {
                Err(error) if error.is_missing() => return Ok(None),
                Err(error) => return Err(error),
                Ok(location) => return self.open_entry(&location),
            },
        };
        let stat = self.fs.stat(&handle).map_err(Error::on("look at", path))?;
        if stat.is_file() && stat.links > 1 {
            return self.open_entry(&locate(&*self.fs, path, last)?);
        }
        self.regular(path, handle, stat).map(Some)
    }

    /// Opens the entry itself, never following a link.
    pub(crate) fn open_entry(&self, location: &Location) -> Result<Option<OpenFile<'_>>, Error> {
        let path = location.path();
        let handle = match self.fs.open_at(&location.directory, &location.name, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // A link; or a socket, which cannot be opened for reading.
            Err(error) => {
                let entry = self.fs.open_at(&location.directory, &location.name, Access::Path);
                let stat = entry.and_then(|entry| self.fs.stat(&entry)).map_err(Error::on("open", &path))?;
                return Err(match stat.kind {
                    FileKind::File | FileKind::Directory => Error::io("open", path, error),
                    found => Error::WrongKind { path, found, wanted: FileKind::File },
                });
            }
            Ok(handle) => handle,
        };
        let stat = self.fs.stat(&handle).map_err(Error::on("look at", &path))?;
        if self.trust().is_foreign_hard_link(&location.directory_stat, &stat) {
            return Err(Error::ForeignHardLink { path, owner: stat.uid });
        }
        self.regular(&path, handle, stat).map(Some)
    }

    fn regular(&self, path: &Path, handle: Handle, stat: Stat) -> Result<OpenFile<'_>, Error> {
        if self.private.as_ref().is_some_and(|private| path.starts_with(private)) {
            self.trust().check(path, &stat)?;
        }
        match stat.kind {
            FileKind::File => Ok(OpenFile { fs: &*self.fs, handle, stat, offset: 0 }),
            found => Err(Error::WrongKind { path: path.to_path_buf(), found, wanted: FileKind::File }),
        }
    }

    /// Returns the content of a regular file; `None` if it does not exist.
    ///
    /// # Errors
    /// As for [`Files::open`], or the file cannot be read.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        match self.open(path, LastLink::Follow)? {
            Some(mut file) => file.read_all().map(Some).map_err(Error::on("read", path)),
            None => Ok(None),
        }
    }

    /// Returns the content like [`Files::read`], if [nobody else can change](Files::check_protected) the file.
    ///
    /// # Errors
    /// As for [`Files::read`], or others can change it.
    pub fn read_protected(&self, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let Some(mut file) = self.open(path, LastLink::Follow)? else { return Ok(None) };
        self.trust().check(path, file.stat())?;
        file.read_all().map(Some).map_err(Error::on("read", path))
    }

    /// Returns the sorted names in a directory, without live temporary files of this process; `None` if it does not exist.
    ///
    /// # Errors
    /// A system call failed, a link must not be followed, or it is not a directory.
    pub fn list(&self, path: &Path) -> Result<Option<Vec<std::ffi::OsString>>, Error> {
        let directory = match self.fs.open_direct(path, Access::Directory) {
            Ok(directory) => directory,
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_absolute() => return Ok(None),
            Err(_) => {
                let location = match locate(&*self.fs, path, LastLink::Follow) {
                    Err(error) if error.is_missing() => return Ok(None),
                    result => result?,
                };
                match self.fs.open_at(&location.directory, &location.name, Access::Directory) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                    result => result.map_err(Error::on("read", path))?,
                }
            }
        };
        let mut names = self.fs.entries(&directory).map_err(Error::on("read", path))?;
        names.retain(|name| !self.temporaries.is_live(name));
        names.sort();
        Ok(Some(names))
    }

    /// Returns the paths of an object without symbolic links, `.` and `..`: where it is, or would be, and if that is a symbolic
    /// link, also where the link leads. A path that cannot be resolved counts as having no links.
    #[must_use]
    pub fn real_paths(&self, path: &Path) -> Vec<PathBuf> {
        let is_plain = !path.components().any(|component| component == Component::ParentDir);
        let has_link = |error: &io::Error| error.raw_os_error() == Some(Errno::LOOP.raw_os_error());
        match self.fs.open_direct(path, Access::Path) {
            Ok(handle) if is_plain && !self.fs.stat(&handle).is_ok_and(|stat| stat.is_link()) => {
                return vec![path.components().collect()];
            }
            Err(error) if is_plain && !has_link(&error) => return vec![path.components().collect()],
            Ok(_) | Err(_) => {}
        }
        let located = [LastLink::Keep, LastLink::Follow].map(|last| locate(&*self.fs, path, last));
        let mut paths: Vec<PathBuf> = located.into_iter().flatten().map(|location| location.path()).collect();
        paths.dedup();
        if paths.is_empty() {
            paths.push(path.components().collect());
        }
        paths
    }

    /// Syncs a directory. Directories that do not exist any more, and file systems that cannot sync them, are ignored.
    pub fn sync_directory(&self, path: &Path) {
        if let Ok(directory) = self.fs.open_direct(path, Access::Directory) {
            let _ = self.fs.sync(&directory);
        }
    }

    /// Removes the temporary files that processes without a state directory left in a directory and, unless it is in `except`,
    /// below it. No such process may use the directory now.
    ///
    /// # Errors
    /// A system call failed.
    pub fn remove_unrecorded_temporaries(&self, directory: &Path, except: &[&Path]) -> Result<(), Error> {
        let mut todo = vec![directory.to_path_buf()];
        while let Some(directory) = todo.pop() {
            sweep_unrecorded(&*self.fs, &directory).map_err(Error::on("clean up", &directory))?;
            for name in self.list(&directory)?.unwrap_or_default() {
                let path = directory.join(name);
                let is_directory =
                    || Ok(self.find(&path, LastLink::Keep)?.is_some_and(|found| found.stat.is_directory()));
                if !except.contains(&&*path) && is_directory()? {
                    todo.push(path);
                }
            }
        }
        Ok(())
    }

    /// Checks that only trusted users, root and the user of the process, can change a directory or file.
    ///
    /// # Errors
    /// Others can change it, it is a link, or a system call failed.
    pub fn check_protected(&self, path: &Path) -> Result<(), Error> {
        let found = self.find(path, LastLink::Keep)?;
        let Some(Found { stat, .. }) = found else { return Err(Error::io("open", path, Errno::NOENT)) };
        if stat.is_link() {
            return Err(Error::UntrustedLink { link: path.to_path_buf(), owner: stat.uid });
        }
        self.trust().check(path, &stat)
    }

    /// Checks the same of each entry of a directory.
    ///
    /// # Errors
    /// Others can change one of them, one is a link, or a system call failed.
    pub fn check_entries_protected(&self, directory: &Path) -> Result<(), Error> {
        for name in self.list(directory)?.unwrap_or_default() {
            match self.check_protected(&directory.join(name)) {
                // It was removed meanwhile.
                Err(error) if error.is_missing() => {}
                result => result?,
            }
        }
        Ok(())
    }

    /// Checks that only trusted users can change what a path leads to: the object, and every directory above it. Others may
    /// create entries in a directory with the sticky bit.
    ///
    /// # Errors
    /// Others can change it, or a system call failed.
    pub fn check_path_protected(&self, path: &Path) -> Result<(), Error> {
        match self.find(path, LastLink::Follow)? {
            Some(found) => self.check_found_protected(&found, &mut BTreeSet::new()),
            None => Err(Error::io("open", path, Errno::NOENT)),
        }
    }

    /// Checks the same of many paths. Where there is nothing, it holds for the directory in which something could appear.
    ///
    /// # Errors
    /// Others can change one of them, or a system call failed.
    pub fn check_paths_protected<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> Result<(), Error> {
        let mut checked = BTreeSet::new();
        for path in paths {
            let mut parts = path.ancestors();
            let found = loop {
                let Some(part) = parts.next() else { break None };
                match self.find(part, LastLink::Follow) {
                    Ok(None) => {}
                    Err(error) if error.io_kind() == Some(io::ErrorKind::NotADirectory) => {}
                    Ok(found) => break found,
                    Err(error) => return Err(error),
                }
            };
            if let Some(found) = found {
                self.check_found_protected(&found, &mut checked)?;
            }
        }
        Ok(())
    }

    /// Checks an object and the directories above it, except those that were checked. Adds these directories.
    fn check_found_protected(&self, found: &Found, checked: &mut BTreeSet<PathBuf>) -> Result<(), Error> {
        for ancestor in found.path.ancestors() {
            let is_object = ancestor == found.path;
            if !is_object && checked.contains(ancestor) {
                return Ok(());
            }
            match self.check_protected(ancestor) {
                Err(Error::Unprotected { owner, mode, .. })
                    if !is_object && mode & 0o1000 != 0 && self.trust().is_trusted(owner) => {}
                result => result?,
            }
            if !is_object {
                checked.insert(ancestor.to_path_buf());
            }
        }
        Ok(())
    }
}
