//! Expressions in strings: in `"${upper("a")}"` the quotes of the expression end the string.

use std::ops::Range;

use crate::kind::TokenKind;
use crate::tokens::{TokenIdx, Tokens};

/// The end of the string is looked for among this many tokens.
const MAX_TOKENS: usize = 40;

/// An expression in a string, which was read as several strings and what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionInString {
    /// The first string, which ends inside of `${…`.
    pub first: TokenIdx,
    /// The last string, in which the `}` is.
    pub last: TokenIdx,
    /// The bytes from the `$` up to the `}`, with both.
    pub bytes: Range<u32>,
}

impl ExpressionInString {
    /// What is wrong, whichever stage finds it.
    pub const MESSAGE: &str = "expected a variable name in `${…}`, found an expression";

    /// Returns how an expression gets into a string.
    #[must_use]
    pub fn help(expression: &str) -> String {
        format!("bind the value to a variable, `$value = {expression}`, then write `\"${{value}}\"`")
    }

    /// Returns what is in the string that ends before a token, and goes on after it.
    #[must_use]
    pub fn around(text: &str, tokens: &Tokens, next: TokenIdx) -> Option<ExpressionInString> {
        if !tokens.is_adjacent_to_previous(next) {
            return None;
        }
        let is_string = |token: TokenIdx| tokens.kind(token) == Some(TokenKind::String);
        let first = next.previous().filter(|first| is_string(*first))?;
        let string = tokens.text(text, first);
        let opener = string.rfind("${")?;
        if string[opener..].contains('}') {
            return None;
        }
        let on_line = next.until(tokens.end_idx()).take(MAX_TOKENS);
        let mut later = on_line.take_while(|token| !tokens.newline_before(*token)).filter(|token| is_string(*token));
        let (last, closer) = later.find_map(|token| Some((token, tokens.text(text, token).find('}')?)))?;
        let bytes = tokens.start(first) + opener as u32..tokens.start(last) + closer as u32 + 1;
        Some(ExpressionInString { first, last, bytes })
    }

    /// Returns what is in the string that a token is in, if that is not a part of the text of the string.
    pub(crate) fn containing(text: &str, tokens: &Tokens, token: TokenIdx) -> Option<ExpressionInString> {
        let before = TokenIdx::FIRST.until(token + 1).rev().take(MAX_TOKENS);
        let mut on_line = before.take_while(|next| !tokens.newline_before(*next));
        on_line.find_map(|next| ExpressionInString::around(text, tokens, next)).filter(|found| found.last > token)
    }

    /// Returns the expression.
    #[must_use]
    pub fn expression<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.bytes.start as usize + 2..self.bytes.end as usize - 1).unwrap_or_default()
    }
}
