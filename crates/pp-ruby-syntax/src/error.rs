//! Why a text has no syntax tree.

use std::fmt;

/// Why a text has no syntax tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxError {
    /// The text is longer than the caller allows, or has more logical operators than can be read in reasonable time.
    TooLarge,
    /// The text is not Ruby.
    Invalid {
        /// The message of the parser.
        message: String,
        /// Where, in bytes.
        offset: usize,
        /// The line, from 1.
        line: u32,
    },
    /// The parser fails, whether or not the text is Ruby.
    Unreadable,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SyntaxError::TooLarge => f.write_str("the text is too large"),
            SyntaxError::Invalid { message, line, .. } => write!(f, "line {line}: {message}"),
            SyntaxError::Unreadable => f.write_str("the parser cannot read this Ruby, which may be valid"),
        }
    }
}

impl std::error::Error for SyntaxError {}
