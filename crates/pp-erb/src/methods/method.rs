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
    pub run: Run,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Creates a method with a number of arguments.
pub(super) const fn method(name: &'static str, min: u8, max: u8, run: Run) -> Method {
    Method { name, min, max: Some(max), run }
}

/// Creates a method with any number of arguments from a least one on.
pub(super) const fn variadic(name: &'static str, min: u8, run: Run) -> Method {
    Method { name, min, max: None, run }
}
