//! The token list of one file.

use logos::Logos;
use mcl_diagnostics::{FileId, Span};
use serde::{Deserialize, Serialize};

use crate::TokenKind;

/// The tokens of one file, in source order, without their text. Indexes past the end are answered like an empty token at
/// the end of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    kinds: Vec<TokenKind>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// One bit a token: a newline stands between the token before and this one.
    newline_before: Vec<u64>,
    /// The comments in source order.
    pub comments: Vec<Comment>,
    text_len: u32,
}

/// A comment, from `#` up to the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The byte of the `#`.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The first token behind the comment.
    pub next_token: u32,
}

/// Texts are cut here, so that every offset fits 32 bits; tools refuse such files before.
const MAX_TEXT: usize = u32::MAX as usize - 1;

/// Splits a text into tokens. Never fails: see [`TokenKind::is_error`].
#[must_use]
pub fn lex(text: &str) -> Tokens {
    let text = if text.len() > MAX_TEXT { &text[..text.floor_char_boundary(MAX_TEXT)] } else { text };
    let mut tokens = Tokens::with_capacity(text.len() / 5);
    tokens.text_len = text.len() as u32;
    let mut newline = false;
    let mut lexer = TokenKind::lexer(text);
    while let Some(kind) = lexer.next() {
        let span = lexer.span();
        let (start, end) = (span.start as u32, span.end as u32);
        let kind = match kind {
            Ok(TokenKind::Newline) => {
                newline = true;
                continue;
            }
            Ok(TokenKind::Comment) => {
                tokens.comments.push(Comment { start, end, next_token: tokens.kinds.len() as u32 });
                continue;
            }
            Ok(TokenKind::Integer) => integer_kind(lexer.slice()),
            Ok(TokenKind::Float) => float_kind(lexer.slice()),
            Ok(TokenKind::NonAscii) if lexer.slice().chars().all(is_bad_blank) => TokenKind::BadBlank,
            Ok(kind) => kind,
            // Only a string's callback fails: every other character is matched by some pattern.
            Err(()) => TokenKind::UnterminatedString,
        };
        tokens.push(kind, start, end, newline);
        newline = false;
    }
    tokens
}

fn is_bad_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

fn integer_kind(digits: &str) -> TokenKind {
    // Eighteen digits and a sign always fit.
    if digits.len() < 19 || digits.parse::<i64>().is_ok() { TokenKind::Integer } else { TokenKind::IntegerOverflow }
}

fn float_kind(digits: &str) -> TokenKind {
    if digits.len() < 300 || digits.parse::<f64>().is_ok_and(f64::is_finite) {
        TokenKind::Float
    } else {
        TokenKind::FloatOverflow
    }
}

impl Tokens {
    fn with_capacity(capacity: usize) -> Tokens {
        Tokens {
            kinds: Vec::with_capacity(capacity),
            starts: Vec::with_capacity(capacity),
            ends: Vec::with_capacity(capacity),
            newline_before: Vec::with_capacity(capacity / 64 + 1),
            comments: Vec::new(),
            text_len: 0,
        }
    }

    /// An empty list for a text of that length, to be filled with [`Tokens::push`].
    #[must_use]
    pub fn for_text_len(text_len: u32) -> Tokens {
        Tokens { text_len, ..Tokens::default() }
    }

    /// Appends a token; it must not start before the end of the last one.
    pub fn push(&mut self, kind: TokenKind, start: u32, end: u32, newline_before: bool) {
        let index = self.kinds.len();
        if index.is_multiple_of(64) {
            self.newline_before.push(0);
        }
        if newline_before && let Some(word) = self.newline_before.last_mut() {
            *word |= 1 << (index % 64);
        }
        self.kinds.push(kind);
        self.starts.push(start);
        self.ends.push(end);
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Whether the parts fit together and to the text; tokens that were read from a file may not.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        let boundary = |offset: u32| text.is_char_boundary(offset as usize);
        self.text_len as usize == text.len().min(MAX_TEXT)
            && self.starts.len() == self.kinds.len()
            && self.ends.len() == self.kinds.len()
            && self.newline_before.len() == self.kinds.len().div_ceil(64)
            && self.starts.iter().zip(&self.ends).all(|(s, e)| s <= e && boundary(*s) && boundary(*e))
            && self.ends.iter().zip(self.starts.iter().skip(1)).all(|(e, s)| e <= s)
            && self.ends.last().is_none_or(|e| *e <= self.text_len)
            && self.comments.iter().all(|c| c.start <= c.end && boundary(c.start) && boundary(c.end))
    }

    /// The kind of a token; `None` past the end.
    #[must_use]
    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.kinds.get(index).copied()
    }

    /// All kinds.
    #[must_use]
    pub fn kinds(&self) -> &[TokenKind] {
        &self.kinds
    }

    /// The first byte of a token.
    #[must_use]
    pub fn start(&self, index: usize) -> u32 {
        self.starts.get(index).copied().unwrap_or(self.text_len)
    }

    /// One past the last byte of a token.
    #[must_use]
    pub fn end(&self, index: usize) -> u32 {
        self.ends.get(index).copied().unwrap_or(self.text_len)
    }

    /// The place of a token.
    #[must_use]
    pub fn span(&self, file: FileId, index: usize) -> Span {
        Span::new(file, self.start(index), self.end(index))
    }

    /// The text of a token.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str, index: usize) -> &'t str {
        text.get(self.start(index) as usize..self.end(index) as usize).unwrap_or("")
    }

    /// Whether a newline stands between the token before and this one (false for the first token of the first line).
    #[must_use]
    pub fn newline_before(&self, index: usize) -> bool {
        self.newline_before.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// The length of the text in bytes.
    #[must_use]
    pub fn text_len(&self) -> u32 {
        self.text_len
    }
}
