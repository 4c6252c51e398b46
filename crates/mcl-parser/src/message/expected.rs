//! Names of expected tokens.

use mcl_lexer::TokenKind;

use crate::bracket::BracketContext;
use crate::token_set::{SIMPLE_TYPE, TokenSet};

/// Returns the text of a token kind that always has the same text.
pub(super) fn text(kind: TokenKind) -> &'static str {
    kind.fixed_text().unwrap_or("")
}

/// Names what can follow a complete operand besides an operator.
pub(super) fn or_end_of(context: Option<BracketContext>) -> &'static str {
    match context {
        Some(BracketContext::Arguments | BracketContext::Parameters) => ", `,` or `)`",
        Some(BracketContext::List) => ", `,` or `]`",
        Some(BracketContext::Map | BracketContext::Struct) => ", `,` or `}`",
        Some(BracketContext::Entries) => " or `,`",
        Some(BracketContext::Parentheses) => " or `)`",
        Some(BracketContext::Index | BracketContext::EdgeName) => " or `]`",
        Some(BracketContext::Body | BracketContext::Block) => " or `}`",
        Some(BracketContext::Type) => "",
        None => " or the end of the statement",
    }
}

/// The tokens that follow an operand or close a bracket; worth naming beside "an expression" or "an operator".
const CLOSING: TokenSet = TokenSet::new(&[
    TokenKind::Comma,
    TokenKind::CloseParen,
    TokenKind::CloseBracket,
    TokenKind::CloseCurly,
    TokenKind::Equals,
    TokenKind::Rocket,
    TokenKind::Elvis,
    TokenKind::Colon,
]);

/// At most this many alternatives are listed in a message.
const MAX_ALTERNATIVES: usize = 5;

/// Describes a set of expected tokens; `None` if there are too many alternatives.
pub(super) fn describe(expected: TokenSet) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    if expected.contains(TokenKind::String) && expected.contains(TokenKind::Integer) {
        parts.push("an expression".to_owned());
    } else if expected.contains(TokenKind::Plus) || expected.contains(TokenKind::Or) {
        parts.push("an operator".to_owned());
    }
    if expected.contains_all(SIMPLE_TYPE) {
        parts.push("a type".to_owned());
    }
    let summarized = !parts.is_empty();
    for kind in expected.iter() {
        let part = match kind {
            TokenKind::BarBar => continue,
            TokenKind::Capitalized => "a capitalized name".to_owned(),
            kind if CLOSING.contains(kind) => format!("`{}`", text(kind)),
            _ if summarized => continue,
            TokenKind::Identifier => "a name".to_owned(),
            TokenKind::String => "a string".to_owned(),
            TokenKind::Integer | TokenKind::Float => "a number".to_owned(),
            kind => format!("`{}`", text(kind)),
        };
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    match parts.len() {
        0 => Some("the end of the statement".to_owned()),
        1 => parts.pop(),
        2..=MAX_ALTERNATIVES => {
            let last = parts.pop().unwrap_or_default();
            Some(format!("{} or {last}", parts.join(", ")))
        }
        _ => None,
    }
}
