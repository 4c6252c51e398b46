//! The syntax tree of a template. Nodes print as in Go, because error messages quote them.

use std::fmt;

use rustc_hash::FxHashMap;

/// The templates of a text: the main one, and those defined by `define` and `block`.
pub(crate) struct Templates {
    pub(crate) main: Vec<Node>,
    pub(crate) named: FxHashMap<String, Vec<Node>>,
}

/// A node. Positions are byte offsets in the text.
pub(crate) enum Node {
    Text(Vec<u8>),
    Action(Pipe),
    If { pipe: Pipe, then: Vec<Node>, otherwise: Vec<Node> },
    With { pipe: Pipe, then: Vec<Node>, otherwise: Vec<Node> },
    Range { pipe: Pipe, body: Vec<Node>, otherwise: Vec<Node> },
    Template { at: usize, name: String, quoted: String, pipe: Option<Pipe> },
    Break,
    Continue,
}

/// `$x, $y := command | command`.
pub(crate) struct Pipe {
    pub(crate) at: usize,
    pub(crate) variables: Vec<String>,
    /// `=` instead of `:=`.
    pub(crate) assigns: bool,
    pub(crate) commands: Vec<Command>,
}

/// An operand, or a function with its arguments.
pub(crate) struct Command {
    pub(crate) at: usize,
    /// Never empty.
    pub(crate) args: Vec<Operand>,
}

pub(crate) struct Operand {
    pub(crate) at: usize,
    pub(crate) kind: OperandKind,
}

pub(crate) enum OperandKind {
    Dot,
    Nil,
    Bool(bool),
    Number(Number),
    Text {
        quoted: String,
        value: Vec<u8>,
    },
    /// `.A.B`.
    Field(Vec<String>),
    /// `$x.A.B`.
    Variable(String, Vec<String>),
    Function(String),
    /// `(pipeline).A.B`.
    Chain(Box<Operand>, Vec<String>),
    Pipe(Box<Pipe>),
}

/// A number literal: an integer, a float, or both.
pub(crate) struct Number {
    pub(crate) text: String,
    pub(crate) int: Option<i64>,
    pub(crate) float: Option<f64>,
}

fn fields(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    names.iter().try_for_each(|name| write!(f, ".{name}"))
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.variables.is_empty() {
            write!(f, "{} {} ", self.variables.join(", "), if self.assigns { "=" } else { ":=" })?;
        }
        for (i, command) in self.commands.iter().enumerate() {
            write!(f, "{}{command}", if i == 0 { "" } else { " | " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "{}{arg}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperandKind::Dot => f.write_str("."),
            OperandKind::Nil => f.write_str("nil"),
            OperandKind::Bool(value) => write!(f, "{value}"),
            OperandKind::Number(number) => f.write_str(&number.text),
            OperandKind::Text { quoted, .. } => f.write_str(quoted),
            OperandKind::Field(names) => fields(f, names),
            OperandKind::Variable(name, names) => {
                f.write_str(name)?;
                fields(f, names)
            }
            OperandKind::Function(name) => f.write_str(name),
            OperandKind::Chain(operand, names) => {
                write!(f, "{operand}")?;
                fields(f, names)
            }
            OperandKind::Pipe(pipe) => write!(f, "({pipe})"),
        }
    }
}
