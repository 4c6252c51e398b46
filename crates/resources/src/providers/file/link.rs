//! Symbolic links.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::providers::file::parameters::{File, Wanted};
use crate::providers::file::{remove, write};
use crate::{Context, Failure, make_temporary, temporary_beside};

impl File {
    pub(super) fn check_link(&self, cx: &mut Context<'_>) -> Result<(), Failure> {
        if self.state == Wanted::Undefined {
            return Ok(());
        }
        let found = match fs::symlink_metadata(&self.path) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::io("look at", &self.path, error)),
        };
        let present = match &found {
            Some(found) if found.is_symlink() => {
                Some(fs::read_link(&self.path).map_err(Failure::on("read the link", &self.path))?)
            }
            Some(_) | None => None,
        };
        if let Some(found) = &found
            && present.is_none()
            && !self.force
        {
            let what = if found.is_dir() { "a directory" } else { "a file" };
            let path = self.path.display();
            return Err(Failure::Refused(format!(
                "{path} is {what}, not a symbolic link; set `force => true` to replace it"
            )));
        }
        if self.state == Wanted::Absent {
            let Some(found) = found else { return Ok(()) };
            if cx.change("remove the link")? {
                if found.is_dir() {
                    fs::remove_dir(&self.path).map_err(Failure::on("remove", &self.path))?;
                } else {
                    fs::remove_file(&self.path).map_err(Failure::on("remove", &self.path))?;
                }
                write::sync_parent(cx, &self.path);
            }
            return Ok(());
        }
        let wanted = Path::new(&self.source);
        if present.as_deref() != Some(wanted) {
            let text = match &present {
                Some(present) => format!("change the link from {} to {}", present.display(), wanted.display()),
                None => format!("create the link to {}", wanted.display()),
            };
            if !cx.change(text)? {
                return Ok(());
            }
            if found.as_ref().is_some_and(fs::Metadata::is_dir) {
                remove::tree(&self.path)?;
            }
            let temporary = temporary_beside(&self.path);
            let made = make_temporary(&temporary, || symlink(wanted, &temporary));
            made.map_err(Failure::on("create", &self.path))?;
            if let Err(error) = fs::rename(&temporary, &self.path) {
                let _ = fs::remove_file(&temporary);
                return Err(Failure::io("replace", &self.path, error));
            }
            write::sync_parent(cx, &self.path);
        }
        self.attributes.check(cx, &self.path, true)
    }
}
