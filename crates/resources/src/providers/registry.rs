//! From the name of a kind to its implementation.

use resource_graph::Resource;

use crate::export::Exporting;
use crate::providers::{
    archive, authorized_key, cron, exec, exit, file, hostname, json_edit, kv, line, mount, msg, net, noop, password,
    pkg, print, schedule, svc, sysctl, test, timer, user, value,
};
use crate::{Failure, Kind, unsupported};

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

/// Adds the current state of the host to the inverse of a resource.
pub(crate) type Capture = fn(&Resource, &mut Resource) -> Result<(), Failure>;

/// The kinds whose inverse depends on the state of the host.
const CAPTURES: &[(&str, Capture)] = &[("file", file::capture)];

/// Adds the current state of the host to the inverse of a resource, if its kind needs it.
///
/// # Errors
/// The state cannot be read.
pub(crate) fn capture_state(resource: &Resource, inverse: &mut Resource) -> Result<(), Failure> {
    match CAPTURES.iter().find(|(kind, _)| *kind == &*resource.id.kind) {
        Some((_, capture)) => capture(resource, inverse),
        None => Ok(()),
    }
}

/// Returns whether a resource reacts to a refresh.
#[must_use]
pub fn is_refreshable(resource: &Resource) -> bool {
    resource_graph::Params::of(resource).is_some_and(|params| params.kind().is_refreshable(&params))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_for_the_search() {
        assert!(KINDS.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn the_schema_marks_exactly_the_implemented_kinds() {
        for kind in resource_graph::all_kinds().iter().filter(|kind| kind.is_public()) {
            let implemented = KINDS.iter().any(|(name, _)| *name == kind.name);
            assert_eq!(kind.implemented, implemented, "{}", kind.name);
        }
    }
}
