//! What loading gives: all sources of a program, and what each import leads to.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_diagnostics::{Code, Diagnostic, FileId, Files, Span, Stage};
use mcl_lexer::Tokens;
use serde::{Deserialize, Serialize};

use crate::name::ImportName;

/// Index into [`Loaded::units`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitId(u32);
entity_impl!(UnitId);

/// Absolute paths inside a deploy with the bytes of the files, sorted by path.
pub type DeployFiles = Vec<(Arc<str>, Vec<u8>)>;

/// A program with everything it is made of: later stages need no disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The sources; the main file is first.
    pub files: Files,
    /// The main file, and every imported file once for each module it is reached in; breadth first, in source order.
    #[serde(with = "mcl_diagnostics::table")]
    pub units: PrimaryMap<UnitId, Unit>,
    /// What `deploy.*` functions can read: absolute path inside the deploy and bytes, sorted (spec 01 §6.10). Empty unless
    /// [`crate::Options::deploy`] asked for it.
    pub deploy: DeployFiles,
}

/// One source file as part of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// The text.
    pub file: FileId,
    /// Its tokens.
    pub tokens: Arc<Tokens>,
    /// Where the module lies inside the deploy; starts and ends with `/`.
    pub module_dir: Arc<str>,
    /// The system module whose part in mcl this file is: it sees the native names of that module as its own.
    pub system: Option<Arc<str>>,
    /// The imports of the file, each name once, in the order of their first appearance.
    pub imports: Vec<Import>,
}

/// What an import name leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The text between the quotes.
    pub raw: Arc<str>,
    /// The string token, at its first appearance.
    pub span: Span,
    /// The name taken apart; `None` when it breaks the rules (then the target is a failure).
    pub name: Option<ImportName>,
    /// Where it leads.
    pub target: ImportTarget,
}

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportTarget {
    /// To what is native under the raw name, if anything is: that is the scope stage's to say.
    System,
    /// To a file.
    Unit(UnitId),
    /// Nowhere.
    Failed(ImportFailure),
}

/// Why an import leads nowhere. It becomes a diagnostic where the import statement means something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportFailure {
    /// Of the range E05.
    pub code: Code,
    /// One sentence.
    pub message: String,
    /// A further place: the part of the `metadata.yaml` that is wrong.
    pub metadata: Option<(Span, String)>,
    /// The way out.
    pub help: Option<String>,
}

impl ImportFailure {
    /// A failure without help.
    pub fn new(code: Code, message: impl Into<String>) -> ImportFailure {
        ImportFailure { code, message: message.into(), metadata: None, help: None }
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> ImportFailure {
        self.help = Some(text.into());
        self
    }

    /// The diagnostic at an import statement.
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
    /// The import of a unit by its raw name.
    #[must_use]
    pub fn import(&self, unit: UnitId, raw: &str) -> Option<&Import> {
        self.units.get(unit)?.imports.iter().find(|import| &*import.raw == raw)
    }
}
