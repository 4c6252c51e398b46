//! `editors/helix`: its configuration and queries. Debian has no Helix, so they are read without it.

use std::process::Command;

use tree_sitter::Query;

use super::{editors, installed, succeeds};

#[test]
fn the_configuration_names_the_server_and_the_grammar() {
    let Some(mut python) = installed("python3", "python3") else { return };
    // Python has read TOML since 3.11.
    let script = "import json, tomllib; print(json.dumps(tomllib.load(open('helix/languages.toml', 'rb'))))";
    let printed = succeeds(python.args(["-c", script]));
    let configuration: serde_json::Value = serde_json::from_str(&printed).expect("Python prints JSON");
    let language = &configuration["language"][0];
    assert_eq!(language["name"], "mcl");
    assert_eq!(language["file-types"], serde_json::json!(["mcl"]));
    for server in language["language-servers"].as_array().expect("a list") {
        let server = &configuration["language-server"][server.as_str().expect("a name")];
        let command = super::bin().join(server["command"].as_str().expect("a command"));
        let name = server["args"][0].as_str().expect("a command of the tool");
        succeeds(Command::new(command).args([name, "--help"]));
    }
    let grammar = &configuration["grammar"][0];
    assert_eq!(grammar["name"], language["grammar"]);
    let path = grammar["source"]["path"].as_str().expect("a path");
    assert!(crate::sources::root().join(path).join("src/parser.c").exists());
}

#[test]
fn queries_name_only_what_the_grammar_has() {
    let directory = editors().join("helix/queries/mcl");
    let mut count = 0;
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let query = std::fs::read_to_string(&path).expect("readable");
        let result = Query::new(&tree_sitter_mcl::LANGUAGE.into(), &query);
        result.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += 1;
    }
    assert!(count >= 5, "{count} queries");
}
