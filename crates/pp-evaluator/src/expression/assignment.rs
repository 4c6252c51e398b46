//! Assignment and destructuring (spec 07 §5.5, §9.2).

use std::sync::Arc;

use mcl_diagnostics::{Code, Span};
use pp_ast::{Expr, ExprId};
use pp_types::{Type, Value};

use crate::evaluator::Evaluator;
use crate::stop::{Eval, Stop};

impl Evaluator<'_> {
    /// `target = value`
    pub(super) fn eval_assignment(&mut self, target: ExprId, value: ExprId) -> Eval {
        let result = self.eval(value)?;
        let span = self.operator_span(target, value);
        match &self.frame.tree.exprs[target] {
            Expr::Array(_) => {
                if let Value::Type(Type::Class(Some(class))) = &result {
                    self.assign_from_class(target, class, self.span(value))?;
                } else {
                    self.assign_pattern(target, &result, span)?;
                }
            }
            _ => self.assign_pattern(target, &result, span)?,
        }
        Ok(result)
    }

    fn assign_pattern(&mut self, target: ExprId, value: &Value, span: Span) -> Eval<()> {
        let tree = self.frame.tree;
        let targets = match &tree.exprs[target] {
            Expr::Variable(name) => return self.assign(tree.str(*name), value.clone(), span),
            Expr::Parenthesized(inner) => return self.assign_pattern(*inner, value, span),
            Expr::Array(targets) => tree.list(*targets),
            _ => return Err(self.error(target, "Illegal attempt to assign to something that is not a variable")),
        };
        if let Value::Hash(entries) = value {
            for target in targets {
                let Some(name) = self.target_name(*target) else {
                    let message = "Illegal attempt to assign via a nested list: a hash is assigned by variable name";
                    return Err(self.error(*target, message).code(Code::P0510));
                };
                let Some(found) = entries.get(&Value::String(Arc::clone(&name))) else {
                    let message = format!("No value for required key '{name}' in assignment to variables from hash");
                    let target = self.span(*target);
                    return Err(Stop::message(span, message).code(Code::P0510).trace(Some(target), "no value"));
                };
                self.assign(&name, found.clone(), span)?;
            }
            return Ok(());
        }
        let values = match value {
            Value::Array(values) => values.as_slice(),
            scalar => std::slice::from_ref(scalar),
        };
        if values.len() != targets.len() {
            let (expected, got) = (targets.len(), values.len());
            let message = format!("Mismatched number of assignable entries and values, expected {expected}, got {got}");
            return Err(Stop::message(span, message).code(Code::P0510));
        }
        for (target, value) in targets.iter().zip(values) {
            self.assign_pattern(*target, value, span)?;
        }
        Ok(())
    }

    /// `[$a, $b] = Class['c']`
    fn assign_from_class(&mut self, target: ExprId, class: &Arc<str>, value_span: Span) -> Eval<()> {
        let tree = self.frame.tree;
        let Expr::Array(targets) = &tree.exprs[target] else { return Ok(()) };
        let Some(scope) = self.class_scopes.get(class).copied() else {
            return Err(Stop::message(value_span, format!("Resource not found: Class['{class}']")));
        };
        for target in tree.list(*targets) {
            let Some(name) = self.target_name(*target) else {
                let message = "Illegal attempt to assign via a nested list: class variables are assigned by name";
                return Err(self.error(*target, message).code(Code::P0510));
            };
            let Some(value) = self.scopes.lookup_class(scope, &name).cloned() else {
                let message = format!(
                    "No value for required variable '${class}::{name}' in assignment to variables from class reference"
                );
                return Err(self.error(*target, message).code(Code::P0510));
            };
            self.assign(&name, value, self.span(*target))?;
        }
        Ok(())
    }

    fn target_name(&self, target: ExprId) -> Option<Arc<str>> {
        match &self.frame.tree.exprs[target] {
            Expr::Variable(name) => Some(self.frame.tree.str(*name).clone()),
            _ => None,
        }
    }
}
