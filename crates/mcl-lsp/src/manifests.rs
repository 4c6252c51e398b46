//! Puppet manifests and templates (spec 11 §2.8): findings and symbols of open texts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_analysis::{Finding, Fold, FoldKind, Location, OutlineItem, OutlineKind};
use mcl_diagnostics::{Code, Diagnostic, LevelSetting, LintLevel, LintSelector, Severity, Span};
use pp_analysis::{Symbol, SymbolKind};
use rustc_hash::FxHashMap;

use crate::documents::Documents;
use crate::settings::Settings;

/// The findings of the open manifests, which are kept until their text changes.
#[derive(Default)]
pub(crate) struct Manifests {
    known: FxHashMap<PathBuf, (Arc<str>, Vec<Finding>)>,
    /// The levels of lints that they were found with.
    levels: Vec<(LintSelector, LintLevel)>,
}

impl Manifests {
    /// Returns the findings of each open manifest.
    pub(crate) fn findings(&mut self, documents: &Documents, settings: &Settings) -> Vec<(PathBuf, Vec<Finding>)> {
        if self.levels != settings.levels {
            self.known.clear();
            self.levels.clone_from(&settings.levels);
        }
        self.known.retain(|path, _| documents.manifests.text(path).is_some());
        let open = documents.open.keys().filter_map(|path| Some((path, documents.manifests.text(path)?)));
        let find = |(path, text): (&PathBuf, &Arc<str>)| {
            let known = self.known.get(path).filter(|(known, _)| Arc::ptr_eq(known, text));
            let findings = known.map_or_else(|| findings(path, text, &self.levels), |(_, findings)| findings.clone());
            self.known.insert(path.clone(), (Arc::clone(text), findings.clone()));
            (path.clone(), findings)
        };
        open.map(find).collect()
    }
}

fn findings(path: &Path, text: &str, levels: &[(LintSelector, LintLevel)]) -> Vec<Finding> {
    let is_pedantic = pp_analysis::is_pedantic;
    let level_of = |code: Code| LevelSetting::decide(LevelSetting::of(code, levels, true), is_pedantic(code));
    let is_on = |code: Code| match level_of(code) {
        Some(level) => level != LintLevel::Allow,
        None => !is_pedantic(code),
    };
    let mut diagnostics = pp_analysis::analyze(path, text, &is_on).diagnostics;
    diagnostics.retain(|found| found.severity == Severity::Error || is_on(found.code));
    mcl_diagnostics::sort(&mut diagnostics);
    diagnostics
        .into_iter()
        .map(|found| {
            let is_denied = level_of(found.code) == Some(LintLevel::Deny);
            finding(path, found, is_denied)
        })
        .collect()
}

fn finding(path: &Path, found: Diagnostic, is_denied: bool) -> Finding {
    let location = |span: Span| Location { path: path.to_owned(), start: span.start, end: span.end };
    let related = found.labels.into_iter().map(|label| (location(label.span), label.text));
    Finding {
        range: found.span.map_or(0..0, |span| span.start..span.end),
        severity: if is_denied { Severity::Error } else { found.severity },
        code: found.code,
        message: found.message,
        help: found.help,
        related: related.collect(),
        // They are for `mclc check --fix`, which rewrites whole files.
        fixes: Vec::new(),
    }
}

/// Returns what a manifest contains.
pub(crate) fn outline(path: &Path, text: &str) -> Vec<OutlineItem> {
    let analyzed = pp_analysis::analyze(path, text, &|_| false);
    pp_analysis::symbols(&analyzed.tree, text).into_iter().map(item).collect()
}

/// Returns what can be folded in a manifest.
pub(crate) fn folds(text: &str) -> Vec<Fold> {
    let kind = |is_comment| if is_comment { FoldKind::Comment } else { FoldKind::Block };
    pp_analysis::folds(text).into_iter().map(|fold| Fold { range: fold.range, kind: kind(fold.is_comment) }).collect()
}

/// Definitions nest at most as deep as trees.
fn item(symbol: Symbol) -> OutlineItem {
    let (kind, detail) = match symbol.kind {
        SymbolKind::Class => (OutlineKind::Class, Some("class")),
        SymbolKind::Define => (OutlineKind::Class, Some("define")),
        SymbolKind::TypeAlias => (OutlineKind::Class, Some("type")),
        SymbolKind::Node => (OutlineKind::Module, None),
        SymbolKind::Function => (OutlineKind::Function, None),
        SymbolKind::Resource => (OutlineKind::Resource, None),
    };
    OutlineItem {
        name: symbol.name,
        detail: detail.map(str::to_owned),
        kind,
        range: symbol.range,
        name_range: symbol.name_range,
        children: symbol.children.into_iter().map(item).collect(),
    }
}
