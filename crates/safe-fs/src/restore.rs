//! Restoring what a change replaced or removed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::backup::{Backups, Digest, Entry, Object, Record};
use crate::error::Error;
use crate::files::Files;
use crate::resolve::LastLink;
use crate::system::FileKind;
use crate::target::{Commit, Expected, NewAttributes, SET_ID_BITS};

/// Size of the buffer for copying, in bytes.
const BUFFER: usize = 1 << 18;

/// What happened to an object of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The path at which it is now.
    pub path: PathBuf,
    /// The class; `None` for a fifo, socket or device, which is not restored.
    pub kind: Option<FileKind>,
}

impl Record {
    /// Returns what restoring the record to a path restores.
    #[must_use]
    pub fn destinations(&self, to: &Path) -> Vec<Restored> {
        // Joining an empty path appends a slash.
        let path = |entry: &Entry| to.join(&entry.path.0).components().collect();
        self.entries.iter().map(|entry| Restored { path: path(entry), kind: entry.object.kind() }).collect()
    }
}

impl Files {
    /// Restores the objects of a record: contents, links, owners, groups, modes and labels. What is in the way is replaced; in a
    /// directory that exists, entries that the record does not have stay. Without root's rights, owners stay those of the user.
    ///
    /// `self` should be [backed up](Files::backed_up), so that what is there now is not lost.
    ///
    /// # Errors
    /// A copy is missing or was changed, a link must not be followed, or a system call failed. Objects that come later in the
    /// record are not restored then.
    pub fn restore(&self, backups: &Backups, record: &Record, to: &Path) -> Result<Vec<Restored>, Error> {
        let restored = record.destinations(to);
        let all = || record.entries.iter().zip(&restored);
        for (entry, Restored { path, .. }) in all() {
            self.restore_entry(backups, entry, path)?;
        }
        // A directory may be read-only, so it gets its mode after its entries.
        for (entry, Restored { path, .. }) in all().rev().filter(|(entry, _)| entry.object == Object::Directory) {
            self.set_attributes(entry, path)?;
        }
        Ok(restored)
    }

    fn restore_entry(&self, backups: &Backups, entry: &Entry, path: &Path) -> Result<(), Error> {
        let target = self.lock(path, LastLink::Keep)?;
        let present = target.entry()?.map(|(_, stat)| stat.kind);
        match (&entry.object, present) {
            (Object::Special, _) | (Object::Directory, Some(FileKind::Directory)) => return Ok(()),
            (Object::File { .. } | Object::Link { .. }, Some(FileKind::Directory)) => target.remove_tree()?,
            (Object::Directory, Some(_)) => target.remove_file()?,
            _ => {}
        }
        match &entry.object {
            Object::Directory => {
                target.make_directory(&NewAttributes { mode: Some(0o700), ..NewAttributes::default() })?;
            }
            Object::Link { target: link } => {
                target.make_link(&link.0)?;
                drop(target);
                return self.set_attributes(entry, path);
            }
            Object::File { sha256, .. } => {
                let mut temporary = target.create(self.attributes_of(entry))?;
                copy(backups, *sha256, path, &mut temporary.writer())?;
                match temporary.commit(Expected::Anything)? {
                    Commit::Done => {}
                    Commit::Disturbed => return Err(Error::Disturbed { path: path.to_path_buf() }),
                    Commit::MountPoint => {
                        let mut content = Vec::new();
                        copy(backups, *sha256, path, &mut content)?;
                        target.write_in_place(&content)?;
                        target.sync_directory()?;
                        drop(target);
                        return self.set_attributes(entry, path);
                    }
                }
            }
            Object::Special => {}
        }
        target.sync_directory()
    }

    fn attributes_of(&self, entry: &Entry) -> NewAttributes {
        NewAttributes {
            uid: Some(entry.uid),
            gid: Some(entry.gid),
            mode: Some(self.mode_of(entry)),
            label: entry.label.clone(),
            owner_is_optional: self.fs.user() != 0,
        }
    }

    /// Returns the mode: a file whose owner cannot be restored does not get rights of another one.
    fn mode_of(&self, entry: &Entry) -> u32 {
        if self.fs.user() == 0 { entry.mode } else { entry.mode & !SET_ID_BITS }
    }

    /// Restores owner, group, mode and label of an object that exists.
    fn set_attributes(&self, entry: &Entry, path: &Path) -> Result<(), Error> {
        let target = self.lock(path, LastLink::Keep)?;
        let Some((handle, stat)) = target.own_entry()? else {
            return Err(Error::Disturbed { path: path.to_path_buf() });
        };
        if Some(stat.kind) != entry.object.kind() {
            return Err(Error::Disturbed { path: path.to_path_buf() });
        }
        match self.fs.set_owner(&handle, Some(entry.uid), Some(entry.gid)) {
            Err(error) if self.fs.user() != 0 && error.kind() == io::ErrorKind::PermissionDenied => {}
            result => result.map_err(Error::on("change the owner of", path))?,
        }
        if stat.kind != FileKind::Link {
            self.fs.set_mode(&handle, self.mode_of(entry)).map_err(Error::on("change the mode of", path))?;
        }
        if let Some(label) = &entry.label {
            // Where labels cannot be set, the policy of the directory applies.
            let _ = self.fs.set_label(&handle, Some(label));
        }
        Ok(())
    }
}

/// Writes a copy, after checking that it is what was backed up.
fn copy(backups: &Backups, digest: Digest, path: &Path, out: &mut dyn Write) -> Result<(), Error> {
    let invalid = || Error::InvalidBackup { path: path.to_path_buf() };
    let content = backups.open_content(digest).map_err(|_| invalid())?;
    let (mut hasher, mut buffer, mut offset) = (Sha256::new(), vec![0; BUFFER], 0);
    loop {
        let n = backups
            .file_system()
            .read_at(&content, &mut buffer, offset)
            .map_err(Error::on("read the backup of", path))?;
        if n == 0 {
            break;
        }
        hasher.update(&buffer[..n]);
        out.write_all(&buffer[..n]).map_err(Error::on("write", path))?;
        offset += n as u64;
    }
    if Digest(hasher.finalize().into()) == digest { Ok(()) } else { Err(invalid()) }
}
