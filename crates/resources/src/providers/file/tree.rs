//! Copies a directory tree and removes unmanaged entries.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use safe_fs::{Error, FileKind, Files, Found, LastLink, Saved, is_temporary_name};

use crate::file_access::failure;
use crate::providers::file::attributes::Attributes;
use crate::providers::file::content::Content;
use crate::providers::file::managed::ManagedEntries;
use crate::providers::file::parameters::{File, Wanted};
use crate::text_file::with_mode;
use crate::{Context, Failure};

/// Maximum number of strays that are backed up together. Their records are in memory meanwhile.
const MAX_BACKUP: usize = 512;

impl File {
    /// Copies the source tree. With `purge`, removes entries that are neither in the source nor managed by another resource.
    /// Does not descend into symbolic links below the target. Entries that fail do not keep the others from being copied and removed.
    pub(super) fn sync_tree(&self, cx: &mut Context<'_>, source: Option<&Path>) -> Result<(), Failure> {
        let mut todo = vec![(source.map(Path::to_path_buf), self.path.to_path_buf())];
        let mut managed = None;
        let mut failed = None;
        while let Some((source, target)) = todo.pop() {
            let wanted = match &source {
                Some(source) => names_in(cx.files(), source)?.ok_or_else(|| missing_source(source))?,
                None => BTreeSet::new(),
            };
            for name in &wanted {
                let from = source.as_ref().expect("names come from a source").join(name);
                match self.copy_entry(cx, &from, &target.join(name)) {
                    Ok(true) => todo.push((Some(from), target.join(name))),
                    Ok(false) => {}
                    Err(failure) => note(&mut failed, failure)?,
                }
            }
            if self.purge {
                let is_root = *target == *self.path;
                if let Err(failure) = self.purge(cx, &target, is_root, &wanted, &mut managed, &mut todo) {
                    note(&mut failed, failure)?;
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Copies an entry of the source. Returns whether it is a directory to descend into.
    fn copy_entry(&self, cx: &mut Context<'_>, from: &Path, to: &Path) -> Result<bool, Failure> {
        let found = cx.files().find(from, LastLink::Follow).map_err(failure)?;
        let found = found.ok_or_else(|| missing_source(from))?;
        if found.stat.is_directory() {
            return Ok(self.ensure_copy_of_directory(cx, to, found.stat.mode)? && self.recurse);
        }
        // What another resource declares has precedence, as in Puppet.
        if !cx.managed().contains(cx.files(), to) {
            let mut content = Content::open(cx.files(), from)?;
            self.check_content(cx, to, &mut content, &Attributes::NONE, Wanted::Exists)?;
        }
        Ok(false)
    }

    /// Returns whether to descend into the directory.
    fn ensure_copy_of_directory(&self, cx: &mut Context<'_>, path: &Path, mode: u32) -> Result<bool, Failure> {
        let found = cx.files().find(path, LastLink::Keep).map_err(failure)?;
        let kind = found.map(|found| found.stat.kind);
        let text = match kind {
            Some(FileKind::Directory) => return Ok(true),
            Some(kind) if !self.force => {
                return Err(Failure::Refused(format!(
                    "{} is {}; set `force => true` to replace it",
                    path.display(),
                    if kind == FileKind::Link { "a symbolic link" } else { "not a directory" }
                )));
            }
            Some(_) => format!("replace the file{} by a directory", self.name_of(path)),
            None => format!("create the directory{}", self.name_of(path)),
        };
        if !cx.change(text)? {
            // Noop reports the entries that would be copied into it.
            return Ok(kind.is_none());
        }
        let target = cx.files().lock(path, LastLink::Keep).map_err(failure)?;
        if target.entry().map_err(failure)?.is_some_and(|(_, stat)| !stat.is_directory()) {
            target.remove_file().map_err(failure)?;
        }
        target.make_directory(&with_mode(mode)).map_err(failure)?;
        cx.sync_directory(target.directory_path());
        Ok(true)
    }

    fn purge(
        &self,
        cx: &mut Context<'_>,
        directory: &Path,
        is_root: bool,
        wanted: &BTreeSet<OsString>,
        managed: &mut Option<ManagedEntries>,
        todo: &mut Vec<(Option<PathBuf>, PathBuf)>,
    ) -> Result<(), Failure> {
        let last = if is_root { LastLink::FollowTrusted } else { LastLink::Keep };
        // In noop mode it may not exist.
        let Some(found) = cx.files().find(directory, last).map_err(failure)? else { return Ok(()) };
        let Found { stat, path: real_directory, .. } = found;
        if stat.is_link() {
            return Err(failure(Error::UntrustedLink { link: directory.to_path_buf(), owner: stat.uid }));
        }
        // It was replaced by something else, or removed.
        let Some(present) = cx.files().list(&real_directory).map_err(failure)? else { return Ok(()) };
        let mut strays = Vec::new();
        for name in present.into_iter().filter(|name| !wanted.contains(name)) {
            let (path, real_path) = (directory.join(&name), real_directory.join(&name));
            let Some(entry) = cx.files().find(&real_path, LastLink::Keep).map_err(failure)? else { continue };
            let managed = managed.get_or_insert_with(|| ManagedEntries::of(cx.managed(), cx.files()));
            if managed.contain(cx.files(), &stat, &real_path, &entry.stat) {
                if entry.stat.is_directory() {
                    todo.push((None, path));
                }
                continue;
            }
            strays.push(name);
        }
        let mut failed = None;
        for strays in strays.chunks(MAX_BACKUP) {
            let backups = if cx.apply { cx.files().back_up_trees(&real_directory, strays) } else { Vec::new() };
            let mut backups = backups.into_iter();
            for name in strays {
                let backup = backups.next().unwrap_or_default();
                if !cx.change(format!("remove{} (unmanaged)", self.name_of(&directory.join(name))))? {
                    continue;
                }
                if let Err(failure) = remove_stray(cx, &real_directory.join(name), backup) {
                    note(&mut failed, failure)?;
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

fn remove_stray(cx: &Context<'_>, path: &Path, backup: Saved) -> Result<(), Failure> {
    let target = match cx.files().lock(path, LastLink::Keep) {
        // The directory was removed meanwhile.
        Err(error) if error.is_missing() => return Ok(()),
        result => result.map_err(failure)?,
    };
    target.use_backup(backup);
    target.remove_tree().map_err(failure)?;
    cx.sync_directory(target.directory_path());
    Ok(())
}

/// Keeps the first failure of an entry, to continue with others. One that is not about the entry is returned: a lack of
/// resources, which ends, a cancellation, or a change that is not in the plan.
fn note(first: &mut Option<Failure>, failure: Failure) -> Result<(), Failure> {
    let is_about_entry = match &failure {
        Failure::Refused(_) | Failure::Disturbed(_) => true,
        Failure::Io { error, .. } => !child_process::is_exhausted(error),
        _ => false,
    };
    if !is_about_entry {
        return Err(failure);
    }
    first.get_or_insert(failure);
    Ok(())
}

fn missing_source(path: &Path) -> Failure {
    Failure::io("read the source", path, Errno::NOENT)
}

/// Returns the names in a directory, without temporary files; `None` if it does not exist.
fn names_in(files: &Files, directory: &Path) -> Result<Option<BTreeSet<OsString>>, Failure> {
    let names = files.list(directory).map_err(failure)?;
    Ok(names.map(|names| names.into_iter().filter(|name| !is_temporary_name(name)).collect()))
}
