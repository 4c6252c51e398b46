//! Findings as diagnostics of the protocol (spec 11 §2.4).

use std::path::{Path, PathBuf};

use mcl_analysis::{Analysis, Finding, Source};
use mcl_diagnostics::{Code, Severity};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::client::Client;
use crate::convert::range;
use crate::documents::Documents;
use crate::manifests::Manifests;

/// Shows as "unnecessary", for what can be removed.
const UNNECESSARY: u8 = 1;
/// Shows as "deprecated", for what has a newer spelling.
const DEPRECATED: u8 = 2;

/// Returns what to publish for each file of the programs and each open document: its address, and the parameters.
/// `of_manifests` are the findings of `manifests`, which belong to no program.
pub(crate) fn publications(
    analysis: &Analysis,
    (manifests, of_manifests): (&Manifests, Vec<(PathBuf, Vec<Finding>)>),
    documents: &Documents,
    client: &Client,
) -> Vec<(String, Value)> {
    let mut findings = analysis.findings();
    findings.extend(of_manifests);
    for path in documents.open.keys() {
        findings.entry(path.clone()).or_default();
    }
    let mut sources: FxHashMap<&Path, Source> = FxHashMap::default();
    for (path, found) in &findings {
        let related = found.iter().flat_map(|finding| finding.related.iter().map(|(location, _)| &*location.path));
        for path in related.chain((!found.is_empty()).then_some(&**path)) {
            let manifest = documents.manifests.source(path).or_else(|| manifests.source(path));
            let source = manifest.or_else(|| analysis.source(path));
            if let Some(source) = source.filter(|_| !sources.contains_key(path)) {
                sources.insert(path, source);
            }
        }
    }
    let publication = |(path, found): (&std::path::PathBuf, &Vec<Finding>)| {
        let uri = documents.uri(path);
        let diagnostics: Vec<Value> = match sources.get(&**path) {
            Some(source) => found.iter().map(|f| diagnostic(f, source, &sources, documents, client)).collect(),
            None => Vec::new(),
        };
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        if let Some(document) = documents.open.get(path) {
            params["version"] = document.version.into();
        }
        (uri, params)
    };
    findings.iter().map(publication).collect()
}

/// Returns a finding of one file as it was published.
pub(crate) fn of_finding(
    finding: &Finding,
    path: &Path,
    analysis: &Analysis,
    documents: &Documents,
    client: &Client,
) -> Option<Value> {
    let mut sources = FxHashMap::default();
    for path in finding.related.iter().map(|(location, _)| &*location.path).chain([path]) {
        sources.insert(path, analysis.source(path)?);
    }
    Some(diagnostic(finding, sources.get(path)?, &sources, documents, client))
}

fn diagnostic(
    finding: &Finding,
    source: &Source,
    sources: &FxHashMap<&Path, Source>,
    documents: &Documents,
    client: &Client,
) -> Value {
    let severity = match finding.severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    };
    let help = finding.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    let mut diagnostic = json!({
        "range": range(source, &finding.range, client.encoding),
        "severity": severity,
        "code": finding.code.name(),
        "source": "mclc",
        "message": format!("{}{help}", finding.message),
    });
    if let Some(url) = &client.settings.doc_url {
        let slash = if url.ends_with('/') { "" } else { "/" };
        diagnostic["codeDescription"] = json!({"href": format!("{url}{slash}{}", finding.code.name())});
    }
    if let Some(tag) = tag(finding.code) {
        diagnostic["tags"] = json!([tag]);
    }
    if client.has_diagnostic_data && !finding.fixes.is_empty() {
        diagnostic["data"] = json!({"fixes": finding.fixes});
    }
    if client.has_related_information && !finding.related.is_empty() {
        let related = finding.related.iter().filter_map(|(location, text)| {
            let source = sources.get(&*location.path)?;
            let range = range(source, &location.range(), client.encoding);
            Some(json!({"location": {"uri": documents.uri(&location.path), "range": range}, "message": text}))
        });
        diagnostic["relatedInformation"] = related.collect();
    }
    diagnostic
}

/// Old spellings are lints W01; the others are about what has no effect or no use.
fn tag(code: Code) -> Option<u8> {
    match code.name() {
        "W0204" | "W0206" | "W0208" | "W0209" | "W0210" | "W0211" | "W0212" | "W0214" => Some(UNNECESSARY),
        name if name.starts_with("W01") => Some(DEPRECATED),
        _ => None,
    }
}
