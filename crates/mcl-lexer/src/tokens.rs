//! The token list of one file.

use std::ops::{Add, Index, Range, Sub};

use cranelift_entity::{EntityRef, entity_impl};
use mcl_diagnostics::{FileId, Span};
use serde::{Deserialize, Serialize};

use crate::kind::TokenKind;

/// The index of a token in the [`Tokens`] of a file. The index after the last token denotes the end of the file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TokenIdx(u32);

entity_impl!(TokenIdx, "token");

impl TokenIdx {
    /// The first token of a file.
    pub const FIRST: TokenIdx = TokenIdx(0);

    /// Returns the index `count` tokens earlier, unless the file starts less than `count` tokens earlier.
    #[must_use]
    pub fn checked_sub(self, count: u32) -> Option<TokenIdx> {
        self.0.checked_sub(count).map(TokenIdx)
    }

    /// Returns the index of the token before, unless this is the first one.
    #[must_use]
    pub fn previous(self) -> Option<TokenIdx> {
        self.checked_sub(1)
    }

    /// Iterates over the indices from this one up to, but not including, `end`.
    pub fn until(self, end: TokenIdx) -> impl DoubleEndedIterator<Item = TokenIdx> + Clone {
        (self.0..end.0).map(TokenIdx)
    }
}

impl Add<u32> for TokenIdx {
    type Output = TokenIdx;

    fn add(self, count: u32) -> TokenIdx {
        TokenIdx(self.0 + count)
    }
}

/// The number of tokens between two indices; zero if the right one is not before the left one.
impl Sub for TokenIdx {
    type Output = u32;

    fn sub(self, earlier: TokenIdx) -> u32 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The tokens of one file, in source order, without their text. The accessors treat an index past the end as an empty
/// token at the end of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    kinds: Vec<TokenKind>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    /// One bit per token: whether there is a newline between the previous token and this one.
    newline_before: Vec<u64>,
    /// The comments in source order.
    pub comments: Vec<Comment>,
    text_len: u32,
}

/// A comment, from `#` up to the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The byte offset of the `#`.
    pub start: u32,
    /// The byte offset after the last byte.
    pub end: u32,
    /// The first token after the comment.
    pub next_token: TokenIdx,
}

/// The length in bytes at which texts are truncated, so that every offset fits 32 bits; tools reject larger files earlier.
pub(crate) const MAX_TEXT_LEN: usize = u32::MAX as usize - 1;

impl Tokens {
    /// Creates an empty list for a text of `text_len` bytes, to be filled with [`Tokens::push`].
    #[must_use]
    pub(crate) fn for_text_len(text_len: u32) -> Tokens {
        Tokens { text_len, ..Tokens::default() }
    }

    /// Reserves memory for `count` tokens.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.kinds.reserve_exact(count);
        self.starts.reserve_exact(count);
        self.ends.reserve_exact(count);
        self.newline_before.reserve_exact(count / 64 + 1);
    }

    /// Appends a token, which must not start before the end of the last one.
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

    /// Appends the tokens of later lines of the same text.
    pub(crate) fn append(&mut self, mut later: Tokens) {
        let offset = self.kinds.len();
        self.append_newlines(later.newline_before.iter().copied());
        self.kinds.append(&mut later.kinds);
        self.starts.append(&mut later.starts);
        self.ends.append(&mut later.ends);
        self.newline_before.truncate(self.kinds.len().div_ceil(64));
        let comments = later.comments.into_iter();
        self.comments
            .extend(comments.map(|comment| Comment { next_token: comment.next_token + offset as u32, ..comment }));
    }

    /// Appends the bits of tokens that come next, before the tokens themselves.
    fn append_newlines(&mut self, words: impl Iterator<Item = u64>) {
        let shift = self.kinds.len() % 64;
        for word in words {
            match self.newline_before.last_mut().filter(|_| shift > 0) {
                None => self.newline_before.push(word),
                Some(last) => {
                    *last |= word << shift;
                    self.newline_before.push(word >> (64 - shift));
                }
            }
        }
    }

    /// Appends tokens of another text, and the comments in some bytes of it, `delta` bytes later.
    pub(crate) fn append_range(&mut self, other: &Tokens, range: Range<TokenIdx>, comments: Range<u32>, delta: i64) {
        let (first, end) = (range.start.index(), range.end.index());
        let offset = self.kinds.len();
        let moved = |at: u32| (i64::from(at) + delta) as u32;
        let word = |at: usize| other.newline_before.get(at).copied().unwrap_or(0);
        let (skipped, shift) = (first / 64, first % 64);
        let count = end.saturating_sub(first);
        self.append_newlines((0..count.div_ceil(64)).map(|at| {
            let bits = match shift {
                0 => word(skipped + at),
                _ => word(skipped + at) >> shift | word(skipped + at + 1) << (64 - shift),
            };
            // Bits after the last token would be those of tokens that follow.
            let rest = count - at * 64;
            if rest < 64 { bits & ((1 << rest) - 1) } else { bits }
        }));
        self.kinds.extend_from_slice(&other.kinds[first..end]);
        self.starts.extend(other.starts[first..end].iter().map(|start| moved(*start)));
        self.ends.extend(other.ends[first..end].iter().map(|end| moved(*end)));
        self.newline_before.truncate(self.kinds.len().div_ceil(64));
        let inside = other.comments.partition_point(|comment| comment.start < comments.start)
            ..other.comments.partition_point(|comment| comment.start < comments.end);
        self.comments.extend(other.comments[inside].iter().map(|comment| Comment {
            start: moved(comment.start),
            end: moved(comment.end),
            next_token: TokenIdx::new(comment.next_token.index().clamp(first, end) - first + offset),
        }));
    }

    /// Returns a run of tokens, and the comments in some bytes.
    #[must_use]
    pub fn run(&self, range: Range<TokenIdx>, comments: Range<u32>) -> Tokens {
        let mut run = Tokens::for_text_len(self.text_len);
        run.append_range(self, range, comments, 0);
        run
    }

    /// Returns some of the tokens, without comments.
    #[must_use]
    pub fn select(&self, ranges: &[Range<TokenIdx>]) -> Tokens {
        let mut selected = Tokens::for_text_len(self.text_len);
        selected.reserve(ranges.iter().map(|range| (range.end - range.start) as usize).sum());
        for range in ranges {
            selected.append_range(self, range.clone(), 0..0, 0);
        }
        selected
    }

    /// Whether a token is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.kinds.iter().any(|kind| kind.is_error())
    }

    /// Returns a copy of the tokens before `end`, and of the comments among them.
    pub(crate) fn before(&self, end: TokenIdx) -> Tokens {
        let count = end.index();
        let mut newline_before = self.newline_before[..count.div_ceil(64)].to_vec();
        if let Some(last) = newline_before.last_mut().filter(|_| !count.is_multiple_of(64)) {
            *last &= (1 << (count % 64)) - 1;
        }
        Tokens {
            kinds: self.kinds[..count].to_vec(),
            starts: self.starts[..count].to_vec(),
            ends: self.ends[..count].to_vec(),
            newline_before,
            comments: self.comments.iter().copied().take_while(|comment| comment.next_token <= end).collect(),
            text_len: self.text_len,
        }
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Returns the index after the last token.
    #[must_use]
    pub fn end_idx(&self) -> TokenIdx {
        TokenIdx::new(self.kinds.len())
    }

    /// Iterates over the indices of all tokens.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = TokenIdx> + Clone + use<> {
        TokenIdx::FIRST.until(self.end_idx())
    }

    /// Whether the arrays are consistent with each other and with the text; tokens read from an artifact may not be.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        let boundary = |offset: u32| text.is_char_boundary(offset as usize);
        self.text_len as usize == text.len().min(MAX_TEXT_LEN)
            && self.starts.len() == self.kinds.len()
            && self.ends.len() == self.kinds.len()
            && self.newline_before.len() == self.kinds.len().div_ceil(64)
            && self.starts.iter().zip(&self.ends).all(|(s, e)| s <= e && boundary(*s) && boundary(*e))
            && self.ends.iter().zip(self.starts.iter().skip(1)).all(|(e, s)| e <= s)
            && self.ends.last().is_none_or(|e| *e <= self.text_len)
            && self.comments.iter().all(|c| c.start <= c.end && boundary(c.start) && boundary(c.end))
    }

    /// Returns the kind of a token, or `None` past the end.
    #[must_use]
    pub fn kind(&self, token: TokenIdx) -> Option<TokenKind> {
        self.kinds.get(token.index()).copied()
    }

    /// Returns the kinds of all tokens.
    #[must_use]
    pub fn kinds(&self) -> &[TokenKind] {
        &self.kinds
    }

    /// Returns the byte offset of a token.
    #[must_use]
    pub fn start(&self, token: TokenIdx) -> u32 {
        self.starts.get(token.index()).copied().unwrap_or(self.text_len)
    }

    /// Returns the byte offset after a token.
    #[must_use]
    pub fn end(&self, token: TokenIdx) -> u32 {
        self.ends.get(token.index()).copied().unwrap_or(self.text_len)
    }

    /// Returns the span of a token.
    #[must_use]
    pub fn span(&self, file: FileId, token: TokenIdx) -> Span {
        Span::new(file, self.start(token), self.end(token))
    }

    /// Returns the text of a token; `text` is the source of the file.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str, token: TokenIdx) -> &'t str {
        text.get(self.start(token) as usize..self.end(token) as usize).unwrap_or("")
    }

    /// Whether there is a newline between the previous token (or the start of the text) and this one.
    #[must_use]
    pub fn newline_before(&self, token: TokenIdx) -> bool {
        let index = token.index();
        self.newline_before.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Whether there is nothing between the previous token and this one.
    #[must_use]
    pub fn is_adjacent_to_previous(&self, token: TokenIdx) -> bool {
        token.previous().is_some_and(|previous| self.end(previous) == self.start(token))
    }

    /// Returns the first token that ends after an offset.
    #[must_use]
    pub fn first_ending_after(&self, offset: u32) -> TokenIdx {
        TokenIdx::new(self.ends.partition_point(|end| *end <= offset))
    }

    /// Returns the first token that starts at an offset or after it.
    #[must_use]
    pub fn first_from(&self, offset: u32) -> TokenIdx {
        TokenIdx::new(self.starts.partition_point(|start| *start < offset))
    }
}

/// The kind of a token that exists.
impl Index<TokenIdx> for Tokens {
    type Output = TokenKind;

    fn index(&self, token: TokenIdx) -> &TokenKind {
        &self.kinds[token.index()]
    }
}
