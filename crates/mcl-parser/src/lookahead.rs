//! Predicates over the tokens at a position, by which recovery guesses what was meant there.

use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::token_set::{OPERAND_END, WORD};

/// Whether the token, the first one on its line, can only be the start of a statement: the tokens after it cannot occur
/// inside an expression or resource body.
pub fn starts_statement(tokens: &Tokens, at: TokenIdx) -> bool {
    let kind = |offset: u32| tokens.kind(at + offset);
    let before = at.previous().and_then(|previous| tokens.kind(previous));
    if matches!(before, Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow)) {
        return false;
    }
    let after_operand = before.is_none_or(|kind| OPERAND_END.contains(kind));
    match kind(0) {
        Some(
            TokenKind::Class
            | TokenKind::Import
            | TokenKind::Include
            | TokenKind::For
            | TokenKind::ForKv
            | TokenKind::Panic,
        ) => true,
        Some(TokenKind::Func) => kind(1) == Some(TokenKind::Identifier),
        Some(TokenKind::Dollar) => WORD.has(kind(1)) && kind(2) == Some(TokenKind::Equals),
        Some(TokenKind::If) => after_operand,
        Some(TokenKind::Collect) => kind(1) == Some(TokenKind::Identifier),
        Some(TokenKind::Capitalized) => {
            let length = colon_name_length(tokens, at, TokenKind::Capitalized);
            kind(length) == Some(TokenKind::OpenBracket)
                && (after_operand || matches!(before, Some(TokenKind::Comma | TokenKind::OpenCurly)))
        }
        Some(TokenKind::Identifier) => {
            let length = colon_name_length(tokens, at, TokenKind::Identifier);
            !tokens.newline_before(at + length)
                && matches!(kind(length), Some(TokenKind::String | TokenKind::Dollar | TokenKind::OpenBracket))
                && !(length == 1 && is_entry_without_rocket(tokens, at))
        }
        _ => false,
    }
}

/// Returns the number of tokens of the name at `at`, whose words of the given kind are joined by colons.
fn colon_name_length(tokens: &Tokens, at: TokenIdx, word: TokenKind) -> u32 {
    let mut length = 1;
    while tokens.kind(at + length) == Some(TokenKind::Colon) && tokens.kind(at + length + 1) == Some(word) {
        length += 2;
    }
    length
}

/// Whether `name value` is an entry of a resource that lacks its `=>`: the entry ends after the value.
pub fn is_entry_without_rocket(tokens: &Tokens, name: TokenIdx) -> bool {
    let mut end = name
        + match tokens.kind(name + 1) {
            Some(TokenKind::String) => 2,
            Some(TokenKind::Dollar) => 3,
            _ => return false,
        };
    while tokens.kind(end) == Some(TokenKind::Dot) {
        end = end + 2;
    }
    match tokens.kind(end) {
        Some(TokenKind::Comma | TokenKind::CloseCurly) => true,
        Some(TokenKind::Identifier) => tokens.kind(end + 1) == Some(TokenKind::Rocket),
        _ => false,
    }
}

/// Whether an entry of a resource seems to start at the token: `name =>` or `Meta:name =>`.
pub fn starts_entry(tokens: &Tokens, at: TokenIdx) -> bool {
    match tokens.kind(at) {
        Some(TokenKind::Identifier) => tokens.kind(at + 1) == Some(TokenKind::Rocket),
        Some(TokenKind::Capitalized) => {
            matches!(tokens.kind(at + 1), Some(TokenKind::Rocket | TokenKind::Colon))
        }
        _ => false,
    }
}

/// Returns the indentation of a line: the number of spaces and tabs before `first`, its first token.
pub fn indentation(text: &str, tokens: &Tokens, first: TokenIdx) -> usize {
    let before = &text.as_bytes()[..tokens.start(first) as usize];
    before.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The first of at most this many tokens on a line is looked for.
const MAX_LINE_TOKENS: u32 = 1000;

/// Returns the first token on the line of a token; on a very long line, an earlier token of the line.
pub fn first_on_line(tokens: &Tokens, token: TokenIdx) -> TokenIdx {
    let limit = token.checked_sub(MAX_LINE_TOKENS).unwrap_or(TokenIdx::FIRST);
    let mut first = token;
    while first > limit && !tokens.newline_before(first) {
        first = first.previous().unwrap_or(limit);
    }
    first
}
