//! The recorded cases of `tests/puppet/cases/*/merge` (spec 07 §6.4).

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use graph_merge::{MergeOptions, Merged, merge};
use mcl_diagnostics::Diagnostic;
use mcl_value::Value;
use pp_resource_types::KnownTypes;
use pp_translate::{build_relationships, read_catalog, translate};
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId, VertexId};
use serde_norway::Value as Yaml;

fn case(number: &str) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/cases");
    let mut entries = std::fs::read_dir(cases).expect("the cases are in the tree").map(|e| e.expect("readable").path());
    entries.find(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with(number))).expect("the case exists")
}

fn puppet(case: &Path) -> ResourceGraph {
    let bytes = std::fs::read(case.join("catalog.json")).expect("readable");
    let (catalog, _) = read_catalog(&bytes).expect("a catalog");
    let graph = build_relationships(catalog, &KnownTypes::all()).expect("a graph");
    translate(&graph, &pp_translate::TranslateOptions::default()).expect("a translation").graph
}

fn resource(kind: &str, name: &str) -> Resource {
    Resource::new(ResourceId::new(kind, name))
}

/// Reads the mcl side of a case, a resource graph in YAML.
fn mcl(file: &Path) -> ResourceGraph {
    let yaml: Yaml = serde_norway::from_str(&std::fs::read_to_string(file).expect("readable")).expect("YAML");
    let text = |v: &Yaml| v.as_str().expect("text").to_owned();
    let mut graph = ResourceGraph::new();
    for (kind, entries) in yaml["resources"].as_mapping().expect("resources") {
        for entry in entries.as_sequence().expect("a list") {
            let mut resource = resource(&text(kind), &text(&entry["name"]));
            for (key, value) in entry.as_mapping().expect("a map").iter().filter(|(k, _)| text(k) != "name") {
                if let Some(value) = value.as_str() {
                    resource.params.insert(text(key).into(), Value::str(value));
                }
            }
            graph.add(resource);
        }
    }
    for edge in yaml["edges"].as_sequence().into_iter().flatten() {
        let find =
            |end: &Yaml| graph.find(&text(&end["kind"]), &text(&end["name"])).expect("the edge ends at a resource");
        let notify = edge.get("notify").and_then(Yaml::as_bool).unwrap_or(false);
        let edge = Edge { from: find(&edge["from"]), to: find(&edge["to"]), notify, autoedge: false };
        graph.add_edge(edge);
    }
    graph
}

fn merged(case: &Path, lang: &str) -> Result<Merged, Vec<Diagnostic>> {
    merge(&mcl(&case.join("merge").join(lang)), &puppet(case), &MergeOptions::default())
}

fn vertices(graph: &ResourceGraph) -> Vec<String> {
    let mut all: Vec<String> = graph.resources().map(|(_, r)| r.id.to_string()).collect();
    all.sort();
    all
}

fn edges(graph: &ResourceGraph) -> Vec<String> {
    let id = |v: VertexId| graph.resource(v).id.to_string();
    let mut all: Vec<String> = graph.edges().map(|e| format!("{} -> {}", id(e.from), id(e.to))).collect();
    all.sort();
    all
}

/// Checks that the result is the recorded one plus `more`: the vertices and edges that the recorded merge lost.
#[track_caller]
fn check(number: &str, lang: &str, result: &str, more: &[&str]) {
    let case = case(number);
    let merged = merged(&case, lang).expect("the graphs merge");
    let recorded = std::fs::read_to_string(case.join("merge").join(result)).expect("readable");
    let recorded: serde_json::Value = serde_json::from_str(&recorded).expect("JSON");
    let recorded = |key: &str, edge: bool| {
        let mut all: Vec<String> = recorded[key]
            .as_array()
            .expect("a list")
            .iter()
            .map(|v| {
                v.as_str()
                    .expect("text")
                    .replace("pippet[Exec[/usr/bin/touch /srv/pool/.formatted]]", "exec[format pool]")
            })
            .chain(more.iter().filter(|m| m.contains(" -> ") == edge).map(|m| (*m).to_owned()))
            .collect();
        all.sort();
        all
    };
    assert_eq!(vertices(&merged.graph), recorded("vertices", false));
    assert_eq!(edges(&merged.graph), recorded("edges", true));
}

#[track_caller]
fn check_errors(number: &str, expected: Expect) {
    let errors = merged(&case(number), "lang.yaml").expect_err("the merge fails");
    let shown =
        |e: &Diagnostic| format!("{}: {}\nhelp: {}\n", e.code.name(), e.message, e.help.as_deref().unwrap_or_default());
    expected.assert_eq(&errors.iter().map(shown).collect::<String>());
}

#[test]
fn one_merge_point() {
    check("041", "lang.yaml", "reference-result.json", &[]);
}

#[test]
fn a_module_between_two_merge_points() {
    check("040", "lang.yaml", "reference-result.json", &[]);
}

#[test]
fn a_second_merge_of_the_same_graphs_gives_the_same() {
    let case = case("040");
    let (mcl, puppet) = (mcl(&case.join("merge/lang.yaml")), puppet(&case));
    let first = merge(&mcl, &puppet, &MergeOptions::default()).expect("merges");
    let second = merge(&mcl, &puppet, &MergeOptions::default()).expect("merges again");
    assert_eq!(vertices(&first.graph), vertices(&second.graph));
    assert_eq!(edges(&first.graph), edges(&second.graph));
}

#[test]
fn a_merge_point_class_may_be_contained_in_another_class() {
    check("044", "lang.yaml", "reference-result.json", &[]);
}

#[test]
fn a_stage_without_relations_is_kept() {
    check(
        "045",
        "lang.yaml",
        "reference-result.json",
        &[
            "msg[lonely]",
            "noop[admissible_Class[Lonely]]",
            "noop[admissible_Stage[apart]]",
            "noop[completed_Class[Lonely]]",
            "noop[completed_Stage[apart]]",
            "msg[lonely] -> noop[completed_Class[Lonely]]",
            "noop[admissible_Class[Lonely]] -> msg[lonely]",
            "noop[admissible_Stage[apart]] -> noop[admissible_Class[Lonely]]",
            "noop[completed_Class[Lonely]] -> noop[completed_Stage[apart]]",
        ],
    );
}

#[test]
fn a_merge_point_may_be_in_an_early_stage() {
    check("046", "lang.yaml", "reference-result.json", &[]);
}

#[test]
fn edges_of_both_sides_between_a_pair_become_one_that_notifies() {
    check("047", "lang.yaml", "reference-result.json", &[]);
    let graph = merged(&case("047"), "lang.yaml").expect("merges").graph;
    let id = |v: VertexId| graph.resource(v).id.to_string();
    let between: Vec<bool> =
        graph.edges().filter(|e| id(e.from) == "noop[a]" && id(e.to) == "noop[b]").map(|e| e.notify).collect();
    assert_eq!(between, [true]);
}

#[test]
fn two_merge_points_none_and_one_in_an_otherwise_empty_stage() {
    check("122", "lang.yaml", "reference-result.json", &[]);
    check("124", "lang.yaml", "reference-result.json", &[]);
    check(
        "125",
        "lang.yaml",
        "reference-result.json",
        &[
            "noop[admissible_Stage[extra]]",
            "noop[completed_Stage[extra]]",
            "noop[admissible_Stage[extra]] -> noop[completed_Stage[extra]]",
        ],
    );
}

#[test]
fn nested_names_are_paired_regardless_of_case() {
    for lang in ["lang.yaml", "lang-capitalised.yaml"] {
        let merged = merged(&case("042"), lang).expect("merges");
        assert!(vertices(&merged.graph).contains(&"noop[db::ready]".to_owned()));
    }
}

#[test]
fn a_merge_point_class_with_contents_is_rejected() {
    check_errors(
        "043",
        expect![[r#"
        M0104: merge point class `mgmt_busy` is not empty: it contains msg[inside] (/etc/puppet/code/environments/production/manifests/site.pp:1)
        help: move its contents to another class; to order resources between two points, use two merge points such as `mgmt_busy_begin` and `mgmt_busy_end`
    "#]],
    );
}

#[test]
fn similar_names_are_reported_together() {
    check_errors(
        "048",
        expect![[r#"
            M0101: unmatched merge points `puppet_handover` and class `mgmt_hand_over`
            help: the names after the prefixes must be equal: use "handover" or "hand_over" for both
        "#]],
    );
}

#[test]
fn a_class_that_is_not_declared_is_missing_from_the_catalog() {
    check_errors(
        "123",
        expect![[r#"
        M0101: unmatched merge point noop[puppet_idle]: the catalog has no class `mgmt_idle`
        help: declare `class mgmt_idle {}` in the manifest and include it; a class that is only defined is not in the catalog
    "#]],
    );
}

#[test]
fn a_cycle_across_both_sides_is_shown_as_a_path() {
    check_errors(
        "049",
        expect![[r#"
        M0107: dependency cycle across mcl and Puppet: msg[between] -> noop[x] -> noop[y] -> msg[between]
        help: remove an edge on one side:
          msg[between]: from Puppet
          noop[x]: from Puppet
          noop[y]: from Puppet
    "#]],
    );
}

#[test]
fn different_declarations_and_a_conflicting_name_are_two_errors() {
    check_errors(
        "050",
        expect![[r#"
        M0105: conflicting name of a merge point: noop[same] is another resource
        help: rename the merge point or the other resource
        M0106: file[/tmp/both] is declared in both mcl and Puppet (/etc/puppet/code/environments/production/manifests/site.pp:3)
        help: remove it from one side
    "#]],
    );
}

#[test]
fn identical_declarations_are_one_resource_and_a_warning() {
    let file = |content: &str| {
        let mut graph = ResourceGraph::new();
        graph.add(resource("file", "/tmp/both").with("content", Value::str(content)));
        graph
    };
    let merged = merge(&file("a"), &file("a"), &MergeOptions::default()).expect("merges");
    assert_eq!(merged.graph.len(), 1);
    assert_eq!(merged.warnings.len(), 1);
    assert!(merge(&file("a"), &file("b"), &MergeOptions::default()).is_err());
}
