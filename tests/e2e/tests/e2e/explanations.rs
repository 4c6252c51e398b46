//! The programs in the explanations of runtime codes do what the explanations say. (Those of the compiler's codes are
//! compiled by a test of `mcl-driver`.)

use std::collections::BTreeSet;
use std::path::Path;

use mcl_diagnostics::all_codes;
use mcl_diagnostics::explanation::{Block, Expectation, Language, blocks};

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
                Expectation::Fails => (&[code.name()], &["--run-commands", "--wait", "0"]),
                Expectation::Passes => (&[], &["--run-commands"]),
            };
            let found = codes_of(program.text, options);
            if !found.iter().map(String::as_str).eq(expected.iter().copied()) {
                differences.push(format!("{}: expected {expected:?}, found {found:?}\n{}", code.name(), program.text));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// Returns a catalog that includes these classes, which are empty.
fn catalog(classes: &[&str]) -> String {
    let title = |class: &&str| class[..1].to_uppercase() + &class[1..];
    let resource = |class: &&str| format!(r#",{{"type":"Class","title":"{}","kind":"unknown"}}"#, title(class));
    let edge = |class: &&str| format!(r#",{{"source":"Stage[main]","target":"Class[{}]"}}"#, title(class));
    let resources: String = classes.iter().map(resource).collect();
    let edges: String = classes.iter().map(edge).collect();
    [
        r#"{"name":"test","catalog_format":2,"resources":[{"type":"Stage","title":"main","kind":"compilable_type"},"#,
        r#"{"type":"Class","title":"main","kind":"unknown"}"#,
        &resources,
        r#"],"edges":[{"source":"Stage[main]","target":"Class[main]"}"#,
        &edges,
        "]}",
    ]
    .concat()
}

#[test]
fn every_example_of_a_merge_point_gives_what_its_explanation_says() {
    let mut differences = Vec::new();
    for code in all_codes().filter(|code| code.name().starts_with('M')) {
        let blocks = blocks(code.info().explanation);
        let programs: Vec<_> =
            blocks.iter().filter_map(|block| if let Block::Code(code) = block { Some(code) } else { None }).collect();
        let puppet = programs.iter().filter(|block| block.info == "puppet").flat_map(|block| block.text.lines());
        let classes: Vec<&str> = puppet.filter_map(|line| line.strip_prefix("include ")).collect();
        for program in programs {
            let expected: &[&str] = match program.expectation() {
                None => continue,
                Some(Expectation::Fails) => &[code.name()],
                Some(Expectation::Passes) => &[],
            };
            let scratch = Scratch::new(program.text);
            scratch.write("catalog.json", &catalog(&classes));
            let checked = scratch.run("mclc", &["check", "main.mcl", "--puppet", "catalog.json", "--format", "short"]);
            let found: BTreeSet<&str> = checked.out.split(['[', ']']).filter(|word| is_code(word)).collect();
            if !found.iter().eq(expected.iter()) {
                differences.push(format!("{}: expected {expected:?}, found\n{}", code.name(), checked.out));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn every_example_of_a_puppet_code_gives_what_its_explanation_says() {
    let mut differences = Vec::new();
    for code in all_codes().filter(|code| code.name().starts_with('P')) {
        for block in blocks(code.info().explanation) {
            let Block::Code(catalog) = block else { continue };
            let Some((Language::Catalog, expectation)) = catalog.tested() else { continue };
            let scratch = Scratch::new("");
            scratch.write("catalog.json", catalog.text);
            let translated = scratch.run("mclc", &["puppet", "catalog.json", "--output", "graph.bin"]);
            let expected = if expectation == Expectation::Fails { vec![code.name()] } else { Vec::new() };
            let found: BTreeSet<&str> = translated.err.split(['[', ']']).filter(|word| is_code(word)).collect();
            if !found.iter().eq(expected.iter()) || (expected.is_empty() && translated.status != 0) {
                let text = catalog.text;
                differences.push(format!(
                    "{}: expected {expected:?} from\n{text}found\n{}",
                    code.name(),
                    translated.err
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn every_manifest_in_an_explanation_gives_what_it_says() {
    let mut differences = Vec::new();
    for code in all_codes().filter(|code| code.name().starts_with('P') || code.name().starts_with("W03")) {
        for block in blocks(code.info().explanation) {
            let Block::Code(manifest) = block else { continue };
            let Some((Language::Manifest, expectation)) = manifest.tested() else { continue };
            if manifest.ignore_reason().is_some() {
                continue;
            }
            let scratch = Scratch::new("");
            let files = manifest.files();
            for (name, text) in &files {
                let path = scratch.path(name);
                std::fs::create_dir_all(path.parent().expect("a parent")).expect("the scratch directory is writable");
                std::fs::write(path, text).expect("the scratch directory is writable");
            }
            let name = files[0].0;
            let ran = if code.name().starts_with('W') {
                scratch.run("mclc", &["check", name, "--format", "short", "--warn", code.name()])
            } else {
                scratch.run("mclc", &["puppet", name, "--emit", "catalog", "--diagnostics", "short"])
            };
            // Another lint may apply to an example that is wrong in one way.
            let reported = if code.name().starts_with('W') { &ran.out } else { &ran.err };
            let found: BTreeSet<&str> = reported.split(['[', ']']).filter(|word| is_code(word)).collect();
            let is_right = match expectation {
                Expectation::Fails => found.iter().eq([code.name()].iter()),
                Expectation::Passes => found.is_empty() && ran.status == 0,
            };
            if !is_right {
                let text = manifest.text;
                differences.push(format!("{} ({}) from\n{text}found\n{reported}", code.name(), manifest.info));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

fn is_code(word: &str) -> bool {
    all_codes().any(|code| code.name() == word)
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
