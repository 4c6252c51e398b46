//! The serialized form of a resource graph: plain values, and vertices by position.
//!
//! Function values cannot be stored; no resource of a translated catalog has one.

use std::sync::Arc;

use mcl_value::Value;
use serde::{Deserialize, Serialize};

use crate::{Edge, Meta, Resource, ResourceGraph, ResourceId, VertexId};

/// A serialized graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredGraph {
    /// The resources in vertex order.
    pub resources: Vec<StoredResource>,
    /// The edges.
    pub edges: Vec<StoredEdge>,
}

/// A serialized edge.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredEdge {
    /// The index of the resource that comes first.
    pub from: u32,
    /// The index of the resource that comes second.
    pub to: u32,
    /// See [`Edge::notify`].
    pub notify: bool,
    /// See [`Edge::autoedge`].
    pub autoedge: bool,
}

/// A serialized resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResource {
    /// The kind.
    pub kind: Arc<str>,
    /// The name.
    pub name: Arc<str>,
    /// The parameters in order.
    pub params: Vec<(Arc<str>, StoredValue)>,
    /// The meta parameters.
    pub meta: Meta,
    /// The names of secret parameters.
    pub sensitive: Vec<Arc<str>>,
    /// See [`Resource::propagates_refresh`].
    pub propagates_refresh: bool,
    /// See [`Resource::origin`].
    pub origin: Option<Arc<str>>,
}

/// A serialized value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the variants are those of `Value`")]
pub enum StoredValue {
    Bool(bool),
    Int(i64),
    /// The bits of the binary64.
    Float(u64),
    Str(Vec<u8>),
    List(Vec<StoredValue>),
    Map(Vec<(StoredValue, StoredValue)>),
    Struct(Vec<(Arc<str>, StoredValue)>),
}

/// Why a graph cannot be stored or restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredError {
    /// An edge refers to a missing vertex.
    DanglingEdge,
    /// A value contains a function.
    Function,
}

impl std::fmt::Display for StoredError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            StoredError::DanglingEdge => "an edge refers to a missing resource",
            StoredError::Function => "a parameter contains a function, which cannot be stored",
        })
    }
}

impl std::error::Error for StoredError {}

impl StoredGraph {
    /// Serializes a graph without its spans, which refer to sources that are not stored, and without send/recv, which only
    /// programs have.
    ///
    /// # Errors
    /// A parameter contains a function.
    pub fn of(graph: &ResourceGraph) -> Result<StoredGraph, StoredError> {
        let mut resources = Vec::with_capacity(graph.len());
        for (_, resource) in graph.resources() {
            let mut params = Vec::with_capacity(resource.params.len());
            for (key, value) in &resource.params {
                params.push((key.clone(), stored(value)?));
            }
            resources.push(StoredResource {
                kind: resource.id.kind.clone(),
                name: resource.id.name.clone(),
                params,
                meta: (*resource.meta).clone(),
                sensitive: resource.sensitive.clone(),
                propagates_refresh: resource.propagates_refresh,
                origin: resource.origin.clone(),
            });
        }
        let edges =
            graph.edges().map(|e| StoredEdge { from: e.from.0, to: e.to.0, notify: e.notify, autoedge: e.autoedge });
        Ok(StoredGraph { resources, edges: edges.collect() })
    }

    /// Restores the graph.
    ///
    /// # Errors
    /// An edge refers to a missing vertex: the file is corrupted.
    pub fn graph(&self) -> Result<ResourceGraph, StoredError> {
        let mut graph = ResourceGraph::new();
        for stored in &self.resources {
            let mut resource = Resource::new(ResourceId::new(stored.kind.clone(), stored.name.clone()));
            resource.params = stored.params.iter().map(|(k, v)| (k.clone(), value(v))).collect();
            resource.meta = stored.meta.clone().into();
            resource.sensitive.clone_from(&stored.sensitive);
            resource.propagates_refresh = stored.propagates_refresh;
            resource.origin.clone_from(&stored.origin);
            graph.add(resource);
        }
        let count = self.resources.len() as u32;
        for &StoredEdge { from, to, notify, autoedge } in &self.edges {
            if from >= count || to >= count {
                return Err(StoredError::DanglingEdge);
            }
            graph.add_edge(Edge { from: VertexId(from), to: VertexId(to), notify, autoedge });
        }
        Ok(graph)
    }
}

fn stored(value: &Value) -> Result<StoredValue, StoredError> {
    Ok(match value {
        Value::Bool(v) => StoredValue::Bool(*v),
        Value::Int(v) => StoredValue::Int(*v),
        Value::Float(v) => StoredValue::Float(v.to_bits()),
        Value::Str(v) => StoredValue::Str(v.as_bytes().to_vec()),
        Value::List(v) => StoredValue::List(v.iter().map(stored).collect::<Result<_, _>>()?),
        Value::Map(v) => {
            StoredValue::Map(v.iter().map(|(k, v)| Ok((stored(k)?, stored(v)?))).collect::<Result<_, _>>()?)
        }
        Value::Struct(v) => {
            let fields = v.fields.iter().map(|(k, v)| Ok((k.clone(), stored(v)?)));
            StoredValue::Struct(fields.collect::<Result<_, _>>()?)
        }
        Value::Func(_) | Value::Nil => return Err(StoredError::Function),
    })
}

fn value(stored: &StoredValue) -> Value {
    match stored {
        StoredValue::Bool(v) => Value::Bool(*v),
        StoredValue::Int(v) => Value::Int(*v),
        StoredValue::Float(v) => Value::Float(f64::from_bits(*v)),
        StoredValue::Str(v) => Value::str(v.clone()),
        StoredValue::List(v) => Value::list(v.iter().map(value)),
        StoredValue::Map(v) => Value::map(v.iter().map(|(k, v)| (value(k), value(v)))),
        StoredValue::Struct(v) => Value::strukt(v.iter().map(|(k, v)| (k.clone(), value(v)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_survives_storing() {
        let mut graph = ResourceGraph::new();
        let a = graph.add(
            Resource::new(ResourceId::new("file", "/a"))
                .with("content", Value::str("x"))
                .with("n", Value::map([(Value::str("k"), Value::list([Value::Int(1), Value::Float(0.5)]))])),
        );
        let b = graph.add(Resource::new(ResourceId::new("noop", "b")));
        graph.add_edge(Edge { from: a, to: b, notify: true, autoedge: false });
        let stored = StoredGraph::of(&graph).expect("no functions");
        let again = stored.graph().expect("valid edges");
        assert_eq!(StoredGraph::of(&again), Ok(stored));
        assert_eq!(again.resource(a).params, graph.resource(a).params);
    }

    #[test]
    fn an_edge_to_a_missing_resource_is_rejected() {
        let stored = StoredGraph {
            resources: Vec::new(),
            edges: vec![StoredEdge { from: 0, to: 1, notify: false, autoedge: false }],
        };
        assert_eq!(stored.graph().err(), Some(StoredError::DanglingEdge));
    }
}
