//! `tests/puppet/snippets`: single expressions, with their value and its type.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pp_types::{generalize, infer, source_form};
use serde_json::Value as Json;

use crate::agreement::{Agreement, SNIPPETS, is_chosen};
use crate::world::{Compiled, compile_program, options, recordings};

#[test]
fn snippets() {
    let (usual, strict) = (options(false), options(true));
    let mut agreement = Agreement::default();
    let mut paths: Vec<_> = std::fs::read_dir(recordings().join("snippets"))
        .expect("snippets")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let group = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let text = std::fs::read_to_string(&path).expect("records");
        let records: Vec<Json> = serde_json::from_str(&text).expect("a list");
        let is_lenient = matches!(&*group, "statements" | "statements-more");
        for (index, record) in records.iter().enumerate() {
            let id = format!("{group}-{index}");
            if !is_chosen(&id) {
                continue;
            }
            let code = record["code"].as_str().unwrap_or_default();
            let settings = if is_lenient { &usual } else { &strict };
            let result = catch_unwind(AssertUnwindSafe(|| judge(record, &compile_program(code, settings))));
            let result = result.unwrap_or_else(|_| Err("panic".to_owned()));
            agreement.add(&group, &id, result.map_err(|why| format!("{why}\n        {code:?}")));
        }
    }
    agreement.check(SNIPPETS);
}

fn judge(record: &Json, compiled: &Compiled) -> Result<(), String> {
    if let Some(error) = record["error"].as_str() {
        return if compiled.errors.is_empty() { Err(format!("not rejected; Puppet: {error}")) } else { Ok(()) };
    }
    if let Some(error) = compiled.errors.first() {
        return Err(format!("rejected: {}", error.message));
    }
    let value = &compiled.compilation.value;
    if let Some(wanted) = record["value"].as_str() {
        let got = source_form(value);
        if got != wanted {
            return Err(format!("{got}, Puppet: {wanted}"));
        }
    }
    if let Some(wanted) = record["type"].as_str() {
        let got = generalize(&infer(value)).to_string();
        if got != wanted {
            return Err(format!("type {got}, Puppet: {wanted}"));
        }
    }
    if let Some(resources) = record["resources"].as_array() {
        let catalog = compiled.compilation.catalog.as_ref().ok_or("no catalog")?;
        let catalog = catalog.to_json(0, "").map_err(|error| error.to_string())?;
        for wanted in resources {
            let reference = wanted[0].as_str().unwrap_or_default();
            let found = catalog["resources"].as_array().into_iter().flatten().find(|resource| {
                format!("{}[{}]", resource["type"].as_str().unwrap_or(""), resource["title"].as_str().unwrap_or(""))
                    == reference
            });
            let found = found.ok_or_else(|| format!("no {reference}"))?;
            let (ours, theirs) = (&found["parameters"], wanted.get(1).unwrap_or(&Json::Null));
            let is_empty = |json: &Json| json.as_object().is_none_or(serde_json::Map::is_empty);
            if ours != theirs && !(is_empty(ours) && is_empty(theirs)) {
                return Err(format!("{reference}: {ours}, Puppet: {theirs}"));
            }
        }
    }
    let notices = |log: &&String| log.starts_with("notice: ");
    let ours = compiled.logs();
    let ours: Vec<&String> = distinct(ours.iter().filter(notices));
    let theirs: Vec<String> =
        record["logs"].as_array().into_iter().flatten().filter_map(Json::as_str).map(strip_main).collect();
    let theirs: Vec<&String> = distinct(theirs.iter().filter(notices));
    if ours != theirs {
        return Err(format!("{ours:?}, Puppet: {theirs:?}"));
    }
    Ok(())
}

/// Some groups were recorded without repeated messages.
fn distinct<'a>(logs: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut distinct: Vec<&String> = Vec::new();
    for log in logs {
        if !distinct.contains(&log) {
            distinct.push(log);
        }
    }
    distinct
}

fn strip_main(log: &str) -> String {
    log.replace("Scope(Class[main]): ", "")
}
