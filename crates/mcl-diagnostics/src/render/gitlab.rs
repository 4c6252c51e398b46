//! A report of GitLab's Code Quality for all programs of a run (<https://docs.gitlab.com/ci/testing/code_quality/>).

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::render::program::Program;
use crate::{Diagnostic, Severity};

pub(super) fn render(programs: &[Program<'_>]) -> String {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let findings = programs.iter().flat_map(|program| program.diagnostics.iter().map(move |d| (program, d)));
    let report: Vec<Value> = findings.map(|(program, diagnostic)| finding(program, diagnostic, &mut seen)).collect();
    let mut text = serde_json::to_string_pretty(&report).expect("strings and numbers always serialise");
    text.push('\n');
    text
}

fn finding(program: &Program<'_>, diagnostic: &Diagnostic, seen: &mut HashMap<String, usize>) -> Value {
    let path = program.file_of(diagnostic.span).map(|file| program.shown_name(file)).unwrap_or_default();
    let lines = diagnostic.span.map_or((1, 1), |span| (program.start(span).line, program.end(span).line));
    let identity = format!("{path}\0{}\0{}", diagnostic.code.name(), diagnostic.message);
    let count = seen.entry(identity.clone()).or_default();
    *count += 1;
    json!({
        "description": diagnostic.message,
        "check_name": diagnostic.code.name(),
        "fingerprint": fingerprint(&identity, *count),
        "severity": match diagnostic.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        "location": {"path": path, "lines": {"begin": lines.0, "end": lines.1}},
    })
}

/// Returns what identifies a finding in the reports of two commits: not its line, which changes with every line above it.
fn fingerprint(identity: &str, count: usize) -> String {
    let digest = Sha256::digest(format!("{identity}\0{count}"));
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
