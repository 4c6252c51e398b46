//! Changes of the form of a program that keep its meaning (spec 11 §3.9).
//!
//! Each is offered only where what it needs is known: a file without errors of syntax, names that mean the same in their new
//! place, and no comment or string of several lines that would be lost or changed.

mod annotation;
mod class;
mod code;
mod conditions;
mod repetition;
mod variable;

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::actions::FileEdits;
use crate::analysis::Analysis;
use crate::refactor::code::Code;

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

impl Analysis {
    /// Returns the changes of form that can be made at the cursor, or of what is selected in a file.
    #[must_use]
    pub fn refactorings(&self, path: &Path, range: &Range<u32>) -> Vec<Refactoring> {
        let Some(code) = Code::read(self, path, range) else { return Vec::new() };
        let found = [
            variable::extract(&code),
            variable::inline(&code),
            class::extract(&code),
            repetition::into_loop(&code),
            conditions::into_statement(&code),
            conditions::into_entries(&code),
            annotation::add_type(&code),
            class::move_to_file(&code),
        ];
        found.into_iter().flatten().collect()
    }
}
