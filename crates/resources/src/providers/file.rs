//! `file`: one file, directory or symbolic link (spec 05 §6.1).
//!
//! Contents are replaced atomically ([`write`]). A symbolic link in place of the file is followed if only the administrator
//! could have made it, and replaced otherwise (`docs/files.md`).

#[cfg(test)]
mod attacks;
mod attributes;
mod capture;
mod content;
mod label;
mod link;
mod managed;
mod parameters;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use std::io;
use std::path::{Path, PathBuf};

use resource_graph::Resource;
use rustix::io::Errno;
use safe_fs::{Error, FileKind, Found, LastLink, MAX_CONTENT_BYTES, NewAttributes, is_temporary_name};

use crate::file_access::failure;
pub(crate) use crate::providers::file::capture::capture;
pub(crate) use crate::providers::file::content::max_mode;
use crate::providers::file::content::{Content, Privacy};
use crate::providers::file::parameters::{File, Wanted, is_a_directory};
use crate::text_file::with_mode;
use crate::{Context, Effects, Failure, Provider, Scope, Watch};

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(File::read(&resources[0])?))
}

impl File {
    fn check_directory(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.state == Wanted::Exists && !self.ensure_directory(cx)? {
            return Ok(());
        }
        if !self.source.is_empty() || self.purge {
            let source = (!self.source.is_empty()).then(|| PathBuf::from(&*self.source));
            self.sync_tree(cx, source.as_deref())?;
        }
        self.attributes.check(cx, &self.path, LastLink::FollowTrusted)
    }

    /// Looks at what a path leads to, or at a link that leads nowhere.
    fn find(&self, cx: &Context<'_>) -> Result<Option<Found>, Failure> {
        match cx.files().find(&self.path, LastLink::FollowTrusted).map_err(failure)? {
            None => cx.files().find(&self.path, LastLink::Keep).map_err(failure),
            found => Ok(found),
        }
    }

    /// Returns whether the directory exists afterwards.
    fn ensure_directory(&self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let text = match self.find(cx)?.map(|found| found.stat) {
            Some(found) if found.is_directory() => return Ok(true),
            Some(found) if !self.force => {
                return Err(Failure::Refused(format!(
                    "{} is {}; set `force => true` to replace it",
                    self.path.display(),
                    if found.is_link() { "a symbolic link that is not followed" } else { "not a directory" }
                )));
            }
            Some(found) if found.is_link() => "replace a symbolic link by the directory",
            Some(_) => "replace a file by the directory",
            None => "create the directory",
        };
        if !cx.change(text)? {
            return Ok(false);
        }
        self.make_directory(cx)
    }

    fn make_directory(&self, cx: &mut Context<'_>) -> Result<bool, Failure> {
        let mut missing = vec![&*self.path];
        while self.recurse
            && let Some(parent) = missing.last().and_then(|p| p.parent())
            && cx.files().find(parent, LastLink::Follow).map_err(failure)?.is_none()
        {
            missing.push(parent);
        }
        let mode = self.attributes.mode_for_directory();
        for directory in missing.into_iter().rev() {
            let is_own = *directory == *self.path;
            let last = if is_own { LastLink::Keep } else { LastLink::Follow };
            let target =
                cx.files().lock(directory, last).map_err(|error| write::failure_to_create(cx, directory, error))?;
            let is_in_the_way = target.entry().map_err(failure)?.is_some_and(|(_, stat)| !stat.is_directory());
            if is_own && is_in_the_way {
                target.remove_file().map_err(failure)?;
            }
            let attributes = match (is_own, mode) {
                (true, _) => self.attributes.for_new_directory()?,
                (false, Some(mode)) => with_mode(mode),
                (false, None) => NewAttributes::default(),
            };
            target.make_directory(&attributes).map_err(failure)?;
            cx.sync_directory(target.directory_path());
        }
        Ok(true)
    }

    fn check_file(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if !self.replace && self.find(cx)?.is_some_and(|found| !found.stat.is_directory()) {
            return self.attributes.check(cx, &self.path, LastLink::FollowTrusted);
        }
        let assembled;
        let content = if let Some(content) = &self.content {
            let privacy = if self.is_content_sensitive { Privacy::Sensitive } else { Privacy::Public };
            Some(Content::Bytes { bytes: content.as_bytes(), privacy })
        } else if !self.fragments.is_empty() {
            assembled = self.assemble(cx)?;
            Some(Content::Bytes { bytes: &assembled.0, privacy: Privacy::AtMost(assembled.1) })
        } else if !self.source.is_empty() {
            Some(Content::open(cx.files(), Path::new(&*self.source))?)
        } else {
            None
        };
        match content {
            Some(mut content) => self.check_content(cx, &self.path, &mut content, &self.attributes, self.state),
            None => self.check_existence(cx),
        }
    }

    /// Checks a file whose content is not managed.
    fn check_existence(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.state == Wanted::Exists {
            let text = match self.find(cx)? {
                Some(found) if found.stat.is_directory() => {
                    if !self.force {
                        return Err(is_a_directory(&self.path));
                    }
                    "replace a directory by an empty file"
                }
                Some(found) if found.stat.is_link() && !self.force => {
                    return Err(Failure::Refused(format!(
                        "{} is a symbolic link that leads nowhere or is not followed; set `force => true` to replace it",
                        self.path.display()
                    )));
                }
                Some(found) if !found.stat.is_link() => {
                    return self.attributes.check(cx, &self.path, LastLink::FollowTrusted);
                }
                Some(_) | None => "create (empty)",
            };
            if !cx.change(text)? {
                return Ok(());
            }
            self.create_empty(cx)?;
        }
        self.attributes.check(cx, &self.path, LastLink::FollowTrusted)
    }

    fn create_empty(&self, cx: &Context<'_>) -> Result<(), Failure> {
        let target = cx.files().lock(&self.path, LastLink::Keep);
        let target = target.map_err(|error| write::failure_to_create(cx, &self.path, error))?;
        let entry = target.entry().map_err(failure)?.map(|(_, stat)| stat.kind);
        match entry {
            Some(FileKind::Directory) if self.force => target.remove_tree().map_err(failure)?,
            Some(FileKind::Link) if self.force => {}
            // Another program was faster.
            Some(_) => return Ok(()),
            None => {}
        }
        let is_done = write::write_and_commit(&target, &mut Content::empty(), self.attributes.for_new(None)?)?;
        if !is_done {
            return Err(failure(Error::Disturbed { path: self.path.to_path_buf() }));
        }
        cx.sync_directory(target.directory_path());
        Ok(())
    }

    /// Concatenates the fragments; a directory contributes its files, sorted by name. Also returns the mode that the result may
    /// have at most.
    fn assemble(&self, cx: &Context<'_>) -> Result<(Vec<u8>, u32), Failure> {
        let mut content = Vec::new();
        let mut max = 0o7777;
        let mut append = |path: &Path| {
            let file = cx.files().open(path, LastLink::Follow).map_err(failure)?;
            let Some(mut file) = file else {
                return Err(Failure::io("read the fragment", path, Errno::NOENT));
            };
            content.append(&mut file.read_all().map_err(Failure::on("read the fragment", path))?);
            if content.len() as u64 > MAX_CONTENT_BYTES {
                let text = format!("the fragments together are larger than {} MiB", MAX_CONTENT_BYTES >> 20);
                return Err(Failure::Refused(text));
            }
            max &= max_mode(file.stat());
            Ok(())
        };
        for fragment in &self.fragments {
            let path = Path::new(fragment);
            if !fragment.ends_with('/') {
                append(path)?;
                continue;
            }
            let names = cx.files().list(path).map_err(failure)?;
            let names = names.ok_or_else(|| Failure::io("read the fragments in", path, Errno::NOENT))?;
            for name in names.into_iter().filter(|name| !is_temporary_name(name)) {
                let path = path.join(name);
                let found = cx.files().find(&path, LastLink::Follow).map_err(failure)?;
                if !found.is_some_and(|found| found.stat.is_directory()) {
                    append(&path)?;
                }
            }
        }
        Ok((content, max))
    }

    fn check_absent(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let found = match cx.files().find(&self.path, LastLink::Keep) {
            Err(error) if error.io_kind() == Some(io::ErrorKind::NotADirectory) => return Ok(()),
            result => result.map_err(failure)?,
        };
        let Some(is_directory) = found.map(|found| found.stat.is_directory()) else { return Ok(()) };
        if self.is_dir && !is_directory {
            return Ok(());
        }
        if *self.path == *Path::new("/") {
            return Err(Failure::Refused("the root directory is never removed".to_owned()));
        }
        let what = if is_directory { "remove the directory" } else { "remove" };
        if !cx.change(what)? {
            return Ok(());
        }
        let target = match cx.files().lock(&self.path, LastLink::Keep) {
            Err(error) if error.is_missing() => return Ok(()),
            result => result.map_err(failure)?,
        };
        match (is_directory, self.recurse) {
            (false, _) => target.remove_file(),
            (true, true) => target.remove_tree(),
            (true, false) => target.remove_directory(),
        }
        .map_err(failure)?;
        cx.sync_directory(target.directory_path());
        Ok(())
    }
}

impl Provider for File {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if cx.apply && self.state != Wanted::Absent {
            // Without them, nothing must be replaced.
            self.attributes.check_accounts()?;
        }
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
        let scope = if self.symlink {
            Scope::Name
        } else if self.is_dir && (self.purge || !self.source.is_empty()) {
            below
        } else {
            Scope::Entry
        };
        let mut watches = vec![Watch::Path(self.path.to_path_buf(), scope)];
        if !self.symlink && !self.source.is_empty() {
            let scope = if self.source.ends_with('/') { Scope::Recursive } else { Scope::Entry };
            watches.push(Watch::Path(PathBuf::from(&*self.source), scope));
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
