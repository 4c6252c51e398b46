//! Resources and the graph of them.

use std::sync::Arc;

use indexmap::IndexMap;
use mcl_diagnostics::Span;
use mcl_value::Value;

use crate::Meta;

/// Index of a vertex in [`ResourceGraph::resources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VertexId(pub u32);

/// Kind and name: what identifies a resource for people.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId {
    /// The kind.
    pub kind: Arc<str>,
    /// The name.
    pub name: Arc<str>,
}

impl std::fmt::Display for ResourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.kind, self.name)
    }
}

/// One resource with the parameters that were set.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Kind and name.
    pub id: ResourceId,
    /// The parameters that the program set, under their mcl names, in source order.
    pub params: IndexMap<Arc<str>, Value, rustc_hash::FxBuildHasher>,
    /// The meta parameters.
    pub meta: Meta,
    /// The names of the meta parameters that the program set (`graph` prints those that are not at their default).
    pub sensitive: Vec<Arc<str>>,
    /// The statement that made it, in the files of its program.
    pub span: Option<Span>,
    /// Whether a refresh that arrives goes on over its own notify edges: set for the starts and ends of Puppet's containers.
    pub relay: bool,
    /// Where it came from when there is no span: `site.pp:12` for Puppet.
    pub origin: Option<Arc<str>>,
}

/// An ordering edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// First.
    pub from: VertexId,
    /// Then.
    pub to: VertexId,
    /// Whether a change of `from` refreshes `to`.
    pub notify: bool,
    /// Made by the autoedge algorithm.
    pub autoedge: bool,
}

/// One end of a send/recv pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The resource.
    pub vertex: VertexId,
    /// The key or field.
    pub key: Arc<str>,
}

/// A value that flows from one resource to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendRecv {
    /// The sender and its key.
    pub from: Endpoint,
    /// The receiver and its field.
    pub to: Endpoint,
}

/// A resource graph before grouping. Vertices and edges keep the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct ResourceGraph {
    /// The vertices.
    pub resources: Vec<Resource>,
    /// At most one edge for each ordered pair; a repeated one has its notify flags ORed.
    pub edges: Vec<Edge>,
    /// Values that flow.
    pub sendrecv: Vec<SendRecv>,
}
