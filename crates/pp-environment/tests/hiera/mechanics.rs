//! `tests/puppet/modules/mechanics.jsonl`: modules, their files and names, settings of environments, and main manifests;
//! `naming.jsonl`: names of modules, files and definitions that do not fit. Both are compared with the recorded answers of Puppet.
//! `typesets.jsonl`: sets of types in modules.
//! Each case is compiled from the directory of its environment, and from its artifact.

use std::collections::BTreeSet;
use std::path::Path;

use mcl_diagnostics::Severity;
use pp_environment::{Compiled, StoredEnvironment, compile_path, load_path};
use pp_functions::Strict;
use serde_json::{Map, Value as Json, json};

use crate::{World, recordings, wrap};

/// Cases whose answers differ for a reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("mechanics-0121", "a function written in Ruby"),
    ("mechanics-0123", "a function written in Ruby"),
    ("mechanics-0124", "a function written in Ruby"),
    ("mechanics-0125", "a function written in Ruby"),
    ("mechanics-0126", "a wrong number of arguments is worded as for other functions"),
    ("mechanics-0127", "a wrong number of arguments is worded as for other functions"),
    ("mechanics-0128", "a function written in Ruby"),
    ("mechanics-0129", "a function written in Ruby"),
    ("mechanics-0130", "a function written in Ruby"),
    ("mechanics-0131", "a function written in Ruby"),
    ("mechanics-0132", "a function written in Ruby"),
];

/// Those of `naming.jsonl`.
const DIFFERENT_NAMES: &[(&str, &str)] = &[
    ("naming-0065", "the file of the type is wrong as well"),
    ("naming-0066", "the file of the type is wrong as well"),
    ("naming-0117", "the main class cannot be included"),
    ("naming-0122", "such a class is unknown"),
    ("naming-0216", "the file of the type is wrong as well"),
    ("naming-0217", "the file of the type is wrong as well"),
    ("naming-0268", "the main class cannot be included"),
    ("naming-0273", "such a class is unknown"),
];

/// Those of `typesets.jsonl`.
const DIFFERENT_SETS: &[(&str, &str)] = &[
    ("typesets-0022", "the set is loaded where it is needed"),
    ("typesets-0023", "the set is loaded where it is needed"),
    ("typesets-0024", "the set is loaded where it is needed"),
    ("typesets-0025", "the set is loaded where it is needed"),
    ("typesets-0026", "the set is loaded where it is needed"),
    ("typesets-0068", "the set is loaded where it is needed"),
    ("typesets-0073", "the definition of a type is shown"),
    ("typesets-0079", "a type of another set is shown by its name"),
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
        if !["Stage[main]", "Class[Settings]", "Class[main]", "Class[Main]"].contains(&name.as_str()) {
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
        let Some(expected) = record["error"].as_str() else { return Err(format!("rejected: {error}")) };
        return if says_the_same(error, expected) { Ok(()) } else { Err(format!("{error}, not {expected}")) };
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

/// Whether most words of Puppet's message are in ours. Messages of Ruby itself, and counts of errors, say nothing.
fn says_the_same(ours: &str, theirs: &str) -> bool {
    let theirs = theirs.split(" (").next().unwrap_or_default();
    let theirs = theirs.rsplit_once("Evaluation Error: ").map_or(theirs, |(_, text)| text);
    let theirs = theirs.strip_prefix("Could not parse for environment production: ").unwrap_or(theirs);
    let theirs = match theirs.strip_prefix("Error while evaluating a ").and_then(|rest| rest.split_once(", ")) {
        Some((_, text)) => text,
        None => theirs,
    };
    if theirs.contains("undefined method") || theirs.starts_with("Language validation logged") {
        return true;
    }
    let (ours, theirs) = (words(ours), words(theirs));
    theirs.intersection(&ours).count() * 2 >= theirs.len()
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
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
    compare("modules/mechanics.jsonl", DIFFERENT);
}

#[test]
fn recorded_sets_of_types() {
    compare("modules/typesets.jsonl", DIFFERENT_SETS);
}

#[test]
fn recorded_names() {
    compare("modules/naming.jsonl", DIFFERENT_NAMES);
}

#[track_caller]
fn compare(file: &str, different: &[(&str, &str)]) {
    let text = std::fs::read_to_string(recordings().join(file)).expect("records");
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
        let mut here = World::new(&world);
        if world["settings"]["strict"] == "error" {
            here.set_strict(Strict::Error);
        }
        match judge_both(&here, &record) {
            Ok(()) => agreeing += 1,
            Err(why) => differing.push((id.to_owned(), format!("{}: {why}", record["code"]))),
        }
    }
    for (id, why) in &differing {
        println!("{id}: {why}");
    }
    let ids: Vec<&str> = differing.iter().map(|(id, _)| id.as_str()).collect();
    let expected: Vec<&str> = different.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, expected, "{agreeing} agree");
}
