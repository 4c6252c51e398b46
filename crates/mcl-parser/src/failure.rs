//! A statement that does not follow the grammar, with the tokens around the failure.

use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenIdx, TokenKind, Tokens};

use crate::bracket::BracketContext;
use crate::error::{Found, HabitKind, SyntaxError, SyntaxErrorKind};
use crate::token_set::TokenSet;

/// A failed statement.
pub struct Failure<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub tokens: &'t Tokens,
    /// The first token of the statement.
    pub start: TokenIdx,
    /// The token that does not fit.
    pub at: TokenIdx,
    /// Whether the statement ends there: at the end of a line, a block, or the file.
    pub incomplete: bool,
    /// The context of the innermost open bracket of the statement.
    pub context: Option<BracketContext>,
    /// Why the token does not fit.
    pub cause: Cause,
}

/// Why a token does not fit.
#[derive(Clone, Copy, Debug)]
pub enum Cause {
    /// The grammar accepts only these tokens there.
    Unexpected(TokenSet),
    /// A statement starts there, inside brackets of another statement.
    MisplacedStatement,
}

impl Cause {
    /// Returns the tokens that the grammar accepts.
    pub fn expected(self) -> TokenSet {
        match self {
            Cause::Unexpected(expected) => expected,
            Cause::MisplacedStatement => TokenSet::default(),
        }
    }
}

impl<'t> Failure<'t> {
    /// Returns the tokens that the grammar accepts at the failure.
    pub fn expected(&self) -> TokenSet {
        self.cause.expected()
    }

    /// Whether the grammar accepts such a token at the failure.
    pub fn expects(&self, kind: TokenKind) -> bool {
        self.expected().contains(kind)
    }

    /// Returns the kind of a token, or `None` after the end of the statement.
    pub fn kind(&self, token: TokenIdx) -> Option<TokenKind> {
        if self.incomplete && token >= self.at { None } else { self.tokens.kind(token) }
    }

    /// Returns the kind of the failing token, or `None` if the statement ends there.
    pub fn found_kind(&self) -> Option<TokenKind> {
        self.kind(self.at)
    }

    /// Returns the failing token.
    pub fn found(&self) -> Found {
        match self.found_kind() {
            None if self.at >= self.tokens.end_idx() => Found::EndOfFile,
            None => Found::EndOfLine,
            Some(kind) => Found::Token { kind, text: self.owned_text(self.at) },
        }
    }

    /// Returns the kind of the token `count` tokens before the failing one, if it is in the statement.
    pub fn before(&self, count: u32) -> Option<TokenKind> {
        let token = self.at.checked_sub(count).filter(|token| *token >= self.start)?;
        self.tokens.kind(token)
    }

    /// Returns the token before the failing one.
    pub fn last(&self) -> TokenIdx {
        self.at.previous().unwrap_or(self.at)
    }

    /// Returns the text of a token.
    pub fn text_of(&self, token: TokenIdx) -> &'t str {
        self.tokens.text(self.text, token)
    }

    /// Returns a copy of the text of a token.
    pub fn owned_text(&self, token: TokenIdx) -> String {
        self.text_of(token).to_owned()
    }

    /// Returns the text from one token to another, inclusive.
    pub fn text_over(&self, first: TokenIdx, last: TokenIdx) -> &'t str {
        self.text.get(self.tokens.start(first) as usize..self.tokens.end(last) as usize).unwrap_or("")
    }

    /// Returns the span of a token.
    pub fn span_of(&self, token: TokenIdx) -> Span {
        self.tokens.span(self.file, token)
    }

    /// Returns the span of the failing token, or of the token before it if the statement ends there.
    pub fn span(&self) -> Span {
        if self.incomplete && self.at > self.start || self.at >= self.tokens.end_idx() {
            self.span_of(self.last())
        } else {
            self.span_of(self.at)
        }
    }

    /// Creates an error at the failing token.
    pub fn error(&self, kind: impl Into<SyntaxErrorKind>) -> SyntaxError {
        SyntaxError::new(kind, self.span())
    }

    /// Creates an error at a token.
    pub fn error_at(&self, kind: impl Into<SyntaxErrorKind>, token: TokenIdx) -> SyntaxError {
        SyntaxError::new(kind, self.span_of(token))
    }
    /// Creates the error for a construct of another language at the failing token.
    pub fn habit(&self, kind: HabitKind) -> Option<SyntaxError> {
        Some(self.error(kind))
    }

    /// Creates the error for a construct of another language at the tokens from `first` to `last`.
    pub fn habit_over(&self, first: TokenIdx, last: TokenIdx, kind: HabitKind) -> Option<SyntaxError> {
        Some(SyntaxError::new(kind, self.span_of(first).to(self.span_of(last))))
    }
}
