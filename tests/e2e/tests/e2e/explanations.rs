//! The programs in the explanations of runtime codes do what the explanations say. (Those of the compiler's codes are
//! compiled by a test of `mcl-driver`.)

use std::collections::BTreeSet;
use std::path::Path;

use mcl_diagnostics::all_codes;
use mcl_diagnostics::explanation::{Block, Expectation, blocks};

use crate::support::Scratch;

/// Returns the codes of the diagnostics that evaluating the program gives.
fn codes_of(program: &str, more: &[&str]) -> BTreeSet<String> {
    let scratch = Scratch::new(program);
    scratch.build();
    let ran = scratch.run("mgmt-rt", &[&["graph", "main.bin", "--format", "json"], more].concat());
    let code = |line: &str| {
        let diagnostic: serde_json::Value = serde_json::from_str(line).expect("a diagnostic is a JSON object");
        diagnostic["code"].as_str().expect("a diagnostic has a code").to_owned()
    };
    ran.err.lines().map(code).collect()
}

#[test]
fn every_example_of_a_runtime_code_gives_what_its_explanation_says() {
    let mut differences = Vec::new();
    for code in all_codes().filter(|code| code.name().starts_with('R')) {
        for block in blocks(code.info().explanation) {
            let Block::Code(program) = block else { continue };
            let Some(expectation) = program.expectation() else { continue };
            if program.ignore_reason().is_some() {
                continue;
            }
            let (expected, options): (&[&str], &[&str]) = match expectation {
                // A function that never has a value is not waited for.
                Expectation::Fails => (&[code.name()], &["--wait", "0"]),
                Expectation::Passes => (&[], &[]),
            };
            let found = codes_of(program.text, options);
            if !found.iter().map(String::as_str).eq(expected.iter().copied()) {
                differences.push(format!("{}: expected {expected:?}, found {found:?}\n{}", code.name(), program.text));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// Returns the text of all Rust sources below a directory, except those of tests.
fn sources(directory: &Path, text: &mut String) {
    for entry in std::fs::read_dir(directory).expect("a directory of the workspace") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !["benches", "mcl-diagnostics", "target", "tests"].contains(&name) {
            sources(&path, text);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            text.push_str(&std::fs::read_to_string(&path).expect("a source is UTF-8"));
        }
    }
}

#[test]
fn a_code_is_emitted_or_reserved() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = String::new();
    sources(&workspace.join("crates"), &mut text);
    sources(&workspace.join("tools"), &mut text);
    let emitted: BTreeSet<&str> = text.split("Code::").skip(1).filter_map(|rest| rest.get(..5)).collect();
    for code in all_codes() {
        let reserved = code.info().explanation.starts_with("This code is reserved");
        assert_ne!(reserved, emitted.contains(code.name()), "{}: emitted or reserved?", code.name());
    }
}
