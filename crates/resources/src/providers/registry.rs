//! Maps the names of resource kinds to their providers.

use resource_graph::Resource;

use crate::export::Exporting;
use crate::providers::{
    archive, authorized_key, cron, exec, exit, file, hostname, json_edit, kv, line, mount, msg, net, noop, password,
    pkg, print, schedule, svc, sysctl, test, timer, user, value,
};
use crate::{Failure, Params, Provider, unsupported};

/// Makes the provider of a group: a leader followed by its members.
pub type Constructor = fn(&[Resource]) -> Result<Box<dyn Provider>, Failure>;

/// All providers, sorted by kind.
const PROVIDERS: &[(&str, Constructor)] = &[
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

/// Makes the provider of a resource and the members grouped into it; the leader is first.
///
/// Validates the parameters without changing the machine. A kind without a provider gets one whose checks fail.
///
/// # Errors
/// A parameter is invalid.
pub fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    let Some(leader) = resources.first() else {
        return Err(Failure::Invalid("missing leader of the group".to_owned()));
    };
    for resource in resources {
        resource_graph::validate(resource).map_err(|error| Failure::Invalid(error.to_string()))?;
    }
    let exports = !leader.meta.export.is_empty();
    if exports && leader.meta.hidden {
        return Ok(Box::new(Exporting::new(leader, None)));
    }
    let provider = match PROVIDERS.binary_search_by(|(name, _)| (*name).cmp(&leader.id.kind)) {
        Ok(i) => PROVIDERS[i].1(resources),
        Err(_) => unsupported::build(resources),
    }?;
    Ok(if exports { Box::new(Exporting::new(leader, Some(provider))) } else { provider })
}

/// Returns whether the resource reacts to a notification: by its kind, or as an `exec` with `refreshonly`.
#[must_use]
pub fn is_refreshable(resource: &Resource) -> bool {
    resource_graph::kind(&resource.id.kind).is_some_and(|k| k.traits.refresh)
        || (&*resource.id.kind == "exec" && matches!(Params::new(resource).bool("refreshonly"), Ok(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_sorted_by_kind() {
        assert!(PROVIDERS.is_sorted_by_key(|(name, _)| *name));
    }
}
