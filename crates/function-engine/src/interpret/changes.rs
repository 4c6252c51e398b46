//! What changes of a resource graph between two outputs.

use std::sync::Arc;

use indexmap::IndexMap;
use resource_graph::{DeclaredEdge, Resource, ResourceId};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::interpret::statement::{ConvertedStatement, is_unchanged};

/// A resource with other values than before.
#[derive(Clone, Debug)]
pub struct ChangedResource {
    /// The resource as it was in the last graph, or in the changes after it.
    pub old: Arc<Resource>,
    /// The resource as it is now, with the same id.
    pub new: Arc<Resource>,
}

/// The resources and edges that differ from those of the last graph and the changes after it.
#[derive(Clone, Debug, Default)]
pub struct GraphChanges {
    /// The resources with other values; those of statements that are as old as the last graph come in source order.
    pub changed: Vec<ChangedResource>,
    /// The resources that are not declared any more.
    pub removed: Vec<Arc<Resource>>,
    /// The resources that were not declared before.
    pub added: Vec<Arc<Resource>>,
    /// The edges that are not declared any more, those of removed resources included.
    pub removed_edges: Vec<DeclaredEdge>,
    /// The edges that were not declared before.
    pub added_edges: Vec<DeclaredEdge>,
}

impl GraphChanges {
    /// Returns whether more changed than values of resources.
    #[must_use]
    pub fn is_structural(&self) -> bool {
        let GraphChanges { changed: _, removed, added, removed_edges, added_edges } = self;
        !(removed.is_empty() && added.is_empty() && removed_edges.is_empty() && added_edges.is_empty())
    }
}

/// What a statement that is gone declared, and what a new one declares.
type Declarations = (Option<Arc<Resource>>, Option<Arc<Resource>>);

/// Collects the changes of statements. What one statement no longer declares, another one may declare now.
pub(super) struct Collector<'a> {
    /// What may not change, because several statements declare it.
    repeated: &'a FxHashSet<ResourceId>,
    repeated_edges: &'a FxHashSet<(ResourceId, ResourceId)>,
    /// The changed resources, with the position of their statement.
    changed: Vec<(u32, ChangedResource)>,
    /// The resources of statements that came and went.
    resources: IndexMap<ResourceId, Declarations, FxBuildHasher>,
    /// How often edges are declared more often than before.
    edges: FxHashMap<DeclaredEdge, i32>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(
        repeated: &'a FxHashSet<ResourceId>,
        repeated_edges: &'a FxHashSet<(ResourceId, ResourceId)>,
    ) -> Collector<'a> {
        Collector {
            repeated,
            repeated_edges,
            changed: Vec::new(),
            resources: IndexMap::default(),
            edges: FxHashMap::default(),
        }
    }

    /// Notes the other values of a statement. `None` if a resource is declared elsewhere as well.
    pub(super) fn change(&mut self, position: u32, old: &ConvertedStatement, new: &ConvertedStatement) -> Option<()> {
        for (old, new) in old.resources.iter().zip(&new.resources).filter(|(old, new)| !Arc::ptr_eq(old, new)) {
            if self.repeated.contains(&new.id) {
                return None;
            }
            self.changed.push((position, ChangedResource { old: Arc::clone(old), new: Arc::clone(new) }));
        }
        Some(())
    }

    /// Notes that a statement is gone. `None` if that cannot be followed.
    pub(super) fn remove(&mut self, statement: &ConvertedStatement) -> Option<()> {
        for resource in &statement.resources {
            let (removed, _) = self.resources.entry(resource.id.clone()).or_default();
            if removed.replace(Arc::clone(resource)).is_some() {
                return None;
            }
        }
        self.count_edges(statement, -1)
    }

    /// Notes a new statement. `None` if it is invalid, or cannot be followed.
    pub(super) fn add(&mut self, statement: &ConvertedStatement) -> Option<()> {
        for resource in &statement.resources {
            let (_, added) = self.resources.entry(resource.id.clone()).or_default();
            if added.replace(Arc::clone(resource)).is_some() {
                return None;
            }
        }
        self.count_edges(statement, 1)
    }

    fn count_edges(&mut self, statement: &ConvertedStatement, difference: i32) -> Option<()> {
        if !statement.errors.is_empty() {
            return None;
        }
        for edge in &statement.edges {
            let (from, to) = (edge.from.id.clone(), edge.to.id.clone());
            let sends_value = edge.from.key.is_some() && edge.to.key.is_some();
            if sends_value || self.repeated_edges.contains(&(from.clone(), to.clone())) {
                return None;
            }
            *self.edges.entry(DeclaredEdge { from, to, notify: edge.notify }).or_default() += difference;
        }
        Some(())
    }

    /// Returns the changes. `None` if something is or was declared more than once.
    pub(super) fn finish(mut self) -> Option<GraphChanges> {
        // Those of one statement are in order already.
        self.changed.sort_by_key(|(position, _)| *position);
        let mut changes = GraphChanges::default();
        changes.changed.extend(self.changed.into_iter().map(|(_, change)| change));
        for (id, resource) in self.resources {
            if self.repeated.contains(&id) {
                return None;
            }
            match resource {
                (Some(old), Some(new)) if is_unchanged(&old, &new) => {}
                (Some(old), Some(new)) => changes.changed.push(ChangedResource { old, new }),
                (Some(old), None) => changes.removed.push(old),
                (None, Some(new)) => changes.added.push(new),
                (None, None) => {}
            }
        }
        for (edge, difference) in self.edges {
            match difference {
                0 => {}
                1 => changes.added_edges.push(edge),
                -1 => changes.removed_edges.push(edge),
                _ => return None,
            }
        }
        changes.added_edges.sort_unstable();
        changes.removed_edges.sort_unstable();
        Some(changes)
    }
}
