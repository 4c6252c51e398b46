//! `tests/puppet/lang`, and `records` beside this crate, which were recorded in the same way: whole programs.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::agreement::{Agreement, LANG, is_chosen};
use crate::world::{Compiled, compile_program, options, recordings};

#[test]
fn lang() {
    let (usual, strict) = (options(false), options(true));
    let mut agreement = Agreement::default();
    let mut columns = [0, 0];
    let mut messages = [0, 0];
    let mut warnings = [0, 0];
    let folders = match std::env::var_os("RECORDS") {
        Some(folder) => vec![folder.into()],
        None => vec![recordings().join("lang"), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records")],
    };
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder of records"))
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let area = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let text = std::fs::read_to_string(&path).expect("records");
        for line in text.lines() {
            let record: Json = serde_json::from_str(line).expect("a record");
            let id = record["id"].as_str().unwrap_or_default();
            if !is_chosen(id) {
                continue;
            }
            let code = record["code"].as_str().unwrap_or_default();
            let result = catch_unwind(AssertUnwindSafe(|| {
                let compiled = compile_program(code, &usual);
                let result = judge(&record, &compiled);
                (result, compiled)
            }));
            let result = match result {
                Ok((result, compiled)) => {
                    count_column(&record, &compiled, &mut columns);
                    count_message(&record, &compiled, &mut messages);
                    count_warnings(&record, &compiled, &mut warnings);
                    result
                }
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().cloned();
                    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                    Err(format!("panic: {}", text.unwrap_or_default()))
                }
            };
            let result = result.and_then(|()| match record.get("strict") {
                Some(record) => judge(record, &compile_program(code, &strict)).map_err(|why| format!("strict: {why}")),
                None => Ok(()),
            });
            agreement.add(&area, id, result.map_err(|why| format!("{why}\n        {code:?}")));
        }
    }
    println!("columns {columns:?}, messages {messages:?}, warnings {warnings:?}");
    agreement.check(LANG);
}

fn judge(record: &Json, compiled: &Compiled) -> Result<(), String> {
    if record["outcome"] == "ok" { judge_accepted(record, compiled) } else { judge_rejected(record, compiled) }
}

fn judge_rejected(record: &Json, compiled: &Compiled) -> Result<(), String> {
    let error = record["error"].as_str().unwrap_or_default();
    if compiled.errors.is_empty() {
        return Err(format!("not rejected; Puppet: {error}"));
    }
    let early = record["outcome"] != "evaluation";
    if early != compiled.is_rejected_early && early {
        return Err(format!("rejected late: {}; Puppet: {error}", compiled.message()));
    }
    let lines = expected_lines(record, error);
    let line = compiled.place().map(|place| place.0);
    if !lines.is_empty() && line.is_none_or(|line| !lines.contains(&line)) {
        return Err(format!("line {line:?} ({}), Puppet: {lines:?} {error}", compiled.message()));
    }
    Ok(())
}

/// The lines of the record: its own, those of all errors, and those inside the text.
fn expected_lines(record: &Json, error: &str) -> BTreeSet<u32> {
    let line = |json: &Json| json["line"].as_u64().and_then(|line| u32::try_from(line).ok());
    let mut lines: BTreeSet<u32> = record["errors"].as_array().into_iter().flatten().filter_map(line).collect();
    lines.extend(line(record));
    if !lines.is_empty() {
        for part in error.split("line: ").skip(1) {
            lines
                .extend(part.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse::<u32>().ok()));
        }
    }
    lines
}

fn judge_accepted(record: &Json, compiled: &Compiled) -> Result<(), String> {
    if let Some(error) = compiled.errors.first() {
        return Err(format!("rejected: {}", error.message));
    }
    let catalog = compiled.compilation.catalog.as_ref().ok_or("no catalog")?;
    let catalog = catalog.to_json(0, "").map_err(|error| error.to_string())?;
    let list = |json: &Json| json.as_array().cloned().unwrap_or_default();
    let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
    let mut got: BTreeMap<String, Json> = BTreeMap::new();
    for resource in list(&catalog["resources"]) {
        got.insert(format!("{}[{}]", text(&resource["type"]), text(&resource["title"])), resource);
    }
    let wanted: BTreeMap<String, Json> =
        list(&record["resources"]).into_iter().map(|resource| (text(&resource["ref"]), resource)).collect();
    for head in ["Stage[main]", "Class[Settings]", "Class[main]"] {
        let plain = got.get(head).is_some_and(|resource| {
            resource["parameters"].as_object().is_none_or(|parameters| parameters.keys().all(|name| name == "name"))
        });
        if plain && !wanted.contains_key(head) {
            got.remove(head);
        }
    }
    let names = |resources: &BTreeMap<String, Json>| resources.keys().cloned().collect::<Vec<_>>();
    if names(&got) != names(&wanted) {
        return Err(format!("resources {:?}, Puppet: {:?}", names(&got), names(&wanted)));
    }
    for (reference, wanted) in &wanted {
        let got = &got[reference];
        let object = |json: &Json| if json.is_null() { json!({}) } else { json.clone() };
        let (ours, theirs) = (object(&got["parameters"]), object(&wanted["parameters"]));
        if ours != theirs {
            return Err(format!("{reference}: {ours}, Puppet: {theirs}"));
        }
        let strings = |json: &Json| list(json).iter().map(text).collect::<BTreeSet<_>>();
        if strings(&got["sensitive_parameters"]) != strings(&wanted["sensitive"]) {
            return Err(format!("{reference}: sensitive {}", got["sensitive_parameters"]));
        }
        if got["exported"].as_bool().unwrap_or_default() != wanted["exported"].as_bool().unwrap_or_default() {
            return Err(format!("{reference}: exported {}", got["exported"]));
        }
        if wanted.get("tags").is_some() && strings(&got["tags"]) != strings(&wanted["tags"]) {
            return Err(format!("{reference}: tags {}, Puppet: {}", got["tags"], wanted["tags"]));
        }
    }
    let edges: BTreeSet<(String, String)> =
        list(&catalog["edges"]).iter().map(|edge| (text(&edge["source"]), text(&edge["target"]))).collect();
    let wanted_edges: BTreeSet<(String, String)> =
        list(&record["edges"]).iter().map(|edge| (text(&edge[0]), text(&edge[1]))).collect();
    let is_head =
        |edge: &(String, String)| edge.0 == "Stage[main]" && matches!(&*edge.1, "Class[Settings]" | "Class[main]");
    let edges: BTreeSet<_> = edges.into_iter().filter(|edge| !is_head(edge)).collect();
    if edges != wanted_edges {
        return Err(format!("edges {edges:?}, Puppet: {wanted_edges:?}"));
    }
    let notices = |logs: Vec<String>| logs.into_iter().filter(|log| !log.starts_with("warning: ")).collect::<Vec<_>>();
    let ours = notices(compiled.logs());
    let theirs = notices(list(&record["logs"]).iter().map(text).collect());
    if ours != theirs {
        return Err(format!("{ours:?}, Puppet: {theirs:?}"));
    }
    Ok(())
}

/// Counts errors that are at the column of the recording.
fn count_column(record: &Json, compiled: &Compiled, count: &mut [usize; 2]) {
    let (Some(line), Some(column)) = (record["line"].as_u64(), record["column"].as_u64()) else { return };
    if record["outcome"] == "evaluation" && !compiled.errors.is_empty() {
        count[1] += 1;
        let place = compiled.place().map(|(line, column)| (u64::from(line), u64::from(column)));
        let agrees = place == Some((line, column));
        count[0] += usize::from(agrees);
        if !agrees && std::env::var_os("COLUMNS_VERBOSE").is_some() {
            println!("{}: {place:?}, Puppet {line}:{column} {:?} {}", record["id"], compiled.message(), record["code"]);
        }
    }
}

/// Counts errors whose text has most key words of Puppet's.
fn count_message(record: &Json, compiled: &Compiled, count: &mut [usize; 2]) {
    if record["outcome"] != "evaluation" || record.get("crash").is_some() || compiled.errors.is_empty() {
        return;
    }
    let error = record["error"].as_str().unwrap_or_default();
    let agrees = has_key_words(error, compiled.message());
    count[0] += usize::from(agrees);
    count[1] += 1;
    if !agrees && std::env::var_os("MESSAGES_VERBOSE").is_some() {
        println!("{}: {:?}, Puppet: {error:?}", record["id"], compiled.message());
    }
}

fn count_warnings(record: &Json, compiled: &Compiled, count: &mut [usize; 2]) {
    if record["outcome"] != "ok" || !compiled.errors.is_empty() {
        return;
    }
    let ours: Vec<String> = compiled.logs().into_iter().filter(|log| log.starts_with("warning: ")).collect();
    let theirs = record["logs"].as_array().into_iter().flatten().filter_map(Json::as_str);
    let theirs: Vec<String> = theirs.filter(|log| log.starts_with("warning: ")).map(str::to_owned).collect();
    if !ours.is_empty() || !theirs.is_empty() {
        count[1] += 1;
        count[0] += usize::from(ours == theirs);
        if ours != theirs && std::env::var_os("WARNINGS_VERBOSE").is_some() {
            println!("{}: {ours:?}, Puppet: {theirs:?}", record["id"]);
        }
    }
}

fn has_key_words(theirs: &str, ours: &str) -> bool {
    const COMMON: [&str; 12] = [
        "error",
        "evaluation",
        "while",
        "evaluating",
        "function",
        "call",
        "resource",
        "statement",
        "method",
        "line",
        "file",
        "unknown",
    ];
    let ours = ours.to_lowercase();
    let words: BTreeSet<String> = theirs
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() > 3)
        .map(str::to_lowercase)
        .filter(|word| !COMMON.contains(&&**word))
        .collect();
    let found = words.iter().filter(|word| ours.contains(&***word)).count();
    found * 10 >= words.len() * 6
}
