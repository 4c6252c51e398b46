//! Access to the arguments of a call, and errors.
//!
//! Signatures are checked before an implementation runs, so an accessor that does not find what the signature promises
//! returns the neutral value of its kind instead of failing.

use pp_types::{Error, ErrorKind, Hash, Value, interpolate};

use crate::function::Call;
use crate::host::Interrupt;

/// Creates an error of a function.
pub(crate) fn fail(message: impl Into<String>) -> Interrupt {
    Error::new(ErrorKind::Evaluation, message).into()
}

/// Creates an error about the arguments.
pub(crate) fn reject(message: impl Into<String>) -> Interrupt {
    Error::new(ErrorKind::Arguments, message).into()
}

impl<'a> Call<'a> {
    /// Returns an argument, `undef` if it was left out.
    pub(crate) fn argument(&self, index: usize) -> &'a Value {
        self.arguments.get(index).unwrap_or(&Value::Undef)
    }

    /// Returns a string argument.
    pub(crate) fn string(&self, index: usize) -> &'a str {
        match self.argument(index) {
            Value::String(text) => text,
            _ => "",
        }
    }

    /// Returns the text of an argument.
    pub(crate) fn text(&self, index: usize) -> String {
        interpolate(self.argument(index))
    }

    /// Returns the elements of an array argument.
    pub(crate) fn array(&self, index: usize) -> &'a [Value] {
        match self.argument(index) {
            Value::Array(values) => values,
            _ => &[],
        }
    }

    /// Returns a hash argument.
    pub(crate) fn hash(&self, index: usize) -> Option<&'a Hash> {
        match self.argument(index) {
            Value::Hash(entries) => Some(&entries.0),
            _ => None,
        }
    }

    /// Calls the block.
    pub(crate) fn yield_block(&mut self, arguments: &[Value]) -> Result<Value, Interrupt> {
        match self.block {
            Some(block) => self.host.call_block(block, arguments),
            None => Err(reject("expects a block")),
        }
    }

    /// Calls the block of an iteration; `None` if it breaks.
    pub(crate) fn iterate_block(&mut self, arguments: &[Value]) -> Result<Option<Value>, Interrupt> {
        match self.yield_block(arguments) {
            Ok(value) => Ok(Some(value)),
            Err(Interrupt::Break) => Ok(None),
            Err(interrupt) => Err(interrupt),
        }
    }

    /// Counts the work of making a value of this many elements or bytes.
    pub(crate) fn charge(&mut self, elements: usize, bytes: usize) -> Result<(), Interrupt> {
        self.host.charge(elements as u64, bytes as u64)
    }
}
