//! Evaluates expressions.

mod assign;
pub(crate) mod call;
mod control;
mod failure;
mod literal;

use std::rc::Rc;

use crate::classes::Class;
use crate::interpreter::Interpreter;
use crate::proc::ProcKind;
use crate::show::push_to_s;
use crate::stop::{Eval, Raise, Stop};
use crate::syntax::{Argument, Expr, Local, Node};
use crate::value::{Frozen, Range, Str, Value};

impl Interpreter<'_> {
    /// Evaluates an expression. Errors get its location.
    pub fn eval(&mut self, node: &Node) -> Eval {
        self.step(1)?;
        let result = match &node.expr {
            Expr::Nil => return Ok(Value::Nil),
            Expr::Local(local) => return Ok(self.local(*local)),
            Expr::Instance(name) => return Ok(self.instance_variable(name)),
            Expr::Text(local, index) => self.append_text(*local, *index).map(Value::Str),
            Expr::Output(local, value) => self.append_value(*local, value.as_deref()),
            Expr::Call(call) => self.eval_call(call),
            // What has no parts needs no more of the stack.
            Expr::Str(text) => self.plain_string(text),
            Expr::Symbol(name) => return Ok(Value::Symbol(Rc::clone(name))),
            Expr::Int(value) => return Ok(Value::Int(*value)),
            Expr::True | Expr::False | Expr::Float(_) => self.expr(node),
            _ => self.nested(|this| this.expr(node)),
        };
        match result {
            Ok(value) => Ok(value),
            Err(stop) => Err(located(stop, node.at)),
        }
    }

    /// Evaluates an expression that may be missing.
    pub fn eval_optional(&mut self, node: Option<&Node>) -> Eval {
        node.map_or(Ok(Value::Nil), |node| self.eval(node))
    }

    fn expr(&mut self, node: &Node) -> Eval {
        match &node.expr {
            Expr::Nil => Ok(Value::Nil),
            Expr::True => Ok(Value::Bool(true)),
            Expr::False => Ok(Value::Bool(false)),
            Expr::SelfObject => Ok(Value::Main),
            Expr::Int(value) => Ok(Value::Int(*value)),
            Expr::Float(value) => Ok(Value::Float(*value)),
            Expr::Symbol(name) => Ok(Value::Symbol(Rc::clone(name))),
            Expr::Str(text) => self.plain_string(text),
            Expr::Interpolated(parts) => self.interpolated_string(parts),
            Expr::InterpolatedSymbol(parts) => self.interpolated_symbol(parts),
            Expr::Regexp(literal) => Ok(Value::Regexp(self.regexp_literal(literal)?)),
            Expr::Array(arguments) => self.array_literal(arguments),
            Expr::Hash(entries) => Ok(Value::Hash(self.hash_literal(entries)?)),
            Expr::Keywords(entries) => self.keywords(entries),
            Expr::Range { from, to, is_exclusive } => self.range_literal(from.as_deref(), to.as_deref(), *is_exclusive),
            Expr::Local(local) => Ok(self.local(*local)),
            Expr::Instance(name) => Ok(self.instance_variable(name)),
            Expr::LastMatch => Ok(self.last_match.clone().map_or(Value::Nil, Value::Match)),
            Expr::Group(index) => Ok(self.match_text(|found| found.group(*index as usize))),
            Expr::MatchPart(part) => Ok(self.match_text(|found| match part {
                '`' => Some(found.before()),
                '\'' => Some(found.after()),
                '+' => (1..found.groups.len()).rev().find_map(|index| found.group(index)),
                _ => found.group(0),
            })),
            Expr::Constant(name) => self.constant(name),
            Expr::Call(call) => self.eval_call(call),
            Expr::Yield(arguments) => self.eval_yield(arguments),
            Expr::And(left, right) => {
                let left = self.eval(left)?;
                if left.is_true() { self.eval(right) } else { Ok(left) }
            }
            Expr::Or(left, right) => {
                let left = self.eval(left)?;
                if left.is_true() { Ok(left) } else { self.eval(right) }
            }
            Expr::Not(value) => Ok(Value::Bool(!self.eval(value)?.is_true())),
            Expr::Defined(value) => self.defined(value),
            Expr::Sequence(statements) => {
                let Some((last, others)) = statements.split_last() else { return Ok(Value::Nil) };
                for statement in others {
                    match &statement.expr {
                        // Most of a template is its text, whose value nobody needs.
                        Expr::Text(local, index) => {
                            self.step(1)?;
                            self.append_text(*local, *index).map_err(|stop| located(stop, statement.at))?;
                        }
                        _ => drop(self.eval(statement)?),
                    }
                }
                self.eval(last)
            }
            Expr::Lambda(block) => Ok(Value::Proc(self.make_proc(block, ProcKind::Lambda))),
            Expr::Define(definition) => {
                self.methods.insert(Rc::clone(&definition.name), Rc::clone(definition));
                Ok(Value::Symbol(Rc::clone(&definition.name)))
            }
            Expr::Text(local, index) => self.append_text(*local, *index).map(Value::Str),
            Expr::Output(local, value) => self.append_value(*local, value.as_deref()),
            Expr::Refused(refusal) => Err(Stop::refused(&refusal.construct)),
            Expr::If { .. }
            | Expr::While { .. }
            | Expr::For { .. }
            | Expr::Case { .. }
            | Expr::Return(_)
            | Expr::Break { .. }
            | Expr::Next { .. }
            | Expr::Begin(_) => self.control(node),
            Expr::Assign(..)
            | Expr::OperatorAssign { .. }
            | Expr::LogicalAssign { .. }
            | Expr::MultipleAssign(..)
            | Expr::MatchAssign { .. } => self.assignment(node),
        }
    }

    /// Returns the variable that collects the output; an error if the template has put something else there.
    fn output(&mut self, local: Local) -> Eval<Rc<Str>> {
        match self.local(local) {
            Value::Str(out) if out.frozen.get() == Frozen::No => Ok(out),
            other => {
                let message = format!("undefined method `<<' for {}", crate::show::subject(&self.work, &other));
                Err(Raise::new(Class::NoMethodError, message).into())
            }
        }
    }

    /// Appends a part of the template to the output, and returns that.
    fn append_text(&mut self, local: Local, index: u32) -> Eval<Rc<Str>> {
        let out = self.output(local)?;
        let literals = Rc::clone(&self.literals);
        let text = literals.get(index as usize).map_or("", String::as_str);
        self.append(&out, text)?;
        Ok(out)
    }

    fn append_value(&mut self, local: Local, node: Option<&Node>) -> Eval {
        let value = self.eval_optional(node)?;
        let out = self.output(local)?;
        match &value {
            // The output itself can be the value.
            Value::Str(text) if !Rc::ptr_eq(text, &out) => {
                let text = text.get();
                self.append(&out, &text)?;
            }
            value => {
                let mut text = String::new();
                push_to_s(&self.work, &mut text, value);
                self.append(&out, &text)?;
            }
        }
        Ok(Value::Str(out))
    }

    /// Appends to a string, whose length is limited.
    pub fn append(&mut self, string: &Str, text: &str) -> Eval<()> {
        self.charge(text.len())?;
        if string.get().len() + text.len() > crate::stop::MAX_TEXT {
            return Err(Stop::limit(format!("a string of more than {} bytes", crate::stop::MAX_TEXT)));
        }
        string.push(text);
        Ok(())
    }

    /// Evaluates arguments or elements.
    pub fn arguments(&mut self, arguments: &[Argument]) -> Eval<Vec<Value>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match argument {
                Argument::Plain(node) => values.push(self.eval(node)?),
                Argument::Splat(node) => {
                    let value = self.eval(node)?;
                    let list = self.splat(&value)?;
                    self.step(list.len())?;
                    values.extend(list);
                }
            }
        }
        Ok(values)
    }

    /// Returns the elements that `*value` stands for.
    pub fn splat(&mut self, value: &Value) -> Eval<Vec<Value>> {
        match value {
            Value::Nil => Ok(Vec::new()),
            Value::Array(_) | Value::Hash(_) | Value::Range(_) | Value::Enumerator(_) => self.elements(value),
            other => Ok(vec![other.clone()]),
        }
    }

    fn eval_yield(&mut self, arguments: &[Argument]) -> Eval {
        let arguments = self.arguments(arguments)?;
        match self.method_block() {
            Some(block) => self.call_proc(&block, &arguments),
            None => Err(Raise::new(Class::LocalJumpError, "no block given (yield)").into()),
        }
    }

    fn match_text(&self, part: impl FnOnce(&crate::value::Match) -> Option<&str>) -> Value {
        match self.last_match.as_deref().and_then(part) {
            Some(text) => Value::str(text),
            None => Value::Nil,
        }
    }

    fn constant(&mut self, name: &Rc<str>) -> Eval {
        if let Some(value) = crate::methods::constants::constant(name) {
            return Ok(value);
        }
        if crate::methods::constants::is_ruby_constant(name) {
            return Err(Stop::refused(&format!("`{name}`")));
        }
        // The part that is unknown is named, with what it was looked for in.
        let mut known = "Puppet::Parser::TemplateWrapper".to_owned();
        for (at, _) in name.match_indices("::").chain([(name.len(), "")]) {
            let part = &name[..at];
            if crate::methods::constants::constant(part).is_none() {
                let last = part.rsplit("::").next().unwrap_or(part);
                known = format!("{known}::{last}");
                break;
            }
            known = part.to_owned();
        }
        Err(Raise::new(Class::NameError, format!("uninitialized constant {known}")).into())
    }

    fn defined(&mut self, node: &Node) -> Eval {
        let text = match &node.expr {
            Expr::Local(_) => "local-variable",
            Expr::Instance(name) => {
                let is_set = self.has_instance_variable(name);
                if !is_set {
                    return Ok(Value::Nil);
                }
                "instance-variable"
            }
            Expr::Constant(name) => {
                let is_known = crate::methods::constants::constant(name).is_some()
                    || crate::methods::constants::is_ruby_constant(name);
                if !is_known {
                    return Ok(Value::Nil);
                }
                "constant"
            }
            Expr::Call(call) => match &call.receiver {
                None => {
                    let is_known =
                        self.methods.contains_key(&call.method.name) || call.method.of(&Value::Main).is_some();
                    if !is_known {
                        return Ok(Value::Nil);
                    }
                    "method"
                }
                Some(receiver) => {
                    if !self.defined(receiver)?.is_true() {
                        return Ok(Value::Nil);
                    }
                    match self.eval(receiver) {
                        Ok(value) if call.method.of(&value).is_some() => "method",
                        Ok(_) | Err(Stop::Raise(_)) => return Ok(Value::Nil),
                        Err(other) => return Err(other),
                    }
                }
            },
            Expr::Nil => "expression",
            Expr::True => "true",
            Expr::False => "false",
            Expr::SelfObject => "self",
            Expr::Yield(_) => match self.method_block() {
                Some(_) => "yield",
                None => return Ok(Value::Nil),
            },
            Expr::LastMatch => "global-variable",
            Expr::Group(_) | Expr::MatchPart(_) => match self.expr(node)? {
                Value::Nil => return Ok(Value::Nil),
                _ => "global-variable",
            },
            Expr::Assign(..) | Expr::OperatorAssign { .. } | Expr::LogicalAssign { .. } | Expr::MultipleAssign(..) => {
                "assignment"
            }
            Expr::Refused(_) => "method",
            _ => "expression",
        };
        Ok(Value::str(text))
    }
}

/// Creates a range without checking its ends.
pub(crate) fn range_of(from: Value, to: Value, is_exclusive: bool) -> Value {
    Value::Range(Rc::new(Range { from, to, is_exclusive }))
}

/// Gives an error a location, if it has none.
fn located(stop: Stop, at: u32) -> Stop {
    match stop {
        Stop::Raise(mut raise) => {
            raise.at = raise.at.or(Some(at));
            Stop::Raise(raise)
        }
        Stop::Fatal(mut fatal) => {
            fatal.at = fatal.at.or(Some(at));
            Stop::Fatal(fatal)
        }
        other => other,
    }
}
