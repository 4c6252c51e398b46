//! Compares contents and replaces them atomically.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::providers::file::attributes::{Attributes, label, umask};
use crate::providers::file::parameters::{File, Wanted};
use crate::providers::file::remove;
use crate::{Change, Context, Diff, Failure, make_temporary, temporary_beside};

/// Maximum size of contents in a diff, in bytes.
const DIFF_LIMIT: u64 = 1 << 20;
/// Maximum number of symbolic links that are followed, as in the kernel.
const MAX_LINKS: usize = 40;
/// Size of a read, in bytes.
const CHUNK_SIZE: usize = 64 * 1024;

/// The source of a file's new content.
pub(super) enum Content<'a> {
    Bytes(&'a [u8]),
    File { path: &'a Path, metadata: Metadata },
}

impl<'a> Content<'a> {
    /// Opens a file to copy from.
    pub(super) fn open(path: &'a Path) -> Result<Content<'a>, Failure> {
        let metadata = fs::metadata(path).map_err(Failure::on("read the source", path))?;
        if !metadata.is_file() {
            return Err(Failure::Refused(format!("the source {} is not a regular file", path.display())));
        }
        Ok(Content::File { path, metadata })
    }

    fn len(&self) -> u64 {
        match self {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::File { metadata, .. } => metadata.len(),
        }
    }

    /// Returns the mode of the copied file.
    fn mode(&self) -> Option<u32> {
        match self {
            Content::Bytes(_) => None,
            Content::File { metadata, .. } => Some(metadata.mode() & 0o7777),
        }
    }

    fn is_same_file(&self, other: &Metadata) -> bool {
        match self {
            Content::Bytes(_) => false,
            Content::File { metadata, .. } => metadata.dev() == other.dev() && metadata.ino() == other.ino(),
        }
    }

    fn equals(&self, file: &mut fs::File, size: u64) -> io::Result<bool> {
        if size != self.len() {
            return Ok(false);
        }
        match self {
            Content::Bytes(bytes) => {
                let mut buffer = vec![0u8; bytes.len().min(CHUNK_SIZE)];
                for expected in bytes.chunks(CHUNK_SIZE) {
                    let part = &mut buffer[..expected.len()];
                    match file.read_exact(part) {
                        Ok(()) if part == expected => {}
                        Ok(()) => return Ok(false),
                        // The file shrank during the comparison.
                        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
                        Err(error) => return Err(error),
                    }
                }
                Ok(true)
            }
            Content::File { path, .. } => equal_streams(fs::File::open(path)?, file),
        }
    }

    fn write_to(&self, file: &mut fs::File) -> Result<(), Failure> {
        match self {
            Content::Bytes(bytes) => file.write_all(bytes).map_err(Failure::on("write", Path::new("the new content"))),
            Content::File { path, .. } => {
                let mut source = fs::File::open(path).map_err(Failure::on("read the source", path))?;
                io::copy(&mut source, file).map(|_| ()).map_err(Failure::on("copy", path))
            }
        }
    }

    fn for_diff(&self) -> Option<Vec<u8>> {
        (self.len() <= DIFF_LIMIT).then(|| match self {
            Content::Bytes(bytes) => Some(bytes.to_vec()),
            Content::File { path, .. } => fs::read(path).ok(),
        })?
    }
}

/// Returns a number of bytes in words.
fn byte_count(bytes: u64) -> String {
    format!("{bytes} {}", if bytes == 1 { "byte" } else { "bytes" })
}

fn equal_streams(mut a: fs::File, b: &mut fs::File) -> io::Result<bool> {
    let (mut x, mut y) = (vec![0u8; CHUNK_SIZE], vec![0u8; CHUNK_SIZE]);
    loop {
        let n = a.read(&mut x)?;
        if n == 0 {
            return Ok(b.read(&mut y)? == 0);
        }
        match b.read_exact(&mut y[..n]) {
            Ok(()) if x[..n] == y[..n] => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

impl File {
    /// Brings content and attributes of a regular file into their state.
    pub(super) fn check_content(
        &self,
        cx: &mut Context<'_>,
        path: &Path,
        content: &Content<'_>,
        attributes: &Attributes,
        state: Wanted,
    ) -> Result<(), Failure> {
        let followed;
        let mut target = path;
        let mut opened = open(path);
        if matches!(opened, Err(Errno::LOOP)) {
            // The content goes to the target of a link.
            followed = follow(path)?;
            target = &followed;
            opened = open(target);
        }
        let (mut file, found) = match opened {
            Ok(file) => {
                let found = file.metadata().map_err(Failure::on("look at", target))?;
                (file, found)
            }
            Err(Errno::NOENT) if state == Wanted::Exists => {
                return self.create_file(cx, target, content, attributes);
            }
            Err(error) => return Err(Failure::io("open", target, error)),
        };
        if found.is_dir() {
            if !self.force {
                return Err(self.is_a_directory());
            }
            if !cx.change(format!("replace the directory{} by a file", self.name_of(path)))? {
                return Ok(());
            }
            remove::tree(target)?;
            create(target, content, attributes, None)?;
            sync_parent(cx, target);
            return Ok(());
        }
        if !found.is_file() {
            let path = path.display();
            return Err(Failure::Refused(format!("{path} is neither a regular file nor a directory")));
        }
        if content.is_same_file(&found)
            || content.equals(&mut file, found.len()).map_err(Failure::on("read", target))?
        {
            return attributes.check_found(cx, target, &found, false);
        }
        let text =
            format!("change the content{} ({} to {})", self.name_of(path), found.len(), byte_count(content.len()));
        let diff = cx.wants_diffs().then(|| Diff {
            path: path.to_path_buf(),
            before: (found.len() <= DIFF_LIMIT).then(|| fs::read(target).ok()).flatten(),
            after: content.for_diff(),
        });
        if !cx.change(Change { text, diff })? {
            return attributes.check_found(cx, target, &found, false);
        }
        let replaced = if found.nlink() > 1 {
            // All hard links must have the new content.
            write_in_place(target, content)
        } else {
            match create(target, content, attributes, Some(&found)) {
                // A file that is itself a mount point cannot be renamed over.
                Err(Failure::Io { error, .. }) if error.raw_os_error() == Some(Errno::BUSY.raw_os_error()) => {
                    write_in_place(target, content)
                }
                result => result,
            }
        };
        replaced?;
        sync_parent(cx, target);
        attributes.check(cx, target, false)
    }

    fn create_file(
        &self,
        cx: &mut Context<'_>,
        path: &Path,
        content: &Content<'_>,
        attributes: &Attributes,
    ) -> Result<(), Failure> {
        let text = format!("create{} ({})", self.name_of(path), byte_count(content.len()));
        let diff = cx.wants_diffs().then(|| Diff { path: path.to_path_buf(), before: None, after: content.for_diff() });
        if !cx.change(Change { text, diff })? {
            return Ok(());
        }
        create(path, content, attributes, None)?;
        sync_parent(cx, path);
        attributes.check_new_label(cx, path)
    }
}

impl Attributes {
    /// Checks the label of a new file; its owner and mode were set when it was created.
    fn check_new_label(&self, cx: &mut Context<'_>, path: &Path) -> Result<(), Failure> {
        if self.wants_label() { self.check(cx, path, false) } else { Ok(()) }
    }
}

/// Opens a file for reading. Does not follow links and does not block on a FIFO.
fn open(path: &Path) -> Result<fs::File, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, rustix::fs::Mode::empty()).map(fs::File::from)
}

/// Returns the target of a chain of links, which may not exist.
fn follow(path: &Path) -> Result<PathBuf, Failure> {
    let mut at = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&at) {
            Ok(target) => at = at.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => return Ok(at),
        }
    }
    Err(Failure::io("follow", path, Errno::LOOP))
}

/// Creates or replaces a file: writes a temporary file in the same directory with content, owner and mode, syncs it, and
/// renames it. Unmanaged attributes are copied from the old file.
pub(super) fn create(
    path: &Path,
    content: &Content<'_>,
    attributes: &Attributes,
    old: Option<&Metadata>,
) -> Result<(), Failure> {
    let (uid, gid) = attributes.ids()?;
    let uid = uid.or(old.map(MetadataExt::uid)).filter(|uid| *uid != rustix::process::geteuid().as_raw());
    let gid = gid.or(old.map(MetadataExt::gid)).filter(|gid| *gid != rustix::process::getegid().as_raw());
    let present = old.map_or(0, |m| m.mode() & 0o7777);
    let mode = attributes.mode_from(present).or(content.mode()).or(old.map(|_| present));
    let temporary = temporary_beside(path);
    // Until the file has its owner, only the current user may access it, unless the final mode is the default one.
    let plain = mode.is_none_or(|mode| mode <= 0o777 && mode & umask() == 0);
    let first = if plain && uid.is_none() && gid.is_none() { mode.unwrap_or(0o666) } else { 0o600 };
    let flags = (OFlags::NOFOLLOW | OFlags::CLOEXEC).bits() as i32;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(first).custom_flags(flags);
    let file = make_temporary(&temporary, || options.open(&temporary));
    let mut file = file.map_err(Failure::on("create", path))?;
    let result = (|| {
        content.write_to(&mut file).map_err(|failure| match failure {
            Failure::Io { action: "write", error, .. } => Failure::io("write", path, error),
            other => other,
        })?;
        if uid.is_some() || gid.is_some() {
            match fchown(&file, uid, gid) {
                // Without the permission to keep the old owner, the file becomes the current user's, as with an editor.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied && attributes.ids()? == (None, None) => {}
                result => result.map_err(Failure::on("change the owner of", path))?,
            }
        }
        if first == 0o600 || !plain {
            let mode = mode.unwrap_or(0o666 & !umask());
            file.set_permissions(fs::Permissions::from_mode(mode)).map_err(Failure::on("change the mode of", path))?;
        }
        if old.is_some()
            && let Ok(Some(label)) = label(path)
        {
            // Where labels cannot be set, the policy of the directory applies.
            let empty = rustix::fs::XattrFlags::empty();
            let _ = rustix::fs::fsetxattr(&file, "security.selinux", label.as_bytes(), empty);
        }
        file.sync_all().map_err(Failure::on("sync", path))?;
        fs::rename(&temporary, path).map_err(Failure::on("replace", path))
    })();
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn write_in_place(path: &Path, content: &Content<'_>) -> Result<(), Failure> {
    let file = OpenOptions::new().write(true).truncate(true).open(path);
    let mut file = file.map_err(Failure::on("open", path))?;
    content.write_to(&mut file)?;
    file.sync_all().map_err(Failure::on("sync", path))
}

/// Schedules a sync of the parent directory.
pub(super) fn sync_parent(cx: &Context<'_>, path: &Path) {
    if let Some(parent) = path.parent() {
        cx.sync_directory(parent);
    }
}
