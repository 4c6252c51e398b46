//! The programs in the explanations of runtime codes do what the explanations say. (Those of the compiler's codes are
//! compiled by a test of `mcl-driver`.)

use std::collections::BTreeSet;

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
