//! A template as its users see it.

use std::fmt;

use crate::data::{Data, GoType};
use crate::execute::execute;
use crate::tree::Templates;
use crate::{builtins, parser};

/// A template that has been read.
pub struct Template<'a> {
    text: &'a [u8],
    templates: Templates,
}

impl<'a> Template<'a> {
    /// Reads a template. Functions must exist, as in Go.
    ///
    /// # Errors
    /// The text is not a template.
    pub fn parse(text: &'a [u8], functions: &impl Functions) -> Result<Template<'a>, ParseError> {
        let is_function = |name: &str| builtins::arity(name).is_some() || functions.parameters(name).is_some();
        Ok(Template { text, templates: parser::parse(text, &is_function)? })
    }

    /// Fills in the template.
    ///
    /// # Errors
    /// The data do not fit, a function fails, or a limit is exceeded.
    pub fn execute<F: Functions>(
        &self,
        data: Data,
        functions: &F,
        limits: Limits,
    ) -> Result<Vec<u8>, ExecuteError<F::Error>> {
        execute(self.text, &self.templates, data, functions, limits)
    }
}

/// The functions that a template can call besides the built-in ones: Go's `FuncMap`.
pub trait Functions {
    /// Why a call failed.
    type Error: fmt::Display;

    /// The types of the parameters of a function; `None` if there is no function of that name.
    fn parameters(&self, name: &str) -> Option<&[GoType]>;

    /// Calls a function with as many arguments, and of the types, as it has parameters.
    ///
    /// # Errors
    /// As the function.
    fn call(&self, name: &str, args: &[Data]) -> Result<Data, Self::Error>;
}

/// How much a template may do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Pipelines and rounds of loops.
    pub steps: u64,
    /// Bytes of output.
    pub output: usize,
}

/// Why a text is not a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    line: usize,
    message: String,
}

impl ParseError {
    pub(crate) fn new(line: usize, message: impl fmt::Display) -> ParseError {
        ParseError { line, message: message.to_string() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template:{}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Why a template could not be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteError<E> {
    /// Go's text, which contains that of the cause.
    pub(crate) message: String,
    /// The failure of one of the [`Functions`], if that was it.
    pub cause: Option<E>,
}

impl<E> fmt::Display for ExecuteError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: fmt::Debug> std::error::Error for ExecuteError<E> {}
