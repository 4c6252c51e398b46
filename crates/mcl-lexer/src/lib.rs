//! Source text -> tokens (spec 01 §1).
//!
//! The lexer is total: it never fails. A character sequence that is not a token of the language becomes an error token
//! ([`TokenKind::is_error`]), so that the parser can continue after it; [`lex_diagnostics`] says what is wrong with
//! these tokens. Every byte of the text belongs to exactly one token, one comment, or what is between them: whitespace
//! (space, tab, newline), and the lines of a heredoc, which is an error.
//!
//! Tokens are stored as a struct of arrays ([`Tokens`]): kind, start, end, and whether a newline precedes the token. The
//! parser needs that flag for its messages and lints, because newlines are plain whitespace in the accepted grammar
//! (spec 01 §2.10). Tokens hold no text; their text is a slice of the source.
//!
//! A string token is the raw text between two quotes: a backslash escapes the next code point, left to right, and the
//! first unescaped quote closes the string (spec 01 §1.10; mgmt 1.1 differs, and documents that as a defect). Escapes and
//! `${…}` are expanded by the interpolate stage. If a quote is missing, which leaves the last string of the file open, the
//! string that most likely lacks it ends with its line (`missing_quote.rs`), so that the rest of the file is read as meant.
//!
//! This crate knows nothing of statements or expressions.

mod error;
mod expression_in_string;
mod heredoc;
mod kind;
mod lex;
mod missing_quote;
mod relex;
mod scan;
mod tokens;

#[cfg(test)]
mod tests;

pub use error::{LexError, LexErrorKind, lex_diagnostics};
pub use expression_in_string::ExpressionInString;
pub use kind::TokenKind;
pub use lex::lex;
pub use relex::{Relexed, TextChange, relex};
pub use tokens::{Comment, TokenIdx, Tokens};
