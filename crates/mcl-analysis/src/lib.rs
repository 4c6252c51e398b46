//! Answers questions about programs by position, also about programs with errors (spec 11 §2, §3).
//!
//! A [`Workspace`] holds the texts that are open in an editor and the folders around them. Its [`Sources`] are a value that
//! other threads can use. [`Analyzer`] runs all stages on them and returns an [`Analysis`], which never changes: it has the
//! findings of all programs, and what each stage knows of names and types. A program whose texts are those of the analysis
//! before is taken from there; every other program is analysed as a whole (ARCHITECTURE.md has the figures).
//!
//! That takes too long for each key in a large program. [`Analyzer::analyze_edit`] finds what is wrong after an edit from the
//! part of the program that it concerns, and [`Analysis::part_for`] makes an analysis of the part that a question is about, in
//! texts that are newer than the analysis.
//!
//! Names are found in an index of each program (`index.rs`), which is made when the first question needs it.
//!
//! Positions are byte offsets. [`LineIndex`] converts them for clients that count lines and characters. This crate knows
//! neither the protocol of an editor nor its notation.

mod actions;
mod analysis;
mod analyzer;
mod bindings;
mod calls;
mod comments;
mod completion;
mod document;
mod edits;
mod fixes;
mod folding;
mod hover;
mod imports;
mod index;
mod inlay;
mod line_ends;
mod line_index;
mod links;
mod modes;
mod navigation;
mod outline;
mod parses;
mod part;
mod program;
mod question;
mod refactor;
mod rename;
mod scopes;
mod semantic;
mod semantic_token;
mod signature;
mod source;
mod struct_fields;
mod syntax;
#[cfg(test)]
mod tests;
mod types;
mod workspace;

pub use actions::{FileEdits, QuickFix, is_syntax_error};
pub use analysis::{Analysis, Finding, Location};
pub use analyzer::Analyzer;
pub use calls::{CallItem, CallKind, Calls};
pub use completion::{Completion, CompletionKind};
pub use edits::{TextEdit, apply_edits, join_edits};
pub use fixes::{FixEdits, fix_edits};
pub use folding::{Fold, FoldKind, folds, selection_ranges};
pub use hover::Hover;
pub use inlay::InlayHint;
pub use line_index::{Cursor, Encoding, LineIndex, Position};
pub use links::Link;
pub use navigation::{Definition, Use};
pub use outline::{OutlineItem, OutlineKind};
pub use parses::{parses, syntax_errors};
pub use program::Program;
pub use question::Question;
pub use refactor::{Refactoring, RefactoringKind};
pub use rename::RenameError;
pub use semantic_token::{SemanticToken, TokenClass};
pub use signature::SignatureHelp;
pub use source::Source;
pub use workspace::{Change, Sources, Workspace};
