//! Parameters of functions, blocks and templates: their types, and binding them to arguments.

use std::rc::Rc;
use std::sync::Arc;

use pp_ast::{ExprId, Lambda, Parameter, ParameterList, Tree};
use pp_types::{
    Error, ErrorKind, SignatureParameter, Size, Type, Value, describe_mismatch, is_instance, operand_name, with_article,
};

use crate::evaluator::Evaluator;
use crate::frame::{ParameterTypes, Pending};
use crate::stop::{Eval, Stop, unlocated};
use crate::variable::RESERVED_VARIABLES;

/// What has the parameters that are bound.
#[derive(Clone, Copy)]
pub(crate) enum Callee<'a> {
    Block,
    /// A function of the language, with its name.
    Function(&'a str),
}

impl<'a> Callee<'a> {
    /// Returns its name in messages.
    pub(crate) fn label(self) -> &'a str {
        match self {
            Callee::Block => "lambda",
            Callee::Function(name) => name,
        }
    }
}

impl<'e> Evaluator<'e> {
    /// Evaluates the types of parameters.
    pub(crate) fn parameter_types(&mut self, list: ParameterList, returns: Option<ExprId>) -> Eval<ParameterTypes> {
        let tree = self.frame.tree;
        let mut types = Vec::with_capacity(list.len());
        let mut rest = Size::ANY;
        for parameter in tree.parameters(list) {
            let declared = match parameter.type_expr {
                Some(expr) => self.eval_type(expr)?,
                None => Type::Any,
            };
            types.push(match declared {
                // `Array[Integer, 2] *$numbers` takes two integers or more.
                Type::Array(element, size) if parameter.captures_rest => {
                    rest = size.unwrap_or(Size::ANY);
                    Type::clone(&element)
                }
                other => other,
            });
        }
        let returns = returns.map(|expr| self.eval_type(expr)).transpose()?;
        Ok(ParameterTypes { types: types.into(), rest, returns })
    }

    /// Returns the parameters of a signature.
    pub(crate) fn signature_parameters(
        tree: &Tree,
        list: ParameterList,
        types: &ParameterTypes,
    ) -> Vec<SignatureParameter> {
        let parameters = tree.parameters(list).iter().zip(types.types.iter());
        let parameters = parameters.map(|(parameter, ty)| SignatureParameter {
            name: tree.str(parameter.name).clone(),
            ty: ty.clone(),
            is_optional: parameter.default.is_some() || parameter.captures_rest && types.rest.min == 0,
            rest: parameter.captures_rest.then_some(types.rest),
        });
        parameters.collect()
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
        self.bind(Callee::Block, lambda.parameters, types, arguments)
    }

    /// Binds parameters to arguments in the innermost local scope of the frame.
    pub(crate) fn bind(
        &mut self,
        callee: Callee<'_>,
        list: ParameterList,
        types: &ParameterTypes,
        arguments: &[Value],
    ) -> Eval<()> {
        let tree = self.frame.tree;
        let parameters = tree.parameters(list);
        self.check_parameter_order(parameters)?;
        let mut names: Option<Rc<[Arc<str>]>> = None;
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
                let names = names.get_or_insert_with(|| names_of(tree, parameters));
                let value = self.eval_default(callee.label(), names, at, default)?;
                if !is_instance(&types.types[at], &value) {
                    let subject = match callee {
                        Callee::Block => format!("block parameter '{name}'"),
                        Callee::Function(function) => format!("'{function}' parameter '{name}'"),
                    };
                    let text = describe_mismatch(&subject, &types.types[at], &value);
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
            local.set_parameter(name, value);
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

    /// Evaluates the default of one of some parameters that get their defaults in turn.
    pub(crate) fn eval_default(
        &mut self,
        subject: &str,
        in_turn: &Rc<[Arc<str>]>,
        turn: usize,
        default: ExprId,
    ) -> Eval {
        self.pending.push(Pending {
            subject: subject.into(),
            in_turn: Rc::clone(in_turn),
            turn,
            scope: self.frame.scope,
            depth: self.depth,
        });
        let result = self.eval(default);
        self.pending.pop();
        result
    }

    /// Checks that a variable in the default of a parameter is not a later parameter.
    pub(crate) fn check_pending(&self, name: &str) -> Eval<()> {
        let Some(pending) = self.pending.last() else { return Ok(()) };
        let is_here = pending.scope == self.frame.scope && pending.depth == self.depth;
        let Some(later) = pending.in_turn.get(pending.turn..).filter(|_| is_here) else { return Ok(()) };
        if later.iter().all(|later| &**later != name) {
            return Ok(());
        }
        let (subject, parameter) = (&pending.subject, &later[0]);
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

/// Returns the names of parameters.
pub(crate) fn names_of(tree: &Tree, parameters: &[Parameter]) -> Rc<[Arc<str>]> {
    parameters.iter().map(|parameter| Arc::clone(tree.str(parameter.name))).collect()
}
