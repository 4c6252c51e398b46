//! More than one error a run: an error ends the statement that it happens in, and the rest of the body is evaluated for
//! further errors (spec 07 §5.18).
//!
//! What the abandoned statement would have done is missing from then on, and what is missing must not be reported a second
//! time. After the first error
//!
//! * a variable that an abandoned statement would have set, and any variable of another class, may be missing because of it: a
//!   statement that reads such a variable is abandoned silently, and so is one that asks whether something is defined that is
//!   not;
//! * `fail` and an exhausted budget may be consequences and are not reported;
//! * messages of the program are dropped, as Puppet would have stopped;
//! * the catalog is not finished, so that nothing is said about references to what was not declared.

use std::collections::HashSet;
use std::sync::Arc;

use mcl_diagnostics::Span;
use pp_ast::{Expr, ExprId, Tree};
use pp_types::{Error, ErrorKind, Value};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::evaluator::{Evaluator, STACK_RESERVE, STACK_SEGMENT};
use crate::stop::{Eval, Fault, Stop, located, unlocated};

/// The evaluation ends after as many errors.
const MAX_ERRORS: usize = 100;

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

    fn add(&mut self, fault: Fault, is_each: bool) {
        let is_first = self.is_empty();
        let may_follow = fault.is_consequence || matches!(fault.error.kind, ErrorKind::Fail | ErrorKind::Limit);
        if may_follow && !is_first {
            return;
        }
        let is_new_place = fault.span.is_none_or(|span| self.spans.insert(span)) || is_each;
        let is_new_text = self.messages.insert(fault.error.message.clone());
        if is_first || (is_new_place && is_new_text) {
            self.faults.push(fault);
        }
    }

    /// Records the variables that an abandoned statement would have set.
    fn unset(&mut self, tree: &Tree, statement: ExprId) {
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

impl Evaluator<'_> {
    /// Evaluates the body of a class, define, node or main manifest. A statement with an error is abandoned.
    pub(crate) fn eval_body(&mut self, body: ExprId) -> Eval {
        let tree = self.frame.tree;
        let Expr::Block(statements) = tree.exprs[body] else { return self.eval_statement(body) };
        let mut value = Value::Undef;
        for statement in tree.list(statements) {
            value = self.eval_statement(*statement)?;
        }
        Ok(value)
    }

    fn eval_statement(&mut self, statement: ExprId) -> Eval {
        match self.eval(statement) {
            Err(stop) => {
                let span = self.span(statement);
                self.recover(located(stop, Some(span)))?;
                self.errors.unset(self.frame.tree, statement);
                Ok(Value::Undef)
            }
            done => done,
        }
    }

    /// Records an error, so that the evaluation goes on with what does not depend on it.
    ///
    /// # Errors
    /// What the evaluation cannot go on after.
    pub(crate) fn recover(&mut self, stop: Stop) -> Eval<()> {
        self.recover_from(stop, false)
    }

    /// Records an error in one of several things that have one location.
    ///
    /// # Errors
    /// What the evaluation cannot go on after.
    pub(crate) fn recover_each(&mut self, stop: Stop) -> Eval<()> {
        self.recover_from(stop, true)
    }

    fn recover_from(&mut self, stop: Stop, is_each: bool) -> Eval<()> {
        match stop {
            Stop::Fault(fault) if fault.error.kind != ErrorKind::Limit && self.errors.len() < MAX_ERRORS => {
                self.errors.add(*fault, is_each);
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Records the error that ended the evaluation.
    pub(crate) fn end_with(&mut self, fault: Fault) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.add(fault, false);
        }
    }

    /// Returns what abandons a statement silently, because an earlier error may be the cause.
    pub(crate) fn consequence(&self) -> Stop {
        let mut stop = unlocated(Error::new(ErrorKind::Evaluation, "an earlier error keeps this from being evaluated"));
        if let Stop::Fault(fault) = &mut stop {
            fault.is_consequence = true;
        }
        stop
    }
}
