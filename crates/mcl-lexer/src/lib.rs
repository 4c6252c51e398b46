//! Source text -> tokens (spec 01 §1).
//!
//! The lexer is total: it never fails. What is no token of the language becomes an error token ([`TokenKind::is_error`]),
//! so that the parser can go on behind it, and [`lex_diagnostics`] turns the error tokens into messages. Every byte of
//! the text belongs to exactly one token, one comment, or the blanks (space, tab, newline) between them.
//!
//! Tokens are kept as a struct of arrays ([`Tokens`]): kind, first byte, end, and the flag "a newline stands before me",
//! which the parser needs for its messages and lints, because newlines themselves are blanks in the grammar that we
//! accept (spec 01 §2.10). The tokens hold no text; whoever wants it slices the source.
//!
//! A string token is the raw text between two quotes: a backslash takes the next code point with it, left to right, and
//! the first quote that is left closes the string (spec 01 §1.10; mgmt 1.1 differs, which it calls a defect). Escapes
//! and `${…}` are the interpolate stage's business.
//!
//! This crate knows nothing of statements or expressions.

mod diagnostics;
mod kind;
mod tokens;

#[cfg(test)]
mod tests;

pub use diagnostics::lex_diagnostics;
pub use kind::TokenKind;
pub use tokens::{Comment, Tokens, lex};
