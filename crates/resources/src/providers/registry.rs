//! From the name of a kind to its implementation.

use resource_graph::Resource;

use crate::export::Exporting;
use crate::providers::{
    archive, authorized_key, cron, exec, exit, file, hostname, json_edit, kv, line, mount, msg, net, noop, password,
    pkg, print, schedule, svc, sysctl, test, timer, user, value,
};
use crate::{Failure, Kind, Params, unsupported};

/// Makes the implementation for a leader and the members grouped into it (never empty, the leader first).
pub type Constructor = fn(&[Resource]) -> Result<Box<dyn Kind>, Failure>;

/// All implementations, sorted by kind.
const KINDS: &[(&str, Constructor)] = &[
    ("cron", cron::build),
    ("deploy:tar", archive::build_deploy_tar),
    ("exec", exec::build),
    ("exit", exit::build),
    ("file", file::build),
    ("group", user::build_group),
    ("gzip", archive::build_gzip),
    ("hostname", hostname::build),
    ("json:edit", json_edit::build),
    ("kv", kv::build),
    ("line", line::build),
    ("mount", mount::build),
    ("msg", msg::build),
    ("net", net::build),
    ("noop", noop::build),
    ("password", password::build),
    ("pkg", pkg::build),
    ("print", print::build),
    ("schedule", schedule::build),
    ("ssh:authorized_key", authorized_key::build),
    ("svc", svc::build),
    ("sysctl", sysctl::build),
    ("tar", archive::build_tar),
    ("test", test::build),
    ("timer", timer::build),
    ("user", user::build_user),
    ("value", value::build),
];

/// Makes the implementation of a resource and the members grouped into it; the leader comes first.
///
/// Parameters are checked here (spec 05, "Validate"): nothing on the machine is changed. A kind that exists but has no
/// implementation yet gets one that fails with one clear error when it is checked.
///
/// # Errors
/// A parameter is not valid.
pub fn build(resources: &[Resource]) -> Result<Box<dyn Kind>, Failure> {
    let Some(leader) = resources.first() else {
        return Err(Failure::Invalid("a group needs a leader".to_owned()));
    };
    for resource in resources {
        resource_graph::validate(resource).map_err(|error| Failure::Invalid(error.to_string()))?;
    }
    let exports = !leader.meta.export.is_empty();
    if exports && leader.meta.hidden {
        return Ok(Box::new(Exporting::new(leader, None)));
    }
    let kind = match KINDS.binary_search_by(|(name, _)| (*name).cmp(&leader.id.kind)) {
        Ok(i) => KINDS[i].1(resources),
        Err(_) => unsupported::build(resources),
    }?;
    Ok(if exports { Box::new(Exporting::new(leader, Some(kind))) } else { kind })
}

/// Whether the resource does something on a notification: by its kind, or because it does nothing else.
#[must_use]
pub fn is_refreshable(resource: &Resource) -> bool {
    resource_graph::kind(&resource.id.kind).is_some_and(|k| k.traits.refresh)
        || (&*resource.id.kind == "exec" && matches!(Params::new(resource).bool("refreshonly"), Ok(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_for_the_search() {
        assert!(KINDS.is_sorted_by_key(|(name, _)| *name));
    }
}
