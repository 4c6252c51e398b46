//! A program with all that the stages know of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{Diagnostic, FileId, SourceFile};
use mcl_driver::{Checked, Declarations};
use mcl_lexer::Tokens;
use mcl_modules::{ImportTarget, Loaded, UnitId};
use mcl_parser::ast::Ast;
use mcl_types::{DefId, DefKind, ScopeKind, Scoped, Typed};
use rustc_hash::FxHashSet;

use crate::document::Document;
use crate::index::Index;
use crate::semantic_token::SemanticToken;
use crate::syntax::{Syntax, Word, word};

/// A program with all that the stages know of it.
#[derive(Debug)]
pub struct Program {
    checked: Checked,
    diagnostics: Vec<Diagnostic>,
    index: OnceLock<Index>,
    /// The segments of its files, as far as they were needed.
    syntaxes: PrimaryMap<FileId, OnceLock<Arc<Syntax>>>,
    usage: OnceLock<Usage>,
    /// The classes of the tokens of each file.
    classified: PrimaryMap<FileId, OnceLock<Arc<Vec<SemanticToken>>>>,
    /// What was found, if there are neither errors nor comments that allow something.
    unfinished: Option<Unfinished>,
}

/// What the stages find in a program, before levels of lints are applied.
#[derive(Clone, Debug)]
pub(crate) struct Unfinished {
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) declarations: Declarations,
}

/// What a program uses of its definitions.
#[derive(Debug)]
pub(crate) struct Usage {
    /// The definitions of the top level of each file that are used.
    pub(crate) reached: FxHashSet<(FileId, Namespace, Word)>,
    /// The classes of the top level with definitions that are used from outside of the class.
    pub(crate) used_inside: FxHashSet<Word>,
}

impl Usage {
    fn of(scoped: &Scoped) -> Usage {
        let reachable = mcl_types::reachable_definitions(scoped);
        let classes = mcl_types::classes_used_inside(scoped, &reachable);
        let outermost = |mut class: DefId| {
            while let ScopeKind::Class(outer) = scoped.scope(scoped.def(class).scope).kind {
                class = outer;
            }
            top_level_name(scoped, class).map(|(_, _, word)| word)
        };
        Usage {
            reached: reachable.iter().filter_map(|def| top_level_name(scoped, def)).collect(),
            used_inside: classes.iter().filter_map(outermost).collect(),
        }
    }
}

/// The kinds of names, each with its own namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespace {
    Variable,
    Function,
    Class,
}

/// Returns the namespace of a definition of the top level of a file, and its name.
pub(crate) fn top_level_name(scoped: &Scoped, def: DefId) -> Option<(FileId, Namespace, Word)> {
    let of = scoped.def(def);
    let namespace = match of.kind {
        DefKind::Bind { .. } => Namespace::Variable,
        DefKind::Func { .. } => Namespace::Function,
        DefKind::Class { .. } => Namespace::Class,
        DefKind::Param { .. } | DefKind::Error => return None,
    };
    let is_top = scoped.scope(of.scope).kind == ScopeKind::Module;
    is_top.then(|| (scoped.ast_of(of.scope).file, namespace, word(scoped.def_name(def))))
}

impl Program {
    pub(crate) fn new(checked: Checked, diagnostics: Vec<Diagnostic>, unfinished: Option<Unfinished>) -> Program {
        let files = &checked.loaded.files.files;
        let syntaxes = files.iter().map(|_| OnceLock::new()).collect();
        let classified = files.iter().map(|_| OnceLock::new()).collect();
        Program {
            classified,
            checked,
            diagnostics,
            index: OnceLock::new(),
            syntaxes,
            usage: OnceLock::new(),
            unfinished,
        }
    }

    /// Sets the segments of the files that are open.
    pub(crate) fn set_syntaxes(&self, documents: &BTreeMap<PathBuf, Arc<Document>>) {
        for unit in self.loaded().units.values() {
            let path = self.loaded().paths.get(unit.file);
            if let Some(document) = path.and_then(|path| documents.get(path)) {
                // They may be known already.
                let _ = self.syntaxes[unit.file].set(Arc::clone(document.syntax()));
            }
        }
    }

    /// Returns what the tokens of a file are. `classify` finds it the first time.
    pub(crate) fn semantic_tokens(
        &self,
        file: FileId,
        classify: impl FnOnce() -> Vec<SemanticToken>,
    ) -> &Arc<Vec<SemanticToken>> {
        self.classified[file].get_or_init(|| Arc::new(classify()))
    }

    pub(crate) fn unfinished(&self) -> Option<&Unfinished> {
        self.unfinished.as_ref()
    }

    /// Returns the segments of a file.
    pub(crate) fn syntax(&self, file: FileId) -> &Arc<Syntax> {
        self.syntaxes[file].get_or_init(|| {
            let text = self.file(file).map_or("", |file| &file.text);
            let tokens = self.tokens(file).cloned().unwrap_or_default();
            Arc::new(Syntax::of_tokens(text, tokens))
        })
    }

    /// Returns what it uses of its definitions.
    pub(crate) fn usage(&self) -> &Usage {
        self.usage.get_or_init(|| Usage::of(self.scoped()))
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
