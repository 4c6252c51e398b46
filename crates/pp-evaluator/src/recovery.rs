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

use pp_ast::{Expr, ExprId};
use pp_types::{Error, ErrorKind, Value};

use crate::abandoned::Location;
use crate::evaluator::Evaluator;
use crate::stop::{Eval, Fault, Stop, located, unlocated};

/// Maximum number of errors: the evaluation ends after the last of them.
const MAX_ERRORS: usize = 100;

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
        self.recover_from(stop, Location::Single)
    }

    /// Records an error in one of several things that have one location.
    ///
    /// # Errors
    /// What the evaluation cannot go on after.
    pub(crate) fn recover_each(&mut self, stop: Stop) -> Eval<()> {
        self.recover_from(stop, Location::Shared)
    }

    fn recover_from(&mut self, stop: Stop, location: Location) -> Eval<()> {
        match stop {
            Stop::Fault(fault) if fault.error.kind != ErrorKind::Limit && self.errors.len() < MAX_ERRORS => {
                self.errors.add(*fault, location);
                Ok(())
            }
            other => Err(other),
        }
    }

    /// Records the error that ended the evaluation.
    pub(crate) fn end_with(&mut self, fault: Fault) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.add(fault, Location::Single);
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
