//! The output formats of a graph: JSON for programs, text and dot for people.

use std::cell::RefCell;
use std::fmt::Write;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use crate::sensitive::{MASK, is_sensitive};
use crate::{Edge, META_FIELDS, Meta, Resource, ResourceGraph};

/// Returns the graph as JSON: the parameters that are set, and the meta parameters that differ from their default. Values of
/// parameters that the resource marks as secret are masked. `omitted` holds the automatic edges that contradict the others.
#[must_use]
pub fn json(graph: &ResourceGraph) -> Json {
    // Plain data with string keys can always be serialized.
    serde_json::to_value(Document(graph)).unwrap_or_default()
}

/// Formats the graph as JSON on one line, without an intermediate tree.
#[must_use]
pub fn json_text(graph: &ResourceGraph) -> String {
    serde_json::to_string(&Document(graph)).unwrap_or_default()
}

struct Document<'a>(&'a ResourceGraph);

#[derive(Serialize)]
struct Id<'a> {
    kind: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
struct ResourceJson<'a> {
    kind: &'a str,
    name: &'a str,
    params: ParamsJson<'a>,
    meta: Map<String, Json>,
}

struct ParamsJson<'a>(&'a Resource);

#[derive(Serialize)]
struct EdgeJson<'a> {
    from: Id<'a>,
    to: Id<'a>,
    notify: bool,
    autoedge: bool,
}

#[derive(Serialize)]
struct PairJson<'a> {
    from: Id<'a>,
    to: Id<'a>,
}

#[derive(Serialize)]
struct FlowJson<'a> {
    from: Id<'a>,
    from_key: &'a str,
    to: Id<'a>,
    to_key: &'a str,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = self.0;
        let id = |v| {
            let id = &graph.resource(v).id;
            Id { kind: &id.kind, name: &id.name }
        };
        let resources = graph.resources().map(|(_, r)| ResourceJson {
            kind: &r.id.kind,
            name: &r.id.name,
            params: ParamsJson(r),
            meta: meta_json(&r.meta),
        });
        let edges =
            graph.edges().map(|e| EdgeJson { from: id(e.from), to: id(e.to), notify: e.notify, autoedge: e.autoedge });
        let flows = graph.sendrecv().iter().map(|s| FlowJson {
            from: id(s.from.vertex),
            from_key: &s.from.key,
            to: id(s.to.vertex),
            to_key: &s.to.key,
        });
        let omitted = graph.omitted().iter().map(|e| PairJson { from: id(e.from), to: id(e.to) });
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("resources", &Sequence(RefCell::new(resources)))?;
        map.serialize_entry("edges", &Sequence(RefCell::new(edges)))?;
        map.serialize_entry("omitted", &Sequence(RefCell::new(omitted)))?;
        map.serialize_entry("sendrecv", &Sequence(RefCell::new(flows)))?;
        map.end()
    }
}

impl Serialize for ParamsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let resource = self.0;
        serializer.collect_map(resource.params.iter().map(|(name, value)| {
            let secret = is_sensitive(resource, name);
            (&**name, if secret { Json::from(MASK) } else { value.to_json() })
        }))
    }
}

/// An iterator that is serialized once.
struct Sequence<I>(RefCell<I>);

impl<I: Iterator<Item: Serialize>> Serialize for Sequence<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.borrow_mut().by_ref())
    }
}

/// Returns the meta parameters that differ from their default, in the order of the table.
fn meta_json(meta: &Meta) -> Map<String, Json> {
    let default = Meta::default();
    if *meta == default {
        return Map::new();
    }
    let fields = META_FIELDS.iter().map(|field| (field.name, field.json(meta), field.json(&default)));
    fields.filter(|(_, value, default)| value != default).map(|(name, value, _)| (name.to_owned(), value)).collect()
}

/// Formats the graph as text: the resources in the order of the program, then edges, then the omitted automatic edges as
/// comments, then send/recv. Secrets are masked.
#[must_use]
pub fn text(graph: &ResourceGraph) -> String {
    sections(graph).concat().concat()
}

/// Formats the graph as [`text`] does, with its resources, and what follows them, sorted: equal graphs have the same text,
/// whatever the order of the program is.
#[must_use]
pub fn sorted_text(graph: &ResourceGraph) -> String {
    let mut sections = sections(graph);
    sections.iter_mut().for_each(|section| section.sort_unstable());
    sections.concat().concat()
}

/// Returns the resources, the edges, the omitted automatic edges, and send/recv, each as text.
fn sections(graph: &ResourceGraph) -> [Vec<String>; 4] {
    let id = |vertex| &graph.resource(vertex).id;
    let resource = |resource: &Resource| {
        let mut out = format!("{}\n", resource.id);
        for (name, value) in parameters(resource) {
            let _ = writeln!(out, "    {name} => {value}");
        }
        out
    };
    let edge = |edge: Edge| {
        let arrow = if edge.notify { "=>" } else { "->" };
        let note = if edge.autoedge { "  # automatic" } else { "" };
        format!("{} {arrow} {}{note}\n", id(edge.from), id(edge.to))
    };
    let omitted = graph.omitted().iter();
    let flows = graph.sendrecv().iter();
    [
        graph.resources().map(|(_, r)| resource(r)).collect(),
        graph.edges().map(edge).collect(),
        omitted.map(|e| format!("# omitted, contradicts other edges: {} -> {}\n", id(e.from), id(e.to))).collect(),
        flows
            .map(|flow| {
                let (from, to) = (&flow.from, &flow.to);
                format!("{}.{} -> {}.{}\n", id(from.vertex), from.key, id(to.vertex), to.key)
            })
            .collect(),
    ]
}

fn parameters(resource: &Resource) -> impl Iterator<Item = (String, String)> {
    let params = resource.params.iter().map(|(name, value)| {
        let secret = is_sensitive(resource, name);
        (name.to_string(), if secret { MASK.to_owned() } else { value.to_json().to_string() })
    });
    params.chain(meta_json(&resource.meta).into_iter().map(|(name, value)| (format!("Meta:{name}"), value.to_string())))
}

/// Formats the graph in the dot language of Graphviz: bold edges notify, dashed edges are automatic, dotted edges send
/// values, gray edges are omitted.
#[must_use]
pub fn dot(graph: &ResourceGraph) -> String {
    let mut out = String::from("digraph resources {\n    newrank=true;\n    node [shape=box];\n");
    for (vertex, resource) in graph.resources() {
        let style = if resource.meta.hidden { ", style=dashed" } else { "" };
        let _ = writeln!(out, "    n{} [label={}{style}];", vertex.0, quoted(&resource.id.to_string()));
    }
    for edge in graph.edges() {
        let style = match (edge.notify, edge.autoedge) {
            (true, _) => " [style=bold, label=notify]",
            (false, true) => " [style=dashed]",
            (false, false) => "",
        };
        let _ = writeln!(out, "    n{} -> n{}{style};", edge.from.0, edge.to.0);
    }
    for edge in graph.omitted() {
        let _ = writeln!(out, "    n{} -> n{} [style=dashed, color=gray, constraint=false];", edge.from.0, edge.to.0);
    }
    for flow in graph.sendrecv() {
        let label = quoted(&format!("{} -> {}", flow.from.key, flow.to.key));
        let _ = writeln!(out, "    n{} -> n{} [style=dotted, label={label}];", flow.from.vertex.0, flow.to.vertex.0);
    }
    out.push_str("}\n");
    out
}

/// Quotes a string in the dot language, in which only `"` and `\` are special.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;
    use crate::{EdgeRanks, Endpoint, ResourceId};

    fn sample() -> ResourceGraph {
        let mut g = ResourceGraph::new();
        let e = g.add(Resource::new(ResourceId::new("exec", "e\"")));
        let mut file = Resource::new(ResourceId::new("file", "/f"))
            .with("state", "exists")
            .with("fragments", Value::list(["/a"]))
            .with("content", "secret");
        file.meta.retry = -1;
        file.meta.limit = 4.5;
        file.sensitive.push("content".into());
        let f = g.add(file);
        g.add_edge(Edge { from: e, to: f, notify: true, autoedge: false });
        g.add_edge(Edge { from: f, to: e, notify: false, autoedge: true });
        let end = |vertex, key: &str| Endpoint { vertex, key: key.into() };
        g.connect(end(e, "stdout"), end(f, "content")).unwrap();
        g
    }

    #[test]
    fn secrets_are_masked_in_every_format() {
        let mut graph = ResourceGraph::new();
        let mut file = Resource::new(ResourceId::new("file", "/a")).with("content", Value::str("s3cret"));
        file.sensitive.push("content".into());
        graph.add(file);
        for shown in [json_text(&graph), json(&graph).to_string(), text(&graph), dot(&graph)] {
            assert!(!shown.contains("s3cret"), "{shown}");
        }
    }

    #[test]
    fn json_contains_the_parameters_that_are_set() {
        let expected = serde_json::json!({
            "resources": [
                {"kind": "exec", "name": "e\"", "params": {}, "meta": {}},
                {"kind": "file", "name": "/f",
                 "params": {"state": "exists", "fragments": ["/a"], "content": MASK},
                 "meta": {"retry": -1, "limit": 4.5}},
            ],
            "edges": [
                {"from": {"kind": "exec", "name": "e\""}, "to": {"kind": "file", "name": "/f"},
                 "notify": true, "autoedge": false},
                {"from": {"kind": "file", "name": "/f"}, "to": {"kind": "exec", "name": "e\""},
                 "notify": false, "autoedge": true},
            ],
            "omitted": [],
            "sendrecv": [
                {"from": {"kind": "exec", "name": "e\""}, "from_key": "stdout",
                 "to": {"kind": "file", "name": "/f"}, "to_key": "content"},
            ],
        });
        assert_eq!(json(&sample()), expected);
    }

    #[test]
    fn text_masks_secrets() {
        let expected = r#"exec[e"]
file[/f]
    state => "exists"
    fragments => ["/a"]
    content => ********
    Meta:retry => -1
    Meta:limit => 4.5
exec[e"] => file[/f]
file[/f] -> exec[e"]  # automatic
exec[e"].stdout -> file[/f].content
"#;
        assert_eq!(text(&sample()), expected);
    }

    #[test]
    fn omitted_edges_are_shown_as_such() {
        let mut g = sample();
        g.omit_contradictions(EdgeRanks::EQUAL).unwrap();
        assert_eq!(
            json(&g)["omitted"],
            serde_json::json!([{"from": {"kind": "file", "name": "/f"}, "to": {"kind": "exec", "name": "e\""}}])
        );
        assert_eq!(json(&g)["edges"].as_array().map(Vec::len), Some(1));
        assert!(text(&g).contains("# omitted, contradicts other edges: file[/f] -> exec[e\"]\n"), "{}", text(&g));
        assert!(dot(&g).contains("n1 -> n0 [style=dashed, color=gray, constraint=false];"), "{}", dot(&g));
    }

    #[test]
    fn dot_quotes_names() {
        let text = dot(&sample());
        assert!(text.contains(r#"n0 [label="exec[e\"]"];"#), "{text}");
        assert!(text.contains("n0 -> n1 [style=bold, label=notify];"), "{text}");
    }
}
