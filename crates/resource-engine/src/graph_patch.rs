//! What changes of the running graph.

use resource_graph::ResourceId;

use crate::graph::Group;

/// Parts of the running graph that change. Groups are named by the ids of their leaders, in edges also by that of another member.
/// What is named by an id that is not in the graph, or twice, is ignored.
#[derive(Clone, Debug, Default)]
pub struct GraphPatch {
    /// The groups with these leaders get these values. The members stay the same.
    pub replaced: Vec<Group>,
    /// The groups with these leaders leave, with their edges. They send no values to others.
    pub removed: Vec<ResourceId>,
    /// These groups are new. They neither send nor receive values.
    pub added: Vec<Group>,
    /// The edges between these groups are removed, before others are added.
    pub removed_edges: Vec<(ResourceId, ResourceId)>,
    /// These edges are new. With those that are there, they must not form a cycle.
    pub added_edges: Vec<PatchEdge>,
}

/// An edge to add.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatchEdge {
    /// The resource that comes first.
    pub from: ResourceId,
    /// The resource that comes after it.
    pub to: ResourceId,
    /// Whether a change of the first refreshes the second.
    pub notify: bool,
}

impl GraphPatch {
    /// Returns a patch that only changes values.
    #[must_use]
    pub fn of_values(replaced: Vec<Group>) -> GraphPatch {
        GraphPatch { replaced, ..GraphPatch::default() }
    }

    /// Returns whether it changes more than values.
    #[must_use]
    pub fn is_structural(&self) -> bool {
        let GraphPatch { replaced: _, removed, added, removed_edges, added_edges } = self;
        !(removed.is_empty() && added.is_empty() && removed_edges.is_empty() && added_edges.is_empty())
    }
}
