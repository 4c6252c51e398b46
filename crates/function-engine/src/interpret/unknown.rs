//! What is known of a program only when it is applied, because it depends on the output of a command.

use std::sync::Arc;

use mcl_artifact::program::{Program, Statement};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use rustc_hash::FxHashSet;

/// The kinds of the resources that unknown statements may declare.
#[derive(Debug, Default)]
pub(super) struct UnknownKinds {
    kinds: FxHashSet<Arc<str>>,
    /// There may be any: an `if` or a loop is unknown.
    any: bool,
}

impl UnknownKinds {
    /// Adds what a statement may declare.
    pub(super) fn add(&mut self, program: &Program, statement: &Statement) {
        match statement {
            Statement::Resource(resource) => drop(self.kinds.insert(Arc::clone(&program.strings[resource.kind]))),
            Statement::Edge { .. } => {}
            Statement::If { .. } | Statement::For { .. } | Statement::ForKv { .. } => self.any = true,
        }
    }

    /// Returns whether an unknown statement may declare a resource of this kind.
    pub(super) fn may_include(&self, kind: &str) -> bool {
        self.any || self.kinds.contains(kind)
    }
}

/// Returns the note for a statement whose values need the output of a command.
pub(super) fn unknown_statement(program: &Program, statement: &Statement, span: Option<Span>) -> Diagnostic {
    let (what, span) = match statement {
        Statement::Resource(resource) => (format!("`{}`", program.strings[resource.kind]), Some(resource.span)),
        Statement::Edge { span, .. } => ("an edge".to_owned(), Some(*span)),
        Statement::If { .. } => ("what an `if` contains".to_owned(), span),
        Statement::For { .. } | Statement::ForKv { .. } => ("what a loop contains".to_owned(), span),
    };
    unknown_note(format!("{what}, which depends on the output of a command"), span)
}

/// Returns the note for something that is known only when the program is applied.
pub(super) fn unknown_note(what: impl std::fmt::Display, span: Option<Span>) -> Diagnostic {
    Diagnostic::note(Code::R0107, Stage::Interpret, format!("unknown until it is applied: {what}"))
        .maybe_at(span)
        .help("run the commands of functions with `--run-commands`")
}
