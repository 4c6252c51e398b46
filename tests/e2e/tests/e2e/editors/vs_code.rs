//! `editors/vscode`: its own tests, the package, and what its grammar says of the programs of the repository.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde::Deserialize;
use test_support::{Scratch, skip};

use super::colours::{compare, sample};
use super::programs::programs;
use super::{editors, installed, succeeds};
use crate::sources::root;

/// Returns a command in the extension's directory, unless what it needs is not there.
fn node(program: &str) -> Option<Command> {
    let mut command = installed(program, "nodejs")?;
    let directory = editors().join("vscode");
    if !directory.join("node_modules").exists() {
        skip("`npm ci --ignore-scripts` was not run in editors/vscode");
        return None;
    }
    command.current_dir(directory);
    Some(command)
}

#[test]
fn the_client_talks_to_the_server_and_the_package_has_what_it_needs() {
    // Both commands write the compiled extension, so this is one test.
    let Some(mut npm) = node("npm") else { return };
    succeeds(npm.args(["test", "--silent"]));
    let Some(mut npm) = node("npm") else { return };
    let scratch = Scratch::new();
    let package = scratch.path("mcl.vsix");
    succeeds(npm.args(["run", "--silent", "package", "--", "--out"]).arg(&package));
    let python = "import sys, zipfile; print('\\n'.join(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))";
    let listed = succeeds(Command::new("python3").args(["-c", python]).arg(&package));
    let expected = "\
[Content_Types].xml
extension.vsixmanifest
extension/LICENSE.txt
extension/README.md
extension/language-configuration.json
extension/out/extension.js
extension/package.json
extension/snippets/mcl.json
extension/syntaxes/markdown.tmLanguage.json
extension/syntaxes/mcl.tmLanguage.json
";
    assert_eq!(listed, expected);
}

/// What the grammar says of a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Scopes {
    lines: Vec<Vec<Token>>,
    /// Whether the text ends in the state in which it began.
    is_complete: bool,
}

#[derive(Deserialize)]
struct Token {
    text: String,
    start: usize,
    end: usize,
    /// From the outermost.
    scopes: Vec<String>,
}

/// Returns what the grammar says of files, by their paths.
fn scopes(paths: &[String]) -> Option<BTreeMap<String, Scopes>> {
    let mut command = node("node")?;
    command.arg("test/grammar.mjs").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().expect("it starts");
    let mut input = process.stdin.take().expect("it is piped");
    input.write_all(paths.join("\0").as_bytes()).expect("it reads");
    drop(input);
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    Some(serde_json::from_slice(&output.stdout).expect("it prints JSON"))
}

#[test]
fn every_program_is_coloured_to_its_end() {
    let scratch = Scratch::new();
    let mut paths = Vec::new();
    // Imports may have any escapes for the parser; these directories have such programs, which `check` rejects.
    let rejected = ["tests/ui/", "crates/mcl-parser/corpus/", "crates/fuzz/corpus/"];
    let programs = programs().into_iter().filter(|program| !rejected.iter().any(|path| program.path.starts_with(path)));
    for (i, program) in programs.enumerate() {
        let name = format!("{i}.mcl");
        scratch.write(&name, &program.text);
        paths.push(scratch.path(&name).display().to_string());
    }
    let Some(files) = scopes(&paths) else { return };
    assert_eq!(files.len(), paths.len());
    for (path, scopes) in files {
        let text = || std::fs::read_to_string(&path).expect("it was written");
        assert!(scopes.is_complete, "a string or bracket does not end:\n{}", text());
        for token in scopes.lines.iter().flatten() {
            let is_valid = !token.scopes.iter().any(|scope| scope.starts_with("invalid."));
            let is_known = is_valid && !token.scopes.is_empty();
            assert!(is_known || token.text.trim().is_empty(), "`{}` is {:?} in\n{}", token.text, token.scopes, text());
        }
    }
}

/// Whether a scope may colour what is of this type for the server.
fn agree(server: &str, scope: &str) -> bool {
    let allowed: &[&str] = match scope.strip_suffix(".mcl").unwrap_or(scope) {
        "comment.line.number-sign" => &["comment"],
        scope if scope.starts_with("keyword.operator.word") => &["keyword"],
        // The `*` of an import, too. What a colon separates, the server says.
        scope if scope.starts_with("keyword.operator") => &["operator"],
        "keyword.other.meta" => &["macro"],
        "punctuation.separator.meta" => &["operator", "macro"],
        scope if scope.starts_with("keyword.") || scope == "storage.type.function" => &["keyword"],
        "constant.language.boolean" => &["keyword"],
        scope if scope.starts_with("constant.numeric") => &["number"],
        "constant.character.escape" | "string.quoted.double" => &["string"],
        scope if scope.starts_with("punctuation.definition.string") => &["string"],
        scope if scope.starts_with("punctuation.section.embedded") => &["string"],
        scope if scope.starts_with("punctuation.section") => &[""],
        "punctuation.separator" => &["", "operator"],
        scope if scope.starts_with("support.type") => &["type"],
        scope if scope.starts_with("entity.name.type") => &["class"],
        scope if scope.starts_with("entity.name.function") => &["function"],
        "entity.name.namespace" => &["namespace"],
        // Which names are parameters or constants, only the server knows.
        "variable.other.readwrite" => &["variable", "parameter", "enumMember"],
        "variable.parameter" => &["parameter"],
        // The server has no symbols for fields of structs.
        "variable.other.property" => &["property", "variable"],
        _ => &[],
    };
    allowed.contains(&server)
}

#[test]
fn colours_agree_with_the_server() {
    let path = root().join("editors/sample.mcl").display().to_string();
    let Some(files) = scopes(std::slice::from_ref(&path)) else { return };
    let (text, server) = sample();
    let mut grammar = vec![String::new(); text.len()];
    let mut line_start = 0;
    for (line, tokens) in text.split('\n').zip(&files[&path].lines) {
        for token in tokens {
            let innermost = token.scopes.last().cloned().unwrap_or_default();
            let end = token.end.min(line.len());
            grammar[line_start + token.start..line_start + end].fill(innermost);
        }
        line_start += line.len() + 1;
    }
    compare(&text, &server, &grammar, agree);
}
