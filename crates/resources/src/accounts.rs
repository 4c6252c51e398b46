//! Resolves users and groups by name or number (spec 05 §5.2).
//!
//! The files in `/etc` are read first and cached until they change. Other accounts are looked up with `getent`, which queries
//! all configured directories.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use nix::unistd::{Uid, User, getgrouplist};
use rustc_hash::FxHashMap;

use crate::Failure;

/// The contents of `/etc/passwd` and `/etc/group` that were read last.
static USERS: Mutex<Option<Database>> = Mutex::new(None);
static GROUPS: Mutex<Option<Database>> = Mutex::new(None);

/// Returns the id of a user given by name or number.
///
/// # Errors
/// The user does not exist.
pub fn user_id(user: &str) -> Result<u32, Failure> {
    lookup("user", "passwd", &USERS, user)
}

/// Returns the id of a user in `/etc/passwd`, without a look at other directories.
#[must_use]
pub fn user_number(user: &str) -> Option<u32> {
    local_number("passwd", &USERS, user)
}

/// What a process of a user gets from the user's account.
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) home: PathBuf,
    /// The id of the primary group.
    pub(crate) group: u32,
    /// The ids of all groups.
    pub(crate) groups: Vec<u32>,
}

/// Returns the account of a user id.
///
/// # Errors
/// There is no such account, or its groups cannot be determined.
pub(crate) fn account(id: u32) -> Result<Account, Failure> {
    let missing = || Failure::Unavailable(format!("there is no user `{id}` on this machine"));
    let user = User::from_uid(Uid::from_raw(id)).ok().flatten().ok_or_else(missing)?;
    let name = CString::new(user.name.as_str()).map_err(|_| missing())?;
    let groups = getgrouplist(&name, user.gid)
        .map_err(|error| Failure::Unavailable(format!("cannot determine the groups of `{}`: {error}", user.name)))?;
    let groups = groups.into_iter().map(|group| group.as_raw()).collect();
    Ok(Account { name: user.name, home: user.dir, group: user.gid.as_raw(), groups })
}

/// Returns the id of a group given by name or number.
///
/// # Errors
/// The group does not exist.
pub fn group_id(group: &str) -> Result<u32, Failure> {
    lookup("group", "group", &GROUPS, group)
}

/// Returns the id of a group in `/etc/group`, without a look at other directories.
#[must_use]
pub fn group_number(group: &str) -> Option<u32> {
    local_number("group", &GROUPS, group)
}

/// Returns the name of the primary group of each user, if both are in the files in `/etc`: no other accounts are removed.
#[must_use]
pub fn primary_groups(users: &[&str]) -> Vec<Option<String>> {
    let read = |table: &str| std::fs::read(Path::new("/etc").join(table)).unwrap_or_default();
    primary_groups_in(&read("passwd"), &read("group"), users)
}

fn primary_groups_in(passwd: &[u8], group: &[u8], users: &[&str]) -> Vec<Option<String>> {
    let (passwd, group) = (String::from_utf8_lossy(passwd), String::from_utf8_lossy(group));
    let mut names: FxHashMap<&str, &str> = FxHashMap::default();
    for line in group.lines() {
        let mut fields = line.split(':');
        if let (Some(name), Some(id)) = (fields.next(), fields.nth(1)) {
            names.entry(id).or_insert(name);
        }
    }
    let mut groups: FxHashMap<&str, &str> = FxHashMap::default();
    for line in passwd.lines() {
        let mut fields = line.split(':');
        if let (Some(user), Some(name)) = (fields.next(), fields.nth(2).and_then(|id| names.get(id))) {
            groups.entry(user).or_insert(name);
        }
    }
    users.iter().map(|user| groups.get(user).map(|group| (*group).to_owned())).collect()
}

/// The content of `/etc/passwd` or `/etc/group`: fields separated by colons, the first the name, the third the number.
struct Database {
    modified: Option<SystemTime>,
    by_name: FxHashMap<String, u32>,
    numbers: Vec<u32>,
}

impl Database {
    fn read(path: &Path, modified: Option<SystemTime>) -> Database {
        let text = std::fs::read(path).unwrap_or_default();
        let mut by_name = FxHashMap::default();
        let mut numbers = Vec::new();
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some((name, number)) = entry(line) {
                by_name.entry(name.to_owned()).or_insert(number);
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Database { modified, by_name, numbers }
    }

    /// Looks up an existing number first, then a name.
    fn find(&self, key: &str) -> Option<u32> {
        let number = key.parse::<u32>().ok().filter(|n| self.numbers.binary_search(n).is_ok());
        number.or_else(|| self.by_name.get(key).copied())
    }
}

fn entry(line: &str) -> Option<(&str, u32)> {
    let mut fields = line.split(':');
    let (name, _, number) = (fields.next()?, fields.next()?, fields.next()?);
    Some((name, number.parse().ok()?))
}

fn local_number(table: &str, cache: &Mutex<Option<Database>>, key: &str) -> Option<u32> {
    let path = Path::new("/etc").join(table);
    let modified = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
    let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
    let database = match &mut *cache {
        Some(database) if database.modified == modified => database,
        outdated => outdated.insert(Database::read(&path, modified)),
    };
    database.find(key)
}

fn lookup(what: &str, table: &str, cache: &Mutex<Option<Database>>, key: &str) -> Result<u32, Failure> {
    if let Some(number) = local_number(table, cache, key) {
        return Ok(number);
    }
    let output = Command::new("getent").arg(table).arg("--").arg(key).stdin(Stdio::null()).output().ok();
    let line = output.filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    let number = line.as_deref().and_then(|l| entry(l.lines().next()?)).map(|(_, number)| number);
    number.ok_or_else(|| Failure::Unavailable(format!("there is no {what} `{key}` on this machine")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primary_groups_are_those_of_local_accounts() {
        let passwd = b"root:x:0:0::/root:/bin/sh\nweb:x:7:70::/:\nlost:x:8:99::/:\nbroken\n\n";
        let group = b"root:x:0:\nstaff:x:70:web\nother:x:70:\n:::\n";
        let found = primary_groups_in(passwd, group, &["web", "lost", "nobody", "root"]);
        assert_eq!(found, [Some("staff".to_owned()), None, None, Some("root".to_owned())]);
    }

    #[test]
    fn root_is_found_by_name_and_number_and_nobody_else_by_guess() {
        assert_eq!(user_id("root").unwrap(), 0);
        assert_eq!(group_id("0").unwrap(), 0);
        let text = user_id("no-such-user").unwrap_err().to_string();
        assert_eq!(text, "there is no user `no-such-user` on this machine");
        assert!(user_id("4000000000").is_err());
    }
}
