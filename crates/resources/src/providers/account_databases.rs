//! The local databases of users and groups (spec 05 §6.5, 6.6).
//!
//! The databases in `/etc` are read directly; other entries come from `getent`, which queries all configured sources. Changes
//! are made with the machine's own tools, which lock the databases and apply their policies. These tools replace one
//! file after the other: what a tool that was killed did not reach is found by comparing the files.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use safe_fs::LastLink;

use crate::file_access::failure;
use crate::process::find_program;
use crate::tool::Tool;
use crate::{Cancel, Context, Failure, Params, Scope, Watch};

/// The account databases of a machine.
#[derive(Clone)]
pub(super) struct Databases {
    /// The directory above `etc`; `/` outside tests.
    pub(super) root: PathBuf,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Account {
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) comment: String,
    pub(super) home: String,
    pub(super) shell: String,
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

    /// Returns the place of a path of the machine.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
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

    pub(super) fn account(&self, name: &str) -> Result<Option<Account>, Failure> {
        let Some(entry) = self.entry("passwd", 0, name)? else { return Ok(None) };
        let field = |i: usize| entry.get(i).cloned().unwrap_or_default();
        match (field(2).parse(), field(3).parse()) {
            (Ok(uid), Ok(gid)) => Ok(Some(Account { uid, gid, comment: field(4), home: field(5), shell: field(6) })),
            _ => Err(Failure::Refused(format!("invalid entry of user `{name}` in the user database"))),
        }
    }

    pub(super) fn group_id(&self, name: &str) -> Result<Option<u32>, Failure> {
        Ok(self.entry("group", 0, name)?.and_then(|entry| entry.get(2)?.parse().ok()))
    }

    /// Returns the name of the account or group with this number.
    pub(super) fn owner(&self, table: &str, id: u32) -> Result<Option<String>, Failure> {
        Ok(self.entry(table, 2, &id.to_string())?.and_then(|entry| entry.into_iter().next()))
    }

    /// Returns the local users with this primary group, which cannot be removed then.
    pub(super) fn users_with_primary_group(&self, gid: u32) -> Result<Vec<String>, Failure> {
        let gid = gid.to_string();
        let users = self.lines("passwd")?.into_iter().filter(|entry| entry.get(3).is_some_and(|field| *field == gid));
        Ok(users.filter_map(|entry| entry.into_iter().next()).collect())
    }

    /// Returns the supplementary groups of a user, sorted.
    pub(super) fn groups_of(&self, user: &str, primary: u32) -> Result<Vec<String>, Failure> {
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
    pub(super) fn tool(&self, name: &'static str) -> Result<Tool, Failure> {
        let mut tool = Tool::new(name)?;
        if self.root != Path::new("/") {
            tool.args(["--prefix"]).args([&self.root]);
        }
        Ok(tool)
    }

    /// Runs a tool that changes these databases, one at a time: a tool that finds them locked by another one fails.
    pub(super) fn run(&self, tool: &mut Tool, cx: &Context<'_>) -> Result<(), Failure> {
        let passwd = self.root.join("etc/passwd");
        let _lock = cx.files().lock(&passwd, LastLink::Follow).map_err(failure)?;
        tool.run(cx.cancel()).map(drop)
    }

    pub(super) fn watch(&self, table: &str) -> Watch {
        Watch::Path(self.root.join("etc").join(table), Scope::Entry)
    }

    /// Returns whether the password of a local user is in `shadow`, but `shadow` has no entry of the user: an interrupted
    /// `useradd` leaves that.
    pub(super) fn lacks_shadow_entry(&self, user: &str) -> Result<bool, Failure> {
        let is_user = |entry: &&Vec<String>| entry.first().is_some_and(|name| name == user);
        let shadow = self.lines("shadow")?;
        let passwd = self.lines("passwd")?;
        let is_shadowed = passwd.iter().find(is_user).is_some_and(|entry| entry.get(1).is_some_and(|p| p == "x"));
        Ok(is_shadowed && !shadow.is_empty() && !shadow.iter().any(|entry| is_user(&entry)))
    }

    /// Returns whether `gshadow` disagrees with `group` about the groups of a user: an interrupted tool leaves that.
    pub(super) fn memberships_disagree(&self, user: &str) -> Result<bool, Failure> {
        let shadowed: FxHashMap<String, bool> = self.memberships("gshadow", user)?.into_iter().collect();
        let groups = self.memberships("group", user)?;
        Ok(groups.iter().any(|(group, is_member)| shadowed.get(group).is_some_and(|shadowed| shadowed != is_member)))
    }

    /// Returns what the databases hold of a user who is not in `passwd`: an interrupted `userdel` leaves that.
    pub(super) fn remains(&self, user: &str) -> Result<Vec<String>, Failure> {
        let shadow = self.lines("shadow")?;
        let has_entry = shadow.iter().any(|entry| entry.first().is_some_and(|name| name == user));
        let mut groups: Vec<String> = Vec::new();
        for table in ["group", "gshadow"] {
            groups.extend(self.memberships(table, user)?.into_iter().filter(|group| group.1).map(|group| group.0));
        }
        groups.sort();
        groups.dedup();
        let entry = has_entry.then(|| "entry in shadow".to_owned());
        Ok(entry.into_iter().chain(groups.into_iter().map(|group| format!("membership in {group}"))).collect())
    }

    /// Returns each group of a table, and whether it lists the user.
    fn memberships(&self, table: &str, user: &str) -> Result<Vec<(String, bool)>, Failure> {
        let membership = |entry: Vec<String>| {
            let is_member = entry.get(3).is_some_and(|members| members.split(',').any(|member| member == user));
            Some((entry.into_iter().next()?, is_member))
        };
        Ok(self.lines(table)?.into_iter().filter_map(membership).collect())
    }
}

/// Returns the number of a user or group in a parameter.
pub(super) fn id(params: Params<'_>, key: &str) -> Result<Option<u32>, Failure> {
    let number = params.opt_int(key)?.map(u32::try_from).transpose();
    number.map_err(|_| Failure::Invalid(format!("`{key}` is out of range")))
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;

    use super::*;

    /// Returns databases in a scratch directory, or `None` where the tools cannot use them.
    pub(in super::super) fn scratch() -> Option<tempfile::TempDir> {
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

    pub(in super::super) fn line(root: &Path, table: &str, name: &str) -> Option<String> {
        let text = fs::read_to_string(root.join("etc").join(table)).unwrap();
        text.lines().find(|line| line.starts_with(&format!("{name}:"))).map(str::to_owned)
    }
}
