//! What a refactoring is.

use std::path::PathBuf;

use crate::actions::FileEdits;

/// A change of the form of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refactoring {
    /// What it does, as an instruction.
    pub title: String,
    /// The kind.
    pub kind: RefactoringKind,
    /// What it changes in files that exist.
    pub edits: FileEdits,
    /// A file to create before, and what it contains.
    pub new_file: Option<(PathBuf, String)>,
}

/// The kinds of [`Refactoring`], which editors know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefactoringKind {
    /// Gives a part of a program a name.
    Extract,
    /// Replaces a name by what it stands for.
    Inline,
    /// Writes the same in another way.
    Rewrite,
    /// Moves a definition to another file.
    Move,
}
