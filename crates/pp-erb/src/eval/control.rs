//! Branches, loops, and jumps.

use crate::interpreter::Interpreter;
use crate::methods::operator;
use crate::stop::{Eval, Stop};
use crate::syntax::{Argument, Branch, Expr, LoopKind, Node};
use crate::value::Value;

impl Interpreter<'_> {
    pub(super) fn control(&mut self, node: &Node) -> Eval {
        match &node.expr {
            Expr::If { condition, then, otherwise } => {
                let branch = if self.eval(condition)?.is_true() { then } else { otherwise };
                self.eval_optional(branch.as_deref())
            }
            Expr::While { condition, body, kind } => {
                let mut runs_first = matches!(kind, LoopKind::DoWhile | LoopKind::DoUntil);
                let ends_with = matches!(kind, LoopKind::Until | LoopKind::DoUntil);
                loop {
                    self.step(1)?;
                    if !std::mem::take(&mut runs_first) && self.eval(condition)?.is_true() == ends_with {
                        return Ok(Value::Nil);
                    }
                    match self.eval_optional(body.as_deref()) {
                        Ok(_) | Err(Stop::LoopNext) => {}
                        Err(Stop::LoopBreak(value)) => return Ok(*value),
                        Err(other) => return Err(other),
                    }
                }
            }
            Expr::For { target, iterated, body } => {
                let value = self.eval(iterated)?;
                for item in self.elements(&value)? {
                    self.step(1)?;
                    self.assign(target, item)?;
                    match self.eval_optional(body.as_deref()) {
                        Ok(_) | Err(Stop::LoopNext) => {}
                        Err(Stop::LoopBreak(value)) => return Ok(*value),
                        Err(other) => return Err(other),
                    }
                }
                Ok(value)
            }
            Expr::Case { subject, branches, otherwise } => {
                let subject = match subject {
                    Some(subject) => Some(self.eval(subject)?),
                    None => None,
                };
                for branch in branches {
                    if self.matches(branch, subject.as_ref())? {
                        return self.eval_optional(branch.body.as_ref());
                    }
                }
                self.eval_optional(otherwise.as_deref())
            }
            Expr::Return(value) => {
                let value = self.eval_optional(value.as_deref())?;
                Err(Stop::Return(Box::new((self.activation.id, value))))
            }
            Expr::Break { value, in_loop } => {
                let value = self.eval_optional(value.as_deref())?;
                if *in_loop {
                    return Err(Stop::LoopBreak(Box::new(value)));
                }
                Err(Stop::Break(Box::new((self.env.block, value))))
            }
            Expr::Next { value, in_loop } => {
                let value = self.eval_optional(value.as_deref())?;
                Err(if *in_loop { Stop::LoopNext } else { Stop::Next(Box::new(value)) })
            }
            Expr::Begin(begin) => self.begin(begin),
            _ => Ok(Value::Nil),
        }
    }

    fn matches(&mut self, branch: &Branch, subject: Option<&Value>) -> Eval<bool> {
        for pattern in &branch.patterns {
            let patterns = match pattern {
                Argument::Plain(node) => vec![self.eval(node)?],
                Argument::Splat(node) => {
                    let value = self.eval(node)?;
                    self.splat(&value)?
                }
            };
            for pattern in patterns {
                let is_match = match subject {
                    Some(subject) => self.case_equal(&pattern, subject)?,
                    None => pattern.is_true(),
                };
                if is_match {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// `pattern === value`
    pub fn case_equal(&mut self, pattern: &Value, value: &Value) -> Eval<bool> {
        Ok(operator(self, pattern, "===", std::slice::from_ref(value))?.is_true())
    }
}
