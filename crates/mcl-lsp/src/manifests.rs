//! Puppet manifests and templates (spec 11 §2.8): findings of open texts and of the files beside them, and symbols of open
//! texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_analysis::{Finding, Fold, FoldKind, Location, OutlineItem, OutlineKind, Source};
use mcl_diagnostics::{Code, Diagnostic, FileId, LevelSetting, LintLevel, LintSelector, Severity, SourceFile, Span};
use pp_analysis::{Definitions, Disk, FileDefinitions, Found, Library, Symbol, SymbolKind};
use pp_ast::Tree;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::documents::Documents;
use crate::settings::Settings;

#[cfg(test)]
mod tests;

/// The files of the modules of open manifests are read if they are together at most as many as this.
const MAX_FILES: usize = 2_000;

/// A larger file is not read unless it is open, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The open manifests, the files beside them, and the findings of both, which are kept until a text changes, or a definition that
/// the text uses.
#[derive(Default)]
pub(crate) struct Manifests {
    known: FxHashMap<PathBuf, Known>,
    /// The levels of lints that they were found with.
    levels: Vec<(LintSelector, LintLevel)>,
    /// The files of the modules of open manifests.
    beside: BTreeMap<PathBuf, Source>,
    /// Files of other modules.
    disk: Disk,
    /// The state of the texts in which all files were read last.
    read_in: Option<u64>,
}

/// A text with its path.
type Text<'a> = (&'a PathBuf, &'a Arc<str>);

/// A tree, and the errors and warnings of its text.
type Parsed = (Tree, Vec<Diagnostic>);

/// A text, and what is known of it.
struct Known {
    text: Arc<str>,
    definitions: Arc<FileDefinitions>,
    findings: Vec<Finding>,
    /// What was asked about other definitions, with the answers.
    asked: FxHashMap<String, Found>,
}

impl Manifests {
    /// Returns the findings of each open manifest, and of each other file of its module that has some. `fixed` is the last state
    /// of the texts after something other than open texts changed.
    pub(crate) fn findings(
        &mut self,
        documents: &Documents,
        fixed: u64,
        settings: &Settings,
    ) -> Vec<(PathBuf, Vec<Finding>)> {
        if self.levels != settings.levels {
            self.known.clear();
            self.levels.clone_from(&settings.levels);
        }
        let is_read_again = self.read_in != Some(fixed);
        if is_read_again {
            self.read_beside(documents);
            self.disk = Disk::default();
            self.read_in = Some(fixed);
        }
        let open = documents.open.keys().filter_map(|path| Some((path, documents.manifests.text(path)?)));
        let beside = self.beside.iter().map(|(path, source)| (path, &source.text));
        let beside = beside.filter(|(path, _)| documents.manifests.text(path).is_none());
        let texts: Vec<Text<'_>> = open.chain(beside).collect();
        let old = std::mem::take(&mut self.known);
        self.known = update(&texts, old, is_read_again, &self.disk, &self.levels);
        let found = texts.iter().filter_map(|(path, _)| Some((*path, &self.known.get(*path)?.findings)));
        let found = found.filter(|(path, found)| !found.is_empty() || documents.open.contains_key(*path));
        found.map(|(path, found)| (path.clone(), found.clone())).collect()
    }

    /// Returns the text of a file beside an open manifest.
    pub(crate) fn source(&self, path: &Path) -> Option<Source> {
        self.beside.get(path).cloned()
    }

    /// Reads the files beside the open manifests. A text that did not change stays the same, and so do its findings.
    fn read_beside(&mut self, documents: &Documents) {
        let open = documents.open.keys().filter(|path| documents.manifests.text(path).is_some());
        let mut paths = BTreeSet::new();
        for path in open {
            // The first manifest of a module brings all others.
            if !paths.contains(path) {
                // What cannot be listed is checked when it is open.
                paths.extend(pp_environment::files_beside(path).unwrap_or_default());
            }
        }
        if paths.len() > MAX_FILES {
            paths.clear();
        }
        let mut before = std::mem::take(&mut self.beside);
        for path in paths {
            let is_small = path.metadata().is_ok_and(|metadata| metadata.len() <= MAX_FILE_BYTES);
            let Some(text) = is_small.then(|| std::fs::read_to_string(&path).ok()).flatten() else { continue };
            let known = before.remove(&path).filter(|source| *source.text == text);
            self.beside.insert(path, known.unwrap_or_else(|| Source::new(text.into())));
        }
    }
}

/// Returns what is known of texts: what was known before, where neither the text nor what it asked for has changed.
fn update(
    texts: &[Text<'_>],
    mut old: FxHashMap<PathBuf, Known>,
    is_read_again: bool,
    disk: &Disk,
    levels: &[(LintSelector, LintLevel)],
) -> FxHashMap<PathBuf, Known> {
    let parse_changed = |(path, text): &Text<'_>| {
        let is_known = old.get(*path).is_some_and(|known| Arc::ptr_eq(&known.text, text));
        (!is_known).then(|| pp_analysis::parse(path, FileId::MAIN, text))
    };
    let parsed: Vec<Option<Parsed>> = texts.par_iter().map(parse_changed).collect();
    let mut definitions = FxHashMap::default();
    let mut is_same = !is_read_again && texts.len() == old.len();
    for ((path, text), parsed) in texts.iter().zip(&parsed) {
        let before = old.get(*path).map(|known| &known.definitions);
        let now = match (parsed, before) {
            (None, Some(before)) => Arc::clone(before),
            (Some((tree, diagnostics)), before) => {
                let now = FileDefinitions::new(tree, text, pp_analysis::has_errors(diagnostics));
                is_same &= before.is_some_and(|before| **before == now);
                Arc::new(now)
            }
            (None, None) => continue,
        };
        definitions.insert((*path).clone(), now);
    }
    let library = Library::new(&definitions, &[], disk);
    let find_again = |((path, text), parsed): (&Text<'_>, Option<Parsed>)| {
        let has_same_answers = |known: &Known| {
            let scope = library.of_file(path);
            known.asked.iter().all(|(name, found)| scope.find(name) == *found)
        };
        if parsed.is_none() && old.get(*path).is_some_and(|known| is_same || has_same_answers(known)) {
            return None;
        }
        let parsed = parsed.unwrap_or_else(|| pp_analysis::parse(path, FileId::MAIN, text));
        let scope = library.of_file(path);
        let findings = findings(path, text, parsed, &scope, levels);
        Some((findings, scope.into_asked()))
    };
    let found: Vec<_> = texts.par_iter().zip(parsed).map(find_again).collect();
    let mut new = FxHashMap::default();
    for ((path, text), found) in texts.iter().zip(found) {
        let known = match (found, definitions.get(*path)) {
            (Some((findings, asked)), Some(definitions)) => {
                Some(Known { text: Arc::clone(text), definitions: Arc::clone(definitions), findings, asked })
            }
            _ => old.remove(*path),
        };
        new.extend(known.map(|known| ((*path).clone(), known)));
    }
    new
}

fn findings(
    path: &Path,
    text: &str,
    (tree, mut diagnostics): Parsed,
    definitions: &dyn Definitions,
    levels: &[(LintSelector, LintLevel)],
) -> Vec<Finding> {
    let is_pedantic = pp_analysis::is_pedantic;
    let level_of = |code: Code| LevelSetting::decide(LevelSetting::of(code, levels, true), is_pedantic(code));
    let is_on = |code: Code| match level_of(code) {
        Some(level) => level != LintLevel::Allow,
        None => !is_pedantic(code),
    };
    if !pp_analysis::has_errors(&diagnostics) {
        let file = SourceFile::new(path.to_string_lossy().into_owned(), text.to_owned());
        diagnostics.extend(pp_analysis::lint(path, &file, &tree, definitions, &is_on));
    }
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
    let (tree, _) = pp_analysis::parse(path, FileId::MAIN, text);
    pp_analysis::symbols(&tree, text).into_iter().map(item).collect()
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
