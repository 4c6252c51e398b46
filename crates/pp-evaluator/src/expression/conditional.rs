//! `if`, `unless`, `case` and selectors.

use mcl_diagnostics::Code;
use pp_ast::{CaseOption, Expr, ExprId, SelectorEntry};
use pp_types::{Value, interpolate};

use crate::evaluator::Evaluator;
use crate::stop::{Eval, Stop};

impl Evaluator<'_> {
    /// Evaluates one of two branches.
    pub(super) fn eval_if(&mut self, test: ExprId, then: ExprId, otherwise: ExprId) -> Eval {
        let captures = self.own_captures();
        let result = self.eval(test).and_then(|value| {
            let branch = if value.is_true() { then } else { otherwise };
            self.eval(branch)
        });
        self.set_captures(captures);
        result
    }

    pub(super) fn eval_case(&mut self, test: ExprId, options: &[CaseOption]) -> Eval {
        let captures = self.own_captures();
        let result = self.eval_case_inner(test, options);
        self.set_captures(captures);
        result
    }

    fn eval_case_inner(&mut self, test: ExprId, options: &[CaseOption]) -> Eval {
        let tree = self.frame.tree;
        let value = self.eval(test)?;
        let mut default = None;
        for option in options {
            for candidate in tree.list(option.values) {
                match &tree.exprs[*candidate] {
                    Expr::Default => default = default.or(Some(option.body)),
                    Expr::Unfold(inner) => {
                        let list = self.eval(*inner)?;
                        for element in self.unfold(*inner, list)? {
                            if self.matches_option(*candidate, &element, &value)? {
                                return self.eval(option.body);
                            }
                        }
                    }
                    _ => {
                        let element = self.eval(*candidate)?;
                        if self.matches_option(*candidate, &element, &value)? {
                            return self.eval(option.body);
                        }
                    }
                }
            }
        }
        default.map_or(Ok(Value::Undef), |body| self.eval(body))
    }

    pub(super) fn eval_selector(&mut self, test: ExprId, entries: &[SelectorEntry]) -> Eval {
        let captures = self.own_captures();
        let result = self.eval_selector_inner(test, entries);
        self.set_captures(captures);
        result
    }

    fn eval_selector_inner(&mut self, test: ExprId, entries: &[SelectorEntry]) -> Eval {
        let tree = self.frame.tree;
        let value = self.eval(test)?;
        let mut default = None;
        for entry in entries {
            match &tree.exprs[entry.value] {
                Expr::Default => default = default.or(Some(entry.result)),
                Expr::Unfold(inner) => {
                    let list = self.eval(*inner)?;
                    for element in self.unfold(*inner, list)? {
                        if self.matches_option(entry.value, &element, &value)? {
                            return self.eval(entry.result);
                        }
                    }
                }
                _ => {
                    let element = self.eval(entry.value)?;
                    if self.matches_option(entry.value, &element, &value)? {
                        return self.eval(entry.result);
                    }
                }
            }
        }
        if let Some(result) = default {
            return self.eval(result);
        }
        let message = format!("No matching entry for selector parameter with value '{}'", interpolate(&value));
        let help = "add an entry `default => …` for all other values".to_owned();
        Err(Stop::message(tree.focus(test), message).code(Code::P0501).help(Some(help)))
    }
}
