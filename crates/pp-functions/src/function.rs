//! The table of functions.

use std::sync::OnceLock;

use pp_types::{Error, ErrorKind, Signature, Value};

use crate::host::{Block, Host, Interrupt};

/// An implementation. The arguments match one of the signatures.
pub type Implementation = fn(&mut dyn Host, &[Value], Option<&Block>) -> Result<Value, Interrupt>;

/// Whether a function can be called.
#[derive(Clone, Copy, Debug)]
pub enum Availability {
    /// It can.
    Native(Implementation),
    /// Only in Puppet itself, for this reason.
    Unavailable(&'static str),
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// The signatures in the form of [`Signature::parse`]; Puppet tries them in this order.
    pub signatures: &'static [&'static str],
    /// What it does, a sentence or more in Markdown.
    pub documentation: &'static str,
    /// The implementation.
    pub availability: Availability,
    /// The signatures, parsed when the function is first called.
    pub parsed: OnceLock<Vec<Signature>>,
}

/// Returns all functions, sorted by name.
#[must_use]
pub fn all_functions() -> &'static [Function] {
    &[]
}

/// Returns the function with a name.
#[must_use]
pub fn find_function(name: &str) -> Option<&'static Function> {
    let functions = all_functions();
    functions.binary_search_by(|function| function.name.cmp(name)).ok().map(|at| &functions[at])
}

/// Checks the arguments against the signatures, and calls the function.
///
/// # Errors
/// Arguments that no signature takes, and the errors of the function.
pub fn call(
    function: &'static Function,
    host: &mut dyn Host,
    _arguments: &[Value],
    _block: Option<&Block>,
) -> Result<Value, Interrupt> {
    let _ = host;
    Err(Error::new(ErrorKind::Unknown, format!("Unknown function: '{}'", function.name)).into())
}
