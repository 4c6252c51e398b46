//! Compares a program with its formatted text.

use std::borrow::Cow;

use mcl_lexer::{TokenKind, Tokens, lex};

use crate::number::normalized;

/// Returns the difference between two texts, if they are not the same program with the same comments. Newlines mean nothing to the
/// grammar, so equal tokens are equal trees.
pub(crate) fn is_same_program(before: &str, after: &str) -> Result<(), &'static str> {
    let (before_tokens, after_tokens) = (lex(before), lex(after));
    if !significant(before, &before_tokens).eq(significant(after, &after_tokens)) {
        return Err("its tokens are others");
    }
    if !comments(before, &before_tokens).eq(comments(after, &after_tokens)) {
        return Err("its comments are others");
    }
    Ok(())
}

/// Returns the tokens without optional commas, in one spelling.
fn significant<'t>(text: &'t str, tokens: &'t Tokens) -> impl Iterator<Item = Cow<'t, str>> {
    let is_optional = |token| {
        let closes = tokens.kind(token + 1).is_some_and(TokenKind::is_closer);
        tokens[token] == TokenKind::Comma && closes
    };
    tokens.indices().filter(move |token| !is_optional(*token)).map(|token| match tokens[token] {
        TokenKind::BarBar => Cow::Borrowed("<|>"),
        kind => normalized(kind, tokens.text(text, token)),
    })
}

fn comments<'t>(text: &'t str, tokens: &'t Tokens) -> impl Iterator<Item = &'t str> {
    let text = |start: u32, end: u32| text.get(start as usize..end as usize).unwrap_or("");
    tokens.comments.iter().map(move |comment| text(comment.start, comment.end).trim_end_matches([' ', '\t']))
}
