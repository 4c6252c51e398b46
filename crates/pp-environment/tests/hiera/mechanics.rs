//! `tests/puppet/modules/mechanics.jsonl`: modules, their files and names, settings of environments, and main manifests, compared
//! with the recorded answers of Puppet. Each case is compiled from the directory of its environment, and from its artifact.

use std::path::Path;

use mcl_diagnostics::Severity;
use pp_environment::{Compiled, StoredEnvironment, compile_path, load_path};
use pp_functions::Strict;
use serde_json::{Map, Value as Json, json};

use crate::{World, recordings, wrap};

/// Cases whose answers differ for a reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("mechanics-0121", "a function written in Ruby"),
    ("mechanics-0124", "a function written in Ruby"),
    ("mechanics-0125", "a function written in Ruby"),
    ("mechanics-0128", "a function written in Ruby"),
    ("mechanics-0129", "a function written in Ruby"),
    ("mechanics-0130", "a function written in Ruby"),
];

/// Returns the main manifest of a case, and whether its resources are compared.
fn manifest(code: &str) -> (Option<String>, bool) {
    if code == "COMPILE-MAIN" {
        return (None, true);
    }
    match code.strip_prefix("COMPILE ") {
        Some(code) => (Some(code.to_owned()), true),
        None => (Some(wrap(code)), false),
    }
}

/// Compiles the artifact of an environment; `None` if its main manifests have errors, which keep it from being built.
fn compile_artifact(world: &World) -> Option<Compiled> {
    let (_, loaded) = load_path(world.path(), &[], Strict::Warning).expect("an environment");
    if loaded.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return None;
    }
    let artifact = world.path().join("site.bin");
    std::fs::write(&artifact, StoredEnvironment::new(loaded).expect("readable").write()).expect("writable");
    Some(compile_path(&artifact, &[], &world.options).expect("valid"))
}

/// Returns the resources with their parameters, without those that every catalog has.
fn resources(catalog: &Json) -> Json {
    let mut found = Map::new();
    for resource in catalog["resources"].as_array().into_iter().flatten() {
        let text = |key: &str| resource[key].as_str().unwrap_or_default();
        let name = format!("{}[{}]", text("type"), text("title"));
        if !["Stage[main]", "Class[Settings]", "Class[main]"].contains(&name.as_str()) {
            let parameters = resource.get("parameters").cloned().unwrap_or_else(|| json!({}));
            found.insert(name, parameters);
        }
    }
    Json::Object(found)
}

/// Returns what differs from the record.
fn judge(world: &World, compiled: &Compiled, compares_resources: bool, record: &Json) -> Result<(), String> {
    let error = compiled.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let Some(catalog) = &compiled.catalog else {
        let error = error.map_or("no error", |error| &error.message);
        return match record["error"].is_string() {
            true => Ok(()),
            false => Err(format!("rejected: {error}")),
        };
    };
    if let Some(expected) = record["error"].as_str() {
        return Err(format!("accepted, not rejected with {expected}"));
    }
    let catalog = catalog.to_json(0, "").expect("JSON");
    let found = resources(&catalog);
    if compares_resources {
        return if found == record["resources"] { Ok(()) } else { Err(format!("resources {found}")) };
    }
    let value = world.relative(found["Notify[the result]"]["message"].as_str().unwrap_or_default());
    if Some(value.as_str()) == record["value"].as_str() { Ok(()) } else { Err(format!("value {value}")) }
}

fn judge_both(world: &World, record: &Json) -> Result<(), String> {
    let (manifest, compares_resources) = manifest(record["code"].as_str().expect("code"));
    if let Some(manifest) = manifest {
        std::fs::write(world.path().join("manifests/site.pp"), manifest).expect("writable");
    }
    let compiled = compile_path(world.path(), &[], &world.options).expect("an environment");
    judge(world, &compiled, compares_resources, record)?;
    match compile_artifact(world) {
        // The artifact says `modules/m`, whatever directory of the module path the module is in.
        Some(compiled) if !Path::new(world.path()).join("environment.conf").exists() => {
            judge(world, &compiled, compares_resources, record).map_err(|why| format!("artifact: {why}"))
        }
        _ => Ok(()),
    }
}

#[test]
fn recorded_mechanics() {
    let text = std::fs::read_to_string(recordings().join("modules/mechanics.jsonl")).expect("records");
    let mut world = Json::Null;
    let (mut agreeing, mut differing) = (0, Vec::new());
    for line in text.lines() {
        let record: Json = serde_json::from_str(line).expect("JSON");
        let Some(id) = record["id"].as_str() else {
            world = record;
            continue;
        };
        if record.get("crash").is_some() {
            continue;
        }
        match judge_both(&World::new(&world), &record) {
            Ok(()) => agreeing += 1,
            Err(why) => differing.push((id.to_owned(), format!("{}: {why}", record["code"]))),
        }
    }
    for (id, why) in &differing {
        println!("{id}: {why}");
    }
    let ids: Vec<&str> = differing.iter().map(|(id, _)| id.as_str()).collect();
    let expected: Vec<&str> = DIFFERENT.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, expected, "{agreeing} agree");
}
