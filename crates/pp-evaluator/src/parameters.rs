//! Parameters of functions, blocks and templates: their types, and binding them to arguments.

use std::sync::Arc;

use mcl_diagnostics::Span;
use pp_ast::{ExprId, Lambda, Parameter, ParameterList};
use pp_types::{Error, ErrorKind, Type, Value, describe_mismatch, is_instance, operand_name, with_article};

use crate::evaluator::Evaluator;
use crate::frame::{ParameterTypes, Pending};
use crate::stop::{Eval, Stop, unlocated};
use crate::variable::RESERVED_VARIABLES;

impl<'e> Evaluator<'e> {
    /// Evaluates the types of parameters.
    pub(crate) fn parameter_types(&mut self, list: ParameterList, returns: Option<ExprId>) -> Eval<ParameterTypes> {
        let tree = self.frame.tree;
        let mut types = Vec::with_capacity(list.len());
        for parameter in tree.parameters(list) {
            types.push(match parameter.type_expr {
                Some(expr) => self.eval_type(expr)?,
                None => Type::Any,
            });
        }
        let returns = returns.map(|expr| self.eval_type(expr)).transpose()?;
        Ok(ParameterTypes { types: types.into(), returns })
    }

    /// Evaluates an expression that must be a type.
    pub(crate) fn eval_type(&mut self, expr: ExprId) -> Eval<Type> {
        match self.eval(expr)? {
            Value::Type(ty) => Ok(ty),
            other => {
                let message = format!("expected a data type, got {}", with_article(&operand_name(&other)));
                Err(self.error(expr, message))
            }
        }
    }

    /// Binds the parameters of a block to the arguments; further arguments are dropped.
    pub(crate) fn bind_block(&mut self, lambda: &Lambda, types: &ParameterTypes, arguments: &[Value]) -> Eval<()> {
        self.bind("lambda", lambda.parameters, types, arguments)
    }

    /// Binds parameters to arguments in the innermost local scope of the frame.
    pub(crate) fn bind(
        &mut self,
        subject: &str,
        list: ParameterList,
        types: &ParameterTypes,
        arguments: &[Value],
    ) -> Eval<()> {
        let tree = self.frame.tree;
        let parameters = tree.parameters(list);
        self.check_parameter_order(parameters)?;
        for (at, parameter) in parameters.iter().enumerate() {
            let span = tree.range_span(parameter.range);
            let name = tree.str(parameter.name);
            let value = if parameter.captures_rest {
                self.rest_value(parameter, arguments.get(at..).unwrap_or_default())?
            } else if let Some(argument) = arguments.get(at) {
                argument.clone()
            } else {
                let Some(default) = parameter.default else {
                    let message = format!("Parameter ${name} is required but no value was given");
                    return Err(Stop::at(span, Error::new(ErrorKind::Arguments, message)));
                };
                let value = self.eval_default(subject, &parameters[at..], default)?;
                if !is_instance(&types.types[at], &value) {
                    let subject = if subject == "lambda" { "block".to_owned() } else { format!("'{subject}'") };
                    let text = describe_mismatch(&format!("{subject} parameter '{name}'"), &types.types[at], &value);
                    return Err(unlocated(Error::new(ErrorKind::Mismatch, text)));
                }
                value
            };
            self.set_parameter(name, value)?;
        }
        Ok(())
    }

    fn set_parameter(&mut self, name: &Arc<str>, value: Value) -> Eval<()> {
        if RESERVED_VARIABLES.contains(&&**name) {
            let message = format!("Attempt to assign to a reserved variable name: '{name}'");
            return Err(unlocated(Error::new(ErrorKind::Evaluation, message)));
        }
        if let Some(local) = &self.frame.local {
            local.set(name, value);
        }
        Ok(())
    }

    fn rest_value(&mut self, parameter: &Parameter, rest: &[Value]) -> Eval {
        match parameter.default {
            Some(default) if rest.is_empty() => match self.eval(default)? {
                array @ Value::Array(_) => Ok(array),
                other => Ok(Value::array(vec![other])),
            },
            _ => Ok(Value::array(rest.to_vec())),
        }
    }

    /// Evaluates the default of the first of some parameters.
    pub(crate) fn eval_default(&mut self, subject: &str, parameters: &[Parameter], default: ExprId) -> Eval {
        let tree = self.frame.tree;
        let name = tree.str(parameters[0].name);
        self.pending.push(Pending {
            subject: subject.into(),
            name: name.clone(),
            later: parameters.iter().map(|later| tree.str(later.name).clone()).collect(),
            scope: self.frame.scope,
            depth: self.depth,
        });
        let result = self.eval(default);
        self.pending.pop();
        result
    }

    /// Checks that a variable in the default of a parameter is not a later parameter.
    pub(crate) fn check_pending(&self, name: &str, _span: Span) -> Eval<()> {
        let Some(pending) = self.pending.last() else { return Ok(()) };
        let is_here = pending.scope == self.frame.scope && pending.depth == self.depth;
        if !is_here || pending.later.iter().all(|later| &**later != name) {
            return Ok(());
        }
        let Pending { subject, name: parameter, .. } = pending;
        let message = format!(
            "{subject}: default expression for ${parameter} tries to illegally access not yet evaluated ${name}"
        );
        let help = format!("parameters get their values in order: declare `${name}` before `${parameter}`");
        Err(unlocated(Error::new(ErrorKind::Evaluation, message).help(help)))
    }

    fn check_parameter_order(&self, parameters: &[Parameter]) -> Eval<()> {
        let tree = self.frame.tree;
        let mut optional_seen = false;
        for (at, parameter) in parameters.iter().enumerate() {
            let name = tree.str(parameter.name);
            let span = tree.range_span(parameter.range);
            if parameter.captures_rest && at + 1 < parameters.len() {
                let message = format!("Parameter ${name} is not last, and has 'captures rest'");
                return Err(Stop::at(span, Error::new(ErrorKind::Arguments, message)));
            }
            if parameter.default.is_some() {
                optional_seen = true;
            } else if optional_seen && !parameter.captures_rest {
                let message = format!("Parameter ${name} is required but appears after optional parameters");
                return Err(Stop::at(span, Error::new(ErrorKind::Arguments, message)));
            }
        }
        Ok(())
    }
}
