//! Accounts as they will be after the changes of a plan, which are announced and not made.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the changes of a plan make of the accounts of the machine.
#[derive(Debug, Default)]
pub struct PlannedAccounts(Mutex<Changes>);

#[derive(Debug, Default)]
struct Changes {
    /// The names of the groups that are added, and the numbers that groups get.
    groups: BTreeSet<String>,
    /// The primary groups of users, by name or number; `None` for a user that is removed.
    primary_groups: BTreeMap<String, Option<String>>,
}

impl PlannedAccounts {
    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a group will exist, and its number if that is known.
    pub(crate) fn add_group(&self, name: &str, gid: Option<u32>) {
        let mut changes = self.changes();
        changes.groups.extend([Some(name.to_owned()), gid.map(|gid| gid.to_string())].into_iter().flatten());
    }

    /// Records the primary group of a user, by name or number; `None` for a user that will be gone.
    pub(crate) fn set_primary_group(&self, user: &str, group: Option<&str>) {
        self.changes().primary_groups.insert(user.to_owned(), group.map(ToOwned::to_owned));
    }

    /// Whether a group will exist, given by name or number.
    pub(crate) fn has_group(&self, group: &str) -> bool {
        self.changes().groups.contains(group)
    }

    /// Returns a user whose primary group this will be. `users` are those whose primary group it is now.
    pub(crate) fn user_with_primary_group(&self, name: &str, gid: u32, users: &[String]) -> Option<String> {
        let changes = self.changes();
        let stays = users.iter().find(|user| !changes.primary_groups.contains_key(*user));
        let gid = gid.to_string();
        let is_it = |group: &String| *group == name || *group == gid;
        let joins = || changes.primary_groups.iter().find(|(_, group)| group.as_ref().is_some_and(is_it));
        stays.or_else(|| joins().map(|(user, _)| user)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_leave_and_join_groups() {
        let planned = PlannedAccounts::default();
        let users = ["ann".to_owned(), "bob".to_owned()];
        let holder = || planned.user_with_primary_group("app", 900, &users);
        assert_eq!(holder().as_deref(), Some("ann"));
        planned.set_primary_group("ann", None);
        assert_eq!(holder().as_deref(), Some("bob"));
        planned.set_primary_group("bob", Some("web"));
        assert_eq!(holder(), None);
        planned.set_primary_group("ann", Some("900"));
        assert_eq!(holder().as_deref(), Some("ann"));
        planned.set_primary_group("ann", Some("app"));
        assert_eq!(holder().as_deref(), Some("ann"));
    }
}
