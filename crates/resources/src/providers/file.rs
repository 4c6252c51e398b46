//! `file`: one file, directory or symbolic link (spec 05 §6.1).
//!
//! Contents are replaced atomically ([`write`]); only files with several hard links and mount points are written in place.
//! Existence is checked without following symbolic links, contents and attributes through them.

mod attributes;
mod capture;
mod link;
mod parameters;
mod remove;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use resource_graph::Resource;

pub(crate) use crate::providers::file::capture::capture;
use crate::providers::file::parameters::{File, Wanted};
use crate::providers::file::write::Content;
use crate::{Context, Failure, Provider, Scope, Watch};

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(File::read(&resources[0])?))
}

impl File {
    fn check_directory(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.state == Wanted::Exists && !self.ensure_directory(cx)? {
            return Ok(());
        }
        if !self.source.is_empty() || self.purge {
            let source = (!self.source.is_empty()).then(|| PathBuf::from(&self.source));
            self.sync_tree(cx, source.as_deref())?;
        }
        self.attributes.check(cx, &self.path, false)
    }

    /// Returns whether the directory exists afterwards.
    fn ensure_directory(&self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        match fs::metadata(&self.path) {
            Ok(found) if found.is_dir() => return Ok(true),
            Ok(_) => return self.replace_by_directory(cx),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if fs::symlink_metadata(&self.path).is_ok() {
                    return self.replace_by_directory(cx);
                }
            }
            Err(error) => return Err(Failure::io("look at", &self.path, error)),
        }
        if !cx.change("create the directory")? {
            return Ok(false);
        }
        self.make_directory(cx)
    }

    fn replace_by_directory(&self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        if !self.force {
            let path = self.path.display();
            return Err(Failure::Refused(format!("{path} is not a directory; set `force => true` to replace it")));
        }
        if !cx.change("replace a file by the directory")? {
            return Ok(false);
        }
        fs::remove_file(&self.path).map_err(Failure::on("remove", &self.path))?;
        self.make_directory(cx)
    }

    fn make_directory(&self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let mode = self.attributes.mode_for_new();
        let mut missing = vec![self.path.as_path()];
        while self.recurse
            && let Some(parent) = missing.last().and_then(|p| p.parent())
            && !parent.exists()
        {
            missing.push(parent);
        }
        for directory in missing.into_iter().rev() {
            match attributes::make_directory(directory, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => {}
                result => result.map_err(Failure::on("create", directory))?,
            }
            if let Some(parent) = directory.parent() {
                cx.sync_directory(parent);
            }
        }
        Ok(true)
    }

    fn check_file(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let assembled;
        let content = if let Some(content) = &self.content {
            Some(Content::Bytes(content.as_bytes()))
        } else if !self.fragments.is_empty() {
            assembled = self.assemble()?;
            Some(Content::Bytes(&assembled))
        } else if !self.source.is_empty() {
            Some(Content::open(Path::new(&self.source))?)
        } else {
            None
        };
        match content {
            Some(content) => self.check_content(cx, &self.path, &content, &self.attributes, self.state),
            None => self.check_existence(cx),
        }
    }

    /// Checks a file whose content is not managed.
    fn check_existence(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.state == Wanted::Exists {
            match fs::metadata(&self.path) {
                Ok(found) if found.is_dir() => {
                    if !self.force {
                        return Err(self.is_a_directory());
                    }
                    if !cx.change("replace a directory by an empty file")? {
                        return Ok(());
                    }
                    remove::tree(&self.path)?;
                    self.create_empty(cx)?;
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let dangling = fs::symlink_metadata(&self.path).is_ok();
                    if dangling && !self.force {
                        let path = self.path.display();
                        return Err(Failure::Refused(format!(
                            "{path} is a dangling symbolic link; set `force => true` to replace it"
                        )));
                    }
                    if !cx.change("create (empty)")? {
                        return Ok(());
                    }
                    if dangling {
                        fs::remove_file(&self.path).map_err(Failure::on("remove", &self.path))?;
                    }
                    self.create_empty(cx)?;
                }
                Err(error) => return Err(Failure::io("look at", &self.path, error)),
            }
        }
        self.attributes.check(cx, &self.path, false)
    }

    fn create_empty(&self, cx: &Context<'_>) -> Result<(), Failure> {
        write::create(&self.path, &Content::Bytes(b""), &self.attributes, None)?;
        write::sync_parent(cx, &self.path);
        Ok(())
    }

    /// Concatenates the fragments; a directory contributes its files, sorted by name.
    fn assemble(&self) -> Result<Vec<u8>, Failure> {
        let mut content = Vec::new();
        for fragment in &self.fragments {
            let path = Path::new(fragment);
            let read = |path: &Path| fs::read(path).map_err(Failure::on("read the fragment", path));
            if !fragment.ends_with('/') {
                content.append(&mut read(path)?);
                continue;
            }
            let entries = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let mut entries = entries.map_err(Failure::on("read the fragments in", path))?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                let path = entry.path();
                if !path.is_dir() {
                    content.append(&mut read(&path)?);
                }
            }
        }
        Ok(content)
    }

    fn check_absent(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let found = match fs::symlink_metadata(&self.path) {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(error) => return Err(Failure::io("look at", &self.path, error)),
        };
        if self.is_dir && !found.is_dir() {
            return Ok(());
        }
        if self.path == Path::new("/") {
            return Err(Failure::Refused("the root directory is never removed".to_owned()));
        }
        let what = if found.is_dir() { "remove the directory" } else { "remove" };
        if !cx.change(what)? {
            return Ok(());
        }
        if !found.is_dir() {
            fs::remove_file(&self.path).map_err(Failure::on("remove", &self.path))?;
        } else if self.recurse {
            remove::tree(&self.path)?;
        } else {
            fs::remove_dir(&self.path).map_err(Failure::on("remove", &self.path))?;
        }
        write::sync_parent(cx, &self.path);
        Ok(())
    }
}

impl Provider for File {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.symlink {
            return self.check_link(cx);
        }
        match (self.state, self.is_dir) {
            (Wanted::Absent, _) => self.check_absent(cx),
            (Wanted::Exists | Wanted::Undefined, true) => self.check_directory(cx),
            (Wanted::Exists | Wanted::Undefined, false) => self.check_file(cx),
        }
    }

    fn watches(&self) -> Vec<Watch> {
        let below = if self.recurse { Scope::Recursive } else { Scope::Children };
        let scope = if self.is_dir && (self.purge || !self.source.is_empty()) { below } else { Scope::Entry };
        let mut watches = vec![Watch::Path(self.path.clone(), scope)];
        if !self.symlink {
            // The target of a link changes in its own directory.
            let is_link = fs::symlink_metadata(&self.path).is_ok_and(|m| m.is_symlink());
            if let Some(target) = is_link.then(|| fs::canonicalize(&self.path).ok()).flatten() {
                watches.push(Watch::Path(target, scope));
            }
            if !self.source.is_empty() {
                let scope = if self.source.ends_with('/') { Scope::Recursive } else { Scope::Entry };
                watches.push(Watch::Path(PathBuf::from(&self.source), scope));
            }
        }
        watches.extend(self.fragments.iter().map(|fragment| {
            let scope = if fragment.ends_with('/') { Scope::Children } else { Scope::Entry };
            Watch::Path(PathBuf::from(fragment), scope)
        }));
        watches
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = File::read(&resources[0])?;
        Ok(())
    }
}
