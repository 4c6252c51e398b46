//! The edges of translated graphs: what they notify, and what becomes of automatic edges.

use pp_resource_types::KnownTypes;
use pp_translate::{TranslateOptions, build_relationships, read_catalog, translate};
use serde_json::{Value, json};

/// Translates resources, given as type, title and parameters, and containment; returns the edges between what is neither
/// the start nor the end of a stage.
fn edges(resources: &[(&str, &str, Value)], containment: &[(&str, &str)]) -> Vec<String> {
    let resources: Vec<Value> = resources
        .iter()
        .map(|(kind, title, parameters)| {
            let role = if *kind == "Class" { "unknown" } else { "compilable_type" };
            json!({"type": kind, "title": title, "kind": role, "parameters": parameters})
        })
        .collect();
    let containment: Vec<Value> = containment.iter().map(|(a, b)| json!({"source": a, "target": b})).collect();
    let catalog = json!({"name": "n", "catalog_format": 2, "resources": resources, "edges": containment}).to_string();
    let (catalog, _) = read_catalog(catalog.as_bytes()).expect("a catalog");
    let graph = build_relationships(catalog, &KnownTypes::all()).expect("a graph");
    let graph = translate(&graph, &TranslateOptions::default()).expect("a translation").graph;
    let id = |vertex| graph.resource(vertex).id.to_string();
    let mut edges: Vec<String> = graph
        .edges()
        .map(|edge| {
            let arrow = if edge.notify { "=>" } else { "->" };
            format!("{} {arrow} {}{}", id(edge.from), id(edge.to), if edge.autoedge { " (automatic)" } else { "" })
        })
        .collect();
    edges.sort();
    edges
}

#[test]
fn notifications_into_and_out_of_empty_classes_are_kept() {
    assert_eq!(
        edges(
            &[
                ("Class", "base", json!({"notify": "Class[Outer]"})),
                ("Class", "outer", json!({})),
                ("Class", "mgmt_n", json!({"notify": "Exec[e]"})),
                ("File", "/f", json!({"ensure": "file"})),
                ("Exec", "e", json!({"command": "/bin/true", "refreshonly": true})),
            ],
            &[("Class[Base]", "File[/f]"), ("Class[Outer]", "Class[Mgmt_n]")],
        ),
        [
            "file[/f] => noop[completed_Class[Base]]",
            // Nothing refreshes the start of this class, and nothing takes a refresh after the end of the other.
            "noop[admissible_Class[Base]] -> file[/f]",
            "noop[admissible_Class[Mgmt_n]] -> noop[completed_Class[Mgmt_n]]",
            "noop[admissible_Class[Outer]] => noop[admissible_Class[Mgmt_n]]",
            "noop[completed_Class[Base]] => noop[admissible_Class[Outer]]",
            "noop[completed_Class[Mgmt_n]] -> noop[completed_Class[Outer]]",
            "noop[completed_Class[Mgmt_n]] => exec[e]",
        ]
    );
}

#[test]
fn what_is_removed_is_removed_before_what_it_needs() {
    let absent = |more: Value| {
        let mut parameters = more;
        parameters["ensure"] = json!("absent");
        parameters
    };
    assert_eq!(
        edges(
            &[
                ("File", "/d", absent(json!({"force": true}))),
                ("File", "/d/x", absent(json!({}))),
                ("Group", "g", absent(json!({}))),
                ("User", "u", absent(json!({"gid": "g"}))),
                ("Mount", "/m", json!({"ensure": "unmounted", "device": "/dev/a", "fstype": "ext4"})),
                ("Mount", "/m/n", json!({"ensure": "absent", "device": "/dev/b", "fstype": "ext4"})),
                // Only one of the two is removed.
                ("User", "v", json!({"ensure": "present", "gid": "g"})),
            ],
            &[],
        ),
        [
            "file[/d/x] -> file[/d] (automatic)",
            "group[g] -> user[v] (automatic)",
            "mount[/m/n] -> mount[/m] (automatic)",
            "user[u] -> group[g] (automatic)",
        ]
    );
}

#[test]
fn a_catalog_whose_automatic_edges_contradict_the_declared_ones_is_translated() {
    let edges = edges(
        &[
            ("File", "/d", json!({"ensure": "directory", "require": "Class[Between]"})),
            ("File", "/d/x", json!({"ensure": "file", "before": "Class[Between]"})),
            ("Class", "between", json!({})),
        ],
        &[],
    );
    assert!(edges.contains(&"file[/d] -> file[/d/x] (automatic)".to_owned()), "{edges:?}");
}
