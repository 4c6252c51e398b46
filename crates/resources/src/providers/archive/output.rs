//! Writing an archive to its file.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use safe_fs::{Commit, Error, Expected, FileKind, Files, LastLink, NewAttributes, Target};

use crate::digest::Digester;
use crate::file_access::failure;
use crate::{Change, Context, Digests, Failure, Params};

/// How often an archive is written again because another program changed the path meanwhile.
const MAX_ATTEMPTS: usize = 8;

/// Produces the content of an archive.
pub(super) trait Source {
    /// Writes the content, and returns the mode that the archive may have at most: that of its most private source.
    fn write_to(&self, files: &Files, out: &mut dyn Write) -> Result<u32, Failure>;
}

/// Returns the path to write: the parameter `path`, or the name of the resource.
pub(super) fn output_path(params: Params<'_>) -> Result<PathBuf, Failure> {
    Ok(PathBuf::from(match params.str("path")? {
        "" => params.name(),
        path => path,
    }))
}

/// Writes the archive unless the file has its content already.
pub(super) fn check_output(cx: &mut Context<'_>, path: &Path, source: &dyn Source) -> Result<(), Failure> {
    let files = cx.files();
    // Only changes that are compared later need a salt.
    let digester = || Digester::new(cx.digest_salt().unwrap_or_default());
    let mut wanted = digester();
    source.write_to(files, &mut wanted)?;
    let mut digests = Digests { before: None, after: Some(wanted.finish()) };
    let present = match files.open(path, LastLink::FollowTrusted) {
        // It is replaced, not followed.
        Err(Error::WrongKind { found: FileKind::Link, .. } | Error::ForeignHardLink { .. }) => None,
        result => result.map_err(failure)?,
    };
    if let Some(mut file) = present {
        let mut present = digester();
        io::copy(&mut file, &mut present).map_err(Failure::on("read", path))?;
        digests.before = Some(present.finish());
        if digests.before == digests.after {
            return Ok(());
        }
    }
    let digests = cx.digest_salt().map(|_| digests);
    if !cx.change(Change { digests, ..Change::from(format!("write {}", path.display())) })? {
        return Ok(());
    }
    for _ in 0..MAX_ATTEMPTS {
        let target = files.lock(path, LastLink::FollowTrusted).map_err(failure)?;
        if write_new(files, &target, source)? {
            return target.sync_directory().map_err(failure);
        }
    }
    Err(failure(Error::Disturbed { path: path.to_path_buf() }))
}

/// Writes the archive to a temporary file that takes the name of the target. Returns whether that was possible. An existing
/// file keeps its owner and mode.
fn write_new(files: &Files, target: &Target<'_>, source: &dyn Source) -> Result<bool, Failure> {
    let path = target.path();
    let old = match target.open() {
        Ok(file) => file.map(|file| target.attributes_of(file.handle(), file.stat())),
        Err(Error::WrongKind { found: FileKind::Link, .. } | Error::ForeignHardLink { .. }) => None,
        Err(error) => return Err(failure(error)),
    };
    let old_mode = old.as_ref().and_then(|old| old.mode);
    let mode = old_mode.unwrap_or(0o666 & !files.file_system().umask()) & source.write_to(files, &mut io::sink())?;
    let attributes = NewAttributes { mode: Some(mode), ..old.unwrap_or_default() };
    let mut temporary = target.create(attributes).map_err(failure)?;
    let mut out = BufWriter::new(temporary.writer());
    source.write_to(files, &mut out)?;
    out.flush().map_err(Failure::on("write", &path))?;
    drop(out);
    match temporary.commit(Expected::Anything).map_err(failure)? {
        Commit::Done => Ok(true),
        Commit::Disturbed => Ok(false),
        Commit::MountPoint => {
            let mut content = Vec::new();
            source.write_to(files, &mut content)?;
            target.write_in_place(&content).map_err(failure)?;
            Ok(true)
        }
    }
}
