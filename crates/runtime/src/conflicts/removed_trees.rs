//! Directories that are removed with all that is below them, where nothing else can exist.

use resource_graph::{Claim, Demand, Params, Resource};

/// Whether a resource is a `file` that removes a directory with all that is below it.
pub(super) fn removes_tree(resource: &Resource) -> bool {
    Params::of(resource).is_some_and(|params| {
        params.kind().name == "file" && params.bool("recurse") && params.string("state") == "absent"
    })
}

/// Returns the directory that a resource with these claims removes with all that is below it.
pub(super) fn removed_tree(resource: &Resource, claims: &[Claim<'_>]) -> Option<String> {
    let removed = claims.iter().find(|claim| claim.aspect == "type").filter(|_| removes_tree(resource))?;
    let path = removed.object.trim_end_matches('/');
    (!path.is_empty()).then(|| path.to_owned())
}

/// Whether a claim is that something exists at a path.
pub(super) fn must_exist(claim: &Claim<'_>) -> bool {
    claim.aspect == "type" && claim.object.starts_with('/') && !demands_absence(claim)
}

fn demands_absence(claim: &Claim<'_>) -> bool {
    matches!(&claim.demand, Demand::Whole { state, .. } if state == "absent")
}

/// Returns what `find` returns for the nearest directory above a path.
pub(super) fn find_above<T>(path: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let mut rest = path.trim_end_matches('/');
    while let Some(slash) = rest.rfind('/').filter(|slash| *slash > 0) {
        rest = &rest[..slash];
        if let Some(found) = find(rest) {
            return Some(found);
        }
    }
    None
}
