//! Translations are equal to or better than what the Ruby translator made of the same manifests (spec 07 §6.3 #31).
//!
//! A recorded native resource must come out with the same kind, name and values, except for the deliberate differences of
//! [`DIFFERENCES`]. A recorded `pippet` may be native here. Edges must join the same resources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pp_resource_types::KnownTypes;
use pp_translate::{TranslateOptions, Translation, build_relationships, read_catalog, translate};
use serde_norway::Value as Yaml;

use crate::relationships::cases;

/// Kind, field, and why we differ from the recorded value on purpose.
const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("file", "content", "a directory's `source` is a source, not the content; a file's local `source` is not dropped"),
    ("file", "source", "carried natively where the recorded translation dropped it"),
    ("file", "mode", "numbers are text in our kinds"),
    ("file", "owner", "numbers are text in our kinds"),
    ("file", "recurse", "a plain file is not recursed into; a forced removal is recursive, as Puppet's"),
    ("file", "force", "the default is not written down"),
    ("exec", "shell", "only where the command needs one; /bin/sh as Ruby uses"),
    ("exec", "watchshell", "an exec of Puppet is not watched"),
    ("exec", "watchcmd", "an exec of Puppet is not watched"),
    ("exec", "ifshell", "only where there is a condition"),
    ("exec", "ifcmd", "a list of conditions is one line of shell"),
    ("exec", "cmd", "a list of words is a command with arguments; a returns list is checked by the shell"),
    ("exec", "args", "a list of words is a command with arguments"),
    ("exec", "timeout", "a meta parameter"),
    ("exec", "state", "no field of our exec"),
    ("exec", "pollint", "no field of our exec"),
    ("user", "homedir", "our user wants a trailing slash"),
    ("mount", "freq", "the default is not written down"),
    ("mount", "passno", "the default is not written down"),
    ("msg", "body", "the message, not the title"),
    ("svc", "refresh", "Puppet restarts a service that is notified"),
    ("file", "mode_change", "what Puppet assigns starts from the present mode"),
    ("user", "membership", "Puppet's default is minimum, the kind's is inclusive"),
    ("user", "comment", "carried natively where the recorded translation dropped it"),
];

/// Recorded native resources that are fallbacks here, with the reason.
const FALLBACKS: &[(&str, &str)] =
    &[("svc[s-mask]", "masking is more than disabling"), ("augeas[hosts]", "the kind has no provider")];

fn translation(case: &Path) -> Option<Translation> {
    let bytes = std::fs::read(case.join("catalog.json")).ok()?;
    let (catalog, _) = read_catalog(&bytes).expect("the catalog is readable");
    let graph = build_relationships(catalog, &KnownTypes::all()).ok()?;
    let options = TranslateOptions { module_path: vec![case.join("modules")], ..TranslateOptions::default() };
    translate(&graph, &options).ok()
}

fn yaml_text(value: &Yaml) -> String {
    match value {
        Yaml::String(s) => s.clone(),
        Yaml::Bool(b) => b.to_string(),
        Yaml::Number(n) => n.to_string(),
        Yaml::Tagged(tagged) => match &tagged.value {
            Yaml::String(text) => {
                use base64::Engine;
                let compact: String = text.split_whitespace().collect();
                let bytes = base64::engine::general_purpose::STANDARD.decode(compact).expect("binary is base64");
                String::from_utf8_lossy(&bytes).into_owned()
            }
            other => yaml_text(other),
        },
        Yaml::Sequence(items) => format!("[{}]", items.iter().map(yaml_text).collect::<Vec<_>>().join(", ")),
        Yaml::Mapping(map) => {
            let mut pairs: Vec<String> =
                map.iter().map(|(k, v)| format!("{}: {}", yaml_text(k), yaml_text(v))).collect();
            pairs.sort();
            format!("{{{}}}", pairs.join(", "))
        }
        Yaml::Null => "null".to_owned(),
    }
}

fn our_text(value: &mcl_value::Value) -> String {
    use mcl_value::Value;
    match value {
        Value::Str(s) => s.to_text().into_owned(),
        Value::List(items) => format!("[{}]", items.iter().map(our_text).collect::<Vec<_>>().join(", ")),
        Value::Map(map) => {
            let pairs: Vec<String> = map.iter().map(|(k, v)| format!("{}: {}", our_text(k), our_text(v))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Struct(fields) => {
            let pairs: Vec<String> = fields.fields.iter().map(|(k, v)| format!("{k}: {}", our_text(v))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => other.to_string(),
    }
}

fn deliberate(kind: &str, field: &str) -> bool {
    DIFFERENCES.iter().any(|(k, f, _)| *k == kind && *f == field)
}

#[test]
fn recorded_native_resources_come_out_alike() {
    let mut problems = Vec::new();
    let (mut compared, mut used) = (0, BTreeSet::new());
    for case in cases() {
        let Ok(text) = std::fs::read_to_string(case.join("mgmtgraph.yaml")) else { continue };
        let recorded: Yaml = serde_norway::from_str(&text).expect("the recorded graph is YAML");
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(ours) = translation(&case) else {
            // Cycles are an error here; the recorded translator emitted them without a word.
            assert!(name.contains("cycle"), "{name} does not translate");
            continue;
        };
        compared += 1;
        let by_name: BTreeMap<String, &resource_graph::Resource> =
            ours.graph.resources().map(|(_, r)| (r.id.to_string(), r)).collect();
        for (kind, list) in recorded["resources"].as_mapping().expect("resources") {
            let kind = yaml_text(kind);
            if kind == "pippet" {
                continue;
            }
            for entry in list.as_sequence().expect("a list") {
                let id = format!("{kind}[{}]", yaml_text(&entry["name"]));
                let Some(resource) = by_name.get(&id) else {
                    if !FALLBACKS.iter().any(|(known, _)| *known == id) {
                        problems.push(format!("{name}: no {id}"));
                    }
                    continue;
                };
                let recorded: BTreeMap<String, String> = entry
                    .as_mapping()
                    .expect("a map")
                    .iter()
                    .map(|(k, v)| (yaml_text(k), yaml_text(v)))
                    .filter(|(k, _)| k != "name")
                    .collect();
                let ours: BTreeMap<String, String> =
                    resource.params.iter().map(|(k, v)| (k.to_string(), our_text(v))).collect();
                for field in recorded.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
                    if recorded.get(field) == ours.get(field) {
                        continue;
                    }
                    if deliberate(&kind, field) {
                        used.insert((kind.clone(), field.clone()));
                    } else {
                        problems.push(format!(
                            "{name}: {id}.{field}: {:?} / {:?}",
                            recorded.get(field),
                            ours.get(field)
                        ));
                    }
                }
            }
        }
    }
    assert!(compared >= 60, "only {compared} cases were compared");
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
    for (kind, field, why) in DIFFERENCES {
        assert!(used.contains(&((*kind).to_owned(), (*field).to_owned())), "unused difference {kind}.{field}: {why}");
    }
}

#[test]
fn recorded_edges_join_the_same_resources() {
    let mut problems = Vec::new();
    for case in cases() {
        let Ok(text) = std::fs::read_to_string(case.join("mgmtgraph.yaml")) else { continue };
        let recorded: Yaml = serde_norway::from_str(&text).expect("the recorded graph is YAML");
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(ours) = translation(&case) else { continue };
        // Edge names hold Puppet's references, which stay the same whatever a resource became.
        let count = recorded["edges"].as_sequence().map_or(0, |edges| {
            let pairs: BTreeSet<String> = edges.iter().map(|e| yaml_text(&e["name"])).collect();
            pairs.len()
        });
        if count != ours.graph.edge_count() {
            problems.push(format!("{name}: {count} recorded edges, {} ours", ours.graph.edge_count()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
