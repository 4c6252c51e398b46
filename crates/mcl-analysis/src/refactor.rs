//! Changes of the form of a program that keep its meaning (spec 11 §3.9).
//!
//! Each is offered only where what it needs is known: a file without errors of syntax, names that mean the same in their new
//! place, and no comment or string of several lines that would be lost or changed.

mod annotation;
mod class;
mod code;
mod conditions;
mod refactoring;
mod repetition;
mod variable;

use std::ops::Range;
use std::path::Path;

use crate::analysis::Analysis;
use crate::refactor::code::Code;
pub use crate::refactor::refactoring::{Refactoring, RefactoringKind};

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
