//! The state of an execution, and its errors.

use std::fmt::Display;

use go_compat::strconv::quote;

use crate::data::{Data, GoType};
use crate::tree::{Pipe, Templates};
use crate::{ExecuteError, Functions, Limits};

/// The state of one execution.
pub(crate) struct Executor<'a, F> {
    pub(crate) functions: &'a F,
    pub(crate) text: &'a [u8],
    pub(crate) templates: &'a Templates,
    /// The template being executed.
    pub(crate) name: &'a str,
    /// The innermost variable is the last one.
    pub(crate) variables: Vec<(String, Data)>,
    pub(crate) calls: usize,
    /// The remaining steps, and the maximum length of the output.
    pub(crate) left: Limits,
    pub(crate) out: Vec<u8>,
}

/// A value, and whether its static type is `interface {}`, which only error messages show.
#[derive(Clone)]
pub(crate) struct Dot {
    pub(crate) data: Data,
    pub(crate) untyped: bool,
}

impl Dot {
    pub(crate) fn typed(data: Data) -> Dot {
        Dot { data, untyped: false }
    }

    pub(crate) fn shown_type(&self) -> GoType {
        if self.untyped { GoType::Any } else { self.data.go_type() }
    }
}

/// The result of a step of the execution.
pub(crate) type Run<T, F> = Result<T, ExecuteError<<F as Functions>::Error>>;

impl<F: Functions> Executor<'_, F> {
    /// Fails at a node of the template.
    pub(crate) fn error<T>(&self, at: usize, node: &dyn Display, message: impl Display) -> Run<T, F> {
        Err(ExecuteError { message: self.describe(at, node, message), cause: None })
    }

    /// Returns Go's message for an error at a node of the template.
    pub(crate) fn describe(&self, at: usize, node: &dyn Display, message: impl Display) -> String {
        let before = &self.text[..at.min(self.text.len())];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let name = quote(self.name.as_bytes());
        format!("template:{line}:{column}: executing {name} at <{node}>: {message}")
    }

    /// Counts an evaluated pipeline or iteration.
    pub(crate) fn step(&mut self, pipe: &Pipe) -> Run<(), F> {
        match self.left.steps.checked_sub(1) {
            Some(rest) => {
                self.left.steps = rest;
                Ok(())
            }
            None => self.error(pipe.at, pipe, "too many steps"),
        }
    }

    pub(crate) fn assign(&mut self, name: &str, value: Data) {
        if let Some((_, slot)) = self.variables.iter_mut().rev().find(|(own, _)| own == name) {
            *slot = value;
        }
    }
}
