//! From changed resources to what changes of the final graph, without a look at the rest of it.
//!
//! [`finalize`](crate::finalize()) looks at all resources. For most changes of values that is not necessary: if a resource still
//! has the same automatic edges, groups and managed files, and contradicts no other one, then only its own group is another
//! one. [`Patcher`] decides that from the changed resources and from the little that several resources have in common.
//!
//! For resources that come and go, and for values that edges depend on, it needs to know all resources: what each offers and
//! asks for, and which claims it has. That takes memory, so it is made only for programs that need it ([`Patcher::follow`]).
//!
//! Where it is not certain what changes, there is no patch, and the whole graph is made again.

use std::collections::BTreeMap;
use std::sync::Arc;

use function_engine::{ChangedResource, GraphChanges};
use mcl_value::Value;
use resource_engine::{EngineGraph, GraphPatch, Group, PatchEdge};
use resource_graph::{
    AutoEdgeHost, GraphEdit, IncrementalGraph, Params, Resource, ResourceGraph, ResourceId, keeps_structure,
};
use rustc_hash::FxHashMap;

use crate::conflicts::{ClaimChanges, SharedClaims};

/// The boolean parameters of resources that spare what other resources manage.
pub(crate) const PURGING_PARAMETERS: [&str; 2] = ["purge", "recurse"];

/// What is kept of a final graph to fit changes into it. It takes memory only for what several resources share, unless it
/// follows the structure.
#[derive(Debug)]
pub struct Patcher {
    /// The groups of several resources.
    groups: Vec<Group>,
    /// The group of each of their members, and the index in it.
    members: FxHashMap<ResourceId, (usize, usize)>,
    claims: SharedClaims,
    home: Option<String>,
    /// The whole graph, if changes of the structure are followed.
    structure: Option<Box<IncrementalGraph>>,
}

impl Patcher {
    pub(crate) fn new(graph: &EngineGraph, claims: SharedClaims, home: Option<String>) -> Patcher {
        let groups: Vec<Group> = graph.groups().iter().filter(|group| group.len() > 1).cloned().collect();
        let members = groups.iter().enumerate().flat_map(|(number, group)| {
            group.iter().enumerate().map(move |(index, resource)| (resource.id.clone(), (number, index)))
        });
        Patcher { members: members.collect(), groups, claims, home, structure: None }
    }

    /// Follows the structure of the graph from now on, if that is possible. `graph` is the final graph that this was made for.
    pub fn follow(&mut self, graph: &ResourceGraph, host: &AutoEdgeHost<'_>) {
        self.structure = IncrementalGraph::of(graph, host).map(Box::new);
        if self.structure.is_some() {
            self.claims.follow(graph);
        }
    }

    /// Returns what changes of the final graph.
    ///
    /// `None` if more of it may change: it has to be made again, and this patcher must not be used any more. Each of
    /// the ids must be in the graph once.
    pub fn patch(&mut self, changes: &GraphChanges) -> Option<GraphPatch> {
        let home = self.home.as_deref();
        let (values, others): (Vec<&ChangedResource>, Vec<&ChangedResource>) =
            changes.changed.iter().partition(|ChangedResource { old, new }| fits(old, new, home));
        let mut patch = GraphPatch::default();
        if changes.is_structural() || !others.is_empty() {
            patch = self.edit(changes, &others)?;
        }
        if let Some(graph) = &mut self.structure {
            values.iter().for_each(|change| graph.replace_value(&change.new));
        }
        let mut claims = ClaimChanges {
            old: changes.removed.iter().map(|resource| &**resource).collect(),
            new: changes.added.iter().map(|resource| &**resource).collect(),
        };
        for ChangedResource { old, new } in &changes.changed {
            claims.old.push(old);
            claims.new.push(new);
        }
        let structure = self.structure.as_deref();
        if !self.claims.replace(&claims, |id| structure?.resource(id).map(|resource| &**resource)) {
            return None;
        }
        self.replace_values(values.into_iter().chain(others), &mut patch.replaced)?;
        Some(patch)
    }

    /// Changes the structure of the graph.
    fn edit(&mut self, changes: &GraphChanges, replaced: &[&ChangedResource]) -> Option<GraphPatch> {
        let graph = self.structure.as_deref_mut()?;
        let GraphChanges { changed: _, removed, added, removed_edges, added_edges } = changes;
        let is_undone = removed.iter().any(|resource| resource.meta.reverse);
        let mut others =
            removed.iter().chain(added).chain(replaced.iter().flat_map(|change| [&change.old, &change.new]));
        if is_undone || !others.all(|resource| is_ordinary(resource)) {
            return None;
        }
        let edit = GraphEdit {
            removed: removed.iter().map(|resource| resource.id.clone()).collect(),
            added: added.clone(),
            replaced: replaced.iter().map(|change| Arc::clone(&change.new)).collect(),
            removed_edges: removed_edges.clone(),
            added_edges: added_edges.clone(),
        };
        let edges = graph.edit(&edit)?;
        // The edges of a group are those of all its members.
        let is_member = |id: &ResourceId| self.members.contains_key(id);
        if edges.removed.iter().any(|(from, to)| is_member(from) || is_member(to))
            || edges.added.iter().any(|edge| is_member(&edge.from) || is_member(&edge.to))
        {
            return None;
        }
        Some(GraphPatch {
            replaced: Vec::new(),
            removed: edit.removed,
            added: added.iter().map(|resource| Group::Alone(Arc::clone(resource))).collect(),
            removed_edges: edges.removed,
            added_edges: edges
                .added
                .into_iter()
                .map(|edge| PatchEdge { from: edge.from, to: edge.to, notify: edge.notify })
                .collect(),
        })
    }

    /// Adds the groups of resources with other values.
    fn replace_values<'c>(
        &mut self,
        changes: impl Iterator<Item = &'c ChangedResource>,
        replaced: &mut Vec<Group>,
    ) -> Option<()> {
        let mut together: BTreeMap<usize, Vec<(usize, &Resource)>> = BTreeMap::new();
        for ChangedResource { old, new } in changes {
            match self.members.get(&new.id) {
                None => replaced.push(Group::Alone(Arc::clone(new))),
                // The leader holds the semaphores of all members.
                Some(_) if old.meta.sema != new.meta.sema => return None,
                Some(&(number, index)) => together.entry(number).or_default().push((index, new)),
            }
        }
        for (number, members) in together {
            self.groups[number] = self.groups[number].with_members(members);
            replaced.push(self.groups[number].clone());
        }
        Some(())
    }
}

/// Whether a resource can take the place of another one without consequences for other resources, apart from contradictions.
fn fits(old: &Resource, new: &Resource, home: Option<&str>) -> bool {
    keeps_structure(old, new, home)
        && PURGING_PARAMETERS.iter().all(|name| old.params.get(name) == new.params.get(name))
}

/// Whether a resource can come and go without consequences that edges, groups and claims do not tell.
fn is_ordinary(resource: &Resource) -> bool {
    let is_purging = |name: &&str| matches!(resource.params.get(name), Some(Value::Bool(true)));
    !resource.meta.hidden
        && resource.meta.export.is_empty()
        && !resource.propagates_refresh
        && Params::of(resource).is_some()
        && !PURGING_PARAMETERS.iter().any(is_purging)
}

#[cfg(test)]
mod tests;
