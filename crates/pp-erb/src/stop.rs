//! Why the evaluation of an expression ends without a value.

use crate::classes::Class;
use crate::value::Value;

/// The longest string.
pub(crate) const MAX_TEXT: usize = 32 << 20;

/// The result of evaluating something.
pub(crate) type Eval<T = Value> = Result<T, Stop>;

/// An exception, a jump, or the end of the template. Small, because every result of an evaluation has space for it.
#[derive(Debug)]
pub(crate) enum Stop {
    /// An exception, which `rescue` can handle.
    Raise(Box<Raise>),
    /// `break` out of the block with this number.
    Break(Box<(u64, Value)>),
    /// `next` in a block.
    Next(Box<Value>),
    /// `return` out of the method with this number.
    Return(Box<(u64, Value)>),
    /// `break` in a loop.
    LoopBreak(Box<Value>),
    /// `next` in a loop.
    LoopNext,
    /// `throw`
    Throw(Box<(Value, Value)>),
    /// An error that nothing can handle.
    Fatal(Box<Fatal>),
}

/// An exception.
#[derive(Clone, Debug)]
pub(crate) struct Raise {
    pub class: Class,
    pub message: String,
    pub help: Option<String>,
    /// Where, as an offset in the template.
    pub at: Option<u32>,
    /// The error of a function of Puppet.
    pub puppet: Option<pp_types::Error>,
}

/// An error that ends the template.
#[derive(Clone, Debug)]
pub(crate) struct Fatal {
    pub kind: FatalKind,
    pub message: String,
    pub at: Option<u32>,
}

/// What ends a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FatalKind {
    /// Ruby that templates must not use.
    Refused,
    /// The budget is used up.
    Limit,
}

impl Raise {
    /// Creates an exception.
    pub fn new(class: Class, message: impl Into<String>) -> Raise {
        Raise { class, message: message.into(), help: None, at: None, puppet: None }
    }

    /// Creates an `ArgumentError`.
    pub fn argument(message: impl Into<String>) -> Raise {
        Raise::new(Class::ArgumentError, message)
    }

    /// Creates a `TypeError`.
    pub fn type_error(message: impl Into<String>) -> Raise {
        Raise::new(Class::TypeError, message)
    }

    /// Creates a `RangeError`.
    pub fn range(message: impl Into<String>) -> Raise {
        Raise::new(Class::RangeError, message)
    }

    /// Creates an `IndexError`.
    pub fn index(message: impl Into<String>) -> Raise {
        Raise::new(Class::IndexError, message)
    }
}

impl From<Raise> for Stop {
    fn from(raise: Raise) -> Stop {
        Stop::Raise(Box::new(raise))
    }
}

impl From<pp_types::Error> for Stop {
    /// The error of a regular expression or a format.
    fn from(error: pp_types::Error) -> Stop {
        let class = match error.kind {
            pp_types::ErrorKind::Regexp => Class::RegexpError,
            pp_types::ErrorKind::Limit => {
                let fatal = Fatal { kind: FatalKind::Limit, message: error.message, at: None };
                return Stop::Fatal(Box::new(fatal));
            }
            _ => Class::ArgumentError,
        };
        Raise { help: error.help, ..Raise::new(class, error.message) }.into()
    }
}

impl Stop {
    /// Creates the error of a limit.
    pub fn limit(message: impl Into<String>) -> Stop {
        Stop::Fatal(Box::new(Fatal { kind: FatalKind::Limit, message: message.into(), at: None }))
    }

    /// Creates the error of a construct that templates must not use.
    pub fn refused(construct: &str) -> Stop {
        let message = format!("templates cannot use {construct}");
        Stop::Fatal(Box::new(Fatal { kind: FatalKind::Refused, message, at: None }))
    }
}
