//! Calls of methods, blocks and procs.

use std::rc::Rc;

use crate::classes::Class;
use crate::interpreter::Interpreter;
use crate::methods::Dispatch;
use crate::methods::args::Args;
use crate::methods::method::Method;
use crate::proc::{Activation, Env, Proc, ProcKind};
use crate::show::subject;
use crate::stop::{Eval, Raise, Stop};
use crate::syntax::{Argument, Block, BlockArgument, Call, Definition, Parameters, Target};
use crate::value::Value;
use crate::work::{CHARS_PER_STEP, ENTRY, ITEMS_PER_STEP};

/// What happens if the number of arguments differs from that of the parameters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arity {
    /// It is an error: methods and lambdas.
    Checked,
    /// Missing ones are nil, further ones are dropped, and a single array is taken apart: blocks.
    Lenient,
}

impl Interpreter<'_> {
    /// `receiver.name(arguments) { … }`
    pub(super) fn eval_call(&mut self, call: &Call) -> Eval {
        let receiver = match &call.receiver {
            Some(node) => {
                let value = self.eval(node)?;
                if call.is_safe && matches!(value, Value::Nil) {
                    return Ok(Value::Nil);
                }
                value
            }
            None => Value::Main,
        };
        // Most calls have at most one argument, which needs no memory of its own.
        match &*call.arguments {
            [] => self.call_with(call, &receiver, &[]),
            [Argument::Plain(node)] => {
                let argument = self.eval(node)?;
                self.call_with(call, &receiver, std::slice::from_ref(&argument))
            }
            several => {
                let arguments = self.arguments(several)?;
                self.call_with(call, &receiver, &arguments)
            }
        }
    }

    /// Calls a method with arguments that are evaluated, and a block that is not.
    fn call_with(&mut self, call: &Call, receiver: &Value, arguments: &[Value]) -> Eval {
        let Some(block) = &call.block else { return self.dispatch_call(call, receiver, arguments, None) };
        match block {
            BlockArgument::Literal(code) => {
                let block = self.make_proc(code, ProcKind::Block);
                let result = self.dispatch_call(call, receiver, arguments, Some(&block));
                match (result, &*block) {
                    (Err(Stop::Break(jump)), Proc::Code { id, .. }) if jump.0 == *id => Ok(jump.1),
                    (result, _) => result,
                }
            }
            BlockArgument::Value(node) => {
                let value = self.eval(node)?;
                let block = self.block_of(value)?;
                self.dispatch_call(call, receiver, arguments, block.as_ref())
            }
        }
    }

    fn dispatch_call(&mut self, call: &Call, receiver: &Value, arguments: &[Value], block: Option<&Rc<Proc>>) -> Eval {
        if call.receiver.is_none()
            && let Some(definition) = self.methods.get(&call.method.name).cloned()
        {
            return self.call_definition(&definition, arguments, block);
        }
        match call.method.of(receiver) {
            Some(method) => self.call_method(method, receiver, Args { list: arguments, block }),
            None if call.is_name => {
                let name = &call.method.name;
                let message =
                    format!("undefined local variable or method `{name}' for {}", subject(&self.work, receiver));
                let mut raise = Raise::new(Class::NameError, message);
                raise.help = self.variable_help(name);
                Err(raise.into())
            }
            None => self.missing_method(&call.method, receiver, arguments),
        }
    }

    /// Says that a variable of the scope is written with `@`.
    fn variable_help(&mut self, name: &str) -> Option<String> {
        self.scope.variable(name).map(|_| format!("the variable of the scope is `@{name}`"))
    }

    /// Calls a method of a value.
    pub fn invoke(
        &mut self,
        receiver: &Value,
        method: &Dispatch,
        arguments: &[Value],
        block: Option<&Rc<Proc>>,
    ) -> Eval {
        match method.of(receiver) {
            Some(method) => self.call_method(method, receiver, Args { list: arguments, block }),
            None => self.missing_method(method, receiver, arguments),
        }
    }

    /// Calls a method that a value has, and pays for what it is given and what it makes.
    pub fn call_method(&mut self, method: &'static Method, receiver: &Value, args: Args<'_>) -> Eval {
        let count = args.list.len();
        if count < usize::from(method.min) || method.max.is_some_and(|max| count > usize::from(max)) {
            let expected = match method.max {
                Some(max) if max == method.min => format!("{max}"),
                Some(max) => format!("{}..{max}", method.min),
                None => format!("{}+", method.min),
            };
            return Err(wrong_arguments(count, &expected).into());
        }
        if method.depends_on_size {
            let sizes = args.list.iter().map(size).fold(size(receiver), usize::saturating_add);
            self.step(sizes)?;
        }
        let result = self.nested(|this| (method.run)(this, receiver, args))?;
        self.charge(new_bytes(&result))?;
        Ok(result)
    }

    fn missing_method(&mut self, method: &Dispatch, receiver: &Value, arguments: &[Value]) -> Eval {
        let name = &*method.name;
        if let (Value::Scope, Some(function)) = (receiver, name.strip_prefix("function_")) {
            return crate::methods::scope::call_legacy(self, function, arguments);
        }
        if crate::methods::names::is_ruby_method(receiver, name) {
            let class = crate::classes::class_of(receiver).name();
            return Err(Stop::refused(&format!("the method `{class}#{name}`")));
        }
        let message = if crate::methods::names::is_private_method(name) {
            format!("private method `{name}' called for {}", subject(&self.work, receiver))
        } else {
            format!("undefined method `{name}' for {}", subject(&self.work, receiver))
        };
        let mut raise = Raise::new(Class::NoMethodError, message);
        raise.help = crate::methods::similar_method(receiver, name);
        Err(raise.into())
    }

    /// Makes a proc of a block in the running code.
    pub fn make_proc(&mut self, block: &Rc<Block>, kind: ProcKind) -> Rc<Proc> {
        Rc::new(Proc::Code {
            block: Rc::clone(block),
            env: Rc::clone(&self.env),
            activation: Rc::clone(&self.activation),
            id: self.new_id(),
            kind,
        })
    }

    /// Returns the block that `&value` passes.
    fn block_of(&mut self, value: Value) -> Eval<Option<Rc<Proc>>> {
        match value {
            Value::Nil => Ok(None),
            Value::Proc(proc) => Ok(Some(proc)),
            Value::Symbol(name) => Ok(Some(Rc::new(Proc::Symbol(Rc::new(Dispatch::new(name)))))),
            Value::Hash(_) => Err(Stop::refused("a hash as a block")),
            other => {
                let class = crate::classes::class_of(&other).name();
                Err(Raise::type_error(format!("wrong argument type {class} (expected Proc)")).into())
            }
        }
    }

    /// Calls a method of the template.
    pub fn call_definition(
        &mut self,
        definition: &Rc<Definition>,
        arguments: &[Value],
        block: Option<&Rc<Proc>>,
    ) -> Eval {
        let id = self.new_id();
        let activation = Rc::new(Activation { id, block: block.cloned() });
        let env = Env::new(definition.block.slots, None, id);
        let outer_match = self.last_match.take();
        let result = self.run(&definition.block, env, activation, arguments, Arity::Checked, block);
        self.last_match = outer_match;
        match result {
            Err(Stop::Return(jump)) if jump.0 == id => Ok(jump.1),
            result => result,
        }
    }

    /// Calls a proc.
    pub fn call_proc(&mut self, proc: &Rc<Proc>, arguments: &[Value]) -> Eval {
        match &**proc {
            Proc::Code { block, env, activation, id, kind } => {
                let inner = Env::new(block.slots, Some(Rc::clone(env)), *id);
                if *kind == ProcKind::Block {
                    return match self.run(block, inner, Rc::clone(activation), arguments, Arity::Lenient, None) {
                        Err(Stop::Next(value)) => Ok(*value),
                        result => result,
                    };
                }
                let call = self.new_id();
                let activation = Rc::new(Activation { id: call, block: activation.block.clone() });
                match self.run(block, inner, activation, arguments, Arity::Checked, None) {
                    Err(Stop::Next(value)) => Ok(*value),
                    Err(Stop::Return(jump)) if jump.0 == call => Ok(jump.1),
                    Err(Stop::Break(jump)) if jump.0 == *id => Ok(jump.1),
                    result => result,
                }
            }
            Proc::Symbol(method) => match arguments.split_first() {
                Some((receiver, rest)) => self.nested(|this| this.invoke(receiver, method, rest, None)),
                None => Err(Raise::argument("no receiver given").into()),
            },
            Proc::Method(method) => match self.methods.get(&method.name).cloned() {
                Some(definition) => self.call_definition(&definition, arguments, None),
                None => self.nested(|this| this.invoke(&Value::Main, method, arguments, None)),
            },
            Proc::Indexed { inner, next } => {
                let index = next.get();
                next.set(index + 1);
                let packed = pack(arguments);
                self.call_proc(inner, &[packed, Value::Int(index)])
            }
            Proc::With { inner, object } => {
                let packed = pack(arguments);
                self.call_proc(inner, &[packed, object.clone()])
            }
            Proc::Collect { items, limit } => {
                self.step(1)?;
                self.charge(size_of::<Value>())?;
                items.borrow_mut().push(pack(arguments));
                let count = items.borrow().len();
                if limit.is_some_and(|limit| count >= limit) {
                    Err(Stop::Break(Box::new((END_OF_COLLECTION, Value::Nil))))
                } else {
                    Ok(Value::Nil)
                }
            }
        }
    }

    /// Calls a block with one value.
    pub fn yield_one(&mut self, block: &Rc<Proc>, value: Value) -> Eval {
        self.call_proc(block, std::slice::from_ref(&value))
    }

    /// Runs code with parameters.
    fn run(
        &mut self,
        block: &Block,
        env: Rc<Env>,
        activation: Rc<Activation>,
        arguments: &[Value],
        arity: Arity,
        passed: Option<&Rc<Proc>>,
    ) -> Eval {
        self.step(1)?;
        let outer_env = std::mem::replace(&mut self.env, env);
        let outer_activation = std::mem::replace(&mut self.activation, activation);
        let result = self.nested(|this| {
            this.bind(&block.parameters, arguments, arity, passed)?;
            this.eval_optional(block.body.as_ref())
        });
        self.env = outer_env;
        self.activation = outer_activation;
        result
    }

    fn bind(
        &mut self,
        parameters: &Parameters,
        arguments: &[Value],
        arity: Arity,
        passed: Option<&Rc<Proc>>,
    ) -> Eval<()> {
        if let ([Target::Local(local)], true, [value, ..], false) = (
            parameters.required.as_slice(),
            parameters.optional.is_empty() && parameters.rest.is_none() && parameters.keywords.is_empty(),
            arguments,
            arity == Arity::Checked || parameters.is_list || !parameters.after.is_empty() || parameters.block.is_some(),
        ) {
            // The usual block: one parameter.
            self.set_local(*local, value.clone());
            return Ok(());
        }
        let unpacked;
        let mut arguments = arguments;
        if arity == Arity::Lenient
            && parameters.is_list
            && let [Value::Array(single)] = arguments
        {
            unpacked = single.items().clone();
            arguments = &unpacked;
        }
        let mut keywords = None;
        if !parameters.keywords.is_empty()
            && let Some((Value::Hash(hash), rest)) = arguments.split_last()
            && hash.is_keywords.get()
        {
            keywords = Some(Rc::clone(hash));
            arguments = rest;
        }
        let required = parameters.required.len() + parameters.after.len();
        if arity == Arity::Checked {
            let most = required + parameters.optional.len();
            let is_too_many = parameters.rest.is_none() && arguments.len() > most;
            if arguments.len() < required || is_too_many {
                let expected = match (&parameters.rest, most) {
                    (Some(_), _) => format!("{required}+"),
                    (None, most) if most == required => format!("{required}"),
                    (None, most) => format!("{required}..{most}"),
                };
                return Err(wrong_arguments(arguments.len(), &expected).into());
            }
        }
        let mut next = 0;
        let take = |next: &mut usize| {
            let value = arguments.get(*next).cloned();
            *next += 1;
            value
        };
        for target in &parameters.required {
            let value = Value::or_nil(take(&mut next));
            self.assign(target, value)?;
        }
        let mut spare = arguments.len().saturating_sub(required);
        for (target, default) in &parameters.optional {
            let value = if spare > 0 {
                spare -= 1;
                Value::or_nil(take(&mut next))
            } else {
                self.eval(default)?
            };
            self.assign(target, value)?;
        }
        if let Some(rest) = &parameters.rest {
            let end = arguments.len().saturating_sub(parameters.after.len()).max(next);
            let items = arguments.get(next..end).unwrap_or_default().to_vec();
            next = end;
            if let Some(target) = rest {
                let items = self.list(items)?;
                self.assign(target, items)?;
            }
        }
        for target in &parameters.after {
            let value = Value::or_nil(take(&mut next));
            self.assign(target, value)?;
        }
        self.bind_keywords(parameters, keywords)?;
        if let Some(target) = &parameters.block {
            let block = passed.map_or(Value::Nil, |block| Value::Proc(Rc::clone(block)));
            self.assign(target, block)?;
        }
        Ok(())
    }

    fn bind_keywords(&mut self, parameters: &Parameters, given: Option<Rc<crate::value::Hash>>) -> Eval<()> {
        let mut missing = Vec::new();
        for (name, target, default) in &parameters.keywords {
            let key = crate::key::Key::known(Value::Symbol(Rc::clone(name)));
            let value = given.as_ref().and_then(|given| given.entries().get(&key).cloned());
            let value = match (value, default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default)?,
                (None, None) => {
                    missing.push(format!(":{name}"));
                    continue;
                }
            };
            self.assign(target, value)?;
        }
        if !missing.is_empty() {
            let plural = if missing.len() > 1 { "s" } else { "" };
            return Err(Raise::argument(format!("missing keyword{plural}: {}", missing.join(", "))).into());
        }
        let unknown = given.and_then(|given| {
            given.pairs().into_iter().find_map(|(key, _)| match &key {
                Value::Symbol(name) if parameters.keywords.iter().any(|(known, ..)| known == name) => None,
                other => Some(crate::show::inspect(&self.work, other)),
            })
        });
        match unknown {
            Some(name) => Err(Raise::argument(format!("unknown keyword: {name}")).into()),
            None => Ok(()),
        }
    }
}

/// The steps of a look at each part of a value, without the parts of its parts.
fn size(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.get().len() / CHARS_PER_STEP,
        Value::Match(found) => found.text.len() / CHARS_PER_STEP,
        Value::Array(array) => array.len() / ITEMS_PER_STEP,
        Value::Hash(hash) => hash.len() / ITEMS_PER_STEP,
        _ => 0,
    }
}

/// The memory of a value that nothing else has, with that of its elements, and of theirs.
fn new_bytes(value: &Value) -> usize {
    match value {
        Value::Array(array) if Rc::strong_count(array) == 1 && array.waiting().is_none() => {
            let inner = |item: &Value| match item {
                Value::Array(array) if Rc::strong_count(array) == 1 && array.waiting().is_none() => {
                    array.items().iter().map(own_bytes).fold(own_bytes(item), usize::saturating_add)
                }
                item => own_bytes(item),
            };
            array.items().iter().map(inner).fold(own_bytes(value), usize::saturating_add)
        }
        Value::Hash(hash) if Rc::strong_count(hash) == 1 && hash.waiting().is_none() => {
            hash.entries().values().map(own_bytes).fold(own_bytes(value), usize::saturating_add)
        }
        value => own_bytes(value),
    }
}

/// The memory of a value that nothing else has, without that of its elements.
fn own_bytes(value: &Value) -> usize {
    match value {
        Value::Str(text) if Rc::strong_count(text) == 1 => text.get().len(),
        Value::Symbol(name) if Rc::strong_count(name) == 1 => name.len(),
        Value::Array(array) if Rc::strong_count(array) == 1 => array.len() * size_of::<Value>(),
        Value::Hash(hash) if Rc::strong_count(hash) == 1 => hash.len() * ENTRY,
        _ => 0,
    }
}

/// The target of a break that ends a collection early; no block of a template has this number.
pub(crate) const END_OF_COLLECTION: u64 = 0;

/// Returns several arguments as one value.
fn pack(arguments: &[Value]) -> Value {
    match arguments {
        [single] => single.clone(),
        several => Value::array(several.to_vec()),
    }
}

/// The error of a call with the wrong number of arguments.
pub(crate) fn wrong_arguments(given: usize, expected: &str) -> Raise {
    Raise::argument(format!("wrong number of arguments (given {given}, expected {expected})"))
}
