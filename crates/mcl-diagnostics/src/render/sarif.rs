//! A SARIF 2.1.0 log for all programs of a run (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::render::fingerprint::Fingerprints;
use crate::render::program::Program;
use crate::{Change, CodeInfo, FileId, Fix, Severity, Span, counts};

pub(super) fn render(programs: &[Program<'_>]) -> String {
    let mut rules: BTreeMap<&str, &CodeInfo> = BTreeMap::new();
    for diagnostic in programs.iter().flat_map(|p| p.diagnostics) {
        rules.insert(diagnostic.code.name(), diagnostic.code.info());
    }
    let index: BTreeMap<&str, usize> = rules.keys().enumerate().map(|(at, name)| (*name, at)).collect();
    let rules: Vec<Value> = rules
        .values()
        .map(|info| {
            json!({
                "id": info.name,
                "shortDescription": {"text": info.title},
                "help": {"text": info.explanation, "markdown": info.explanation},
            })
        })
        .collect();
    let has_errors = programs.iter().any(|program| counts(program.diagnostics).0 > 0);
    let mut fingerprints = Fingerprints::default();
    let results: Vec<Value> =
        programs.iter().flat_map(|program| program_results(program, &index, &mut fingerprints)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "mclc", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The directory in which mclc ran."}}},
            "invocations": [{"executionSuccessful": true, "exitCode": i32::from(has_errors)}],
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).expect("strings and numbers always serialise");
    text.push('\n');
    text
}

fn program_results(
    program: &Program<'_>,
    rules: &BTreeMap<&str, usize>,
    fingerprints: &mut Fingerprints,
) -> Vec<Value> {
    let results = program.diagnostics.iter().map(|diagnostic| {
        let mut text = diagnostic.message.clone();
        if let Some(help) = &diagnostic.help {
            text.push_str("\n\nhelp: ");
            text.push_str(help);
        }
        let mut result = json!({
            "ruleId": diagnostic.code.name(),
            "ruleIndex": rules[diagnostic.code.name()],
            "level": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "message": {"text": text},
        });
        if let Some(path) = program.path_of(diagnostic) {
            let location = match diagnostic.span {
                Some(span) => location(program, span),
                None => json!({"artifactLocation": artifact(&path)}),
            };
            result["locations"] = json!([{"physicalLocation": location}]);
        }
        if !diagnostic.labels.is_empty() {
            let labels = diagnostic.labels.iter().enumerate().map(|(id, label)| {
                json!({"id": id, "message": {"text": label.text}, "physicalLocation": location(program, label.span)})
            });
            result["relatedLocations"] = labels.collect();
        }
        let fixes: Vec<Value> = diagnostic.fixes.iter().filter_map(|fix| suggested(program, fix)).collect();
        if !fixes.is_empty() {
            result["fixes"] = fixes.into();
        }
        result["partialFingerprints"] = json!({"findingHash/v1": fingerprints.next(program, diagnostic)});
        result
    });
    results.collect()
}

/// Returns a fix whose edits are known.
fn suggested(program: &Program<'_>, fix: &Fix) -> Option<Value> {
    let mut files: BTreeMap<FileId, Vec<Value>> = BTreeMap::new();
    for change in &fix.changes {
        let Change::Replace { span, text } = change else { return None };
        let replacement = json!({"deletedRegion": region(program, *span), "insertedContent": {"text": text}});
        files.entry(span.file).or_default().push(replacement);
    }
    let changes = files.into_iter().map(|(file, replacements)| {
        json!({"artifactLocation": artifact(&program.shown_name(file)), "replacements": replacements})
    });
    let changes: Vec<Value> = changes.collect();
    Some(json!({"description": {"text": fix.title}, "artifactChanges": changes}))
}

fn location(program: &Program<'_>, span: Span) -> Value {
    json!({"artifactLocation": artifact(&program.shown_name(span.file)), "region": region(program, span)})
}

fn region(program: &Program<'_>, span: Span) -> Value {
    let (start, end) = (program.start(span), program.end(span));
    json!({"startLine": start.line, "startColumn": start.col, "endLine": end.line, "endColumn": end.col})
}

/// A file, relative to the directory of the run unless its name is absolute.
fn artifact(name: &str) -> Value {
    if name.starts_with('/') || name.contains("://") {
        return json!({"uri": uri(name)});
    }
    json!({"uri": uri(name), "uriBaseId": "%SRCROOT%"})
}

/// A relative path as a URI reference: what RFC 3986 does not allow in a path is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@:".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
