//! The relationship graph that an agent builds from a catalog (spec 07 §2).
//!
//! The input is resources with containment and relationship parameters, the output a graph without containers. Explicit
//! edges come from `require`, `subscribe`, `before` and `notify`; automatic edges by type never contradict explicit ones.
//! Then each container becomes a pair of whits (Puppet's word), `admissible_X` before and `completed_X` after its contents,
//! and the edges of the container move to them. This keeps the number of edges linear in the contents.
//!
//! Each edge has a reason, so that a cycle can be explained.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Stage, nearest};
use pp_resource_types::KnownTypes;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automatic::Automatic;
use crate::autorequire::{automatic_edges, unread_relations};
use crate::catalog::{Catalog, CatalogResource, ResourceIndex, ResourceRole};
use crate::lookup::Names;
use crate::reference::Reference;
use crate::titles::complete_titles;
use crate::value::Parameters;

/// The index of a vertex in [`Relationships::vertices`].
pub type VertexIndex = usize;

/// A vertex of the graph after container replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vertex {
    /// A plain resource.
    Resource(ResourceIndex),
    /// The start of a container.
    Admissible(ResourceIndex),
    /// The end of a container.
    Completed(ResourceIndex),
}

impl Vertex {
    /// Returns the resource or container.
    #[must_use]
    pub fn resource(self) -> ResourceIndex {
        match self {
            Vertex::Resource(i) | Vertex::Admissible(i) | Vertex::Completed(i) => i,
        }
    }
}

/// The events that an edge delivers in addition to order (spec 07 §2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// Explicit order: no event.
    Order,
    /// Automatic order: event NONE.
    Automatic,
    /// Event ALL_EVENTS, callback refresh.
    Refresh,
}

/// Why an edge exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A relationship parameter of a resource.
    Parameter(ResourceIndex, &'static str),
    /// An automatic rule of the type of a resource.
    Automatic(ResourceIndex, &'static str),
    /// The first resource contains the second.
    Contained(ResourceIndex, ResourceIndex),
    /// From the start to the end of an empty container.
    Empty(ResourceIndex),
}

/// An edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<V> {
    /// The vertex that comes first.
    pub source: V,
    /// The vertex that comes second.
    pub target: V,
    /// The events that it delivers.
    pub label: Label,
    /// Why it exists.
    pub reason: Reason,
}

/// A catalog with its graph before and after container replacement.
#[derive(Clone, Debug)]
pub struct Relationships {
    /// The catalog, with the default resources that an agent adds.
    pub catalog: Catalog,
    /// The number of resources that the catalog declares; the default resources follow.
    pub declared: usize,
    /// The edges between resources and containers.
    pub edges: Vec<Edge<ResourceIndex>>,
    /// The vertices after container replacement: resources in catalog order, then the whits.
    pub vertices: Vec<Vertex>,
    /// The edges between [`Relationships::vertices`].
    pub expanded: Vec<Edge<VertexIndex>>,
    /// Types of which not all automatic edges are known.
    pub warnings: Vec<Diagnostic>,
}

/// The parameters that make explicit edges, in the order in which they are read.
const PARAMETERS: [(&str, bool, Label); 4] = [
    ("require", true, Label::Order),
    ("subscribe", true, Label::Refresh),
    ("before", false, Label::Order),
    ("notify", false, Label::Refresh),
];

/// Builds the graph. The rules of the types of modules are those that `types` knows.
///
/// # Errors
/// One diagnostic for each reference to a resource that is missing from the catalog.
pub fn build_relationships(mut catalog: Catalog, types: &KnownTypes) -> Result<Relationships, Vec<Diagnostic>> {
    let declared = catalog.resources.len();
    add_defaults(&mut catalog);
    complete_titles(&mut catalog, types);
    let edges = {
        let names = Names::new(&catalog, types);
        let mut edges = explicit_edges(&catalog, &names)?;
        add_automatic(&catalog, &names, types, &mut edges);
        edges
    };
    let warnings = unread_relations(&catalog, types);
    let (vertices, expanded) = replace_containers(&catalog, &edges);
    Ok(Relationships { catalog, declared, edges, vertices, expanded, warnings })
}

/// Adds the schedules and the filebucket that an agent adds (spec 07 §2.1).
fn add_defaults(catalog: &mut Catalog) {
    let defaults = ["puppet", "hourly", "daily", "weekly", "monthly", "never"];
    let defaults = defaults.into_iter().map(|title| ("Schedule", title)).chain([("Filebucket", "puppet")]);
    for (type_name, title) in defaults {
        // The catalog's own declaration takes precedence.
        let _ = catalog.add(CatalogResource {
            reference: Reference::new(type_name, title),
            file: None,
            line: None,
            role: ResourceRole::Native,
            tags: Vec::new(),
            parameters: Parameters::default(),
            sensitive: Vec::new(),
        });
    }
}

fn explicit_edges(catalog: &Catalog, names: &Names<'_>) -> Result<Vec<Edge<ResourceIndex>>, Vec<Diagnostic>> {
    let mut edges = Vec::new();
    let mut errors = Vec::new();
    for (index, resource) in catalog.resources.iter().enumerate() {
        for (parameter, incoming, label) in PARAMETERS {
            let Some(value) = resource.parameter(parameter) else { continue };
            for text in value.flat_strings() {
                match Reference::parse(text).and_then(|r| names.find(&r)) {
                    Some(other) => {
                        let (source, target) = if incoming { (other, index) } else { (index, other) };
                        edges.push(Edge { source, target, label, reason: Reason::Parameter(index, parameter) });
                    }
                    None => errors.push(dangling(resource, parameter, text, catalog)),
                }
            }
        }
    }
    if errors.is_empty() { Ok(edges) } else { Err(errors) }
}

fn dangling(resource: &CatalogResource, parameter: &str, text: &str, catalog: &Catalog) -> Diagnostic {
    let origin = resource.origin().map(|o| format!(" (declared at {o})")).unwrap_or_default();
    let diagnostic = Diagnostic::error(
        Code::P0105,
        Stage::Puppet,
        format!("unknown resource {text} in `{parameter}` of {}{origin}", resource.reference),
    );
    let near = Reference::parse(text).and_then(|wanted| {
        let same_type = catalog.resources.iter().filter(|r| r.reference.type_name == wanted.type_name);
        nearest(&wanted.title, same_type.map(|r| &*r.reference.title)).map(|title| wanted.with_title(title))
    });
    diagnostic.help(match near {
        Some(near) => format!("did you mean {near}?"),
        None => "a virtual resource must be realized before others can refer to it".to_owned(),
    })
}

fn add_automatic(catalog: &Catalog, names: &Names<'_>, types: &KnownTypes, edges: &mut Vec<Edge<ResourceIndex>>) {
    let mut pairs: FxHashSet<(ResourceIndex, ResourceIndex)> = edges.iter().map(|e| (e.source, e.target)).collect();
    automatic_edges(catalog, names, types, |automatic| {
        let Automatic { source, target, resource, why, refreshes } = automatic;
        if source != target && !pairs.contains(&(source, target)) && !pairs.contains(&(target, source)) {
            pairs.insert((source, target));
            let label = if refreshes { Label::Refresh } else { Label::Automatic };
            edges.push(Edge { source, target, label, reason: Reason::Automatic(resource, why) });
        }
    });
}

fn replace_containers(catalog: &Catalog, edges: &[Edge<ResourceIndex>]) -> (Vec<Vertex>, Vec<Edge<VertexIndex>>) {
    let mut vertices: Vec<Vertex> = Vec::with_capacity(catalog.resources.len());
    let mut start: Vec<VertexIndex> = vec![0; catalog.resources.len()];
    let mut end: Vec<VertexIndex> = vec![0; catalog.resources.len()];
    for (index, resource) in catalog.resources.iter().enumerate() {
        if !resource.is_container() {
            (start[index], end[index]) = (vertices.len(), vertices.len());
            vertices.push(Vertex::Resource(index));
        }
    }
    for (index, resource) in catalog.resources.iter().enumerate() {
        if resource.is_container() {
            (start[index], end[index]) = (vertices.len(), vertices.len() + 1);
            vertices.extend([Vertex::Admissible(index), Vertex::Completed(index)]);
        }
    }
    let mut empty: Vec<bool> = catalog.resources.iter().map(CatalogResource::is_container).collect();
    let mut expanded = Vec::with_capacity(edges.len() + 2 * catalog.containment.len());
    for edge in edges {
        expanded.push(Edge {
            source: end[edge.source],
            target: start[edge.target],
            label: edge.label,
            reason: edge.reason,
        });
    }
    for &(container, content) in &catalog.containment {
        if !catalog.resources[container].is_container() {
            continue;
        }
        empty[container] = false;
        let reason = Reason::Contained(container, content);
        expanded.push(Edge { source: start[container], target: start[content], label: Label::Refresh, reason });
        expanded.push(Edge { source: end[content], target: end[container], label: Label::Refresh, reason });
    }
    for (index, _) in empty.iter().enumerate().filter(|(_, empty)| **empty) {
        let (source, target) = (start[index], end[index]);
        expanded.push(Edge { source, target, label: Label::Order, reason: Reason::Empty(index) });
    }
    (vertices, expanded)
}

impl Relationships {
    /// Returns the name of a vertex as Puppet prints it: `File[/srv]`, `admissible_Class[Ntp]`.
    #[must_use]
    pub fn name(&self, vertex: VertexIndex) -> String {
        let vertex = self.vertices[vertex];
        let reference = &self.catalog.resources[vertex.resource()].reference;
        match vertex {
            Vertex::Resource(_) => reference.to_string(),
            Vertex::Admissible(_) => format!("admissible_{reference}"),
            Vertex::Completed(_) => format!("completed_{reference}"),
        }
    }

    /// Returns the order in which an agent applies the vertices: of those that are ready, the first one in the catalog
    /// (spec 07 §2.7). Vertices on a cycle, and those that depend on them, are missing.
    #[must_use]
    pub fn apply_order(&self) -> Vec<VertexIndex> {
        use std::cmp::Reverse;
        let mut blockers = vec![0usize; self.vertices.len()];
        let mut out: Vec<Vec<VertexIndex>> = vec![Vec::new(); self.vertices.len()];
        let mut seen: FxHashSet<(VertexIndex, VertexIndex)> = FxHashSet::default();
        for edge in &self.expanded {
            if seen.insert((edge.source, edge.target)) {
                out[edge.source].push(edge.target);
                blockers[edge.target] += 1;
            }
        }
        let priority = |v: VertexIndex| Reverse((self.vertices[v].resource(), v));
        let mut ready: std::collections::BinaryHeap<_> =
            (0..self.vertices.len()).filter(|v| blockers[*v] == 0).map(priority).collect();
        let mut order = Vec::with_capacity(self.vertices.len());
        while let Some(Reverse((_, vertex))) = ready.pop() {
            order.push(vertex);
            for &next in &out[vertex] {
                blockers[next] -= 1;
                if blockers[next] == 0 {
                    ready.push(priority(next));
                }
            }
        }
        order
    }

    /// Returns all transitive dependencies of a vertex; a vertex on a cycle depends on itself.
    #[must_use]
    pub fn dependencies(&self, vertex: VertexIndex) -> Vec<VertexIndex> {
        self.closure(vertex, |e| (e.target, e.source))
    }

    /// Returns all transitive dependents of a vertex.
    #[must_use]
    pub fn dependents(&self, vertex: VertexIndex) -> Vec<VertexIndex> {
        self.closure(vertex, |e| (e.source, e.target))
    }

    fn closure(
        &self,
        from: VertexIndex,
        ends: impl Fn(&Edge<VertexIndex>) -> (VertexIndex, VertexIndex),
    ) -> Vec<VertexIndex> {
        let mut next: FxHashMap<VertexIndex, Vec<VertexIndex>> = FxHashMap::default();
        for (a, b) in self.expanded.iter().map(ends) {
            next.entry(a).or_default().push(b);
        }
        let mut reached = vec![false; self.vertices.len()];
        let mut todo = vec![from];
        while let Some(vertex) = todo.pop() {
            for &other in next.get(&vertex).map(Vec::as_slice).unwrap_or_default() {
                if !std::mem::replace(&mut reached[other], true) {
                    todo.push(other);
                }
            }
        }
        (0..self.vertices.len()).filter(|v| reached[*v]).collect()
    }

    /// Describes a vertex in a sentence.
    #[must_use]
    pub fn describe(&self, vertex: VertexIndex) -> String {
        let vertex = self.vertices[vertex];
        let reference = &self.catalog.resources[vertex.resource()].reference;
        match vertex {
            Vertex::Resource(_) => reference.to_string(),
            Vertex::Admissible(_) => format!("the start of {reference}"),
            Vertex::Completed(_) => format!("the end of {reference}"),
        }
    }

    /// Explains why an edge exists.
    #[must_use]
    pub fn explain(&self, reason: Reason) -> String {
        let location = |r: &CatalogResource| r.origin().map(|o| format!(" at {o}")).unwrap_or_default();
        match reason {
            Reason::Parameter(by, parameter) => {
                let by = &self.catalog.resources[by];
                format!("`{parameter}` of {}{}", by.reference, location(by))
            }
            Reason::Automatic(by, why) => format!("{} {why}", self.catalog.resources[by].reference),
            Reason::Contained(container, content) => format!(
                "{} is contained in {}",
                self.catalog.resources[content].reference, self.catalog.resources[container].reference
            ),
            Reason::Empty(container) => format!("{} is empty", self.catalog.resources[container].reference),
        }
    }

    /// Returns the origin of a vertex's resource.
    #[must_use]
    pub fn origin(&self, vertex: VertexIndex) -> Option<Arc<str>> {
        self.catalog.resources[self.vertices[vertex].resource()].origin().map(Arc::from)
    }
}
