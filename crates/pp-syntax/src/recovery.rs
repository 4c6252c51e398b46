//! Finds further syntax errors after the first one.

use mcl_diagnostics::FileId;

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::token::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// Returns the syntax errors of a file whose first one is at `failed`.
pub fn recover(_file: FileId, text: &str, tokens: &Tokens, failed: TokenIdx) -> Vec<SyntaxError> {
    let range = tokens.range(failed);
    if failed == tokens.end() {
        return vec![SyntaxError::new(SyntaxErrorKind::UnexpectedEnd, range)];
    }
    let found = quoted(text, tokens, failed);
    vec![SyntaxError::new(SyntaxErrorKind::UnexpectedToken { found, expected: None }, range)]
}

/// Returns a token as messages quote it: a variable without the dollar sign, and a string without quotes.
fn quoted(text: &str, tokens: &Tokens, index: TokenIdx) -> String {
    let Some(token) = tokens.get(index) else { return String::new() };
    if let Some(content) = token.content {
        return tokens.content(content).to_owned();
    }
    let text = &text[token.range.start as usize..token.range.end as usize];
    match token.kind {
        TokenKind::Variable => text.trim_start_matches('$'),
        TokenKind::String => text.get(1..text.len().saturating_sub(1)).unwrap_or(text),
        _ => text,
    }
    .to_owned()
}
