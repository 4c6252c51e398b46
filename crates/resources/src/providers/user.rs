//! `user`: local accounts (spec 05 §6.5).

use std::path::{Path, PathBuf};

use resource_graph::Resource;
use safe_fs::LastLink;

use super::account_databases::{Account, Databases, id};
use crate::file_access::failure;
use crate::{Context, Failure, Params, Provider, Watch, WorkerClass};

/// The file in the directory of the resource that exists while a user is added with a home directory, which `useradd` makes last.
const HOME_MARK: &str = "making-home";

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
    /// Whether its changes are not made when a plan is applied.
    is_noop: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
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
            is_noop: resource.meta.noop,
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
            let is_new = present.is_none();
            let differs = present.as_ref() != Some(&groups) || self.databases.memberships_disagree(&self.name)?;
            if differs && !(is_new && groups.is_empty()) {
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
        if current.is_some() && self.databases.lacks_shadow_entry(&self.name)? {
            differ("--password", "!".to_owned(), "entry in shadow, locked".to_owned());
        }
        Ok((words, args))
    }

    /// Checks that the groups in these arguments exist, or will exist after earlier changes of a plan.
    fn check_groups(&self, args: &[String], cx: &Context<'_>) -> Result<(), Failure> {
        for option in args.chunks_exact(2).filter(|option| matches!(&*option[0], "--gid" | "--groups")) {
            for group in option[1].split(',').filter(|group| !group.is_empty()) {
                let is_known = match group.parse() {
                    Ok(gid) => self.databases.owner("group", gid)?.is_some(),
                    Err(_) => self.databases.group_id(group)?.is_some(),
                };
                if !is_known && !cx.planned_accounts().has_group(group) {
                    return Err(Failure::Unavailable(format!("there is no group `{group}` on this machine")));
                }
            }
        }
        Ok(())
    }

    /// Returns the number of a primary group that neither exists nor is in the program: an interrupted `useradd` leaves that.
    fn missing_group(&self, current: &Account) -> Result<Option<u32>, Failure> {
        let is_chosen = self.gid.is_some() || self.group.is_some();
        let exists = is_chosen
            || self.databases.owner("group", current.gid)?.is_some()
            || self.databases.group_id(&self.name)?.is_some();
        Ok((!exists).then_some(current.gid))
    }

    /// Removes the user, or what an interrupted `userdel` left of it.
    fn remove(&self, current: Option<&Account>, cx: &mut Context<'_>) -> Result<(), Failure> {
        if current.is_some() {
            if cx.change(format!("remove user {}", self.name))? {
                let mut tool = self.databases.tool("userdel")?;
                self.databases.run(tool.args(self.manages_home.then_some("--remove")).args([&self.name]), cx)?;
            } else if !self.is_noop {
                cx.planned_accounts().set_primary_group(&self.name, None);
            }
            return Ok(());
        }
        let remains = self.databases.remains(&self.name)?;
        let text = || format!("remove what is left of user {}: {}", self.name, remains.join(", "));
        if !remains.is_empty() && cx.change(text())? {
            // `userdel` removes only users that exist.
            let mut tool = self.databases.tool("useradd")?;
            tool.args(["--system", "--no-log-init", "--no-create-home", "--no-user-group", "--gid", "0"]);
            self.databases
                .run(tool.args(["--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin", &self.name]), cx)?;
            self.databases.run(self.databases.tool("userdel")?.args([&self.name]), cx)?;
        }
        Ok(())
    }

    /// Says what is added: `attributes` are those that the resource sets.
    fn addition(&self, mut attributes: Vec<String>) -> String {
        attributes.extend(self.is_system.then(|| "a system account".to_owned()));
        attributes.extend(self.manages_home.then(|| "home directory made".to_owned()));
        let separator = if attributes.is_empty() { "" } else { ": " };
        format!("add user {}{separator}{}", self.name, attributes.join(", "))
    }

    /// Adds the user.
    fn add(&self, differences: Vec<String>, cx: &Context<'_>) -> Result<(), Failure> {
        let mark = self.home_mark(cx)?;
        if let Some(mark) = &mark {
            cx.files().write(mark, b"", 0o600).map_err(failure)?;
        }
        let mut tool = self.databases.tool("useradd")?;
        let options = [
            ("--non-unique", self.allow_duplicate && self.uid.is_some()),
            ("--create-home", self.manages_home),
            ("--system", self.is_system),
        ];
        tool.args(options.into_iter().filter(|(_, is_set)| *is_set).map(|(option, _)| option));
        self.databases.run(tool.args(differences).args([&self.name]), cx)?;
        mark.map_or(Ok(()), |mark| cx.files().remove(&mark).map_err(failure))
    }

    /// Returns the path of [`HOME_MARK`]; `None` if there is no home directory to make, or no place for the file.
    fn home_mark(&self, cx: &Context<'_>) -> Result<Option<PathBuf>, Failure> {
        if !self.manages_home || cx.state().is_none() {
            return Ok(None);
        }
        Ok(Some(cx.state_dir()?.join(HOME_MARK)))
    }

    /// Returns whether `useradd` was interrupted before the home directory of the user was the user's.
    fn lacks_home(&self, current: &Account, cx: &Context<'_>) -> Result<bool, Failure> {
        let mark = cx.existing_state_dir().filter(|_| self.manages_home).map(|directory| directory.join(HOME_MARK));
        let Some(mark) = mark else { return Ok(false) };
        if cx.files().find(&mark, LastLink::Keep).map_err(failure)?.is_none() {
            return Ok(false);
        }
        let home = cx.files().find(&self.databases.path(&current.home), LastLink::Keep).map_err(failure)?;
        Ok(home.is_none_or(|home| home.stat.is_directory() && home.stat.uid != current.uid))
    }

    /// Removes a user whose home directory was not made, to be added again.
    fn remove_without_home(&self, current: &Account, cx: &Context<'_>) -> Result<(), Failure> {
        let home = self.databases.path(&current.home);
        if cx.files().find(&home, LastLink::Keep).map_err(failure)?.is_some() {
            // `useradd` gives it to the user before it fills it. Fails if it is not empty, so that nothing is lost.
            cx.files().lock(&home, LastLink::Keep).and_then(|home| home.remove_directory()).map_err(failure)?;
        }
        self.databases.run(self.databases.tool("userdel")?.args([&self.name]), cx)
    }
}

/// Returns the primary group in the arguments of a tool.
fn primary_group(args: &[String]) -> Option<&str> {
    args.chunks_exact(2).find(|option| option[0] == "--gid").map(|option| &*option[1])
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
            return self.remove(current.as_ref(), cx);
        }
        if let Some(uid) = self.uid.filter(|_| !self.allow_duplicate)
            && let Some(owner) = self.databases.owner("passwd", uid)?
            && owner != self.name
        {
            return Err(Failure::Refused(format!("the uid {uid} of user {} belongs to user {owner}", self.name)));
        }
        let Some(current) = current else {
            let (words, args) = self.differences(None)?;
            self.check_groups(&args, cx)?;
            if cx.change(self.addition(words))? {
                return self.add(args, cx);
            }
            if !self.is_noop {
                let group = primary_group(&args);
                if group.is_none() {
                    // `useradd` makes a group of that name.
                    cx.planned_accounts().add_group(&self.name, None);
                }
                cx.planned_accounts().set_primary_group(&self.name, Some(group.unwrap_or(&self.name)));
            }
            return Ok(());
        };
        if self.lacks_home(&current, cx)? {
            if cx.change(format!("add user {} again: its home directory was not made", self.name))? {
                self.remove_without_home(&current, cx)?;
                let (_, mut args) = self.differences(None)?;
                if self.uid.is_none() {
                    args.extend(["--uid".to_owned(), current.uid.to_string()]);
                }
                self.add(args, cx)?;
            }
            return Ok(());
        }
        if let Some(gid) = self.missing_group(&current)?
            && cx.change(format!("add group {} with gid {gid} of user {}", self.name, self.name))?
        {
            self.databases.run(self.databases.tool("groupadd")?.args(["-g", &gid.to_string(), &self.name]), cx)?;
        }
        let (words, args) = self.differences(Some(&current))?;
        self.check_groups(&args, cx)?;
        if words.is_empty() {
            return Ok(());
        }
        if cx.change(format!("change user {}: {}", self.name, words.join(", ")))? {
            let mut tool = self.databases.tool("usermod")?;
            tool.args((self.allow_duplicate && self.uid.is_some()).then_some("--non-unique"));
            self.databases.run(tool.args(args).args([&self.name]), cx)?;
        } else if let Some(group) = primary_group(&args).filter(|_| !self.is_noop) {
            cx.planned_accounts().set_primary_group(&self.name, Some(group));
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, chown};
    use std::sync::Arc;

    use mcl_value::Value;

    use super::super::account_databases::tests::{line, scratch};
    use super::*;
    use crate::ApplyContext;
    use crate::provider_test::{ProviderTest, reopen, resource};

    fn user(resource: &Resource, root: &Path) -> ProviderTest {
        ProviderTest::of(resource, Box::new(User::read(resource, root).unwrap()))
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
        for (attribute, value) in [("group", Value::str("none")), ("groups", Value::list(["ops", "none"]))] {
            for name in ["deploy", "new"] {
                let wanted = resource("user", name).with("state", "exists").with(attribute, value.clone());
                let missing = user(&wanted, root).run(false).unwrap_err().to_string();
                assert_eq!(missing, "there is no group `none` on this machine", "{name} {attribute}");
            }
        }
        user(&resource("user", "deploy").with("state", "absent"), root).assert_converges();
        assert_eq!(line(root, "passwd", "deploy"), None);
    }

    #[test]
    fn plan_of_a_new_user_has_all_its_attributes() {
        let Some(scratch) = scratch() else { return };
        let new = resource("user", "new").with("state", "exists");
        let planned = |resource: &Resource| user(resource, scratch.path()).run(false).unwrap().changes.remove(0);
        assert_eq!(planned(&new), "add user new");
        let full = new.with("uid", 4300).with("group", "web").with("homedir", "/srv/new/").with("managehome", true);
        let full = full.with("shell", "/bin/sh").with("comment", "A user").with("system", true);
        assert_eq!(
            planned(&full),
            "add user new: uid 4300, group web, comment \"A user\", home /srv/new, shell /bin/sh, a system account, \
             home directory made"
        );
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

    /// Returns what the databases say about `ann`, in a fixed order: the tools restore all but dates, and the entry of the
    /// user's own group in `gshadow`.
    fn about_ann(root: &Path) -> Vec<String> {
        let lines = |table: &str| {
            let text = fs::read_to_string(root.join("etc").join(table)).unwrap();
            let lines = text.lines().filter(|line| line.contains("ann")).map(|line| format!("{table}: {line}"));
            let mut lines: Vec<String> = lines.filter(|line| !line.starts_with("gshadow: ann:")).collect();
            lines.iter_mut().filter(|_| table == "shadow").for_each(|line| line.truncate("shadow: ann:!".len()));
            lines
        };
        ["passwd", "shadow", "group", "gshadow"].into_iter().flat_map(lines).collect()
    }

    #[test]
    fn interrupted_changes_are_completed() {
        let Some(scratch) = scratch() else { return };
        let root = scratch.path();
        let ann = |state: &str| {
            let ann = resource("user", "ann").with("state", state).with("groups", Value::list(["ops", "web"]));
            if state == "exists" { ann.with("comment", "Ann") } else { ann }
        };
        let tables = ["passwd", "shadow", "group", "gshadow"].map(|table| root.join("etc").join(table));
        let read = || tables.each_ref().map(|table| fs::read(table).unwrap());
        let before = read();
        user(&ann("exists"), root).assert_converges();
        let after = read();
        let complete = about_ann(root);
        assert_eq!(complete.len(), 7, "{complete:?}");
        // The tools replace the tables in this order, and are killed before each.
        for count in 1..tables.len() {
            for (i, table) in tables.iter().enumerate() {
                fs::write(table, if i < count { &after[i] } else { &before[i] }).unwrap();
            }
            user(&ann("exists"), root).assert_converges();
            assert_eq!(about_ann(root), complete, "added after {count}");
            for (i, table) in tables.iter().enumerate() {
                fs::write(table, if i < count { &before[i] } else { &after[i] }).unwrap();
            }
            user(&ann("absent"), root).assert_converges();
            // The group of a user who is gone could be anybody's.
            let left: Vec<String> =
                about_ann(root).into_iter().filter(|line| !line.starts_with("group: ann:")).collect();
            assert_eq!(left, [""; 0], "removed after {count}");
        }
    }

    #[test]
    fn an_interrupted_home_is_made_again_and_nothing_of_others_is_removed() {
        let Some(scratch) = scratch() else { return };
        let root = scratch.path();
        let ann =
            resource("user", "ann").with("state", "exists").with("homedir", "/home/ann/").with("managehome", true);
        let test = || {
            let state = Some(Arc::new(reopen(&root.join("prefix"))));
            let apply_context = ApplyContext { state, ..ApplyContext::default() };
            ProviderTest { apply_context, ..user(&ann, root) }
        };
        let home = root.join("home/ann");
        fs::create_dir(root.join("home")).unwrap();
        test().assert_converges();
        let uid = fs::metadata(&home).unwrap().uid();
        assert_eq!(fs::read_dir(root.join("prefix/engine/state")).unwrap().count(), 1);
        let mark =
            fs::read_dir(root.join("prefix/engine/state")).unwrap().next().unwrap().unwrap().path().join(HOME_MARK);
        assert!(!mark.exists(), "it was made");

        fs::remove_dir_all(&home).unwrap();
        test().assert_unchanged();
        fs::write(&mark, "").unwrap();
        test().assert_converges();
        assert_eq!((fs::metadata(&home).unwrap().uid(), mark.exists()), (uid, false));

        fs::remove_dir_all(&home).unwrap();
        fs::create_dir(&home).unwrap();
        fs::write(&mark, "").unwrap();
        test().assert_converges();
        assert_eq!(fs::metadata(&home).unwrap().uid(), uid, "it has its number again");

        chown(&home, Some(0), Some(0)).unwrap();
        fs::write(home.join("kept"), "").unwrap();
        fs::write(&mark, "").unwrap();
        test().run(true).unwrap_err();
        assert!(home.join("kept").exists());
        assert!(line(root, "passwd", "ann").is_some());
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
    }
}
