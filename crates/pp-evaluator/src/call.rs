//! Calls of functions and types (spec 07 §5.9, §5.10).

use std::rc::Rc;

use mcl_diagnostics::{Span, nearest};
use pp_ast::{CallId, Expr, ExprId, FunctionDefinition, LambdaId, MethodCallId};
use pp_functions::{Block, Function, Interrupt, find_function, find_module_function, tables};
use pp_types::{
    Error, ErrorKind, Member, MemberKind, Signature, Size, Value, attribute, describe_mismatch, describe_signatures,
    is_instance, operand_name, with_article,
};

use crate::autoload::NOT_ON_MODULE_PATH;
use crate::definitions::{Defined, FunctionRef, plain};
use crate::evaluator::Evaluator;
use crate::frame::Frame;
use crate::frame::ParameterTypes;
use crate::parameters::Callee;
use crate::scope::{Local, TOP};
use crate::services::RubyFunction;
use crate::stop::{Eval, Fault, Jump, JumpKind, Stop, illegal_jump, located, unlocated};

/// The error of a member of an object that is called as it cannot be.
fn member_error(member: &Member, arguments: usize) -> Error {
    let label = member.label();
    match member.kind {
        MemberKind::Attribute(_) | MemberKind::Constant(_) => {
            let message = format!("'{label}' expects no arguments, got {arguments}");
            Error::new(ErrorKind::Arguments, message).help("an attribute is read without arguments and without a block")
        }
        MemberKind::Derived | MemberKind::Function => {
            let kind = if member.kind == MemberKind::Derived { "derived " } else { "" };
            let message = format!("no method is implemented for {kind}{label}");
            Error::new(ErrorKind::Unavailable, message)
                .help("only Ruby can implement it: define a function, and call it with the object as its argument")
        }
    }
}

impl<'e> Evaluator<'e> {
    /// `name(arguments)`, `Type(arguments)`
    pub(crate) fn eval_call(&mut self, id: ExprId, call: CallId) -> Eval {
        let tree = self.frame.tree;
        let call = &tree.calls[call];
        let span = self.span(id);
        match &tree.exprs[call.functor] {
            Expr::Name(name) => {
                let arguments = self.eval_list(call.arguments)?;
                self.call_with_block(tree.str(*name), &arguments, call.block, span)
            }
            _ => {
                let target = self.eval(call.functor)?;
                let Value::Type(_) = target else {
                    let message = format!(
                        "cannot call {}: only functions and data types can be called",
                        with_article(&operand_name(&target))
                    );
                    return Err(self.error(call.functor, message));
                };
                let mut arguments = vec![target];
                arguments.extend(self.eval_list(call.arguments)?);
                self.call_with_block("new", &arguments, call.block, span)
            }
        }
    }

    /// `receiver.name(arguments)`
    pub(crate) fn eval_method_call(&mut self, id: ExprId, call: MethodCallId) -> Eval {
        let tree = self.frame.tree;
        let call = &tree.method_calls[call];
        let mut arguments = match &tree.exprs[call.receiver] {
            Expr::Unfold(inner) => {
                let value = self.eval(*inner)?;
                self.unfold(*inner, value)?
            }
            _ => vec![self.eval(call.receiver)?],
        };
        arguments.extend(self.eval_list(call.arguments)?);
        let span = self.method_span(call.receiver, call.name_range.end, self.span(id).end);
        if let [receiver] = arguments.as_slice()
            && call.block.is_none()
            && let Some(value) = attribute(receiver, tree.str(call.name))
        {
            return Ok(value);
        }
        if let Some(Value::Object(object)) = arguments.first()
            && let Some(member) = object.ty.member(tree.str(call.name))
        {
            return Err(Stop::at(span, member_error(member, arguments.len() - 1)));
        }
        let name = tree.str(call.name);
        if let [Value::Hash(entries)] = arguments.as_slice()
            && entries.contains_key(&Value::String(name.clone()))
            && !self.knows_function(name)
        {
            let help = format!("the value of a key is written `[…]`: `['{name}']`");
            return Err(self.unknown_function(plain(name), Some(span)).help(Some(help)));
        }
        self.call_with_block(name, &arguments, call.block, span)
    }

    fn call_with_block(&mut self, name: &str, arguments: &[Value], block: Option<LambdaId>, span: Span) -> Eval {
        let blocks = self.blocks.len();
        let block = block.map(|id| self.make_block(id)).transpose()?;
        let result = self.call_function_at(name, arguments, block.as_ref(), Some(span));
        self.blocks.truncate(blocks);
        result
    }

    /// Calls a function by its name. Errors without a location get that of the call.
    pub(crate) fn call_function_at(
        &mut self,
        name: &str,
        arguments: &[Value],
        block: Option<&Block>,
        span: Option<Span>,
    ) -> Eval {
        let name = plain(name);
        self.charge_visit(arguments).map_err(|error| located(unlocated(error), span))?;
        let result = if self.is_context_call(name, arguments) {
            self.call_context(name, arguments, block)
        } else if let Some((key, function)) = self.find_defined_function(name)? {
            self.nested(span, |this| this.call_defined(key, function, arguments, block))
        } else if let Some(function) = self.find_native_function(name) {
            let outer = std::mem::replace(&mut self.call_span, span);
            let result = self.nested(span, |this| {
                pp_functions::call(function, this, arguments, block).map_err(|interrupt| this.stop(interrupt))
            });
            self.call_span = outer;
            result
        } else if let Some(function) = self.find_ruby_function(name) {
            if self.has_ruby() {
                self.call_ruby(name, &function, arguments, block, span)
            } else {
                Err(self.refused_function(name, &function, arguments))
            }
        } else {
            return Err(self.unknown_function(name, span));
        };
        result.and_then(|value| self.limit_weight(value).map_err(unlocated)).map_err(|stop| located(stop, span))
    }

    /// Returns the native function with a name: one of Puppet, or one that stands for a function which a module on the module
    /// path has in Ruby (spec 09 §3).
    fn find_native_function(&mut self, name: &str) -> Option<&'static Function> {
        if let Some(function) = find_function(name) {
            return Some(function);
        }
        self.find_ruby_function(name).and_then(|function| find_module_function(&function.module, name))
    }

    /// Returns the function that a module has in Ruby under a name.
    pub(crate) fn find_ruby_function(&mut self, name: &str) -> Option<RubyFunction> {
        if let Some(known) = self.ruby_functions.get(name) {
            return known.clone();
        }
        let found = self.services.ruby_function(name);
        self.ruby_functions.insert(name.to_owned(), found.clone());
        found
    }

    /// Whether a function of this name can be called.
    pub(crate) fn knows_function(&mut self, name: &str) -> bool {
        let name = plain(name);
        let is_defined = matches!(self.find_defined_function(name), Ok(Some(_)));
        is_defined || find_function(name).is_some() || self.services.ruby_function(name).is_some()
    }

    fn unknown_function(&self, name: &str, span: Option<Span>) -> Stop {
        let of_modules = tables().iter().filter_map(|table| table.module.filter(|_| table.function(name).is_some()));
        let known = tables().iter().filter(|table| table.module.is_none()).flat_map(|table| table.functions.iter());
        let known = known.map(|function| function.name).chain(self.definitions.functions.keys().copied());
        let mut error = Error::new(ErrorKind::Unknown, format!("Unknown function: '{name}'."));
        error.help = match of_modules.into_iter().next() {
            Some(module) => Some(match self.services.absent_module(module) {
                Some(why) => format!("it is a function of the module `{module}`: {why}"),
                None => format!("it is a function of the module `{module}`, {NOT_ON_MODULE_PATH}"),
            }),
            None => match nearest(name, known) {
                Some(similar) => Some(format!("did you mean the function `{similar}`?")),
                None => match name.split_once("::") {
                    Some((module, _)) if !self.services.has_module(module) => Some(self.absent_module(module)),
                    Some(_) => None,
                    None => self.absent_dependencies(),
                },
            },
        };
        located(unlocated(error), span)
    }

    /// Calls a function that is defined in the language.
    fn call_defined(
        &mut self,
        key: FunctionRef,
        function: Defined<'e, FunctionDefinition>,
        arguments: &[Value],
        block: Option<&Block>,
    ) -> Eval {
        let Defined { tree, definition, .. } = function;
        let name = plain(tree.str(definition.name));
        let signature = self.signature(key, function)?;
        if !signature.accepts(arguments, block.map(|block| &*block.callable)) {
            let block = block.map(|block| &*block.callable);
            let text = describe_signatures(name, std::slice::from_ref(&*signature), arguments, block);
            return Err(unlocated(Error::new(ErrorKind::Arguments, text)));
        }
        let types = ParameterTypes {
            types: signature.parameters.iter().map(|parameter| parameter.ty.clone()).collect(),
            rest: signature.parameters.last().and_then(|last| last.rest).unwrap_or(Size::ANY),
            returns: signature.returns.clone(),
        };
        let frame = Frame { tree, scope: TOP, local: Some(Local::function()) };
        let result = self.within(frame, |this| {
            this.bind(Callee::Function(name), definition.parameters, &types, arguments)?;
            this.eval(definition.body)
        });
        let value = match result {
            Err(Stop::Jump(jump)) if matches!(jump.kind, JumpKind::Return | JumpKind::Next) => jump.value,
            Err(Stop::Jump(jump)) => return Err(illegal_jump(&jump)),
            other => other?,
        };
        if let Some(returns) = &types.returns
            && !is_instance(returns, &value)
        {
            let text = describe_mismatch(&format!("value returned from {name} has wrong type,"), returns, &value);
            return Err(unlocated(Error::new(ErrorKind::Mismatch, text)));
        }
        Ok(value)
    }

    fn signature(&mut self, key: FunctionRef, function: Defined<'e, FunctionDefinition>) -> Eval<Rc<Signature>> {
        if let Some(known) = self.signatures.get(&key) {
            return Ok(Rc::clone(known));
        }
        let Defined { tree, definition, .. } = function;
        let frame = Frame { tree, scope: TOP, local: None };
        let types = self.within(frame, |this| this.parameter_types(definition.parameters, definition.returns))?;
        let parameters = Self::signature_parameters(tree, definition.parameters, &types);
        let signature = Rc::new(Signature { parameters, block: None, returns: types.returns });
        self.signatures.insert(key, Rc::clone(&signature));
        Ok(signature)
    }

    /// Converts the interrupt of a function to a stop of the evaluator.
    pub(crate) fn stop(&mut self, interrupt: Interrupt) -> Stop {
        let jump = |kind, value, span| Stop::Jump(Box::new(Jump { kind, value, span }));
        let span = self.jump_span.take().or(self.call_span);
        match interrupt {
            Interrupt::Error(error) => {
                // An error that came out of a block keeps its location.
                let passing = self.passing.take().filter(|fault| fault.error == *error);
                Stop::Fault(Box::new(passing.unwrap_or_else(|| Fault::new(*error, None))))
            }
            Interrupt::Break => jump(JumpKind::Break, Value::Undef, span),
            Interrupt::Next(value) => jump(JumpKind::Next, value, span),
            Interrupt::Return(value) => jump(JumpKind::Return, value, span),
        }
    }

    /// Converts a stop of the evaluator to what a function sees of it.
    pub(crate) fn interrupt(&mut self, stop: Stop) -> Interrupt {
        match stop {
            Stop::Fault(fault) => {
                let error = fault.error.clone();
                self.passing = Some(*fault);
                Interrupt::from(error)
            }
            Stop::Jump(jump) => {
                self.jump_span = jump.span;
                match jump.kind {
                    JumpKind::Break => Interrupt::Break,
                    JumpKind::Next => Interrupt::Next(jump.value),
                    JumpKind::Return => Interrupt::Return(jump.value),
                }
            }
        }
    }
}
