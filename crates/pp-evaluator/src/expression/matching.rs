//! `=~`, `!~`, `in`, and the options of `case`: operators that set `$0`, `$1`, ….

use std::rc::Rc;

use pp_ast::ExprId;
use pp_types::{Error, Regexp, Value, is_in, is_instance, matches_option, operand_name, with_article};

use crate::evaluator::Evaluator;
use crate::stop::Eval;

impl Evaluator<'_> {
    /// `left =~ right`
    pub(super) fn eval_match(&mut self, left: ExprId, right: ExprId) -> Eval<bool> {
        let value = self.eval(left)?;
        let pattern = self.eval(right)?;
        match &pattern {
            Value::Type(ty) => {
                self.charge_visit([&value]).map_err(|error| self.fault(left, error))?;
                return Ok(is_instance(ty, &value));
            }
            Value::SemVerRange(_) if matches!(value, Value::SemVer(_) | Value::String(_)) => {
                let result = matches_option(&pattern, &value);
                return Ok(result.map_err(|error| self.fault(right, error))?.0);
            }
            _ => {}
        }
        if !matches!(value, Value::String(_)) {
            let message = format!(
                "Left match operand must result in a String value. Got {}.",
                with_article(&operand_name(&value))
            );
            return Err(self.error(left, message));
        }
        let regexp = match &pattern {
            Value::Regexp(regexp) => regexp.clone(),
            Value::String(source) => self.regexp_of(source),
            other => {
                let message = "Can not convert right match operand to a regular expression.";
                let kind = pp_types::generalize(&pp_types::infer(other));
                let cause = format!("{message} Caused by 'no implicit conversion of {kind} into String'.");
                return Err(self.error(right, cause));
            }
        };
        let (matched, captures) = matches_option(&Value::Regexp(regexp), &value).map_err(|error| {
            let message = format!("Can not convert right match operand to a regular expression. Caused by '{error}'.");
            self.fault(right, Error { message, ..error })
        })?;
        self.keep_captures(matched, captures);
        Ok(matched)
    }

    /// `left in right`
    pub(super) fn eval_in(&mut self, left: ExprId, right: ExprId) -> Eval {
        let element = self.eval(left)?;
        let container = self.eval(right)?;
        self.charge_visit([&container]).map_err(|error| self.fault(right, error))?;
        let (found, captures) = is_in(&element, &container).map_err(|error| self.fault(left, error))?;
        self.keep_captures(found, captures);
        Ok(Value::Boolean(found))
    }

    /// Returns whether an option of a `case` or selector takes a value.
    pub(super) fn matches_option(&mut self, id: ExprId, option: &Value, value: &Value) -> Eval<bool> {
        self.charge_visit([value]).map_err(|error| self.fault(id, error))?;
        let (matched, captures) = matches_option(option, value).map_err(|error| self.fault(id, error))?;
        self.keep_captures(matched, captures);
        Ok(matched)
    }

    /// Returns the regular expression that a string holds.
    fn regexp_of(&mut self, source: &std::sync::Arc<str>) -> Regexp {
        self.regexps.get(source).cloned().unwrap_or_else(|| Regexp::new(source.clone()))
    }

    /// A match sets the captures, a failure leaves them as they are.
    pub(crate) fn keep_captures(&mut self, matched: bool, captures: Option<Vec<Option<String>>>) {
        if let Some(captures) = captures.filter(|_| matched) {
            let captures: Vec<_> = captures.into_iter().map(|group| group.map(Into::into)).collect();
            self.set_captures(Some(Rc::from(captures)));
        }
    }
}
