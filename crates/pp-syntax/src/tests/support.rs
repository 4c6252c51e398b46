//! What the tests share.

use std::path::{Path, PathBuf};

use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use serde_json::Value;

use crate::{Mode, ValidationOptions, parse, validate, validate_fragments};

/// Returns the recorded behaviour of Puppet.
pub fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/puppet")
}

/// Returns the records of `lang`.
pub fn lang() -> Vec<Value> {
    let mut records = Vec::new();
    for file in files_in(&recorded().join("lang")) {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        records.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record")));
    }
    assert!(records.len() > 2000);
    records
}

/// Returns the files of a folder, sorted.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Parses a text, and validates what could be parsed.
pub fn check(text: &str, mode: Mode) -> Vec<Diagnostic> {
    let options = ValidationOptions::default();
    let parsed = parse(FileId::MAIN, text, mode);
    let mut diagnostics = parsed.diagnostics.clone();
    match &parsed.fragments {
        Some(fragments) => diagnostics.extend(validate_fragments(fragments, text, options)),
        None if parsed.has_errors() => {}
        None => diagnostics.extend(validate(&parsed.tree, text, options)),
    }
    diagnostics
}

/// Returns the errors of a manifest.
pub fn errors(text: &str) -> Vec<Diagnostic> {
    check(text, Mode::Manifest).into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
}

/// Returns the line and column of a diagnostic.
pub fn place(text: &str, diagnostic: &Diagnostic) -> (u64, u64) {
    let mut files = Files::default();
    let file = files.add("site.pp", text);
    let position = files.line_col(file, diagnostic.span.expect("every diagnostic has a span").start);
    (position.line.into(), position.col.into())
}
