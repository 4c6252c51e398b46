//! The list of tokens of one file.

use cranelift_entity::entity_impl;
use pp_ast::TextRange;

use crate::error::SyntaxError;
use crate::token::TokenKind;

/// The index of a token. The index after the last token denotes the end of the file.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenIdx(u32);

entity_impl!(TokenIdx, "token");

impl TokenIdx {
    /// Returns the index after this one.
    pub fn next(self) -> TokenIdx {
        TokenIdx(self.0 + 1)
    }

    /// Returns the index before this one, or the first one.
    pub fn previous(self) -> TokenIdx {
        TokenIdx(self.0.saturating_sub(1))
    }
}

/// The content of a token that is not a part of the text, such as a string with escapes: an index into [`Tokens::contents`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ContentIdx(u32);

entity_impl!(ContentIdx, "content");

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    /// Whether it is the first token of its line.
    pub first_on_line: bool,
    /// Where it is. Tokens inside a heredoc are on later lines than the tokens after them.
    pub range: TextRange,
    /// The content, where that is not the text of the token.
    pub content: Option<ContentIdx>,
}

/// The tokens of one file, what is wrong with them, and their contents.
#[derive(Debug, Default)]
pub struct Tokens {
    pub list: Vec<Token>,
    pub contents: Vec<Box<str>>,
    pub errors: Vec<SyntaxError>,
}

impl Tokens {
    /// Returns the index after the last token.
    pub fn end(&self) -> TokenIdx {
        TokenIdx::from_u32(u32::try_from(self.list.len()).unwrap_or(u32::MAX))
    }

    /// Returns a token.
    pub fn get(&self, index: TokenIdx) -> Option<&Token> {
        self.list.get(index.as_u32() as usize)
    }

    /// Returns the kind of a token.
    pub fn kind(&self, index: TokenIdx) -> Option<TokenKind> {
        self.get(index).map(|token| token.kind)
    }

    /// Returns where a token is; the empty range at the end of the last token for the end of the file.
    pub fn range(&self, index: TokenIdx) -> TextRange {
        match self.get(index) {
            Some(token) => token.range,
            None => {
                let end = self.list.last().map_or(0, |token| token.range.end);
                TextRange { start: end, end }
            }
        }
    }

    /// Returns the range from one token up to, but not including, another.
    pub fn range_between(&self, from: TokenIdx, to: TokenIdx) -> TextRange {
        let start = self.range(from).start;
        let end = if to > from { self.range(to.previous()).end } else { start };
        TextRange { start, end: end.max(start) }
    }

    /// Adds a content.
    pub fn add_content(&mut self, content: impl Into<Box<str>>) -> ContentIdx {
        self.contents.push(content.into());
        ContentIdx::from_u32(self.contents.len() as u32 - 1)
    }

    /// Returns a content.
    pub fn content(&self, index: ContentIdx) -> &str {
        &self.contents[index.as_u32() as usize]
    }
}
