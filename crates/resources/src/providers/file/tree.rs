//! Copies a directory tree and removes unmanaged entries.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::providers::file::attributes::{self, Attributes};
use crate::providers::file::parameters::{File, Wanted};
use crate::providers::file::remove;
use crate::providers::file::write::{Content, sync_parent};
use crate::{Context, Failure};

impl File {
    /// Copies the source tree. With `purge`, removes entries that are neither in the source nor managed by another resource.
    pub(super) fn sync_tree(&self, cx: &mut Context<'_>, source: Option<&Path>) -> Result<(), Failure> {
        let mut todo = vec![(source.map(Path::to_path_buf), self.path.clone())];
        while let Some((source, target)) = todo.pop() {
            let wanted = match &source {
                Some(source) => names_in(source).map_err(Failure::on("read the source", source))?,
                None => BTreeSet::new(),
            };
            for name in &wanted {
                let from = source.as_ref().expect("names come from a source").join(name);
                let to = target.join(name);
                let found = fs::metadata(&from).map_err(Failure::on("read the source", &from))?;
                if !found.is_dir() {
                    let content = Content::open(&from)?;
                    self.check_content(cx, &to, &content, &Attributes::NONE, Wanted::Exists)?;
                } else if self.ensure_copy_of_directory(cx, &to, found.mode() & 0o7777)? && self.recurse {
                    todo.push((Some(from), to));
                }
            }
            if self.purge {
                self.purge(cx, &target, &wanted, &mut todo)?;
            }
        }
        Ok(())
    }

    /// Returns whether to descend into the directory.
    fn ensure_copy_of_directory(&self, cx: &mut Context<'_>, path: &Path, mode: u32) -> Result<bool, Failure> {
        match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() || path.is_dir() => return Ok(true),
            Ok(_) if !self.force => {
                let path = path.display();
                return Err(Failure::Refused(format!("{path} is not a directory; set `force => true` to replace it")));
            }
            Ok(_) => {
                if !cx.change(format!("replace the file{} by a directory", self.name_of(path)))? {
                    return Ok(false);
                }
                fs::remove_file(path).map_err(Failure::on("remove", path))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !cx.change(format!("create the directory{}", self.name_of(path)))? {
                    // Noop reports the entries that would be copied into it.
                    return Ok(true);
                }
            }
            Err(error) => return Err(Failure::io("look at", path, error)),
        }
        attributes::make_directory(path, Some(mode)).map_err(Failure::on("create", path))?;
        sync_parent(cx, path);
        Ok(true)
    }

    fn purge(
        &self,
        cx: &mut Context<'_>,
        directory: &Path,
        wanted: &BTreeSet<OsString>,
        todo: &mut Vec<(Option<PathBuf>, PathBuf)>,
    ) -> Result<(), Failure> {
        let present = match names_in(directory) {
            Ok(present) => present,
            // In noop mode it may not exist.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Failure::io("read", directory, error)),
        };
        for name in present.difference(wanted) {
            let path = directory.join(name);
            let text = path.to_string_lossy();
            let is_dir = fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir());
            if cx.managed().contains(&text) || cx.managed().any_below(&text) {
                if is_dir {
                    todo.push((None, path));
                }
                continue;
            }
            if !cx.change(format!("remove{} (unmanaged)", self.name_of(&path)))? {
                continue;
            }
            if is_dir {
                remove::tree(&path)?;
            } else {
                fs::remove_file(&path).map_err(Failure::on("remove", &path))?;
            }
            cx.sync_directory(directory);
        }
        Ok(())
    }
}

fn names_in(directory: &Path) -> io::Result<BTreeSet<OsString>> {
    fs::read_dir(directory)?.map(|entry| entry.map(|e| e.file_name())).collect()
}
