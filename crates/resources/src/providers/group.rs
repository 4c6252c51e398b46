//! `group`: local groups (spec 05 §6.6).

use std::path::Path;

use resource_graph::Resource;

use super::account_databases::{Databases, id};
use crate::{Context, Failure, Params, Provider, Watch, WorkerClass};

struct Group {
    databases: Databases,
    name: String,
    exists: bool,
    gid: Option<u32>,
    /// Whether its changes are not made when a plan is applied.
    is_noop: bool,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
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
            is_noop: resource.meta.noop,
        })
    }
}

impl Provider for Group {
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let current = self.databases.group_id(&self.name)?;
        if !self.exists {
            let Some(gid) = current else { return Ok(()) };
            let users = self.databases.users_with_primary_group(gid)?;
            if let Some(user) = cx.planned_accounts().user_with_primary_group(&self.name, gid, &users) {
                return Err(Failure::Refused(format!("group {} is the primary group of user {user}", self.name)));
            }
            if cx.change(format!("remove group {}", self.name))? {
                self.databases.run(self.databases.tool("groupdel")?.args([&self.name]), cx)?;
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
            (_, Some(gid)) => ("groupadd", format!("add group {} with gid {gid}", self.name)),
            (_, None) => ("groupadd", format!("add group {}", self.name)),
        };
        if cx.change(text)? {
            let gid = self.gid.map(|gid| ["-g".to_owned(), gid.to_string()]);
            self.databases.run(self.databases.tool(tool)?.args(gid.into_iter().flatten()).args([&self.name]), cx)?;
        } else if !self.is_noop {
            cx.planned_accounts().add_group(&self.name, self.gid);
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
    use super::super::account_databases::tests::{line, scratch};
    use super::*;
    use crate::provider_test::{ProviderTest, resource};

    fn group(resource: &Resource, root: &Path) -> ProviderTest {
        ProviderTest::of(resource, Box::new(Group::read(resource, root).unwrap()))
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
        for apply in [false, true] {
            let error = group(&plain("old", "absent"), root).run(apply).unwrap_err().to_string();
            assert_eq!(error, "group old is the primary group of user old");
        }
        group(&plain("new", "absent"), root).assert_converges();
        group(&plain("new", "absent"), root).assert_unchanged();
        assert_eq!(line(root, "group", "new"), None);
    }

    #[test]
    fn a_group_that_does_not_exist_is_absent() {
        ProviderTest::new(&resource("group", "no-such-group").with("state", "absent")).assert_unchanged();
    }
}
