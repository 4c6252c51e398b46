//! A report of GitLab's Code Quality for all programs of a run (<https://docs.gitlab.com/ci/testing/code_quality/>).

use serde_json::{Value, json};

use crate::render::fingerprint::Fingerprints;
use crate::render::program::Program;
use crate::{Diagnostic, Severity};

pub(super) fn render(programs: &[Program<'_>]) -> String {
    let mut fingerprints = Fingerprints::default();
    let findings = programs.iter().flat_map(|program| program.diagnostics.iter().map(move |d| (program, d)));
    let report: Vec<Value> =
        findings.map(|(program, diagnostic)| finding(program, diagnostic, &mut fingerprints)).collect();
    let mut text = serde_json::to_string_pretty(&report).expect("strings and numbers always serialise");
    text.push('\n');
    text
}

fn finding(program: &Program<'_>, diagnostic: &Diagnostic, fingerprints: &mut Fingerprints) -> Value {
    let path = program.path_of(diagnostic).unwrap_or_default();
    let lines = diagnostic.span.map_or((1, 1), |span| (program.start(span).line, program.end(span).line));
    json!({
        "description": diagnostic.message,
        "check_name": diagnostic.code.name(),
        "fingerprint": fingerprints.next(program, diagnostic),
        "severity": match diagnostic.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        },
        "location": {"path": path, "lines": {"begin": lines.0, "end": lines.1}},
    })
}
