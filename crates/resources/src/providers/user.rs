//! `user` and `group`: local accounts (spec 05 §6.5, 6.6).
//!
//! The databases in `/etc` are read directly; other entries come from `getent`, which queries all configured sources. Changes
//! are made with the machine's own tools, which lock the databases and apply their policies.

use std::path::{Path, PathBuf};

use resource_graph::Resource;

use crate::process::find_program;
use crate::tool::Tool;
use crate::{Cancel, Context, Failure, Params, Provider, Scope, Watch, WorkerClass};

/// The account databases of a machine.
#[derive(Clone)]
struct Databases {
    /// The directory above `etc`; `/` outside tests.
    root: PathBuf,
}

#[derive(Clone, Debug, PartialEq)]
struct Account {
    uid: u32,
    gid: u32,
    comment: String,
    home: String,
    shell: String,
}

impl Databases {
    fn lines(&self, table: &str) -> Result<Vec<Vec<String>>, Failure> {
        let path = self.root.join("etc").join(table);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Failure::io("read", path, error)),
        };
        let fields = |line: &str| line.split(':').map(str::to_owned).collect();
        Ok(String::from_utf8_lossy(&text).lines().map(fields).collect())
    }

    /// Returns the entry with this value in this field, from the file or else from `getent`.
    fn entry(&self, table: &str, field: usize, key: &str) -> Result<Option<Vec<String>>, Failure> {
        let local = self.lines(table)?.into_iter().find(|entry| entry.get(field).is_some_and(|f| f == key));
        if local.is_some() || self.root != Path::new("/") || find_program("getent").is_none() {
            return Ok(local);
        }
        let mut getent = Tool::new("getent")?;
        let output = getent.args([table, "--", key]).output(&Cancel::new())?;
        let entry: Vec<String> = output.stdout.lines().next().unwrap_or("").split(':').map(str::to_owned).collect();
        // `getent` looks up numbers too, so a numeric name may return another entry.
        Ok(Some(entry).filter(|entry| output.status.success() && entry.get(field).is_some_and(|f| f == key)))
    }

    fn account(&self, name: &str) -> Result<Option<Account>, Failure> {
        let Some(entry) = self.entry("passwd", 0, name)? else { return Ok(None) };
        let field = |i: usize| entry.get(i).cloned().unwrap_or_default();
        match (field(2).parse(), field(3).parse()) {
            (Ok(uid), Ok(gid)) => Ok(Some(Account { uid, gid, comment: field(4), home: field(5), shell: field(6) })),
            _ => Err(Failure::Refused(format!("invalid entry of user `{name}` in the user database"))),
        }
    }

    fn group_id(&self, name: &str) -> Result<Option<u32>, Failure> {
        Ok(self.entry("group", 0, name)?.and_then(|entry| entry.get(2)?.parse().ok()))
    }

    /// Returns the name of the account or group with this number.
    fn owner(&self, table: &str, id: u32) -> Result<Option<String>, Failure> {
        Ok(self.entry(table, 2, &id.to_string())?.and_then(|entry| entry.into_iter().next()))
    }

    /// Returns the supplementary groups of a user, sorted.
    fn groups_of(&self, user: &str, primary: u32) -> Result<Vec<String>, Failure> {
        let is_member = |entry: &Vec<String>| entry.get(3).is_some_and(|m| m.split(',').any(|member| member == user));
        let is_primary = |entry: &Vec<String>| entry.get(2).is_some_and(|id| *id == primary.to_string());
        let mut groups: Vec<String> = self
            .lines("group")?
            .into_iter()
            .filter(|entry| is_member(entry) && !is_primary(entry))
            .filter_map(|entry| entry.into_iter().next())
            .collect();
        groups.sort();
        groups.dedup();
        Ok(groups)
    }

    /// Returns a tool that changes these databases.
    fn tool(&self, name: &'static str) -> Result<Tool, Failure> {
        let mut tool = Tool::new(name)?;
        if self.root != Path::new("/") {
            tool.args(["--prefix"]).args([&self.root]);
        }
        Ok(tool)
    }

    fn watch(&self, table: &str) -> Watch {
        Watch::Path(self.root.join("etc").join(table), Scope::Entry)
    }
}

fn id(params: Params<'_>, key: &str) -> Result<Option<u32>, Failure> {
    let number = params.opt_int(key)?.map(u32::try_from).transpose();
    number.map_err(|_| Failure::Invalid(format!("`{key}` is out of range")))
}

struct User {
    databases: Databases,
    name: String,
    exists: bool,
    uid: Option<u32>,
    gid: Option<u32>,
    group: Option<String>,
    groups: Option<Vec<String>>,
    /// The user stays in groups that are not listed.
    keeps_groups: bool,
    comment: Option<String>,
    home: Option<String>,
    manages_home: bool,
    shell: Option<String>,
    allow_duplicate: bool,
    is_system: bool,
}

pub(super) fn build_user(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(User::read(&resources[0], Path::new("/"))?))
}

impl User {
    fn read(resource: &Resource, root: &Path) -> Result<User, Failure> {
        let params = Params::new(resource);
        let text = |key: &str| params.opt_str(key).map(|t| t.map(str::to_owned));
        let groups = params.opt_list("groups")?.map(|mut groups| {
            groups.sort();
            groups.dedup();
            groups
        });
        Ok(User {
            databases: Databases { root: root.to_path_buf() },
            name: params.name().to_string(),
            exists: params.str("state")? == "exists",
            uid: id(params, "uid")?,
            gid: id(params, "gid")?,
            group: text("group")?,
            groups,
            keeps_groups: params.str("membership")? == "minimum",
            comment: text("comment")?,
            home: text("homedir")?.map(|home| clean(&home)),
            manages_home: params.bool("managehome")?,
            shell: text("shell")?,
            allow_duplicate: params.bool("allowduplicateuid")?,
            is_system: params.bool("system")?,
        })
    }

    /// Returns descriptions of the differences, and the arguments that repair them.
    fn differences(&self, current: Option<&Account>) -> Result<(Vec<String>, Vec<String>), Failure> {
        let (mut words, mut args) = (Vec::new(), Vec::new());
        let mut differ = |option: &str, value: String, word: String| {
            words.push(word);
            args.extend([option.to_owned(), value]);
        };
        if let Some(uid) = self.uid.filter(|uid| current.is_none_or(|c| c.uid != *uid)) {
            differ("--uid", uid.to_string(), format!("uid {uid}"));
        }
        if let Some(gid) = self.gid.filter(|gid| current.is_none_or(|c| c.gid != *gid)) {
            differ("--gid", gid.to_string(), format!("gid {gid}"));
        }
        if let Some(group) = &self.group {
            let wanted = self.databases.group_id(group)?;
            if current.is_none_or(|c| Some(c.gid) != wanted) {
                differ("--gid", group.clone(), format!("group {group}"));
            }
        } else if self.gid.is_none() && current.is_none() && self.databases.group_id(&self.name)?.is_some() {
            // `useradd` creates a group with the name of the user, and fails if there is one.
            args.extend(["--gid".to_owned(), self.name.clone()]);
        }
        let mut differ = |option: &str, value: String, word: String| {
            words.push(word);
            args.extend([option.to_owned(), value]);
        };
        if let Some(groups) = &self.groups {
            let present = current.map(|c| self.databases.groups_of(&self.name, c.gid)).transpose()?;
            let mut groups = groups.clone();
            if self.keeps_groups {
                groups.extend(present.iter().flatten().cloned());
                groups.sort();
                groups.dedup();
            }
            if present.as_ref() != Some(&groups) && !(present.is_none() && groups.is_empty()) {
                differ("--groups", groups.join(","), format!("groups [{}]", groups.join(", ")));
            }
        }
        if let Some(comment) = self.comment.as_ref().filter(|comment| current.is_none_or(|c| c.comment != **comment)) {
            differ("--comment", comment.clone(), format!("comment {comment:?}"));
        }
        if let Some(home) = self.home.as_ref().filter(|home| current.is_none_or(|c| clean(&c.home) != **home)) {
            differ("--home", home.clone(), format!("home {home}"));
        }
        if let Some(shell) = self.shell.as_ref().filter(|shell| current.is_none_or(|c| c.shell != **shell)) {
            differ("--shell", shell.clone(), format!("shell {shell}"));
        }
        Ok((words, args))
    }
}

/// Returns a directory without redundant slashes.
fn clean(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    format!("/{}", parts.join("/"))
}

impl Provider for User {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let current = self.databases.account(&self.name)?;
        if !self.exists {
            if current.is_some() && cx.change(format!("remove user {}", self.name))? {
                let mut tool = self.databases.tool("userdel")?;
                if self.manages_home {
                    tool.args(["--remove"]);
                }
                tool.args([&self.name]).run(cx.cancel())?;
            }
            return Ok(());
        }
        if let Some(uid) = self.uid.filter(|_| !self.allow_duplicate)
            && let Some(owner) = self.databases.owner("passwd", uid)?
            && owner != self.name
        {
            return Err(Failure::Refused(format!("the uid {uid} of user {} belongs to user {owner}", self.name)));
        }
        let (words, args) = self.differences(current.as_ref())?;
        if current.is_some() && words.is_empty() {
            return Ok(());
        }
        let (tool, text) = match current {
            Some(_) => ("usermod", format!("change user {}: {}", self.name, words.join(", "))),
            None => ("useradd", format!("add user {}", self.name)),
        };
        if cx.change(text)? {
            let mut tool = self.databases.tool(tool)?;
            if self.allow_duplicate && self.uid.is_some() {
                tool.args(["--non-unique"]);
            }
            if current.is_none() {
                let options = [("--create-home", self.manages_home), ("--system", self.is_system)];
                tool.args(options.into_iter().filter(|(_, is_set)| *is_set).map(|(option, _)| option));
            }
            tool.args(args).args([&self.name]).run(cx.cancel())?;
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        vec![self.databases.watch("passwd"), self.databases.watch("group")]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = User::read(&resources[0], &self.databases.root)?;
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }
}

struct Group {
    databases: Databases,
    name: String,
    exists: bool,
    gid: Option<u32>,
}

pub(super) fn build_group(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Group::read(&resources[0], Path::new("/"))?))
}

impl Group {
    fn read(resource: &Resource, root: &Path) -> Result<Group, Failure> {
        let params = Params::new(resource);
        Ok(Group {
            databases: Databases { root: root.to_path_buf() },
            name: params.name().to_string(),
            exists: params.str("state")? == "exists",
            gid: id(params, "gid")?,
        })
    }
}

impl Provider for Group {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let current = self.databases.group_id(&self.name)?;
        if !self.exists {
            if current.is_some() && cx.change(format!("remove group {}", self.name))? {
                self.databases.tool("groupdel")?.args([&self.name]).run(cx.cancel())?;
            }
            return Ok(());
        }
        if current.is_some() && (self.gid.is_none() || self.gid == current) {
            return Ok(());
        }
        if let Some(gid) = self.gid
            && let Some(owner) = self.databases.owner("group", gid)?
            && owner != self.name
        {
            return Err(Failure::Refused(format!("the gid {gid} of group {} belongs to group {owner}", self.name)));
        }
        let (tool, text) = match (current, self.gid) {
            (Some(old), Some(new)) => ("groupmod", format!("change group {}: gid {old} to {new}", self.name)),
            _ => ("groupadd", format!("add group {}", self.name)),
        };
        if cx.change(text)? {
            let gid = self.gid.map(|gid| ["-g".to_owned(), gid.to_string()]);
            self.databases.tool(tool)?.args(gid.into_iter().flatten()).args([&self.name]).run(cx.cancel())?;
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        vec![self.databases.watch("group")]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        *self = Group::read(&resources[0], &self.databases.root)?;
        Ok(())
    }

    fn worker_class(&self) -> WorkerClass {
        WorkerClass::Blocking
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mcl_value::Value;

    use super::*;
    use crate::ApplyContext;
    use crate::provider_test::{ProviderTest, resource};

    /// Returns databases in a scratch directory, or `None` where the tools cannot use them.
    fn scratch() -> Option<tempfile::TempDir> {
        if !rustix::process::geteuid().is_root() || find_program("useradd").is_none() {
            eprintln!("skipped: needs root and the shadow tools");
            return None;
        }
        let scratch = tempfile::tempdir().unwrap();
        let etc = scratch.path().join("etc");
        fs::create_dir(&etc).unwrap();
        fs::write(etc.join("passwd"), "root:x:0:0:root:/root:/bin/sh\nold:x:4000:4000::/home/old:/bin/sh\n").unwrap();
        fs::write(etc.join("group"), "root:x:0:\nold:x:4000:\nops:x:4001:old\nweb:x:4002:\n").unwrap();
        fs::write(etc.join("shadow"), "root:*:19000:0:99999:7:::\nold:!:19000:0:99999:7:::\n").unwrap();
        fs::write(etc.join("gshadow"), "root:*::\nold:!::\nops:!::old\nweb:!::\n").unwrap();
        fs::write(
            etc.join("login.defs"),
            "UID_MIN 1000\nUID_MAX 60000\nGID_MIN 1000\nGID_MAX 60000\nUSERGROUPS_ENAB yes\n",
        )
        .unwrap();
        Some(scratch)
    }

    fn user(resource: &Resource, root: &Path) -> ProviderTest {
        let provider = Box::new(User::read(resource, root).unwrap());
        ProviderTest { id: resource.id.clone(), provider, apply_context: ApplyContext::default(), refresh: false }
    }

    fn group(resource: &Resource, root: &Path) -> ProviderTest {
        let provider = Box::new(Group::read(resource, root).unwrap());
        ProviderTest { id: resource.id.clone(), provider, apply_context: ApplyContext::default(), refresh: false }
    }

    fn line(root: &Path, table: &str, name: &str) -> Option<String> {
        let text = fs::read_to_string(root.join("etc").join(table)).unwrap();
        text.lines().find(|line| line.starts_with(&format!("{name}:"))).map(str::to_owned)
    }

    #[test]
    fn groups_are_added_changed_and_removed() {
        let Some(scratch) = scratch() else { return };
        let root = scratch.path();
        let plain = |name: &str, state: &str| resource("group", name).with("state", state);
        group(&plain("new", "exists").with("gid", 4100), root).assert_converges();
        assert_eq!(line(root, "group", "new").unwrap(), "new:x:4100:");
        group(&plain("new", "exists").with("gid", 4101), root).assert_converges();
        group(&plain("new", "exists"), root).assert_unchanged();
        let error = group(&plain("x", "exists").with("gid", 4101), root).run(false).unwrap_err().to_string();
        assert_eq!(error, "the gid 4101 of group x belongs to group new");
        group(&plain("new", "absent"), root).assert_converges();
        group(&plain("new", "absent"), root).assert_unchanged();
        assert_eq!(line(root, "group", "new"), None);
    }

    #[test]
    fn users_are_added_changed_and_removed() {
        let Some(scratch) = scratch() else { return };
        let root = scratch.path();
        let deploy =
            || resource("user", "deploy").with("state", "exists").with("group", "web").with("homedir", "/srv/deploy/");
        user(&deploy().with("uid", 4200).with("groups", Value::list(["ops"])).with("shell", "/bin/bash"), root)
            .assert_converges();
        assert_eq!(line(root, "passwd", "deploy").unwrap(), "deploy:x:4200:4002::/srv/deploy:/bin/bash");
        assert_eq!(line(root, "group", "ops").unwrap(), "ops:x:4001:old,deploy");
        user(&deploy(), root).assert_unchanged();
        user(&deploy().with("groups", Value::list([""; 0])), root).assert_converges();
        assert_eq!(line(root, "group", "ops").unwrap(), "ops:x:4001:old");
        let ops = || deploy().with("groups", Value::list(["ops"])).with("membership", "minimum");
        user(&deploy().with("groups", Value::list(["old"])), root).assert_converges();
        user(&ops(), root).assert_converges();
        assert_eq!(line(root, "group", "old").unwrap(), "old:x:4000:deploy", "the user stays in other groups");
        user(&ops().with("comment", "Deploys things"), root).assert_converges();
        assert_eq!(line(root, "passwd", "deploy").unwrap(), "deploy:x:4200:4002:Deploys things:/srv/deploy:/bin/bash");
        let taken = user(&deploy().with("uid", 4000), root).run(false).unwrap_err().to_string();
        assert_eq!(taken, "the uid 4000 of user deploy belongs to user old");
        user(&resource("user", "deploy").with("state", "absent"), root).assert_converges();
        assert_eq!(line(root, "passwd", "deploy"), None);
    }

    #[test]
    fn homes_are_made_and_removed_with_their_users() {
        let Some(scratch) = scratch() else { return };
        let root = scratch.path();
        let daemon = |state: &str| {
            let user = resource("user", "daemon1").with("state", state).with("homedir", "/home/daemon1/");
            user.with("managehome", true).with("system", true)
        };
        fs::create_dir(root.join("home")).unwrap();
        user(&daemon("exists"), root).assert_converges();
        let entry = line(root, "passwd", "daemon1").unwrap();
        let uid: u32 = entry.split(':').nth(2).unwrap().parse().unwrap();
        assert!(uid < 1000, "{entry}");
        assert!(root.join("home/daemon1").is_dir());
        user(&daemon("absent"), root).assert_converges();
        assert!(!root.join("home/daemon1").exists());
    }

    #[test]
    fn a_group_of_the_users_name_is_used() {
        let Some(scratch) = scratch() else { return };
        user(&resource("user", "web").with("state", "exists"), scratch.path()).assert_converges();
        assert!(line(scratch.path(), "passwd", "web").unwrap().contains(":4002:"));
    }

    #[test]
    fn who_exists_on_this_machine_is_known() {
        ProviderTest::new(&resource("user", "root").with("state", "exists").with("uid", 0)).assert_unchanged();
        ProviderTest::new(&resource("group", "no-such-group").with("state", "absent")).assert_unchanged();
    }
}
