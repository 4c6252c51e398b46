//! What a syntax error found, and the role of a name.

use std::fmt;

use mcl_lexer::TokenKind;

/// The token at which a statement fails.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Found {
    EndOfFile,
    EndOfLine,
    Token { kind: TokenKind, text: String },
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARS: usize = 30;
        let Found::Token { kind, text } = self else {
            return f.write_str(if *self == Found::EndOfFile { "the end of the file" } else { "the end of the line" });
        };
        let shown: String = match text.chars().nth(MAX_CHARS) {
            Some(_) => text.chars().take(MAX_CHARS - 1).chain(['…']).collect(),
            None => text.clone(),
        };
        match kind {
            TokenKind::String => f.write_str("a string"),
            TokenKind::Integer | TokenKind::Float => write!(f, "the number `{shown}`"),
            TokenKind::Identifier => write!(f, "the name `{shown}`"),
            TokenKind::Capitalized => write!(f, "the capitalized name `{shown}`"),
            kind if kind.is_keyword() => write!(f, "the keyword `{shown}`"),
            _ => write!(f, "`{shown}`"),
        }
    }
}

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NameRole {
    Variable,
    Field,
    Other,
}
