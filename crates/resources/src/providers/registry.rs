//! Maps the names of resource kinds to their providers.

use resource_graph::Resource;
use safe_fs::Files;

use crate::export::Exporting;
use crate::providers::{
    archive, authorized_key, cron, cron_job, exec, exit, file, group, hostname, ini_setting, json_edit, kv, line,
    mount, msg, net, noop, password, pkg, print, schedule, svc, sysctl, test, timer, user, value,
};
use crate::{Failure, Provider, unsupported};

/// Makes the provider of a group: a leader followed by its members.
pub type Constructor = fn(&[Resource]) -> Result<Box<dyn Provider>, Failure>;

/// All providers, sorted by kind.
const PROVIDERS: &[(&str, Constructor)] = &[
    ("cron", cron::build),
    ("cron:job", cron_job::build),
    ("deploy:tar", archive::build_deploy_tar),
    ("exec", exec::build),
    ("exit", exit::build),
    ("file", file::build),
    ("group", group::build),
    ("gzip", archive::build_gzip),
    ("hostname", hostname::build),
    ("ini:setting", ini_setting::build),
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
    ("user", user::build),
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

/// Adds the present state of the machine to the inverse of a resource.
pub(crate) type Capture = fn(&Files, &Resource, &mut Resource) -> Result<(), Failure>;

/// The kinds whose inverse depends on the state of the machine.
const CAPTURES: &[(&str, Capture)] = &[("file", file::capture)];

/// Adds the present state of the machine to the inverse of a resource, if its kind requires it.
///
/// # Errors
/// The state cannot be read.
pub(crate) fn capture_state(files: &Files, resource: &Resource, inverse: &mut Resource) -> Result<(), Failure> {
    match CAPTURES.iter().find(|(kind, _)| *kind == &*resource.id.kind) {
        Some((_, capture)) => capture(files, resource, inverse),
        None => Ok(()),
    }
}

/// Returns whether a resource reacts to a notification.
#[must_use]
pub fn is_refreshable(resource: &Resource) -> bool {
    resource_graph::Params::of(resource).is_some_and(|params| params.kind().is_refreshable(&params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_sorted_by_kind() {
        assert!(PROVIDERS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn the_schema_marks_exactly_the_implemented_kinds() {
        for kind in resource_graph::all_kinds().iter().filter(|kind| kind.is_public()) {
            let implemented = PROVIDERS.iter().any(|(name, _)| *name == kind.name);
            assert_eq!(kind.implemented, implemented, "{}", kind.name);
        }
    }
}
