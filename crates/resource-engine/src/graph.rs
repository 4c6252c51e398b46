//! The graph that the engine runs: groups of resources without cycles.

use std::sync::Arc;

use indexmap::IndexMap;
use resource_graph::{Cycle, Resource, ResourceGraph, VertexId, topological_order};
use rustc_hash::FxBuildHasher;

/// A leader and the members grouped into it; never empty. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Group {
    /// A single resource, as in almost all groups; shared with the resource graph.
    Alone(Arc<Resource>),
    /// Several resources, the leader first.
    Together(Arc<Vec<Resource>>),
}

impl Group {
    /// Whether both are the same object.
    pub(super) fn is_identical(&self, other: &Group) -> bool {
        match (self, other) {
            (Group::Alone(a), Group::Alone(b)) => Arc::ptr_eq(a, b),
            (Group::Together(a), Group::Together(b)) => Arc::ptr_eq(a, b),
            (Group::Alone(_), Group::Together(_)) | (Group::Together(_), Group::Alone(_)) => false,
        }
    }
}

impl Group {
    /// Makes a group of at least two resources, the leader first. The leader gets the semaphores of all.
    fn together(mut resources: Vec<Resource>, semaphores: Vec<String>) -> Group {
        if let Some(leader) = resources.first_mut() {
            leader.meta.sema = semaphores;
        }
        Group::from(resources)
    }

    /// Returns the group with other values of some members, given with their indices. Their semaphores must be the same.
    #[must_use]
    pub fn with_members<'r>(&self, members: impl IntoIterator<Item = (usize, &'r Resource)>) -> Group {
        let mut resources = self.to_vec();
        let semaphores = resources[0].meta.sema.clone();
        for (index, resource) in members {
            resources[index].clone_from(resource);
        }
        Group::together(resources, semaphores)
    }
}

impl std::ops::Deref for Group {
    type Target = [Resource];

    fn deref(&self) -> &[Resource] {
        match self {
            Group::Alone(resource) => std::slice::from_ref(resource),
            Group::Together(resources) => resources.as_slice(),
        }
    }
}

impl From<Resource> for Group {
    fn from(resource: Resource) -> Group {
        Group::Alone(Arc::new(resource))
    }
}

/// The leader comes first; there must be one.
impl From<Vec<Resource>> for Group {
    fn from(resources: Vec<Resource>) -> Group {
        Group::Together(Arc::new(resources))
    }
}

/// An edge between two groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEdge {
    /// The group that comes first.
    pub from: u32,
    /// The group that comes after it.
    pub to: u32,
    /// Whether a change of the first refreshes the second.
    pub notify: bool,
}

/// A value that one group sends to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The sending group, and the index of the sender in it.
    pub from: (u32, usize),
    /// The key of the value.
    pub from_key: Arc<str>,
    /// The receiving group, and the index of the receiver in it.
    pub to: (u32, usize),
    /// The parameter that receives it.
    pub to_key: Arc<str>,
}

/// A graph without cycles.
#[derive(Clone, Debug, Default)]
pub struct EngineGraph {
    pub(super) groups: Vec<Group>,
    pub(super) edges: Vec<GroupEdge>,
    pub(super) transfers: Vec<Transfer>,
    /// The groups, each after all its prerequisites.
    pub(super) order: Vec<u32>,
}

/// A cycle of groups, in the direction of its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupCycle(pub Vec<u32>);

impl std::fmt::Display for GroupCycle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "dependency cycle of the groups {:?}", self.0)
    }
}

impl std::error::Error for GroupCycle {}

impl EngineGraph {
    /// Makes a graph. Edges and transfers of unknown groups are ignored. A transfer implies an edge. Several edges between
    /// two groups become one, which notifies if any of them does.
    ///
    /// # Errors
    /// There is a cycle.
    pub fn new(groups: Vec<Group>, edges: Vec<GroupEdge>, transfers: Vec<Transfer>) -> Result<EngineGraph, GroupCycle> {
        EngineGraph::with_order(groups, edges, transfers, |count, edges| {
            topological_order(count, edges.iter().map(|e| (e.from, e.to)))
        })
    }

    /// Makes a graph. `order` returns the order of the groups, given their number and the edges.
    fn with_order(
        groups: Vec<Group>,
        edges: Vec<GroupEdge>,
        transfers: Vec<Transfer>,
        order: impl FnOnce(usize, &[GroupEdge]) -> Result<Vec<u32>, Vec<u32>>,
    ) -> Result<EngineGraph, GroupCycle> {
        let count = groups.len();
        let known = |i: u32| (i as usize) < count;
        let mut pairs: IndexMap<(u32, u32), bool, FxBuildHasher> = IndexMap::default();
        let implied = transfers.iter().map(|t| GroupEdge { from: t.from.0, to: t.to.0, notify: false });
        for edge in edges.into_iter().chain(implied).filter(|e| known(e.from) && known(e.to)) {
            *pairs.entry((edge.from, edge.to)).or_default() |= edge.notify;
        }
        let edges: Vec<GroupEdge> =
            pairs.into_iter().map(|((from, to), notify)| GroupEdge { from, to, notify }).collect();
        let transfers = transfers.into_iter().filter(|t| known(t.from.0) && known(t.to.0)).collect();
        let order = order(count, &edges).map_err(GroupCycle)?;
        Ok(EngineGraph { groups, edges, transfers, order })
    }

    /// Groups the resources (spec 06 §4.3). In a group the leader comes first and has the semaphores of all members.
    ///
    /// # Errors
    /// There is a cycle.
    pub fn grouped(graph: &ResourceGraph) -> Result<EngineGraph, Cycle> {
        // Grouping needs a graph without cycles.
        let vertex_order = graph.topological_order()?;
        let grouping = resource_graph::autogroup(graph);
        let mut place = vec![(0u32, 0usize); graph.len()];
        let mut groups = Vec::with_capacity(graph.len());
        for leader in grouping.leaders() {
            if grouping.children(leader).is_empty() {
                place[leader.index()] = (groups.len() as u32, 0);
                groups.push(Group::Alone(graph.shared_resource(leader).clone()));
                continue;
            }
            let members = grouping.members(leader);
            let mut resources: Vec<Resource> = Vec::with_capacity(members.len());
            for (i, member) in members.iter().enumerate() {
                place[member.index()] = (groups.len() as u32, i);
                resources.push(graph.resource(*member).clone());
            }
            groups.push(Group::together(resources, grouping.semaphores(graph, leader)));
        }
        let edges = grouping.edges().iter().map(|e| GroupEdge {
            from: place[e.from.index()].0,
            to: place[e.to.index()].0,
            notify: e.notify,
        });
        let transfers = graph.sendrecv().iter().map(|s| Transfer {
            from: place[s.from.vertex.index()],
            from_key: s.from.key.clone(),
            to: place[s.to.vertex.index()],
            to_key: s.to.key.clone(),
        });
        let leaders: Vec<VertexId> = grouping.leaders().collect();
        let order = |count: usize, edges: &[GroupEdge]| {
            // If each resource is a group and transfers add no edges, both graphs have the same order.
            if count == graph.len() && edges.len() == graph.edge_count() {
                return Ok(vertex_order.iter().map(|vertex| vertex.0).collect());
            }
            topological_order(count, edges.iter().map(|e| (e.from, e.to)))
        };
        EngineGraph::with_order(groups, edges.collect(), transfers.collect(), order)
            .map_err(|cycle| graph.cycle(cycle.0.iter().map(|group| leaders[*group as usize]).collect()))
    }

    /// Adds a resource that depends on nothing. The groups `before` which it must be applied depend on it.
    pub fn add_before(&mut self, resource: Resource, before: impl IntoIterator<Item = u32>) {
        let from = self.groups.len() as u32;
        // First of all, so that it precedes every other group.
        self.order.insert(0, from);
        self.groups.push(Group::from(resource));
        self.edges.extend(before.into_iter().map(|to| GroupEdge { from, to, notify: false }));
    }

    /// The number of edges between groups, those that transfers imply included.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges between groups, those that transfers imply included.
    #[must_use]
    pub fn edges(&self) -> &[GroupEdge] {
        &self.edges
    }

    /// Returns the groups whose state depends on values that these groups send: their receivers, and what comes after those.
    #[must_use]
    pub fn depending_on_values_of(&self, senders: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); self.groups.len()];
        for edge in &self.edges {
            successors[edge.from as usize].push(edge.to);
        }
        let mut is_found = vec![false; self.groups.len()];
        for transfer in self.transfers.iter().filter(|transfer| senders(transfer.from.0)) {
            is_found[transfer.to.0 as usize] = true;
        }
        for &group in &self.order {
            if is_found[group as usize] {
                successors[group as usize].iter().for_each(|next| is_found[*next as usize] = true);
            }
        }
        (0..self.groups.len() as u32).filter(|group| is_found[*group as usize]).collect()
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_agent::resource;

    fn graph(names: &[&str], edges: &[(u32, u32)]) -> Result<EngineGraph, GroupCycle> {
        let groups = names.iter().map(|n| Group::from(resource(n))).collect();
        let edges = edges.iter().map(|&(from, to)| GroupEdge { from, to, notify: false }).collect();
        EngineGraph::new(groups, edges, Vec::new())
    }

    #[test]
    fn cycle_is_reported_as_a_path() {
        let cycle = graph(&["a", "b", "c", "d"], &[(0, 1), (1, 2), (2, 1), (2, 3)]).unwrap_err();
        assert_eq!(cycle, GroupCycle(vec![1, 2]));
    }

    #[test]
    fn repeated_edges_become_one_that_notifies_if_any_does() {
        let groups = vec![Group::from(resource("a")), Group::from(resource("b"))];
        let edge = |notify| GroupEdge { from: 0, to: 1, notify };
        let graph = EngineGraph::new(groups, vec![edge(false), edge(true), edge(false)], Vec::new()).unwrap();
        assert_eq!(graph.edges, [edge(true)]);
    }

    #[test]
    fn long_chain_is_ordered_without_recursion() {
        let names: Vec<String> = (0..100_000).map(|i| i.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let edges: Vec<(u32, u32)> = (0..99_999).map(|i| (i + 1, i)).collect();
        assert_eq!(graph(&names, &edges).unwrap().order[0], 99_999);
    }
}
