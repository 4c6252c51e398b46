//! The programs of a workspace at one time.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, FileId, LintLevel, LintSelector, Severity, Span};
use mcl_lexer::Tokens;

use crate::document::Document;
use crate::program::Program;
use crate::semantic_token::SemanticToken;
use crate::source::Source;

/// The programs of a workspace at one time. It never changes.
#[derive(Debug, Default)]
pub struct Analysis {
    programs: Vec<Arc<Program>>,
    documents: Arc<BTreeMap<PathBuf, Arc<Document>>>,
    pub(crate) setting: Setting,
    /// The tokens of a file, if they are known otherwise than from its program.
    pub(crate) classified: Option<(PathBuf, Arc<Vec<SemanticToken>>)>,
}

/// What an analysis depends on beside texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) module_path: Option<PathBuf>,
    pub(crate) levels: Vec<(LintSelector, LintLevel)>,
}

/// A range of bytes in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The absolute path of the file.
    pub path: PathBuf,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Location {
    /// Returns the bytes.
    #[must_use]
    pub fn range(&self) -> Range<u32> {
        self.start..self.end
    }
}

/// An error or warning in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it is.
    pub range: Range<u32>,
    /// The severity.
    pub severity: Severity,
    /// The code.
    pub code: Code,
    /// The violation.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// What else belongs to it.
    pub related: Vec<(Location, String)>,
    /// What can be done about it, in words.
    pub fixes: Vec<String>,
}

impl Analysis {
    pub(crate) fn new(programs: Vec<Arc<Program>>, documents: Arc<BTreeMap<PathBuf, Arc<Document>>>) -> Analysis {
        Analysis { programs, documents, setting: Setting::default(), classified: None }
    }

    pub(crate) fn document(&self, path: &Path) -> Option<&Arc<Document>> {
        self.documents.get(path)
    }

    /// Returns the tokens of a file of the workspace.
    pub(crate) fn tokens(&self, path: &Path) -> Option<Arc<Tokens>> {
        match self.documents.get(path) {
            Some(document) => Some(Arc::clone(&document.syntax().tokens)),
            None => {
                let (program, file) = self.program_of(path)?;
                program.tokens(file).cloned()
            }
        }
    }

    /// Returns the programs.
    #[must_use]
    pub fn programs(&self) -> &[Arc<Program>] {
        &self.programs
    }

    /// Returns the first program that contains a file.
    pub(crate) fn program_of(&self, path: &Path) -> Option<(&Program, FileId)> {
        self.programs.iter().find_map(|program| Some((&**program, program.file_at(path)?)))
    }

    /// Returns the text of a file of the workspace.
    #[must_use]
    pub fn source(&self, path: &Path) -> Option<Source> {
        if let Some(document) = self.documents.get(path) {
            return Some(document.source());
        }
        let (program, file) = self.program_of(path)?;
        Some(Source::new(Arc::clone(&program.file(file)?.text)))
    }

    /// Returns the findings of each file of the programs, also of files without any, in the order of `mclc check`. A file of
    /// several programs has the findings of all, each once.
    #[must_use]
    pub fn findings(&self) -> BTreeMap<PathBuf, Vec<Finding>> {
        let mut findings: BTreeMap<PathBuf, Vec<Finding>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for program in &self.programs {
            for file in program.loaded().files.files.keys() {
                if let Some(path) = program.loaded().paths.get(file) {
                    findings.entry(path.to_owned()).or_default();
                }
            }
            for diagnostic in program.diagnostics() {
                let Some((location, finding)) = finding(program, diagnostic) else { continue };
                let key = (location.clone(), diagnostic.code.name(), diagnostic.message.clone());
                if seen.insert(key) {
                    findings.entry(location.path).or_default().push(finding);
                }
            }
        }
        findings
    }
}

/// Returns where a span is, unless the file is embedded in the compiler.
pub(crate) fn location(program: &Program, span: Span) -> Option<Location> {
    let path = program.loaded().paths.get(span.file)?.to_owned();
    Some(Location { path, start: span.start, end: span.end })
}

/// A diagnostic without a location is shown at the start of the main file.
pub(crate) fn finding(program: &Program, diagnostic: &Diagnostic) -> Option<(Location, Finding)> {
    let span = diagnostic.span.unwrap_or(Span::new(FileId::MAIN, 0, 0));
    let location = location(program, span)?;
    let related = diagnostic.labels.iter();
    let related = related.filter_map(|label| Some((self::location(program, label.span)?, label.text.clone())));
    let finding = Finding {
        range: location.range(),
        severity: diagnostic.severity,
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        help: diagnostic.help.clone(),
        related: related.collect(),
        fixes: diagnostic.fixes.iter().map(|fix| fix.title.clone()).collect(),
    };
    Some((location, finding))
}
