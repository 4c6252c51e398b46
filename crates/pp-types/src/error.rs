//! Errors of values and types.

use std::fmt;

/// What is wrong with a value, a type, or a call. The evaluator chooses the diagnostic code by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A value does not match the type that is expected.
    Mismatch,
    /// The arguments of a call do not match its signatures.
    Arguments,
    /// A type has the wrong parameters.
    TypeParameters,
    /// A text does not follow the grammar of types.
    Syntax,
    /// A value cannot be converted.
    Conversion,
    /// An operator is not defined for its operands.
    Operator,
    /// An integer is outside 64 bits, a division by zero, an infinite float.
    Arithmetic,
    /// A regular expression is invalid, or takes too long.
    Regexp,
    /// A name is unknown: a type, a function, a variable.
    Unknown,
    /// A budget of evaluation is used up.
    Limit,
    /// The program calls `fail`.
    Fail,
    /// The function works only in Puppet itself.
    Unavailable,
    /// Any other error of a function or an expression.
    Evaluation,
}

/// A side of an operator, or an argument of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The operand to the left of the operator.
    Left,
    /// The operand to the right of the operator.
    Right,
    /// An argument between brackets, counted from 0.
    Argument(usize),
}

/// An error without a location; the evaluator adds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The message, which says what Puppet's says.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// The operand that is wrong; `None` if it is both, or none.
    pub operand: Option<Operand>,
}

impl Error {
    /// Creates an error without help.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), help: None, operand: None }
    }

    /// Sets the operand that is wrong.
    #[must_use]
    pub fn of(mut self, operand: Operand) -> Error {
        self.operand = Some(operand);
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
