//! What was probably meant where a token does not fit.

use crate::recovery::brackets::Brackets;
use crate::token::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// Returns a help for common mistakes.
pub fn help(text: &str, tokens: &Tokens, brackets: &Brackets, at: TokenIdx) -> Option<&'static str> {
    let found = tokens.get(at)?;
    let found_text = &text[found.range.start as usize..found.range.end as usize];
    let kind_before = |count: u32| {
        let index = at.as_u32().checked_sub(count)?;
        tokens.kind(TokenIdx::from_u32(index))
    };
    let previous = kind_before(1)?;
    let around = brackets.around(at).and_then(|opener| tokens.kind(opener));
    let in_braces = matches!(around, Some(TokenKind::OpenBrace | TokenKind::OpenOverride));
    let starts_operand = found.kind.ends_operand()
        && !matches!(found.kind, TokenKind::CloseParen | TokenKind::CloseBracket)
        || matches!(found.kind, TokenKind::InterpolationOpen | TokenKind::OpenList | TokenKind::OpenHash);
    Some(match (previous, found.kind) {
        (TokenKind::Else, TokenKind::If) => "a further condition is written `elsif`",
        (_, TokenKind::Else | TokenKind::Elsif) => "an `if` and its block come before it",
        (_, TokenKind::Unknown) => unknown_character(found_text),
        (_, TokenKind::BarOpen) => {
            "logical or is written `or`; parameters of a block follow a call with parentheses or a dot"
        }
        (TokenKind::Name, TokenKind::True | TokenKind::False) if kind_before(1) == Some(TokenKind::Name) => {
            "logical not is written `!`"
        }
        (_, TokenKind::Equals) if in_braces => "an attribute is written `name => value`",
        (_, TokenKind::Equals) if previous == TokenKind::EqualEqual => "values are compared with `==`",
        (_, TokenKind::Equals) => "a condition compares with `==`; an assignment there needs parentheses",
        (_, TokenKind::Colon) if around == Some(TokenKind::OpenHash) => "a key and its value have `=>` between them",
        (_, TokenKind::Colon) if has_question(tokens, at) => {
            "a selector is written `$x ? { 'value' => 1, default => 2 }`"
        }
        (_, TokenKind::Semicolon) => "a `;` stands only between two statements, or between the bodies of a resource",
        (_, TokenKind::Rocket) if in_braces => "the name of an attribute is a plain word, without quotes",
        (_, TokenKind::Before | TokenKind::Notify) if in_braces => "an attribute is written `name => value`",
        (_, TokenKind::CloseBrace | TokenKind::CloseParen | TokenKind::CloseBracket)
            if brackets.opener(at).is_none() =>
        {
            "no bracket is open that it could close"
        }
        (TokenKind::Word, _) | (_, TokenKind::Word) if in_braces => {
            "the name of an attribute consists of letters, digits and `_`"
        }
        (TokenKind::String | TokenKind::InterpolationClose, _)
            if in_braces && starts_operand && after_title(tokens, brackets, at) =>
        {
            "a colon follows the title of a resource: `'title':`"
        }
        (_, TokenKind::OpenList) if previous.ends_operand() => "an index follows directly: `$list[0]`",
        (_, _) if starts_operand && previous.ends_operand() => match around {
            Some(TokenKind::OpenHash) if previous != TokenKind::Rocket && after_key(tokens, at) => {
                "a key and its value have `=>` between them"
            }
            Some(
                TokenKind::OpenHash
                | TokenKind::OpenList
                | TokenKind::OpenIndex
                | TokenKind::OpenCall
                | TokenKind::OpenParen
                | TokenKind::OpenSelector,
            ) => "a comma or a closing bracket is missing before it",
            Some(TokenKind::OpenBrace) if !brackets.around(at).is_some_and(|opener| brackets.is_block(opener)) => {
                "a comma or `=>` is missing before it"
            }
            _ => return None,
        },
        _ => return None,
    })
}

fn unknown_character(text: &str) -> &'static str {
    match text {
        "&" => "logical and is written `and`",
        "`" => "strings are enclosed in single or double quotes",
        "~" => "regular expressions are compared with `=~` and `!~`",
        "\\" => "there is no line continuation; an expression may simply go on in the next line",
        "“" | "”" | "„" | "‘" | "’" => "strings are enclosed in plain quotes: '…' or \"…\"",
        _ => "no token of the language starts with this character",
    }
}

/// Returns whether the tokens before are a type, `{` and a title.
fn after_title(tokens: &Tokens, brackets: &Brackets, at: TokenIdx) -> bool {
    brackets.around(at).is_some_and(|opener| {
        let first = opener.next();
        let is_single = first.next() == at;
        let is_interpolation = tokens.kind(first) == Some(TokenKind::InterpolationOpen)
            && brackets.closer(first).is_some_and(|closer| closer.next() == at);
        is_single || is_interpolation
    })
}

/// Returns whether the operand before is a key: a `{` or a comma is before it.
fn after_key(tokens: &Tokens, at: TokenIdx) -> bool {
    let before = at.previous().previous();
    matches!(tokens.kind(before), Some(TokenKind::OpenHash | TokenKind::Comma))
}

/// Returns whether a `?` is among the last few tokens.
fn has_question(tokens: &Tokens, at: TokenIdx) -> bool {
    let end = at.as_u32() as usize;
    tokens.list[end.saturating_sub(4)..end].iter().any(|token| token.kind == TokenKind::Question)
}
