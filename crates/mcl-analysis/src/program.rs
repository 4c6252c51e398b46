//! A program with all that the stages know of it.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use mcl_diagnostics::{Diagnostic, FileId, SourceFile};
use mcl_driver::Checked;
use mcl_lexer::Tokens;
use mcl_modules::{ImportTarget, Loaded, UnitId};
use mcl_parser::ast::Ast;
use mcl_types::{Scoped, Typed};

use crate::index::Index;

/// A program with all that the stages know of it.
#[derive(Debug)]
pub struct Program {
    checked: Checked,
    diagnostics: Vec<Diagnostic>,
    index: OnceLock<Index>,
}

impl Program {
    pub(crate) fn new(checked: Checked, diagnostics: Vec<Diagnostic>) -> Program {
        Program { checked, diagnostics, index: OnceLock::new() }
    }

    /// Whether it is the program of these sources.
    pub(crate) fn is_of(&self, loaded: &Loaded) -> bool {
        // Tokens are those of the texts. The files of metadata are among the sources only if something is wrong with them.
        self.checked.loaded == *loaded
            && self.checked.loaded.warnings == loaded.warnings
            && self.checked.loaded.lints == loaded.lints
    }

    /// Returns its sources.
    #[must_use]
    pub fn loaded(&self) -> &Loaded {
        &self.checked.loaded
    }

    pub(crate) fn typed(&self) -> &Typed {
        &self.checked.typed
    }

    pub(crate) fn scoped(&self) -> &Scoped {
        &self.checked.typed.scoped
    }

    /// Returns its errors and warnings, as `mclc check` reports them.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    pub(crate) fn file(&self, file: FileId) -> Option<&SourceFile> {
        self.loaded().files.get(file)
    }

    /// Returns the file at a path.
    pub(crate) fn file_at(&self, path: &Path) -> Option<FileId> {
        self.loaded().paths.file_at(path)
    }

    /// Returns the first unit of a file.
    pub(crate) fn unit_of(&self, file: FileId) -> Option<UnitId> {
        self.loaded().units.iter().find(|(_, unit)| unit.file == file).map(|(id, _)| id)
    }

    /// Returns the file that an import of a file leads to.
    pub(crate) fn imported_file(&self, file: FileId, raw: &str) -> Option<FileId> {
        let unit = self.unit_of(file)?;
        match self.loaded().import(unit, raw)?.target {
            ImportTarget::Unit(unit) => Some(self.loaded().units.get(unit)?.file),
            ImportTarget::System | ImportTarget::Failed(_) => None,
        }
    }

    /// Returns the tokens of a file.
    pub(crate) fn tokens(&self, file: FileId) -> Option<&Arc<Tokens>> {
        self.loaded().units.get(self.unit_of(file)?).map(|unit| &unit.tokens)
    }

    /// Returns the tree of a file.
    pub(crate) fn ast(&self, file: FileId) -> Option<&Ast> {
        self.scoped().units.get(self.unit_of(file)?).map(|ast| &**ast)
    }

    /// Returns the index of its names.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.checked))
    }
}
