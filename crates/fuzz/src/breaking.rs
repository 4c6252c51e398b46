//! The ways to break one token.

use mcl_lexer::{TokenIdx, TokenKind, Tokens, lex};

use crate::report::Broken;

/// What happens to a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is removed.
    Delete,
    /// It is written twice.
    Double,
    /// It is replaced by a token of this kind.
    Replace(TokenKind),
}

/// The number of [`Change`]s.
pub const CHANGES: usize = 2 + TokenKind::OF_GRAMMAR.len() + FOREIGN.len();

/// The most common tokens of other languages.
const FOREIGN: &[TokenKind] =
    &[TokenKind::UnterminatedString, TokenKind::WrongQuotes, TokenKind::Underscore, TokenKind::Unrecognized];

impl Change {
    /// Returns the change with a number below [`CHANGES`].
    #[must_use]
    pub fn number(number: usize) -> Change {
        match number {
            0 => Change::Delete,
            1 => Change::Double,
            _ => {
                let kinds = TokenKind::OF_GRAMMAR;
                Change::Replace(kinds.get(number - 2).copied().unwrap_or_else(|| FOREIGN[number - 2 - kinds.len()]))
            }
        }
    }

    /// Describes the change of a token.
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            Change::Delete => "deleted".to_owned(),
            Change::Double => "doubled".to_owned(),
            Change::Replace(kind) => format!("replaced by `{}`", example(kind)),
        }
    }
}

/// Returns a token of a kind.
fn example(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Identifier => "word",
        TokenKind::Capitalized => "Word",
        TokenKind::Integer => "7",
        TokenKind::Float => "1.5",
        TokenKind::String => "\"text\"",
        TokenKind::UnterminatedString => "\"",
        TokenKind::WrongQuotes => "'text'",
        TokenKind::Underscore => "_",
        TokenKind::Unrecognized => "%",
        _ => kind.fixed_text().unwrap_or("%"),
    }
}

/// Breaks a token of a program. Returns `None` if the change leaves the program as it is.
#[must_use]
pub fn broken(text: &str, tokens: &Tokens, token: TokenIdx, change: Change) -> Option<Broken> {
    let (start, end) = (tokens.start(token) as usize, tokens.end(token) as usize);
    let (before, old, after) = (&text[..start], &text[start..end], &text[end..]);
    let new = match change {
        Change::Delete => String::new(),
        Change::Double => format!("{old} {old}"),
        Change::Replace(kind) => example(kind).to_owned(),
    };
    if new == old {
        return None;
    }
    let left = token.previous().filter(|_| tokens.is_adjacent_to_previous(token));
    let right = Some(token + 1).filter(|right| tokens.is_adjacent_to_previous(*right));
    let [left, right] = [left, right].map(|token| token.map_or("", |token| tokens.text(text, token)));
    // The token stays one of its own, except for a quote, which makes a string of what follows.
    let is_quote = change == Change::Replace(TokenKind::UnterminatedString);
    let space = if !is_quote && are_joined(&[left, &new, right]) { " " } else { "" };
    let broken = [before, space, &new, space, after].concat();
    let kind = format!("{:?}", tokens[token]);
    Some(Broken::new(kind, change.describe(), before, old, broken))
}

/// Whether some of the pieces become one token when they are written without spaces.
fn are_joined(pieces: &[&str]) -> bool {
    let separate: usize = pieces.iter().map(|piece| lex(piece).len()).sum();
    lex(&pieces.concat()).len() != separate
}
