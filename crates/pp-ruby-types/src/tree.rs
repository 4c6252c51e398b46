//! Parsing the files of modules.

use pp_ruby_syntax::{SyntaxError, Tree};

use crate::error::TypeError;

/// Maximum size of a file, in bytes. The largest type of a published module has 76 KB.
pub(crate) const MAX_BYTES: usize = 256 << 10;

/// Parses a file. The caller is inside [`pp_ruby_syntax::on_large_stack`], for at most [`MAX_BYTES`].
///
/// # Errors
/// The first syntax error.
pub(crate) fn parse(bytes: &[u8]) -> Result<Tree, TypeError> {
    Tree::parse(bytes, MAX_BYTES).map_err(|error| match error {
        SyntaxError::TooLarge => TypeError::TooLarge,
        SyntaxError::Invalid { message, line, .. } => TypeError::Syntax { message, line },
        SyntaxError::Unreadable => TypeError::Unreadable,
    })
}
