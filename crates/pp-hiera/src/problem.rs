//! Values of data that the language cannot hold. They matter only when they are looked up.

use pp_types::{Error, ErrorKind};

/// Why the value of a key cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A symbol of Ruby, such as `:name`.
    Symbol {
        /// The symbol.
        text: String,
        /// Its line.
        line: usize,
    },
    /// The key of a hash is neither a string nor a number.
    HashKey {
        /// Its line.
        line: usize,
    },
    /// An integer that does not fit into 64 bits.
    Integer {
        /// The number.
        text: String,
        /// Its line, if it is known.
        line: usize,
    },
}

impl Problem {
    /// Returns what is wrong, to follow a colon.
    pub(crate) fn reason(&self) -> String {
        match self {
            Problem::Symbol { text, line } => {
                format!("`:{text}` is a symbol of Ruby at line {line}, which has to be in quotes")
            }
            Problem::HashKey { line } => format!("a key that is neither a string nor a number at line {line}"),
            Problem::Integer { text, line } => format!("the integer {text} is outside 64 bits at line {line}"),
        }
    }

    /// Returns the error of looking up a key; `origin` says where the value comes from.
    pub(crate) fn error(&self, key: &str, origin: &str) -> Error {
        let (got, help) = match self {
            Problem::Symbol { text, line } => {
                ("Runtime[ruby, 'Symbol']", format!("line {line}: `:{text}` is a symbol of Ruby; put it in quotes"))
            }
            Problem::HashKey { line } => {
                ("a Hash with another key", format!("line {line}: keys of hashes must be strings or numbers"))
            }
            Problem::Integer { text, line } => {
                let message =
                    format!("Value for key '{key}', {origin}, has the integer {text}, which is outside 64 bits");
                let error = Error::new(ErrorKind::Arithmetic, message);
                return error.help(format!("line {line}: put the number in quotes to have it as a string"));
            }
        };
        let message =
            format!("Value for key '{key}', {origin}, has wrong type, expects Puppet::LookupValue, got {got}");
        Error::new(ErrorKind::Mismatch, message).help(help)
    }
}

/// Creates an error of the general kind.
pub(crate) fn error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Evaluation, message)
}
