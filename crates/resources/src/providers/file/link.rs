//! Symbolic links.

use std::path::{Path, PathBuf};

use safe_fs::{FileKind, LastLink};

use crate::file_access::failure;
use crate::providers::file::parameters::{File, Wanted};
use crate::providers::file::write::failure_to_create;
use crate::{Context, Failure};

impl File {
    pub(super) fn check_link(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.state == Wanted::Undefined {
            return Ok(());
        }
        let found = cx.files().find(&self.path, LastLink::Keep).map_err(failure)?;
        let kind = found.as_ref().map(|found| found.stat.kind);
        let present: Option<PathBuf> = match &found {
            Some(found) if found.stat.is_link() => {
                let target = cx.files().file_system().read_link(&found.handle);
                Some(target.map_err(Failure::on("read the link", &self.path))?)
            }
            Some(_) | None => None,
        };
        if let Some(kind) = kind.filter(|kind| *kind != FileKind::Link && !self.force) {
            return Err(Failure::Refused(format!(
                "{} is {}, not a symbolic link; set `force => true` to replace it",
                self.path.display(),
                kind.noun()
            )));
        }
        if self.state == Wanted::Absent {
            if kind.is_some() && cx.change("remove the link")? {
                let target = cx.files().lock(&self.path, LastLink::Keep).map_err(failure)?;
                match kind {
                    Some(FileKind::Directory) => target.remove_directory(),
                    _ => target.remove_file(),
                }
                .map_err(failure)?;
                cx.sync_directory(target.directory_path());
            }
            return Ok(());
        }
        let wanted = Path::new(&*self.source);
        if present.as_deref() != Some(wanted) {
            let text = match &present {
                Some(present) => format!("change the link from {} to {}", present.display(), wanted.display()),
                None => format!("create the link to {}", wanted.display()),
            };
            if !cx.change(text)? {
                return Ok(());
            }
            let target = cx.files().lock(&self.path, LastLink::Keep);
            let target = target.map_err(|error| failure_to_create(cx, &self.path, error))?;
            if kind == Some(FileKind::Directory) {
                target.remove_tree().map_err(failure)?;
            }
            target.make_link(wanted).map_err(failure)?;
            cx.sync_directory(target.directory_path());
        }
        self.attributes.check(cx, &self.path, LastLink::Keep)
    }
}
