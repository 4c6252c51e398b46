//! A row of a table of methods.

use crate::interpreter::Interpreter;
use crate::methods::args::Args;
use crate::stop::Eval;
use crate::value::Value;

/// The implementation of a method.
pub(crate) type Run = fn(&mut Interpreter<'_>, &Value, Args<'_>) -> Eval;

/// A method.
pub(crate) struct Method {
    pub name: &'static str,
    /// The least number of arguments.
    pub min: u8,
    /// The greatest number of arguments.
    pub max: Option<u8>,
    /// The time that it takes depends on the size of the receiver or of an argument, which is paid for before it runs.
    pub depends_on_size: bool,
    pub run: Run,
}

impl Method {
    /// States that the method takes the same time for receivers and arguments of every size, or pays for what it visits.
    pub(super) const fn constant(mut self) -> Method {
        self.depends_on_size = false;
        self
    }
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Creates a method with a number of arguments.
pub(super) const fn method(name: &'static str, min: u8, max: u8, run: Run) -> Method {
    Method { name, min, max: Some(max), depends_on_size: true, run }
}

/// Creates a method with any number of arguments from a least one on.
pub(super) const fn variadic(name: &'static str, min: u8, run: Run) -> Method {
    Method { name, min, max: None, depends_on_size: true, run }
}
