//! The output of loading: all sources of a program, and the target of each import.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_diagnostics::{Code, Diagnostic, FileId, Files, LintLevel, LintSelector, Span, Stage};
use mcl_lexer::Tokens;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::name::ImportName;

/// Index into [`Loaded::units`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitId(u32);
entity_impl!(UnitId);

/// Absolute paths inside a deploy with the bytes of the files, sorted by path.
pub type DeployFiles = Vec<(Arc<str>, Vec<u8>)>;

/// A program with all its files: later stages read none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The sources; the main file is first.
    pub files: Files,
    /// The main file, and every imported file once per module that it belongs to: breadth first, in source order.
    #[serde(with = "mcl_diagnostics::table")]
    pub units: PrimaryMap<UnitId, Unit>,
    /// The files that `deploy.*` functions can read (spec 01 §6.10). Empty unless [`crate::Options::deploy`] is set.
    pub deploy: DeployFiles,
    /// Whether not everybody may read one of these files, so that artifacts with them must be private. It is not part of
    /// artifacts, because equal files give equal bytes.
    #[serde(skip)]
    pub has_private_files: bool,
    /// Lints of the metadata of its modules.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
    /// The levels of lints that its metadata sets.
    #[serde(skip)]
    pub lints: Vec<(LintSelector, LintLevel)>,
    /// Where its sources are.
    #[serde(skip)]
    pub paths: SourcePaths,
}

/// The absolute paths of sources; embedded files have none. Equal programs may be in different directories, so that paths
/// never make two of them differ.
#[derive(Clone, Default)]
pub struct SourcePaths(FxHashMap<FileId, PathBuf>);

/// What is shown of a program is the same in all directories, too.
impl fmt::Debug for SourcePaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourcePaths").finish_non_exhaustive()
    }
}

impl PartialEq for SourcePaths {
    fn eq(&self, _: &SourcePaths) -> bool {
        true
    }
}
impl Eq for SourcePaths {}

impl FromIterator<(FileId, PathBuf)> for SourcePaths {
    fn from_iter<T: IntoIterator<Item = (FileId, PathBuf)>>(paths: T) -> SourcePaths {
        SourcePaths(paths.into_iter().collect())
    }
}

impl SourcePaths {
    pub(crate) fn insert(&mut self, file: FileId, path: PathBuf) {
        if path.is_absolute() {
            self.0.insert(file, path);
        }
    }

    /// Returns where a file is.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&Path> {
        self.0.get(&file).map(PathBuf::as_path)
    }

    /// Returns the file at a path.
    #[must_use]
    pub fn file_at(&self, path: &Path) -> Option<FileId> {
        self.0.iter().find(|(_, of)| *of == path).map(|(file, _)| *file)
    }
}

/// A source file as part of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Its text.
    pub file: FileId,
    /// Its tokens.
    pub tokens: Arc<Tokens>,
    /// The directory of the module inside the deploy; starts and ends with `/`.
    pub module_dir: Arc<str>,
    /// The system module that the file belongs to, whose native names it sees as its own.
    pub system: Option<Arc<str>>,
    /// The imports of the file, each name once, in source order.
    pub imports: Vec<Import>,
}

/// An import and its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The text between the quotes.
    pub raw: Arc<str>,
    /// The first string token with this text.
    pub span: Span,
    /// The parsed name; `None` if it is invalid, in which case the target is a failure.
    pub name: Option<ImportName>,
    /// The target.
    pub target: ImportTarget,
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportTarget {
    /// The native module of this name, if there is one, which the scope stage decides.
    System,
    /// A file.
    Unit(UnitId),
    /// None.
    Failed(ImportFailure),
}

/// Why an import has no target. It is reported where the import statement is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFailure {
    /// A code of the range E05.
    pub code: Code,
    /// The message of the diagnostic.
    pub message: String,
    /// The part of the `metadata.yaml` that is wrong, and its label.
    pub metadata: Option<(Span, String)>,
    /// The help of the diagnostic.
    pub help: Option<String>,
}

impl ImportFailure {
    /// Creates a failure without help.
    pub fn new(code: Code, message: impl Into<String>) -> ImportFailure {
        ImportFailure { code, message: message.into(), metadata: None, help: None }
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> ImportFailure {
        self.help = Some(text.into());
        self
    }

    /// Returns the diagnostic for an import statement.
    #[must_use]
    pub fn to_diagnostic(&self, import: Span) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code, Stage::Import, self.message.clone()).at(import);
        if let Some((span, text)) = &self.metadata {
            diagnostic = diagnostic.label(*span, text.clone());
        }
        diagnostic.help.clone_from(&self.help);
        diagnostic
    }
}

impl Loaded {
    /// Returns the import of a unit by its raw name.
    #[must_use]
    pub fn import(&self, unit: UnitId, raw: &str) -> Option<&Import> {
        self.units.get(unit)?.imports.iter().find(|import| &*import.raw == raw)
    }
}
