//! Warnings about constants that a resource kind refuses: the resource would be invalid whenever the program runs.

use std::sync::Arc;

use mcl_diagnostics::{Code, Diagnostic, Fix, Span, Stage};
use mcl_parser::ast::{Ast, Entry, EntryKind, Expr, Stmt};
use mcl_types::Scoped;
use resource_graph::{ResourceKind, ValidationError};
use rustc_hash::FxHashSet;

/// The values that were found.
#[derive(Default)]
pub(crate) struct RefusedValues {
    /// One warning per location: a class may be included many times.
    pub(crate) warnings: Vec<Diagnostic>,
    spans: FxHashSet<(&'static str, Span)>,
    /// The kinds that edges send values to; collected when a resource lacks something.
    receivers: Option<FxHashSet<Arc<str>>>,
}

impl RefusedValues {
    pub(crate) fn add(&mut self, span: Span, label: String, error: ValidationError, fixes: Vec<Fix>) {
        let warning = Diagnostic::warning(Code::W0205, Stage::Graph, error.message).at_with(span, label).fixes(fixes);
        self.add_lint(match error.help {
            Some(help) => warning.help(help),
            None => warning,
        });
    }

    /// Adds a warning, unless it is known at this location.
    pub(crate) fn add_lint(&mut self, warning: Diagnostic) {
        if warning.span.is_none_or(|span| self.spans.insert((warning.code.name(), span))) {
            self.warnings.push(warning);
        }
    }

    pub(crate) fn add_value(&mut self, kind: &ResourceKind, ast: &Ast, entry: &Entry, error: ValidationError) {
        let value = match &entry.kind {
            EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => *value,
            EntryKind::Edge { half, .. } => half.name,
        };
        let span = ast.expr_span(value);
        // What is computed elsewhere is not wrong here.
        let is_literal = matches!(ast.expr(value), Expr::Str(_));
        let allowed = error.allowed.iter().filter(|_| is_literal);
        let fixes = allowed.map(|allowed| Fix::replace_with(span, format!("{allowed:?}"))).collect();
        self.add(span, format!("`{}` refuses this value whenever the program runs", kind.name), error, fixes);
    }

    /// Whether an edge of the program sends a value to a resource of a kind.
    pub(crate) fn is_receiver(&mut self, kind: &ResourceKind, scoped: &Scoped) -> bool {
        self.receivers.get_or_insert_with(|| receivers(scoped)).contains(kind.name)
    }
}

/// Returns the kinds that edges send values to.
fn receivers(scoped: &Scoped) -> FxHashSet<Arc<str>> {
    let mut kinds = FxHashSet::default();
    for ast in scoped.units.values() {
        for stmt in ast.stmts.values() {
            if let Stmt::Edge(halves) = stmt {
                let receiving = halves.iter().skip(1).filter(|half| half.key.is_some());
                kinds.extend(receiving.map(|half| ast.name(half.kind).into()));
            }
        }
    }
    kinds
}
