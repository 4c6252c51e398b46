//! Evaluates pipelines: operands, fields, and calls of functions.

use std::fmt::{self, Display};

use go_compat::strconv::quote;

use crate::builtins;
use crate::data::{Data, GoType};
use crate::executor::{Dot, Executor, Run};
use crate::tree::{Command, Number, Operand, OperandKind, Pipe};
use crate::{ExecuteError, Functions};

/// The type that an argument must have.
enum Wanted {
    /// Any type, for built-in functions.
    Any,
    Typed(GoType),
}

impl<'a, F: Functions> Executor<'a, F> {
    /// Evaluates a pipeline and declares or assigns its variables.
    pub(crate) fn pipeline(&mut self, pipe: &'a Pipe, dot: &Dot) -> Run<Dot, F> {
        self.step(pipe)?;
        let mut value = None;
        for command in &pipe.commands {
            let result = self.command(command, dot, value)?;
            value = Some(Dot::typed(result.data));
        }
        let value = value.unwrap_or(Dot::typed(Data::Nil));
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(name, value.data.clone());
            } else {
                self.variables.push((name.clone(), value.data.clone()));
            }
        }
        Ok(value)
    }

    /// Evaluates a command. `last` is the value of the previous command of the pipeline.
    fn command(&mut self, command: &'a Command, dot: &Dot, last: Option<Dot>) -> Run<Dot, F> {
        let first = &command.args[0];
        match &first.kind {
            OperandKind::Function(name) => return self.function(command, name, dot, last).map(Dot::typed),
            OperandKind::Field(names) => {
                let has_args = command.args.len() > 1 || last.is_some();
                return self.fields(first, dot.clone(), names, has_args);
            }
            OperandKind::Variable(name, names) => {
                let value = Dot::typed(self.variable(name));
                let has_args = command.args.len() > 1 || last.is_some();
                return if !names.is_empty() {
                    self.fields(first, value, names, has_args)
                } else if has_args {
                    self.not_a_function(first)
                } else {
                    Ok(value)
                };
            }
            OperandKind::Chain(operand, names) => {
                let value = self.operand(operand, dot)?;
                let has_args = command.args.len() > 1 || last.is_some();
                return self.fields(first, value, names, has_args);
            }
            _ => {}
        }
        if command.args.len() > 1 || last.is_some() {
            return self.not_a_function(first);
        }
        if matches!(first.kind, OperandKind::Nil) {
            return self.error(first.at, first, "nil is not a command");
        }
        self.operand(first, dot)
    }

    fn not_a_function<T>(&self, operand: &Operand) -> Run<T, F> {
        self.error(operand.at, operand, format!("can't give argument to non-function {operand}"))
    }

    fn variable(&self, name: &str) -> Data {
        let found = self.variables.iter().rev().find(|(own, _)| own == name);
        found.map_or(Data::Nil, |(_, value)| value.clone())
    }

    /// Evaluates an operand without arguments.
    fn operand(&mut self, operand: &'a Operand, dot: &Dot) -> Run<Dot, F> {
        Ok(match &operand.kind {
            OperandKind::Dot => dot.clone(),
            OperandKind::Nil => Dot::typed(Data::Nil),
            OperandKind::Bool(value) => Dot::typed(Data::Bool(*value)),
            OperandKind::Number(number) => Dot::typed(self.constant(operand, number)?),
            OperandKind::Text { value, .. } => Dot::typed(Data::Str(value.as_slice().into())),
            OperandKind::Field(names) => self.fields(operand, dot.clone(), names, false)?,
            OperandKind::Variable(name, names) => {
                let value = Dot::typed(self.variable(name));
                self.fields(operand, value, names, false)?
            }
            OperandKind::Function(name) => Dot::typed(self.call(operand.at, operand, name, &[], dot, None)?),
            OperandKind::Chain(inner, names) => {
                if matches!(inner.kind, OperandKind::Nil) {
                    return self.error(operand.at, operand, "indirection through explicit nil");
                }
                let value = self.operand(inner, dot)?;
                self.fields(operand, value, names, false)?
            }
            OperandKind::Pipe(pipe) => {
                let scope = self.variables.len();
                let value = self.pipeline(pipe, dot)?;
                self.variables.truncate(scope);
                value
            }
        })
    }

    /// Returns the value of an untyped number: an integer if it is written as one.
    fn constant(&self, operand: &Operand, number: &Number) -> Run<Data, F> {
        let is_rune = number.text.starts_with('\'');
        let is_hex = number.text.contains(['x', 'X']) && !number.text.contains(['p', 'P']);
        let looks_float = number.text.contains(['.', 'e', 'E', 'p', 'P']) && !is_hex && !is_rune;
        match (number.int, number.float) {
            (_, Some(float)) if looks_float => Ok(Data::Float(float)),
            (Some(int), _) => Ok(Data::Native(int)),
            _ => self.error(operand.at, operand, format!("{} overflows int", number.text)),
        }
    }

    /// Evaluates `.A.B` on a value.
    fn fields(&self, node: &Operand, value: Dot, names: &[String], has_args: bool) -> Run<Dot, F> {
        let mut value = value;
        for (i, name) in names.iter().enumerate() {
            let called = has_args && i + 1 == names.len();
            value = self.field(node, &value, name, called)?;
        }
        Ok(value)
    }

    fn field(&self, node: &Operand, value: &Dot, name: &str, called: bool) -> Run<Dot, F> {
        let quoted = || quote(name.as_bytes());
        match &value.data {
            Data::Nil => self.error(node.at, node, format!("nil data; no entry for key {}", quoted())),
            Data::Map(map) if map.key == GoType::String => {
                if called {
                    return self.error(node.at, node, format!("{name} is not a method but has arguments"));
                }
                match map.get(&Data::Str(name.as_bytes().into())) {
                    Some(found) => Ok(Dot { data: found.clone(), untyped: map.value == GoType::Any }),
                    None => self.error(node.at, node, format!("map has no entry for key {}", quoted())),
                }
            }
            Data::Record(fields) => match fields.iter().find(|(own, _)| own == name) {
                Some(_) if called => {
                    self.error(node.at, node, format!("{name} has arguments but cannot be invoked as function"))
                }
                Some((_, found)) => Ok(Dot::typed(found.clone())),
                None => self.no_field(node, value, name),
            },
            _ => self.no_field(node, value, name),
        }
    }

    fn no_field<T>(&self, node: &Operand, value: &Dot, name: &str) -> Run<T, F> {
        self.error(node.at, node, format!("can't evaluate field {name} in type {}", value.shown_type()))
    }

    fn function(&mut self, command: &'a Command, name: &str, dot: &Dot, last: Option<Dot>) -> Run<Data, F> {
        let first = &command.args[0];
        self.call_from(first.at, first, (command.at, command), name, &command.args[1..], dot, last)
    }

    fn call(
        &mut self,
        at: usize,
        node: &dyn Display,
        name: &str,
        args: &'a [Operand],
        dot: &Dot,
        last: Option<Dot>,
    ) -> Run<Data, F> {
        self.call_from(at, node, (at, node), name, args, dot, last)
    }

    /// Calls a function. Errors inside the function are attributed to `whole`.
    #[allow(clippy::too_many_arguments)]
    fn call_from(
        &mut self,
        at: usize,
        node: &dyn Display,
        whole: (usize, &dyn Display),
        name: &str,
        args: &'a [Operand],
        dot: &Dot,
        last: Option<Dot>,
    ) -> Run<Data, F> {
        let given = args.len() + usize::from(last.is_some());
        if let Some(parameters) = self.functions.parameters(name) {
            let wanted = parameters.len();
            if given != wanted {
                let message = format!("wrong number of args for {name}: want {wanted} got {given}");
                return self.error(at, node, message);
            }
            let mut values = Vec::with_capacity(given);
            let mut last_node = None;
            for (arg, parameter) in args.iter().zip(parameters) {
                values.push(self.argument(arg, &Wanted::Typed(parameter.clone()), dot)?);
                last_node = Some(arg);
            }
            if let (Some(value), Some(parameter)) = (last, parameters.last()) {
                let checked = check(value, parameter);
                values.push(match (checked, last_node) {
                    (Ok(value), _) => value,
                    (Err(mismatch), Some(arg)) => return self.error(arg.at, arg, mismatch.to_string()),
                    (Err(mismatch), None) => return self.error(at, node, mismatch.to_string()),
                });
            }
            return self.functions.call(name, &values).map_err(|error| {
                let message = format!("error calling {name}: function `{name}` errored: {error}");
                ExecuteError { message: self.describe(whole.0, whole.1, message), cause: Some(error) }
            });
        }
        let Some((least, more)) = builtins::arity(name) else {
            let name = quote(name.as_bytes());
            return self.error(at, node, format!("{name} is not a defined function"));
        };
        if given < least || (given > least && !more) {
            let least = if more { format!("at least {least}") } else { least.to_string() };
            // For variadic functions, Go counts only the arguments that are written.
            let given = if more { args.len() } else { given };
            return self.error(at, node, format!("wrong number of args for {name}: want {least} got {given}"));
        }
        if name == "and" || name == "or" {
            let mut value = Data::Nil;
            for arg in args {
                value = self.argument(arg, &Wanted::Any, dot)?;
                if value.is_true() == (name == "or") {
                    return Ok(value);
                }
            }
            return Ok(last.map_or(value, |last| last.data));
        }
        let mut values = Vec::with_capacity(given);
        for (i, arg) in args.iter().enumerate() {
            let format = name == "printf" && i == 0;
            let wanted = if format { Wanted::Typed(GoType::String) } else { Wanted::Any };
            values.push(self.argument(arg, &wanted, dot)?);
        }
        values.extend(last.map(|last| last.data));
        match builtins::call(name, &values) {
            Ok(value) => Ok(value),
            Err(error) if name == "printf" => self.error(at, node, error.to_string()),
            Err(error) => self.error(whole.0, whole.1, format!("error calling {name}: {error}")),
        }
    }

    fn argument(&mut self, operand: &'a Operand, wanted: &Wanted, dot: &Dot) -> Run<Data, F> {
        let Wanted::Typed(ty) = wanted else { return self.operand(operand, dot).map(|value| value.data) };
        // Literals take the type of the parameter.
        let literal = match (&operand.kind, ty) {
            (OperandKind::Bool(value), GoType::Bool) => Some(Data::Bool(*value)),
            (OperandKind::Text { value, .. }, GoType::String) => Some(Data::Str(value.as_slice().into())),
            (OperandKind::Number(Number { int: Some(int), .. }), GoType::Int64) => Some(Data::Int(*int)),
            (OperandKind::Number(Number { float: Some(float), .. }), GoType::Float64) => Some(Data::Float(*float)),
            (OperandKind::Bool(_) | OperandKind::Text { .. } | OperandKind::Number(_), ty) => {
                let message = match ty {
                    GoType::Bool => format!("expected bool; found {operand}"),
                    GoType::String => format!("expected string; found {operand}"),
                    GoType::Int64 => format!("expected integer; found {operand}"),
                    GoType::Float64 => format!("expected float; found {operand}"),
                    ty => format!("can't handle {operand} for arg of type {ty}"),
                };
                return self.error(operand.at, operand, message);
            }
            (OperandKind::Nil, GoType::Slice(_) | GoType::Map(_) | GoType::Any) => Some(Data::zero(ty)),
            (OperandKind::Nil, ty) => return self.error(operand.at, operand, format!("cannot assign nil to {ty}")),
            _ => None,
        };
        if let Some(literal) = literal {
            return Ok(literal);
        }
        let value = self.operand(operand, dot)?;
        check(value, ty).or_else(|mismatch| self.error(operand.at, operand, mismatch.to_string()))
    }
}

/// An argument of another type than the parameter.
#[derive(Debug)]
struct TypeMismatch {
    expected: GoType,
    /// `None` for nil.
    found: Option<GoType>,
}

impl Display for TypeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = &self.expected;
        match &self.found {
            None => write!(f, "invalid value; expected {expected}"),
            Some(found) => write!(f, "wrong type for value; expected {expected}; got {found}"),
        }
    }
}

/// Checks that a value has exactly this type.
fn check(value: Dot, ty: &GoType) -> Result<Data, TypeMismatch> {
    match (&value.data, ty) {
        (Data::Nil, GoType::Slice(_) | GoType::Map(_) | GoType::Any) => Ok(Data::zero(ty)),
        (Data::Nil, ty) => Err(TypeMismatch { expected: ty.clone(), found: None }),
        (data, ty) => {
            let found = data.go_type();
            if found == *ty || *ty == GoType::Any {
                Ok(value.data)
            } else {
                Err(TypeMismatch { expected: ty.clone(), found: Some(found) })
            }
        }
    }
}
