//! Resources and the graph of them.

use std::sync::Arc;

use indexmap::{Equivalent, IndexMap};
use mcl_diagnostics::Span;
use mcl_value::Value;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use petgraph::{Direction, Incoming, Outgoing};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::{ParamMap, SharedMeta};

/// The id of a vertex of one [`ResourceGraph`]: the number of resources that were added before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VertexId(pub u32);

impl VertexId {
    /// Returns the number, to index side tables.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    fn node(self) -> NodeIndex {
        NodeIndex::new(self.index())
    }
}

impl From<NodeIndex> for VertexId {
    fn from(node: NodeIndex) -> VertexId {
        VertexId(node.index() as u32)
    }
}

/// The kind and name that identify a resource for people.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId {
    /// The kind.
    pub kind: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

impl ResourceId {
    /// Creates an id.
    pub fn new(kind: impl Into<Arc<str>>, name: impl Into<Arc<str>>) -> ResourceId {
        ResourceId { kind: kind.into(), name: name.into() }
    }
}

impl std::fmt::Display for ResourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.kind, self.name)
    }
}

/// A borrowed [`ResourceId`], for lookups.
#[derive(Hash)]
struct IdRef<'a> {
    kind: &'a str,
    name: &'a str,
}

impl Equivalent<ResourceId> for IdRef<'_> {
    fn equivalent(&self, id: &ResourceId) -> bool {
        *id.name == *self.name && *id.kind == *self.kind
    }
}

/// A resource with the parameters that are set.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The kind and name.
    pub id: ResourceId,
    /// The parameters that the program set, under their mcl names, in source order.
    pub params: ParamMap,
    /// The meta parameters.
    pub meta: SharedMeta,
    /// The names of the parameters whose values are secret, and masked wherever they are shown to people.
    pub sensitive: Vec<Arc<str>>,
    /// The statement that declares it.
    pub span: Option<Span>,
    /// Whether it propagates refreshes over its own notifying edges without a change: set for merge points and for the starts
    /// and ends of Puppet's containers.
    pub propagates_refresh: bool,
    /// The origin of a resource without a span, such as `site.pp:12` for Puppet.
    pub origin: Option<Arc<str>>,
}

impl Resource {
    /// Creates a resource without parameters.
    #[must_use]
    pub fn new(id: ResourceId) -> Resource {
        Resource {
            id,
            params: ParamMap::default(),
            meta: SharedMeta::default(),
            sensitive: Vec::new(),
            span: None,
            propagates_refresh: false,
            origin: None,
        }
    }

    /// Sets a parameter.
    #[must_use]
    pub fn with(mut self, param: &str, value: impl Into<Value>) -> Resource {
        self.params.insert(param.into(), value.into());
        self
    }
}

/// An ordering edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The vertex that comes first.
    pub from: VertexId,
    /// The vertex that comes second.
    pub to: VertexId,
    /// Whether a change of `from` refreshes `to`.
    pub notify: bool,
    /// Whether it was added only by the autoedge algorithm.
    pub autoedge: bool,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    notify: bool,
    autoedge: bool,
}

/// One end of a send/recv pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The resource.
    pub vertex: VertexId,
    /// The key or field.
    pub key: Arc<str>,
}

/// A value that is sent from one resource to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendRecv {
    /// The sender and its key.
    pub from: Endpoint,
    /// The receiver and its field.
    pub to: Endpoint,
}

/// The vertices with one id: a chain through [`ResourceGraph::next_with_id`].
#[derive(Clone, Copy, Debug)]
struct Namesakes {
    first: VertexId,
    last: VertexId,
    visible: Option<VertexId>,
}

/// A resource graph before grouping. Vertices and edges are in the order of insertion, with at most one edge per ordered pair
/// of vertices.
#[derive(Clone, Debug, Default)]
pub struct ResourceGraph {
    /// Resources are shared between the graph and the engines.
    graph: DiGraph<Arc<Resource>, Link>,
    /// The vertices with an id. Hidden resources may share one with others.
    by_id: IndexMap<ResourceId, Namesakes, FxBuildHasher>,
    /// The next vertex with the same id.
    next_with_id: FxHashMap<VertexId, VertexId>,
    /// The edge of each pair of vertices.
    by_pair: FxHashMap<(VertexId, VertexId), EdgeIndex>,
    /// The automatic edges that contradict the declared order.
    omitted: Vec<Edge>,
    sendrecv: Vec<SendRecv>,
    /// The index in `sendrecv` of each receiving field.
    receivers: FxHashMap<Endpoint, u32>,
    /// The vertex that exports an id to a host.
    exporters: FxHashMap<(ResourceId, String), VertexId>,
}

impl ResourceGraph {
    /// An empty graph.
    #[must_use]
    pub fn new() -> ResourceGraph {
        ResourceGraph::default()
    }

    /// Reserves capacity for additional resources and edges.
    pub fn reserve(&mut self, resources: usize, edges: usize) {
        self.graph.reserve_exact_nodes(resources);
        self.by_id.reserve_exact(resources);
        self.graph.reserve_exact_edges(edges);
        self.by_pair.reserve(edges);
    }

    /// Returns the number of resources.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Returns whether there are no resources.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns every vertex, in the order of insertion.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = VertexId> + DoubleEndedIterator + use<> {
        (0..self.len() as u32).map(VertexId)
    }

    /// Returns every vertex with its resource, in the order of insertion.
    pub fn resources(&self) -> impl Iterator<Item = (VertexId, &Resource)> {
        self.vertices().zip(self.graph.node_weights().map(|resource| &**resource))
    }

    /// Returns the resource of a vertex of this graph.
    #[must_use]
    pub fn resource(&self, vertex: VertexId) -> &Resource {
        &self.graph[vertex.node()]
    }

    /// Returns the shared resource of a vertex.
    #[must_use]
    pub fn shared_resource(&self, vertex: VertexId) -> &Arc<Resource> {
        &self.graph[vertex.node()]
    }

    /// Returns the resource for a change of parameters or meta parameters. Its id must not change. Other owners keep the
    /// unchanged resource.
    pub fn resource_mut(&mut self, vertex: VertexId) -> &mut Resource {
        Arc::make_mut(&mut self.graph[vertex.node()])
    }

    /// Replaces the resource of a vertex by one with the same id, and with the same `hidden` and `export`.
    pub fn replace(&mut self, vertex: VertexId, resource: Arc<Resource>) {
        self.graph[vertex.node()] = resource;
    }

    /// Returns the vertices with this kind and name, in the order of insertion; at most one is not hidden.
    pub fn find_all(&self, kind: &str, name: &str) -> impl Iterator<Item = VertexId> {
        let first = self.by_id.get(&IdRef { kind, name }).map(|n| n.first);
        std::iter::successors(first, |v| self.next_with_id.get(v).copied())
    }

    /// Returns the ids that several vertices have, perhaps more than once.
    pub fn ids_of_several_vertices(&self) -> impl Iterator<Item = &ResourceId> {
        self.next_with_id.keys().map(|vertex| &self.resource(*vertex).id)
    }

    /// Returns the vertex with this kind and name, preferably one that is not hidden.
    #[must_use]
    pub fn find(&self, kind: &str, name: &str) -> Option<VertexId> {
        self.by_id.get(&IdRef { kind, name }).map(|n| n.visible.unwrap_or(n.first))
    }

    /// Returns the vertex with this id that is not hidden.
    pub(crate) fn visible(&self, id: &ResourceId) -> Option<VertexId> {
        self.by_id.get(id).and_then(|n| n.visible)
    }

    /// Adds a resource without a check for duplicates; see [`ResourceGraph::insert`].
    ///
    /// # Panics
    /// The graph has 2³² resources already.
    pub fn add(&mut self, resource: impl Into<Arc<Resource>>) -> VertexId {
        let resource = resource.into();
        let (id, hidden) = (resource.id.clone(), resource.meta.hidden);
        let vertex = VertexId::from(self.graph.add_node(resource));
        let fresh = Namesakes { first: vertex, last: vertex, visible: None };
        let namesakes = self.by_id.entry(id).or_insert(fresh);
        if namesakes.last != vertex {
            self.next_with_id.insert(namesakes.last, vertex);
            namesakes.last = vertex;
        }
        if !hidden {
            namesakes.visible = namesakes.visible.or(Some(vertex));
        }
        vertex
    }

    /// Adds an edge, or merges it with the existing one: the edge notifies if either does, and is automatic if both are.
    pub fn add_edge(&mut self, edge: Edge) {
        match self.by_pair.get(&(edge.from, edge.to)) {
            Some(&index) => {
                let link = &mut self.graph[index];
                link.notify |= edge.notify;
                link.autoedge &= edge.autoedge;
            }
            None => {
                let link = Link { notify: edge.notify, autoedge: edge.autoedge };
                let index = self.graph.add_edge(edge.from.node(), edge.to.node(), link);
                self.by_pair.insert((edge.from, edge.to), index);
            }
        }
    }

    /// Adds an edge that only orders.
    pub fn order(&mut self, from: VertexId, to: VertexId) {
        self.add_edge(Edge { from, to, notify: false, autoedge: false });
    }

    /// Returns the automatic edges that are not in the graph because they contradict the declared order.
    #[must_use]
    pub fn omitted(&self) -> &[Edge] {
        &self.omitted
    }

    /// Removes the edges of these pairs and remembers them as omitted. The others keep their order.
    pub(crate) fn omit(&mut self, pairs: &FxHashSet<(VertexId, VertexId)>) {
        if pairs.is_empty() {
            return;
        }
        let (omitted, kept): (Vec<Edge>, Vec<Edge>) =
            self.edges().partition(|edge| pairs.contains(&(edge.from, edge.to)));
        self.graph.clear_edges();
        self.by_pair.clear();
        kept.into_iter().for_each(|edge| self.add_edge(edge));
        self.omitted.extend(omitted);
    }

    /// Returns the number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// Returns every edge, in the order of insertion.
    pub fn edges(&self) -> impl Iterator<Item = Edge> + Clone {
        self.graph.edge_references().map(edge)
    }

    /// Returns the edge of a pair.
    #[must_use]
    pub fn edge_between(&self, from: VertexId, to: VertexId) -> Option<Edge> {
        let link = self.graph[*self.by_pair.get(&(from, to))?];
        Some(Edge { from, to, notify: link.notify, autoedge: link.autoedge })
    }

    /// Returns the edges that start at a vertex, the last one first.
    pub fn outgoing(&self, vertex: VertexId) -> impl Iterator<Item = Edge> {
        self.graph.edges_directed(vertex.node(), Outgoing).map(edge)
    }

    /// Returns the edges that end at a vertex, the last one first.
    pub fn incoming(&self, vertex: VertexId) -> impl Iterator<Item = Edge> {
        self.graph.edges_directed(vertex.node(), Incoming).map(edge)
    }

    /// Returns the targets of the outgoing edges.
    pub fn successors(&self, vertex: VertexId) -> impl Iterator<Item = VertexId> {
        self.neighbours(vertex, Outgoing)
    }

    /// Returns the sources of the incoming edges.
    pub fn predecessors(&self, vertex: VertexId) -> impl Iterator<Item = VertexId> {
        self.neighbours(vertex, Incoming)
    }

    fn neighbours(&self, vertex: VertexId, direction: Direction) -> impl Iterator<Item = VertexId> {
        self.graph.neighbors_directed(vertex.node(), direction).map(VertexId::from)
    }

    /// Returns the send/recv pairs, in the order of insertion.
    #[must_use]
    pub fn sendrecv(&self) -> &[SendRecv] {
        &self.sendrecv
    }

    /// Returns the sender of a field.
    #[must_use]
    pub(crate) fn sender_of(&self, receiver: &Endpoint) -> Option<&Endpoint> {
        self.receivers.get(receiver).map(|i| &self.sendrecv[*i as usize].from)
    }

    /// Returns the vertex that exports an id to a host.
    pub(crate) fn exporter(&self, id: &ResourceId, host: &str) -> Option<VertexId> {
        // Almost no program exports anything: avoid the allocation of a key.
        if self.exporters.is_empty() {
            return None;
        }
        self.exporters.get(&(id.clone(), host.to_owned())).copied()
    }

    /// Records the first vertex that exports an id to a host.
    pub(crate) fn record_exporter(&mut self, id: ResourceId, host: &str, vertex: VertexId) {
        self.exporters.entry((id, host.to_owned())).or_insert(vertex);
    }

    /// Records a send/recv pair without checks. Returns false if the field has another sender.
    pub(crate) fn record_flow(&mut self, flow: SendRecv) -> bool {
        if let Some(sender) = self.sender_of(&flow.to) {
            return *sender == flow.from;
        }
        self.receivers.insert(flow.to.clone(), self.sendrecv.len() as u32);
        self.sendrecv.push(flow);
        true
    }
}

fn edge(reference: petgraph::graph::EdgeReference<'_, Link>) -> Edge {
    let Link { notify, autoedge } = *reference.weight();
    Edge { from: reference.source().into(), to: reference.target().into(), notify, autoedge }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noop(name: &str) -> Resource {
        Resource::new(ResourceId::new("noop", name))
    }

    #[test]
    fn repeated_edges_are_one_and_keep_the_notification() {
        let mut g = ResourceGraph::new();
        let (a, b) = (g.add(noop("a")), g.add(noop("b")));
        g.add_edge(Edge { from: a, to: b, notify: false, autoedge: true });
        g.add_edge(Edge { from: a, to: b, notify: true, autoedge: false });
        g.add_edge(Edge { from: a, to: b, notify: false, autoedge: true });
        assert_eq!(g.edges().collect::<Vec<_>>(), [Edge { from: a, to: b, notify: true, autoedge: false }]);
        assert_eq!(g.edge_between(b, a), None);
    }

    #[test]
    fn a_hidden_resource_shares_its_id() {
        let mut g = ResourceGraph::new();
        let mut hidden = noop("a");
        hidden.meta.hidden = true;
        let (first, second, third) = (g.add(hidden.clone()), g.add(noop("a")), g.add(hidden));
        assert_eq!(g.find("noop", "a"), Some(second));
        assert_eq!(g.find_all("noop", "a").collect::<Vec<_>>(), [first, second, third]);
        assert_eq!(g.find("noop", "b"), None);
    }
}
