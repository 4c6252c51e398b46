//! Compares contents and replaces them atomically.

use std::io;
use std::path::Path;

use resource_graph::is_private_mode;
use safe_fs::{Commit, Error, Expected, FileKind, Files, LastLink, NewAttributes, OpenFile, Target};

use crate::digest::Digester;
use crate::file_access::failure;
use crate::providers::file::attributes::{Attributes, missing};
use crate::providers::file::content::{Content, DIFF_LIMIT};
use crate::providers::file::parameters::{File, Wanted, is_a_directory};
use crate::{Change, Context, Diff, DigestSalt, Digests, Failure};

/// How often a replacement is tried again because another program changed the path meanwhile.
const MAX_ATTEMPTS: usize = 32;

/// What is at the path of a file.
enum Present<'f> {
    Nothing,
    File(OpenFile<'f>),
    Directory,
    /// A name that a user could have made for something else. It is replaced, never followed, and nothing is kept of it.
    Misleading(FileKind),
}

impl<'f> Present<'f> {
    fn of(opened: Result<Option<OpenFile<'f>>, Error>) -> Result<Present<'f>, Failure> {
        match opened {
            Ok(None) => Ok(Present::Nothing),
            Ok(Some(file)) => Ok(Present::File(file)),
            Err(Error::WrongKind { found: FileKind::Directory, .. }) => Ok(Present::Directory),
            Err(Error::WrongKind { found: FileKind::Link, .. }) => Ok(Present::Misleading(FileKind::Link)),
            Err(Error::ForeignHardLink { .. }) => Ok(Present::Misleading(FileKind::File)),
            Err(error) => Err(failure(error)),
        }
    }
}

/// Returns a number of bytes in words.
fn byte_count(bytes: u64) -> String {
    format!("{bytes} {}", if bytes == 1 { "byte" } else { "bytes" })
}

impl File {
    /// Brings content and attributes of a regular file into their state.
    pub(super) fn check_content(
        &self,
        cx: &mut Context<'_>,
        path: &Path,
        content: &mut Content<'_>,
        attributes: &Attributes,
        state: Wanted,
    ) -> Result<(), Failure> {
        let mut is_announced = false;
        for _ in 0..MAX_ATTEMPTS {
            let mut present = Present::of(cx.files().open(path, LastLink::FollowTrusted))?;
            match &mut present {
                Present::File(file) => {
                    if content.is_same_file(file.stat()) || content.equals(file).map_err(Failure::on("read", path))? {
                        let (handle, stat) = (file.handle(), file.stat());
                        return attributes.check_found(cx, path, handle, stat, LastLink::FollowTrusted);
                    }
                }
                Present::Nothing if state != Wanted::Exists => {
                    return Err(missing(path));
                }
                Present::Directory if !self.force => return Err(is_a_directory(path)),
                Present::Nothing | Present::Directory | Present::Misleading(_) => {}
            }
            if !is_announced {
                let change = self.content_change(cx, path, &mut present, content, attributes)?;
                if !cx.change(change)? {
                    return Ok(());
                }
                is_announced = true;
            }
            drop(present);
            let replaced = replace(cx, path, |target| {
                let old = match Present::of(target.open())? {
                    Present::File(file) => Some(target.attributes_of(file.handle(), file.stat())),
                    Present::Directory if !self.force => return Err(is_a_directory(path)),
                    Present::Directory => {
                        target.remove_tree().map_err(failure)?;
                        None
                    }
                    Present::Nothing | Present::Misleading(_) => None,
                };
                let umask = cx.files().file_system().umask();
                let mode = content.mode(old.as_ref().and_then(|old| old.mode), umask);
                let old = NewAttributes { mode, ..old.unwrap_or_default() };
                write_and_commit(target, content, attributes.for_new(Some(old))?)
            })?;
            if replaced {
                // Labels cannot be set everywhere.
                return attributes.check(cx, path, LastLink::FollowTrusted);
            }
        }
        Err(failure(Error::Disturbed { path: path.to_path_buf() }))
    }

    fn content_change(
        &self,
        cx: &Context<'_>,
        path: &Path,
        present: &mut Present<'_>,
        content: &mut Content<'_>,
        attributes: &Attributes,
    ) -> Result<Change, Failure> {
        let old_mode = match present {
            Present::File(file) => Some(file.stat().mode),
            Present::Nothing | Present::Directory | Present::Misleading(_) => None,
        };
        let (name, bytes) = (self.name_of(path), byte_count(content.len()));
        let (text, before) = match present {
            Present::Nothing => (format!("create{name} ({bytes})"), None),
            Present::Directory => (format!("replace the directory{name} by a file"), None),
            Present::Misleading(FileKind::Link) => {
                (format!("replace the symbolic link{name} by a file ({bytes})"), None)
            }
            Present::Misleading(_) => (format!("replace the hard link{name} by a file ({bytes})"), None),
            Present::File(file) => {
                let size = file.stat().size;
                let before = (cx.wants_diffs() && size <= DIFF_LIMIT).then(|| file.read_all().ok()).flatten();
                let sizes = if size == content.len() { bytes } else { format!("{size} to {bytes}") };
                (format!("change the content{name} ({sizes})"), before)
            }
        };
        let mut diff = None;
        if cx.wants_diffs() {
            let default = content.mode(old_mode, cx.files().file_system().umask());
            let new_mode = attributes.mode_for_content(default);
            let is_private = [old_mode, new_mode].into_iter().flatten().any(is_private_mode);
            diff = Some(Diff { path: path.to_path_buf(), before, after: content.for_diff(), is_private });
        }
        // What is in a directory is not shown.
        let diff = diff.filter(|_| !matches!(present, Present::Directory));
        let digests = cx.digest_salt().map(|salt| digests(salt, path, present, content)).transpose()?;
        Ok(Change { diff, digests, ..Change::from(text) })
    }
}

fn digests(
    salt: DigestSalt,
    path: &Path,
    present: &mut Present<'_>,
    content: &mut Content<'_>,
) -> Result<Digests, Failure> {
    let before = match present {
        Present::File(file) => {
            let mut digester = Digester::new(salt);
            file.rewind();
            io::copy(file, &mut digester).map_err(Failure::on("read", path))?;
            Some(digester.finish())
        }
        Present::Nothing | Present::Directory | Present::Misleading(_) => None,
    };
    let mut after = Digester::new(salt);
    content.write_to(&mut after, path)?;
    Ok(Digests { before, after: Some(after.finish()) })
}

/// Replaces the file at a path with `make`, which returns whether nobody disturbed it. The caller has announced the change.
pub(super) fn replace(
    cx: &Context<'_>,
    path: &Path,
    make: impl FnOnce(&Target<'_>) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    let files: &Files = cx.files();
    let target = files.lock(path, LastLink::FollowTrusted).map_err(|error| failure_to_create(cx, path, error))?;
    let replaced = make(&target)?;
    if replaced {
        cx.sync_directory(target.directory_path());
    }
    Ok(replaced)
}

/// Returns the failure of a resource whose name cannot be locked for a new object. One without a parent directory says which
/// directory is missing first.
pub(super) fn failure_to_create(cx: &Context<'_>, path: &Path, error: Error) -> Failure {
    let is_missing = |directory: &Path| matches!(cx.files().find(directory, LastLink::Follow), Ok(None));
    let parents = path.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty());
    match parents.take_while(|parent| is_missing(parent)).last() {
        Some(missing) if error.is_missing() => Failure::Refused(format!(
            "cannot create {}: {} does not exist; declare the directory too: `file \"{1}/\" {{ state => \"exists\", }}`",
            path.display(),
            missing.display()
        )),
        Some(_) | None => failure(error),
    }
}

/// Writes the content to a temporary file and renames it to the name of the target.
pub(super) fn write_and_commit(
    target: &Target<'_>,
    content: &mut Content<'_>,
    attributes: NewAttributes,
) -> Result<bool, Failure> {
    let path = target.path();
    let mut temporary = target.create(attributes).map_err(failure)?;
    content.write_to(&mut temporary.writer(), &path)?;
    match temporary.commit(Expected::Anything).map_err(failure)? {
        Commit::Done => Ok(true),
        Commit::Disturbed => Ok(false),
        Commit::MountPoint => {
            let mut bytes = Vec::new();
            content.write_to(&mut bytes, &path)?;
            target.write_in_place(&bytes).map_err(failure)?;
            Ok(true)
        }
    }
}
