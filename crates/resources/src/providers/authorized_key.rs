//! `ssh:authorized_key`: one entry of an `authorized_keys` file (spec 05 §6.27).

use std::path::PathBuf;

use resource_graph::{AuthorizedKey, Resource};
use safe_fs::{LastLink, NewAttributes};

use crate::accounts::user_id;
use crate::file_access::failure;
use crate::home::expand_home;
use crate::providers::line::LineEdit;
use crate::{Context, Effects, Failure, Params, Provider, Scope, Watch};

struct Entry {
    file: PathBuf,
    user: String,
    mkdir: bool,
    edit: LineEdit,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Entry::read(&resources[0])?))
}

impl Entry {
    fn read(resource: &Resource) -> Result<Entry, Failure> {
        let params = Params::new(resource);
        let user = params.str("user")?.to_owned();
        let file = match params.str("file")? {
            "" => format!("~{user}/.ssh/authorized_keys"),
            file => file.to_owned(),
        };
        let entry = resource_graph::Params::of(resource).map(|p| AuthorizedKey::of(&p));
        let Some(Ok(entry)) = entry else {
            return Err(Failure::Invalid(format!("invalid entry of `authorized_keys`: {}", resource.id)));
        };
        Ok(Entry {
            file: expand_home(&file)?,
            user,
            mkdir: params.opt_bool("mkdir")?.unwrap_or(true),
            edit: LineEdit {
                content: entry.to_string().into_bytes(),
                exists: params.str("state")? == "exists",
                pattern: None,
                after: None,
            },
        })
    }

    /// Returns the attributes of a created file or directory, which belongs to the user.
    fn attributes(&self, mode: u32) -> Result<NewAttributes, Failure> {
        let uid = if self.user.is_empty() { None } else { Some(user_id(&self.user)?) };
        Ok(NewAttributes { uid, mode: Some(mode), ..NewAttributes::default() })
    }
}

impl Provider for Entry {
    fn effects(&self) -> Effects {
        Effects::Files
    }

    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let directory = self.file.parent().filter(|d| d.file_name().is_some_and(|name| name == ".ssh"));
        if let Some(directory) = directory.filter(|_| self.mkdir && self.edit.exists)
            && cx.files().find(directory, LastLink::Follow).map_err(failure)?.is_none()
        {
            if !cx.apply {
                cx.change(format!("create {}/", directory.display()))?;
                return Ok(());
            }
            // Other entries of the same file may create it at the same time.
            let target = cx.files().lock(directory, LastLink::Follow).map_err(failure)?;
            if target.entry().map_err(failure)?.is_none() {
                cx.change(format!("create {}/", directory.display()))?;
                target.make_directory(&self.attributes(0o700)?).map_err(failure)?;
                target.sync_directory().map_err(failure)?;
            }
        }
        self.edit.check_apply(cx, &self.file, &self.attributes(0o600)?)
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Path(self.file.clone(), Scope::Entry)]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Entry::read(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use crate::provider_test::{ProviderTest, resource};

    const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh";

    #[test]
    fn the_entry_is_added_with_its_directory_and_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join(".ssh/authorized_keys");
        let entry = |state: &str| {
            resource("ssh:authorized_key", "k")
                .with("state", state)
                .with("file", file.to_str().unwrap())
                .with("type", "ssh-ed25519")
                .with("key", KEY)
                .with("comment", "me")
        };
        ProviderTest::new(&entry("absent")).assert_unchanged();
        ProviderTest::new(&entry("exists")).assert_converges();
        assert_eq!(fs::read_to_string(&file).unwrap(), format!("ssh-ed25519 {KEY} me\n"));
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        ProviderTest::new(&entry("absent")).assert_converges();
        assert_eq!(fs::read_to_string(&file).unwrap(), "");
    }

    #[test]
    fn noop_makes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join(".ssh/authorized_keys");
        let name = format!("ssh-ed25519 {KEY}");
        let entry = resource("ssh:authorized_key", &name)
            .with("state", "exists")
            .with("user", "root")
            .with("file", file.to_str().unwrap());
        assert_eq!(ProviderTest::new(&entry).run(false).unwrap().changes.len(), 1);
        assert!(!file.parent().unwrap().exists());
    }
}
