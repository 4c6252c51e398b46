//! Why the source of a type cannot be read.

use std::fmt;

/// Why the source of a type cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeError {
    /// The file is larger than any real one.
    TooLarge,
    /// The file is not Ruby.
    Syntax {
        /// The message of the parser.
        message: String,
        /// The line, from 1.
        line: u32,
    },
    /// The parser fails for the file, which may be valid.
    Unreadable,
    /// The file declares no type.
    NoType,
    /// The file declares another type.
    OtherName(String),
    /// The body of the type uses a name that nothing defines.
    UnknownName {
        /// The name.
        name: String,
        /// The line, from 1.
        line: u32,
    },
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TypeError::TooLarge => f.write_str("the file is too large"),
            TypeError::Syntax { message, line } => write!(f, "line {line}: {message}"),
            TypeError::Unreadable => f.write_str("the file cannot be parsed, though it may be valid"),
            TypeError::NoType => f.write_str("the file declares no type"),
            TypeError::UnknownName { name, line } => {
                write!(f, "line {line}: undefined local variable or method `{name}'")
            }
            TypeError::OtherName(name) => write!(f, "the file declares the type `{name}`"),
        }
    }
}

impl std::error::Error for TypeError {}
