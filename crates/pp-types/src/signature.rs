//! Signatures of functions, blocks, classes and defines, and the checks of arguments against them.

use std::sync::Arc;

use crate::error::Error;
use crate::types::{Callable, Type};
use crate::value::Value;

/// One signature of a function or block.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The parameters in order.
    pub parameters: Vec<SignatureParameter>,
    /// The block: its name and type; `None` if a block is not allowed.
    pub block: Option<(Arc<str>, Type)>,
    /// The type of the result.
    pub returns: Option<Type>,
}

/// A parameter of a signature.
#[derive(Clone, Debug, PartialEq)]
pub struct SignatureParameter {
    /// The name without the dollar sign.
    pub name: Arc<str>,
    /// The type.
    pub ty: Type,
    /// May be left out.
    pub is_optional: bool,
    /// Takes all further arguments.
    pub captures_rest: bool,
}

impl Signature {
    /// Reads a signature as the table of functions writes it: `Iterable iterable, Callable[1, 1] &block`, optional parameters
    /// as `?name`, repeated ones as `*name`, repeated ones that are needed at least once as `+name`, a block that may be left
    /// out as `?&block`. Names of types that are not built in go to `resolve`.
    ///
    /// # Errors
    /// A text that is not a signature.
    pub fn parse(_text: &str, _resolve: &dyn Fn(&str) -> Option<Type>) -> Result<Signature, Error> {
        todo!()
    }

    /// Returns whether arguments and a block match.
    #[must_use]
    pub fn accepts(&self, _arguments: &[Value], _block: Option<&Callable>) -> bool {
        todo!()
    }
}

/// Describes why no signature takes the arguments, as Puppet does: `'each' expects …`.
#[must_use]
pub fn describe_signatures(
    _function: &str,
    _signatures: &[Signature],
    _arguments: &[Value],
    _block: Option<&Callable>,
) -> String {
    todo!()
}
