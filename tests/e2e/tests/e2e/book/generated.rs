//! The pages that list what the tools say of themselves. `BLESS=1` writes them.

use std::fmt::Write as _;

use super::is_blessing;
use crate::sources::root;
use crate::support::Scratch;

/// Compares a page with what it should be.
#[track_caller]
fn compare(name: &str, text: &str) {
    let path = root().join("docs").join(name);
    if is_blessing() {
        std::fs::write(&path, text).expect("writable");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/{name} is out of date: BLESS=1 cargo test -p e2e book::generated");
}

fn printed(arguments: &[&str]) -> String {
    let ran = Scratch::new("").run("mclc", arguments);
    assert_eq!(ran.status, 0, "{}", ran.err);
    ran.out
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

#[test]
fn errors_are_those_of_explain() {
    let mut page = String::from(
        "# Errors and warnings

Every message of `mclc` and `mgmt-rt` has a code. `mclc explain CODE` explains it, with a wrong and a right program.
This list is that of `mclc explain`.

| code | meaning |
| --- | --- |
",
    );
    for line in printed(&["explain"]).lines() {
        let (code, title) = line.split_once("  ").unwrap_or((line, ""));
        writeln!(page, "| {code} | {} |", cell(title.trim())).expect("strings take everything");
    }
    compare("errors.md", &page);
}

#[test]
fn functions_and_resources_are_those_of_doc() {
    let mut functions = String::from(
        "# Functions

What programs can call, by module. `mclc doc NAME` shows the signature and more. This list is that of `mclc doc`.
",
    );
    let mut resources = String::from(
        "# Resources

The kinds of resources. `mclc doc NAME` shows the parameters of one. This list is that of `mclc doc`.
",
    );
    for line in printed(&["doc"]).lines().filter(|line| !line.starts_with('`')) {
        let is_heading = !line.is_empty() && !line.starts_with(' ');
        let page = if is_heading && line.starts_with("resource") || !is_heading && resources.contains("| --- |") {
            &mut resources
        } else {
            &mut functions
        };
        if is_heading {
            let title = line.strip_prefix("import ").map_or(line.to_owned(), |module| format!("`import {module}`"));
            write!(page, "\n## {title}\n\n| name | what it does |\n| --- | --- |\n").expect("strings take everything");
        } else if let Some((name, text)) = line.trim_start().split_once(' ') {
            writeln!(page, "| `{name}` | {} |", cell(text.trim())).expect("strings take everything");
        }
    }
    compare("functions.md", &functions);
    compare("resources.md", &resources);
}
