//! The errors of abandoned statements, and what those statements would have set.

use std::collections::HashSet;
use std::sync::Arc;

use mcl_diagnostics::Span;
use pp_ast::{Expr, ExprId, Tree};
use pp_types::ErrorKind;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::stack::{STACK_RESERVE, STACK_SEGMENT};
use crate::stop::Fault;

/// What a location of the source stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location {
    /// One thing: code that runs several times has an error there once.
    Single,
    /// Several things, each of which may have an error.
    Shared,
}

/// The errors of the abandoned statements.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    faults: Vec<Fault>,
    /// The variables that an abandoned statement would have set.
    unset: FxHashSet<Arc<str>>,
    /// Where errors were reported: code that runs several times has an error once.
    spans: FxHashSet<Span>,
    /// The texts of the errors: an unknown name is reported once.
    messages: HashSet<String, FxBuildHasher>,
}

impl Errors {
    /// Returns whether there is no error so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns the number of errors.
    pub(crate) fn len(&self) -> usize {
        self.faults.len()
    }

    /// Returns the errors, in the order of the evaluation.
    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// Adds what led to the errors from `first` on.
    pub(crate) fn trace_from(&mut self, first: usize, span: Option<Span>, text: &str) {
        for fault in &mut self.faults[first..] {
            fault.trace(span, text);
        }
    }

    /// Returns whether a variable that is unknown may be so because of an error.
    pub(crate) fn may_hide_variable(&self, name: &str) -> bool {
        !self.is_empty() && (name.contains("::") || self.unset.contains(name))
    }

    /// Adds an error, unless it follows from another one.
    pub(crate) fn add(&mut self, fault: Fault, location: Location) {
        let is_first = self.is_empty();
        let may_follow = fault.is_consequence || matches!(fault.error.kind, ErrorKind::Fail | ErrorKind::Limit);
        if may_follow && !is_first {
            return;
        }
        let is_new_place = fault.span.is_none_or(|span| self.spans.insert(span)) || location == Location::Shared;
        let is_new_text = self.messages.insert(fault.error.message.clone());
        if is_first || (is_new_place && is_new_text) {
            self.faults.push(fault);
        }
    }

    /// Records the variables that an abandoned statement would have set.
    pub(crate) fn unset(&mut self, tree: &Tree, statement: ExprId) {
        stacker::maybe_grow(STACK_RESERVE, STACK_SEGMENT, || {
            if let Expr::Assign(_, target, _) = tree.exprs[statement] {
                self.unset_target(tree, target);
            }
            tree.for_each_child(statement, |child| self.unset(tree, child));
        });
    }

    fn unset_target(&mut self, tree: &Tree, target: ExprId) {
        if let Expr::Variable(name) = tree.exprs[target] {
            self.unset.insert(tree.str(name).clone());
        }
        tree.for_each_child(target, |child| self.unset_target(tree, child));
    }
}
