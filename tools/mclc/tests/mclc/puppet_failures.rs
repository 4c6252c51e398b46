//! What `mclc check` says will fail, and what Puppet did with the same programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::command::Scratch;

/// The lints about what makes every compilation fail.
const LINTS: [&str; 4] = ["W0374", "W0375", "W0376", "W0377"];

/// The one of them about what an agent refuses.
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
    assert!(counts.iter().all(|count| *count >= 3), "{counts:?}: all lints have found something");
}
