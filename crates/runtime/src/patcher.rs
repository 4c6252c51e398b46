//! From changed resources to the groups that replace those in force, where nothing else of the final graph changes.
//!
//! [`finalize`](crate::finalize()) looks at all resources. For most changes of values that is not necessary: if a resource still
//! has the same automatic edges, groups and managed files, and contradicts no other one, then only its own group is another
//! one. [`Patcher`] decides that from the changed resources and from the little that several resources have in common. Where
//! it is not certain, there is no patch, and the whole graph is made again.

use std::collections::BTreeMap;
use std::sync::Arc;

use function_engine::ChangedResource;
use resource_engine::{EngineGraph, Group};
use resource_graph::{Resource, ResourceId, keeps_structure};
use rustc_hash::FxHashMap;

use crate::conflicts::SharedClaims;

/// The boolean parameters of resources that spare what other resources manage.
pub(crate) const PURGING_PARAMETERS: [&str; 2] = ["purge", "recurse"];

/// What is kept of a final graph to fit changed resources into it. It takes memory only for what several resources share.
#[derive(Debug)]
pub struct Patcher {
    /// The groups of several resources.
    groups: Vec<Group>,
    /// The group of each of their members, and the index in it.
    members: FxHashMap<ResourceId, (usize, usize)>,
    claims: SharedClaims,
    home: Option<String>,
}

impl Patcher {
    pub(crate) fn new(graph: &EngineGraph, claims: SharedClaims, home: Option<String>) -> Patcher {
        let groups: Vec<Group> = graph.groups().iter().filter(|group| group.len() > 1).cloned().collect();
        let members = groups.iter().enumerate().flat_map(|(number, group)| {
            group.iter().enumerate().map(move |(index, resource)| (resource.id.clone(), (number, index)))
        });
        Patcher { members: members.collect(), groups, claims, home }
    }

    /// Returns the groups with the changed resources, each to replace the one with the same leader.
    ///
    /// `None` if more of the graph may change: it has to be made again, and this patcher must not be used any more. Each of
    /// the ids must be in the graph once.
    pub fn patch(&mut self, changes: &[ChangedResource]) -> Option<Vec<Group>> {
        let home = self.home.as_deref();
        if !changes.iter().all(|ChangedResource { old, new }| fits(old, new, home)) {
            return None;
        }
        if !self.claims.replace(changes.iter().map(|change| (&*change.old, &*change.new))) {
            return None;
        }
        let mut patched = Vec::with_capacity(changes.len());
        let mut together: BTreeMap<usize, Vec<(usize, &Resource)>> = BTreeMap::new();
        for ChangedResource { old, new } in changes {
            match self.members.get(&new.id) {
                None => patched.push(Group::Alone(Arc::clone(new))),
                // The leader holds the semaphores of all members.
                Some(_) if old.meta.sema != new.meta.sema => return None,
                Some(&(number, index)) => together.entry(number).or_default().push((index, new)),
            }
        }
        for (number, members) in together {
            self.groups[number] = self.groups[number].with_members(members);
            patched.push(self.groups[number].clone());
        }
        Some(patched)
    }
}

/// Whether a resource can take the place of another one without consequences for other resources, apart from contradictions.
fn fits(old: &Resource, new: &Resource, home: Option<&str>) -> bool {
    keeps_structure(old, new, home)
        && PURGING_PARAMETERS.iter().all(|name| old.params.get(name) == new.params.get(name))
}

#[cfg(test)]
mod tests;
