//! Executes the tree of a template with its data.

use std::fmt::Display;

use go_compat::strconv::quote;

use crate::builtins;
use crate::data::{Data, GoType};
use crate::format::write_value;
use crate::tree::{Command, Node, Number, Operand, OperandKind, Pipe, Templates};
use crate::{ExecuteError, Functions, Limits};

/// Maximum depth of templates that call templates.
const MAX_CALLS: usize = 250;
/// Executes the main template. Errors start with `template:LINE:COLUMN: executing …`.
pub(crate) fn execute<F: Functions>(
    text: &[u8],
    templates: &Templates,
    data: Data,
    functions: &F,
    limits: Limits,
) -> Result<Vec<u8>, ExecuteError<F::Error>> {
    let mut executor = Executor {
        functions,
        text,
        templates,
        name: "template",
        variables: vec![("$".to_owned(), data.clone())],
        calls: 0,
        left: limits,
        out: Vec::new(),
    };
    executor.nodes(&templates.main, &Dot { data, untyped: false })?;
    Ok(executor.out)
}

struct Executor<'a, F> {
    functions: &'a F,
    text: &'a [u8],
    templates: &'a Templates,
    /// The template being executed.
    name: &'a str,
    /// The innermost variable is the last one.
    variables: Vec<(String, Data)>,
    calls: usize,
    /// The remaining steps, and the maximum length of the output.
    left: Limits,
    out: Vec<u8>,
}

/// A value, and whether its static type is `interface {}`, which only error messages show.
#[derive(Clone)]
struct Dot {
    data: Data,
    untyped: bool,
}

impl Dot {
    fn typed(data: Data) -> Dot {
        Dot { data, untyped: false }
    }

    fn shown_type(&self) -> GoType {
        if self.untyped { GoType::Any } else { self.data.go_type() }
    }
}

/// How the execution of a list of nodes ended.
#[derive(PartialEq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// The type that an argument must have.
enum Wanted {
    /// Any type, for built-in functions.
    Any,
    Typed(GoType),
}

type Run<T, F> = Result<T, ExecuteError<<F as Functions>::Error>>;

impl<'a, F: Functions> Executor<'a, F> {
    fn error<T>(&self, at: usize, node: &dyn Display, message: impl Display) -> Run<T, F> {
        Err(ExecuteError { message: self.describe(at, node, message), cause: None })
    }

    fn describe(&self, at: usize, node: &dyn Display, message: impl Display) -> String {
        let before = &self.text[..at.min(self.text.len())];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let name = quote(self.name.as_bytes());
        format!("template:{line}:{column}: executing {name} at <{node}>: {message}")
    }

    fn nodes(&mut self, nodes: &'a [Node], dot: &Dot) -> Run<Flow, F> {
        for node in nodes {
            let flow = self.node(node, dot)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn node(&mut self, node: &'a Node, dot: &Dot) -> Run<Flow, F> {
        match node {
            Node::Text(text) => self.out.extend_from_slice(text),
            Node::Action(pipe) => {
                let value = self.pipeline(pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.print(&value.data);
                }
                if self.out.len() > self.left.output {
                    return self.error(
                        pipe.at,
                        pipe,
                        format!("output exceeds the limit of {} bytes", self.left.output),
                    );
                }
            }
            Node::If { pipe, then, otherwise } => {
                let scope = self.variables.len();
                let condition = self.pipeline(pipe, dot)?;
                let flow = self.nodes(if condition.data.is_true() { then } else { otherwise }, dot)?;
                self.variables.truncate(scope);
                return Ok(flow);
            }
            Node::With { pipe, then, otherwise } => {
                let scope = self.variables.len();
                let value = self.pipeline(pipe, dot)?;
                let flow = if value.data.is_true() { self.nodes(then, &value)? } else { self.nodes(otherwise, dot)? };
                self.variables.truncate(scope);
                return Ok(flow);
            }
            Node::Range { pipe, body, otherwise } => return self.range(pipe, body, otherwise, dot),
            Node::Template { at, name, quoted, pipe } => self.template(*at, name, quoted, pipe.as_ref(), dot)?,
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn step(&mut self, pipe: &Pipe) -> Run<(), F> {
        match self.left.steps.checked_sub(1) {
            Some(rest) => {
                self.left.steps = rest;
                Ok(())
            }
            None => self.error(pipe.at, pipe, "too many steps"),
        }
    }

    fn print(&mut self, data: &Data) {
        match data {
            Data::Nil => self.out.extend_from_slice(b"<no value>"),
            data => write_value(&mut self.out, data),
        }
    }

    fn range(&mut self, pipe: &'a Pipe, body: &'a [Node], otherwise: &'a [Node], dot: &Dot) -> Run<Flow, F> {
        let scope = self.variables.len();
        let value = self.pipeline(pipe, dot)?;
        // The pipeline has declared the variables; each iteration assigns them.
        let declared = self.variables.len();
        let mut rounds = 0usize;
        match &value.data {
            Data::List(list) => {
                let untyped = list.element == GoType::Any;
                for (i, item) in list.items.iter().enumerate() {
                    let index = Data::Native(i64::try_from(i).unwrap_or(i64::MAX));
                    rounds += 1;
                    if self.round(pipe, body, declared, index, Dot { data: item.clone(), untyped })? == Flow::Break {
                        break;
                    }
                }
            }
            Data::Map(map) => {
                let untyped = map.value == GoType::Any;
                for (key, item) in &map.entries {
                    rounds += 1;
                    if self.round(pipe, body, declared, key.clone(), Dot { data: item.clone(), untyped })?
                        == Flow::Break
                    {
                        break;
                    }
                }
            }
            Data::Int(count) | Data::Native(count) => {
                if pipe.variables.len() > 1 {
                    return self.error(
                        pipe.at,
                        pipe,
                        format!("can't use {count} to iterate over more than one variable"),
                    );
                }
                let native = matches!(value.data, Data::Native(_));
                for n in 0..*count {
                    let item = if native { Data::Native(n) } else { Data::Int(n) };
                    rounds += 1;
                    if self.round(pipe, body, declared, item.clone(), Dot::typed(item))? == Flow::Break {
                        break;
                    }
                }
            }
            Data::Nil => {}
            other => {
                let mut shown = Vec::new();
                write_value(&mut shown, other);
                let message = format!("range can't iterate over {}", String::from_utf8_lossy(&shown));
                return self.error(pipe.at, pipe, message);
            }
        }
        self.variables.truncate(scope);
        if rounds == 0 {
            let flow = self.nodes(otherwise, dot)?;
            self.variables.truncate(scope);
            return Ok(flow);
        }
        Ok(Flow::Next)
    }

    fn round(&mut self, pipe: &'a Pipe, body: &'a [Node], declared: usize, index: Data, item: Dot) -> Run<Flow, F> {
        self.step(pipe)?;
        let values = match pipe.variables.len() {
            0 => vec![],
            1 => vec![item.data.clone()],
            _ => vec![index, item.data.clone()],
        };
        for (i, value) in values.into_iter().enumerate() {
            if pipe.assigns {
                self.assign(&pipe.variables[i], value);
            } else {
                let slot = declared - pipe.variables.len() + i;
                self.variables[slot].1 = value;
            }
        }
        let flow = self.nodes(body, &item)?;
        self.variables.truncate(declared);
        if self.out.len() > self.left.output {
            return self.error(pipe.at, pipe, format!("output exceeds the limit of {} bytes", self.left.output));
        }
        Ok(flow)
    }

    fn template(&mut self, at: usize, name: &'a str, quoted: &str, pipe: Option<&'a Pipe>, dot: &Dot) -> Run<(), F> {
        let shown = match pipe {
            Some(pipe) => format!("{{{{template {quoted} {pipe}}}}}"),
            None => format!("{{{{template {quoted}}}}}"),
        };
        // The main template can be called by the name that it has in error messages.
        let body = match self.templates.named.get(name) {
            Some(body) => body,
            None if name == "template" => &self.templates.main,
            None => {
                let name = quote(name.as_bytes());
                return self.error(at, &shown, format!("template {name} not defined"));
            }
        };
        if self.calls >= MAX_CALLS {
            return self.error(at, &shown, format!("exceeded maximum template depth ({MAX_CALLS})"));
        }
        let data = match pipe {
            Some(pipe) => self.pipeline(pipe, dot)?,
            None => Dot::typed(Data::Nil),
        };
        let outer = std::mem::replace(&mut self.variables, vec![("$".to_owned(), data.data.clone())]);
        let outer_name = std::mem::replace(&mut self.name, name);
        self.calls += 1;
        self.nodes(body, &data)?;
        self.calls -= 1;
        self.name = outer_name;
        self.variables = outer;
        Ok(())
    }

    fn assign(&mut self, name: &str, value: Data) {
        if let Some((_, slot)) = self.variables.iter_mut().rev().find(|(own, _)| own == name) {
            *slot = value;
        }
    }

    /// Evaluates a pipeline and declares or assigns its variables.
    fn pipeline(&mut self, pipe: &'a Pipe, dot: &Dot) -> Run<Dot, F> {
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
                return match names.is_empty() {
                    true if has_args => self.not_a_function(first),
                    true => Ok(value),
                    false => self.fields(first, value, names, has_args),
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
                    (Err(message), Some(arg)) => return self.error(arg.at, arg, message),
                    (Err(message), None) => return self.error(at, node, message),
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
            Err(message) if name == "printf" => self.error(at, node, message),
            Err(message) => self.error(whole.0, whole.1, format!("error calling {name}: {message}")),
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
        check(value, ty).or_else(|message| self.error(operand.at, operand, message))
    }
}

/// Checks that a value has exactly this type.
fn check(value: Dot, ty: &GoType) -> Result<Data, String> {
    match (&value.data, ty) {
        (Data::Nil, GoType::Slice(_) | GoType::Map(_) | GoType::Any) => Ok(Data::zero(ty)),
        (Data::Nil, ty) => Err(format!("invalid value; expected {ty}")),
        (data, ty) => {
            let found = data.go_type();
            if found == *ty || *ty == GoType::Any {
                Ok(value.data)
            } else {
                Err(format!("wrong type for value; expected {ty}; got {found}"))
            }
        }
    }
}
