//! Relationship graphs equal Puppet's, vertex by vertex and edge by edge (spec 07 §6.2 #15, #16).

use std::path::{Path, PathBuf};

use pp_resource_types::KnownTypes;
use pp_translate::{Label, Relationships, build_relationships, find_cycles, read_catalog, shortest_path};
use serde_json::Value;

pub(crate) fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/cases");
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("the cases are in the tree").map(|e| e.expect("readable").path()).collect();
    cases.sort();
    cases
}

fn json(path: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).expect("the recorded file is JSON"))
}

fn graph_of(case: &Path) -> Result<Relationships, String> {
    let bytes = std::fs::read(case.join("catalog.json")).expect("readable");
    let text = |errors: Vec<mcl_diagnostics::Diagnostic>| {
        errors.iter().map(|e| e.message.clone()).collect::<Vec<_>>().join("; ")
    };
    let (catalog, _) = read_catalog(&bytes).map_err(text)?;
    build_relationships(catalog, &KnownTypes::all()).map_err(text)
}

fn edge_text(source: &str, target: &str, event: Option<&str>) -> String {
    format!("{source} -> {target} {}", event.unwrap_or("-"))
}

fn edges_of(value: &Value) -> Vec<String> {
    let text = |v: &Value| v.as_str().expect("a string").to_owned();
    let mut edges: Vec<String> = value["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|e| edge_text(&text(&e["source"]), &text(&e["target"]), e.get("event").and_then(Value::as_str)))
        .collect();
    edges.sort();
    edges
}

fn event(label: Label) -> Option<&'static str> {
    match label {
        Label::Order => None,
        Label::Automatic => Some("NONE"),
        Label::Refresh => Some("ALL_EVENTS"),
    }
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|v| v.as_str().expect("a string").to_owned()).collect()
}

fn difference(what: &str, expected: &[String], got: &[String], out: &mut Vec<String>) {
    let count = |list: &[String], x: &String| list.iter().filter(|y| *y == x).count();
    for x in expected {
        if count(got, x) < count(expected, x) {
            out.push(format!("missing {what} {x}"));
        }
    }
    for x in got {
        if count(got, x) > count(expected, x) {
            out.push(format!("unexpected {what} {x}"));
        }
    }
}

#[test]
fn relationship_graphs_equal_puppets() {
    let mut problems = Vec::new();
    let mut compared = 0;
    for case in cases() {
        let Some(expected) = json(&case.join("relationships.json")) else { continue };
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        compared += 1;
        let graph = match graph_of(&case) {
            Ok(graph) => graph,
            Err(e) => {
                problems.push(format!("{name}: {e}"));
                continue;
            }
        };
        let mut found = Vec::new();
        let reference = |i: usize| graph.catalog.resources[i].reference.to_string();
        let before: Vec<String> = (0..graph.catalog.resources.len()).map(reference).collect();
        difference("resource", &strings(&expected["before_container_expansion"]["vertices"]), &before, &mut found);
        let mut before: Vec<String> =
            graph.edges.iter().map(|e| edge_text(&reference(e.source), &reference(e.target), event(e.label))).collect();
        before.sort();
        difference("edge", &edges_of(&expected["before_container_expansion"]), &before, &mut found);
        let vertices: Vec<String> = (0..graph.vertices.len()).map(|v| graph.name(v)).collect();
        difference("vertex", &strings(&expected["expanded"]["vertices"]), &vertices, &mut found);
        let mut expanded: Vec<String> = graph
            .expanded
            .iter()
            .map(|e| edge_text(&vertices[e.source], &vertices[e.target], event(e.label)))
            .collect();
        expanded.sort();
        difference("expanded edge", &edges_of(&expected["expanded"]), &expanded, &mut found);
        if expected.get("apply_order").is_some() {
            // The recording host had no cron and no SysV init; an agent puts such resources off to the end, and with them
            // the ends of their containers.
            let unsuitable = |v: &String| v.starts_with("Cron[") || v == "Service[s-init]";
            let any = vertices.iter().any(unsuitable);
            let put_off = |v: &String| any && (unsuitable(v) || v.starts_with("completed_"));
            let mut order: Vec<String> = graph.apply_order().into_iter().map(|v| vertices[v].clone()).collect();
            let mut wanted = strings(&expected["apply_order"]);
            order.retain(|v| !put_off(v));
            wanted.retain(|v| !put_off(v));
            if order != wanted {
                let at = order.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
                found.push(format!("apply order differs at {at}: {:?} instead of {:?}", order.get(at), wanted.get(at)));
            }
        }
        found.truncate(4);
        problems.extend(found.into_iter().map(|f| format!("{name}: {f}")));
    }
    assert!(compared >= 60, "only {compared} cases were compared");
    assert!(problems.is_empty(), "{} problems in {compared} cases\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn cycles_are_those_that_puppet_reports() {
    let mut compared = 0;
    for case in cases() {
        let Some(expected) = json(&case.join("relationships.json")) else { continue };
        let Some(paths) = expected.get("cycle_paths") else { continue };
        compared += 1;
        let graph = graph_of(&case).expect("the graph builds");
        let cycles = find_cycles(&graph);
        let plain = |v: usize| graph.catalog.resources[graph.vertices[v].resource()].reference.to_string();
        let got: Vec<Vec<String>> = cycles
            .iter()
            .map(|members| {
                let mut path: Vec<String> = shortest_path(&graph, members).into_iter().map(plain).collect();
                path.push(path[0].clone());
                path
            })
            .collect();
        // Puppet lists up to ten paths a cycle; the first is the shortest.
        let wanted: Vec<Vec<String>> = paths.as_array().expect("a list").iter().map(|c| strings(&c[0])).collect();
        assert_eq!(got, wanted, "{}", case.display());
    }
    assert!(compared >= 3, "only {compared} cases were compared");
}
