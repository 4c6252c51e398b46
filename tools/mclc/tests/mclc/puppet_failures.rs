//! What `mclc check` says will fail, and what Puppet did with the same programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::command::Scratch;

/// The lints about what makes every compilation fail.
const LINTS: [&str; 6] = ["W0374", "W0375", "W0376", "W0377", "W0379", "W0380"];

/// The one of them that is also about what an agent refuses.
const OF_THE_AGENT: &str = "W0377";

/// Returns the recorded programs by their names: the code, and whether Puppet accepted it.
fn recorded() -> BTreeMap<String, (String, bool)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/lang");
    let mut programs = BTreeMap::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("readable");
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let field = |name: &str| record[name].as_str().expect("a string").to_owned();
            programs.insert(field("id"), (field("code"), field("outcome") == "ok"));
        }
    }
    programs
}

#[test]
fn programs_that_are_said_to_fail_fail() {
    let programs = recorded();
    assert!(programs.len() > 5000, "{} programs", programs.len());
    let files: Vec<(String, &[u8])> =
        programs.iter().map(|(name, (code, _))| (format!("{name}.pp"), code.as_bytes())).collect();
    let mut files: Vec<(&str, &[u8])> = files.iter().map(|(name, code)| (name.as_str(), *code)).collect();
    files.push(("facts.yaml", b"os: { family: Debian, name: Debian }\n"));
    let scratch = Scratch::new(&files);
    let mut arguments = vec!["check", ".", "--format", "json", "--allow", "all"];
    arguments.extend(LINTS.iter().flat_map(|lint| ["--warn", lint]));
    let ran = scratch.mclc(&arguments);
    let mut counts = [0; LINTS.len()];
    let mut refused = BTreeSet::new();
    for line in ran.stdout.lines() {
        let found: Value = serde_json::from_str(line).expect("JSON");
        let code = found["code"].as_str().expect("a code");
        let Some(lint) = LINTS.iter().position(|lint| *lint == code) else { continue };
        let path = Path::new(found["file"].as_str().expect("a path"));
        let (code, is_accepted) = &programs[path.file_stem().and_then(|name| name.to_str()).expect("a name")];
        if LINTS[lint] == OF_THE_AGENT {
            refused.insert(path.to_path_buf());
        } else {
            assert!(!is_accepted, "{found}\n{code}");
        }
        counts[lint] += 1;
    }
    // What was recorded is whether there is a catalog. What an agent does with it, the compiler says.
    for path in refused {
        let program = path.to_str().expect("a path");
        let ran = scratch.mclc(&["puppet", program, "--output", "graph.bin", "--facts", "facts.yaml"]);
        assert_eq!(ran.status, 1, "{program}: {ran:?}");
    }
    assert!(counts.iter().all(|count| *count >= 2), "{counts:?}: all lints have found something");
}

/// Returns the recorded uses of modules: the name, the files of the environment, and whether Puppet accepted it.
fn recorded_uses() -> Vec<(String, BTreeMap<String, String>, bool)> {
    let mut uses = Vec::new();
    for file in ["mechanics", "naming", "typesets"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet/modules").join(file);
        let text = std::fs::read_to_string(path.with_extension("jsonl")).expect("readable");
        let mut worlds: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for line in text.lines() {
            let mut record: Value = serde_json::from_str(line).expect("JSON");
            let world = record["world"].as_str().unwrap_or_default().to_owned();
            let Some(code) = record["code"].as_str() else {
                worlds.insert(world, serde_json::from_value(record["files"].take()).unwrap_or_default());
                continue;
            };
            let mut files = worlds.get(&world).cloned().unwrap_or_default();
            let code = code.trim_start_matches("COMPILE ");
            if code != "COMPILE-MAIN" {
                files.insert("manifests/site.pp".to_owned(), format!("{code}\n"));
                let name = record["id"].as_str().expect("a name").to_owned();
                uses.push((name, files, record.get("error").is_none()));
            }
        }
    }
    uses
}

#[test]
fn uses_of_modules_that_are_said_to_fail_fail() {
    let uses = recorded_uses();
    assert!(uses.len() > 500, "{} uses", uses.len());
    let files: Vec<(String, &[u8])> = uses
        .iter()
        .flat_map(|(name, files, _)| files.iter().map(move |(path, text)| (format!("{name}/{path}"), text.as_bytes())))
        .collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    let scratch = Scratch::new(&files);
    let of_uses = ["W0375", "W0377", "W0379", "W0380"];
    let mut arguments = vec!["check", ".", "--format", "json", "--allow", "all"];
    arguments.extend(of_uses.iter().flat_map(|lint| ["--warn", lint]));
    let ran = scratch.mclc(&arguments);
    let accepted: BTreeMap<&str, bool> =
        uses.iter().map(|(name, _, is_accepted)| (name.as_str(), *is_accepted)).collect();
    let mut counts = [0; 4];
    for line in ran.stdout.lines() {
        let found: Value = serde_json::from_str(line).expect("JSON");
        let file = found["file"].as_str().expect("a path");
        let Some(lint) = of_uses.iter().position(|lint| found["code"] == *lint) else { continue };
        let Some(name) = file.trim_start_matches("./").strip_suffix("/manifests/site.pp") else { continue };
        assert!(!accepted[name], "{name}: {found}");
        counts[lint] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 1), "{counts:?}: all lints have found something");
}
