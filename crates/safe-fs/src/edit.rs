//! Editing files that other programs edit, too.

use std::io::Write;
use std::path::Path;

use crate::error::Error;
use crate::files::Files;
use crate::resolve::LastLink;
use crate::system::FileKind;
use crate::target::{Commit, Expected, NewAttributes, Target};

/// How often an edit is decided anew because another program changed the file meanwhile.
const MAX_ATTEMPTS: usize = 32;

/// What to do with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing.
    Keep,
    /// Replace the content.
    Write(Vec<u8>),
    /// Remove the file.
    Remove,
}

/// Why an edit failed.
#[derive(Debug)]
pub enum EditError<E> {
    /// The file cannot be used.
    File(Error),
    /// The decision failed.
    Decision(E),
}

impl<E> From<Error> for EditError<E> {
    fn from(error: Error) -> EditError<E> {
        EditError::File(error)
    }
}

impl Files {
    /// Edits a file: `decide` receives its content, or `None` if it does not exist. It runs while this thread holds the lock of
    /// the file, and again if another program changed the file before it was replaced. A new file gets the attributes; an
    /// existing one keeps its own. Returns whether the file was changed.
    ///
    /// # Errors
    /// `decide` failed, the file is not a regular file, other programs keep changing it, or a system call failed.
    pub fn edit<E>(
        &self,
        path: &Path,
        new: &NewAttributes,
        mut decide: impl FnMut(Option<&[u8]>) -> Result<Decision, E>,
    ) -> Result<bool, EditError<E>> {
        for _ in 0..MAX_ATTEMPTS {
            let target = self.lock(path, LastLink::Follow)?;
            let (before, attributes) = match target.open()? {
                None => (None, new.clone()),
                Some(mut file) => {
                    let content = file.read_all().map_err(Error::on("read", path))?;
                    (Some(content), target.attributes_of(file.handle(), file.stat()))
                }
            };
            let after = match decide(before.as_deref()).map_err(EditError::Decision)? {
                Decision::Keep => return Ok(false),
                Decision::Write(after) => after,
                Decision::Remove => {
                    target.remove_file()?;
                    target.sync_directory()?;
                    return Ok(true);
                }
            };
            if target.replace(&after, before.as_deref(), attributes)? {
                return Ok(true);
            }
        }
        Err(Error::Disturbed { path: path.to_path_buf() }.into())
    }

    /// Gives a file this content and, if it is new, this mode. After a crash it has the old or the new content.
    ///
    /// # Errors
    /// A system call failed, the file keeps its content; or a link must not be followed.
    pub fn write(&self, path: &Path, content: &[u8], mode: u32) -> Result<(), Error> {
        let target = self.lock(path, LastLink::Follow)?;
        let attributes = NewAttributes { mode: Some(mode), ..NewAttributes::default() };
        for _ in 0..MAX_ATTEMPTS {
            let mut temporary = target.create(attributes.clone())?;
            temporary.writer().write_all(content).map_err(Error::on("write", path))?;
            match temporary.commit(Expected::Anything)? {
                Commit::Done => return target.sync_directory(),
                Commit::MountPoint => return target.write_in_place(content),
                Commit::Disturbed => {}
            }
        }
        Err(match target.entry()? {
            Some((_, stat)) if stat.is_directory() => {
                Error::WrongKind { path: path.to_path_buf(), found: stat.kind, wanted: FileKind::File }
            }
            _ => Error::Disturbed { path: path.to_path_buf() },
        })
    }

    /// Removes a file; its absence is success.
    ///
    /// # Errors
    /// A system call failed.
    pub fn remove(&self, path: &Path) -> Result<(), Error> {
        match self.lock(path, LastLink::Keep) {
            Err(error) if error.is_missing() => Ok(()),
            Err(error) => Err(error),
            Ok(target) => target.remove_file(),
        }
    }
}

impl Target<'_> {
    /// Replaces the content that was read under this lock. Returns whether that was possible: not if another program changed
    /// the file meanwhile.
    fn replace(&self, after: &[u8], before: Option<&[u8]>, attributes: NewAttributes) -> Result<bool, Error> {
        let path = self.path();
        let mut temporary = self.create(attributes)?;
        temporary.writer().write_all(after).map_err(Error::on("write", &path))?;
        match temporary.commit(before.map_or(Expected::Nothing, Expected::Content))? {
            Commit::Done => self.sync_directory().map(|()| true),
            Commit::Disturbed => Ok(false),
            Commit::MountPoint => {
                let current = self.open()?.and_then(|mut file| file.read_all().ok());
                if current.as_deref() != before {
                    return Ok(false);
                }
                self.write_in_place(after).map(|()| true)
            }
        }
    }
}
