//! The output formats of relationship graphs and translated graphs.

use std::fmt::Write;

use resource_graph::{MASK, ResourceGraph, is_sensitive};
use serde_json::{Map, Value as Json, json};

use crate::relationships::{Label, Relationships};
use crate::translate::Translation;

fn event(label: Label) -> (Option<&'static str>, Option<&'static str>) {
    match label {
        Label::Order => (None, None),
        Label::Automatic => (Some("NONE"), None),
        Label::Refresh => (Some("ALL_EVENTS"), Some("refresh")),
    }
}

/// Returns the expanded graph as JSON: the names of the vertices, and the edges with event and callback.
#[must_use]
pub fn relationships_json(graph: &Relationships) -> Json {
    let names: Vec<String> = (0..graph.vertices.len()).map(|v| graph.name(v)).collect();
    let edges: Vec<Json> = graph
        .expanded
        .iter()
        .map(|edge| {
            let mut object = Map::new();
            object.insert("source".to_owned(), Json::from(names[edge.source].as_str()));
            object.insert("target".to_owned(), Json::from(names[edge.target].as_str()));
            let (event, callback) = event(edge.label);
            for (key, value) in [("event", event), ("callback", callback)] {
                object.extend(value.map(|v| (key.to_owned(), Json::from(v))));
            }
            Json::Object(object)
        })
        .collect();
    json!({ "vertices": names, "edges": edges })
}

/// Formats the graph as text: one vertex per line, then one edge per line with its reason.
#[must_use]
pub fn relationships_text(graph: &Relationships) -> String {
    let mut out = String::new();
    for vertex in 0..graph.vertices.len() {
        let _ = writeln!(out, "{}", graph.name(vertex));
    }
    for edge in &graph.expanded {
        let arrow = if edge.label == Label::Refresh { "=>" } else { "->" };
        let (source, target) = (graph.name(edge.source), graph.name(edge.target));
        let _ = writeln!(out, "{source} {arrow} {target}  # {}", graph.explain(edge.reason));
    }
    out
}

/// Formats the graph in the dot language of Graphviz: bold edges refresh, dashed edges are automatic.
#[must_use]
pub fn relationships_dot(graph: &Relationships) -> String {
    let mut out = String::from("digraph relationships {\n    node [shape=box];\n");
    for vertex in 0..graph.vertices.len() {
        let _ = writeln!(out, "    n{vertex} [label={}];", quoted(&graph.name(vertex)));
    }
    for edge in &graph.expanded {
        let style = match edge.label {
            Label::Order => "",
            Label::Automatic => " [style=dashed]",
            Label::Refresh => " [style=bold]",
        };
        let _ = writeln!(out, "    n{} -> n{}{style};", edge.source, edge.target);
    }
    out.push_str("}\n");
    out
}

/// Quotes a string in the dot language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Formats the translated graph in the YAML format of resource graphs (spec 06 §10), with meta parameters in a `meta` map
/// and masked secrets.
#[must_use]
pub fn graph_yaml(translation: &Translation, name: &str) -> String {
    let graph = &translation.graph;
    let mut by_kind: Map<String, Json> = Map::new();
    let described = resource_graph::json(graph);
    let entries = described["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    for ((_, resource), described) in graph.resources().zip(entries) {
        let mut entry = Map::new();
        entry.insert("name".to_owned(), Json::from(&*resource.id.name));
        for (key, value) in &resource.params {
            let shown = if is_sensitive(resource, key) { Json::from(MASK) } else { value.to_json() };
            entry.insert(key.to_string(), shown);
        }
        if let Some(meta) = described["meta"].as_object().filter(|m| !m.is_empty()) {
            entry.insert("meta".to_owned(), Json::Object(meta.clone()));
        }
        let list = by_kind.entry(resource.id.kind.to_string()).or_insert_with(|| Json::Array(Vec::new()));
        if let Json::Array(list) = list {
            list.push(Json::Object(entry));
        }
    }
    let document = json!({
        "graph": name,
        "comment": format!("generated from puppet catalog for {name}"),
        "resources": by_kind,
        "edges": edges(graph),
    });
    // Serialising plain JSON values to memory cannot fail.
    serde_norway::to_string(&document).unwrap_or_default()
}

fn edges(graph: &ResourceGraph) -> Vec<Json> {
    graph
        .edges()
        .map(|edge| {
            let (from, to) = (&graph.resource(edge.from).id, &graph.resource(edge.to).id);
            let mut object = json!({
                "name": format!("{from} -> {to}"),
                "from": { "kind": &*from.kind, "name": &*from.name },
                "to": { "kind": &*to.kind, "name": &*to.name },
            });
            if let (true, Some(object)) = (edge.notify, object.as_object_mut()) {
                object.insert("notify".to_owned(), Json::Bool(true));
            }
            object
        })
        .collect()
}
