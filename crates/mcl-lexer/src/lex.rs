//! The lexer: the tokens of a whole text.

use crate::kind::TokenKind;
use crate::missing_quote::with_missing_quote;
use crate::scan::lex_from;
use crate::tokens::{MAX_TEXT_LEN, Tokens};

/// Splits a text into tokens. Never fails; see [`TokenKind::is_error`].
#[must_use]
pub fn lex(text: &str) -> Tokens {
    let text = if text.len() > MAX_TEXT_LEN { &text[..text.floor_char_boundary(MAX_TEXT_LEN)] } else { text };
    let mut tokens = Tokens::for_text_len(text.len() as u32);
    tokens.reserve(text.len() / 5);
    lex_from(text, 0, &mut tokens);
    match tokens.kinds().last() {
        Some(TokenKind::UnterminatedString) => with_missing_quote(text, tokens),
        _ => tokens,
    }
}
