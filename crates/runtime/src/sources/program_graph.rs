//! The latest graph of a program whose changes are followed, for the next merge with a Puppet catalog.
//!
//! A change costs time that is proportional to what changes. The graph is made again when it is needed, which takes as long as
//! a merge does.

use std::collections::BTreeMap;
use std::sync::Arc;

use function_engine::{ChangedResource, GraphChanges};
use resource_graph::{DeclaredEdge, Edge, Endpoint, Resource, ResourceGraph, ResourceId, VertexId};
use rustc_hash::FxHashMap;

/// A graph, and what has changed since it was made.
#[derive(Debug, Default)]
pub(super) struct ProgramGraph {
    graph: ResourceGraph,
    /// The resources that are other ones than in the graph, or new; `None` for one that is gone.
    resources: BTreeMap<ResourceId, Option<Arc<Resource>>>,
    /// The declared edges that are other ones: whether each notifies; `None` for one that is gone.
    edges: FxHashMap<(ResourceId, ResourceId), Option<bool>>,
}

impl ProgramGraph {
    pub(super) fn new(graph: ResourceGraph) -> ProgramGraph {
        ProgramGraph { graph, ..ProgramGraph::default() }
    }

    pub(super) fn into_graph(mut self) -> ResourceGraph {
        self.latest();
        self.graph
    }

    /// Makes changes of a program. What they name is in the graph once.
    pub(super) fn apply(&mut self, changes: &GraphChanges) {
        let GraphChanges { changed, removed, added, removed_edges, added_edges } = changes;
        for ChangedResource { new, .. } in changed {
            self.set(new);
        }
        for resource in removed {
            if self.vertex(&resource.id).is_some() {
                self.resources.insert(resource.id.clone(), None);
            } else {
                self.resources.remove(&resource.id);
            }
        }
        added.iter().for_each(|resource| self.set(resource));
        for DeclaredEdge { from, to, .. } in removed_edges {
            let pair = (from.clone(), to.clone());
            if self.has_edge(from, to) {
                self.edges.insert(pair, None);
            } else {
                self.edges.remove(&pair);
            }
        }
        for DeclaredEdge { from, to, notify } in added_edges {
            self.edges.insert((from.clone(), to.clone()), Some(*notify));
        }
    }

    /// Returns the graph with all changes.
    pub(super) fn latest(&mut self) -> &ResourceGraph {
        if !self.resources.is_empty() || !self.edges.is_empty() {
            let latest = self.rebuilt();
            *self = ProgramGraph::new(latest);
        }
        &self.graph
    }

    fn set(&mut self, resource: &Arc<Resource>) {
        match self.vertex(&resource.id).filter(|_| !self.resources.contains_key(&resource.id)) {
            Some(vertex) => self.graph.replace(vertex, Arc::clone(resource)),
            None => drop(self.resources.insert(resource.id.clone(), Some(Arc::clone(resource)))),
        }
    }

    fn vertex(&self, id: &ResourceId) -> Option<VertexId> {
        self.graph.find(&id.kind, &id.name)
    }

    fn has_edge(&self, from: &ResourceId, to: &ResourceId) -> bool {
        let ends = self.vertex(from).zip(self.vertex(to));
        ends.is_some_and(|(from, to)| self.graph.edge_between(from, to).is_some())
    }

    fn rebuilt(&self) -> ResourceGraph {
        let mut latest = ResourceGraph::new();
        latest.reserve(self.graph.len() + self.resources.len(), self.graph.edge_count() + self.edges.len());
        let map: Vec<Option<VertexId>> = self
            .graph
            .vertices()
            .map(|vertex| {
                let resource = self.graph.shared_resource(vertex);
                let resource = self.resources.get(&resource.id).map_or(Some(resource), Option::as_ref);
                resource.map(|resource| latest.add(Arc::clone(resource)))
            })
            .collect();
        for resource in self.resources.values().flatten().filter(|resource| self.vertex(&resource.id).is_none()) {
            latest.add(Arc::clone(resource));
        }
        let find = |id: &ResourceId| latest.find(&id.kind, &id.name);
        let other: FxHashMap<(VertexId, VertexId), Option<bool>> =
            self.edges.iter().filter_map(|((from, to), notify)| Some(((find(from)?, find(to)?), *notify))).collect();
        let kept = |edge: Edge| {
            let (from, to) = (map[edge.from.index()]?, map[edge.to.index()]?);
            (!other.contains_key(&(from, to))).then_some(Edge { from, to, ..edge })
        };
        self.graph.edges().filter_map(kept).for_each(|edge| latest.add_edge(edge));
        let mut new: Vec<(VertexId, VertexId, bool)> =
            other.iter().filter_map(|((from, to), notify)| Some((*from, *to, (*notify)?))).collect();
        new.sort_unstable();
        for (from, to, notify) in new {
            latest.add_edge(Edge { from, to, notify, autoedge: false });
        }
        for flow in self.graph.sendrecv() {
            let end = |end: &Endpoint| Some(Endpoint { vertex: map[end.vertex.index()]?, key: Arc::clone(&end.key) });
            if let (Some(from), Some(to)) = (end(&flow.from), end(&flow.to)) {
                // It was valid in the graph before.
                let _ = latest.connect(from, to);
            }
        }
        latest
    }
}
