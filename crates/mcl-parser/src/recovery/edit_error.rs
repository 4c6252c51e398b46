//! The error that a change of one token stands for.

use mcl_diagnostics::Span;
use mcl_lexer::{TokenIdx, TokenKind};

use crate::diagnosis::diagnose;
use crate::error::{BracketError, ExpressionError, Found, SyntaxError, SyntaxErrorKind};
use crate::failure::Failure;
use crate::recovery::block_edit::{BlockEdit, BlockError};
use crate::recovery::search::{Change, TokenEdit};
use crate::recovery::state::RecoveringParser;
use crate::terminals::Terminal;
use crate::token_set::{EXPRESSION_ONLY_START, OPERAND_END, STATEMENT_START, TokenSet};

impl RecoveringParser<'_> {
    /// Returns the error for a change in the statement at `first`.
    pub(super) fn edit_error(&self, edit: TokenEdit, first: TokenIdx, failure: &Failure<'_>) -> SyntaxError {
        let place = if self.starts_statement(edit, failure.start) {
            self.tokens.span(self.builder.file, edit.at)
        } else {
            self.place(edit)
        };
        if edit.concerns_bracket(self.kind(edit.at)) {
            if let Some(error) = self.bracket_change(edit, first) {
                return error;
            }
            return self.token_change(edit, place);
        }
        let likely = diagnose(failure);
        // It is said of the second expression, whatever would join it to the first.
        if likely.kind == ExpressionError::SecondInBody.into() {
            return likely;
        }
        // If the change joins the statement to the one before it, the failure is described by that change alone.
        let joins = edit.at == failure.start
            && failure.at > failure.start
            && edit.new_kind().is_some_and(|new| new == TokenKind::Else || !STATEMENT_START.contains(new));
        if !joins && self.are_on_same_line(likely.span.start, place.start) {
            likely
        } else {
            self.token_change(edit, place)
        }
    }

    /// Whether what an edit inserts is the start of a statement, of which the token after it was taken for the start.
    pub(super) fn starts_statement(&self, edit: TokenEdit, start: TokenIdx) -> bool {
        let new = edit.new_kind();
        let is_name = matches!(new, Some(TokenKind::Identifier | TokenKind::Capitalized | TokenKind::String));
        // A name may also be the last token of the statement before, if that lacks one.
        let before = edit.at.previous().and_then(|last| self.kind(last));
        let lacks_name = !OPERAND_END.has(before);
        let is_last =
            is_name && lacks_name && STATEMENT_START.has(self.kind(edit.at)) || edit.at >= self.tokens.end_idx();
        let may_start = edit.at == start || self.tokens.newline_before(edit.at);
        matches!(edit.change, Change::Insert(_)) && STATEMENT_START.has(new) && may_start && !is_last
    }

    /// Returns the span of a changed token; for a missing one, that of the token before it.
    fn place(&self, edit: TokenEdit) -> Span {
        let is_insertion = matches!(edit.change, Change::Insert(_));
        let after_line = self.ends_line_before(edit.at);
        let token = if is_insertion && after_line { edit.at.previous().unwrap_or(edit.at) } else { edit.at };
        self.tokens.span(self.builder.file, token)
    }

    /// Whether what is missing before a token belongs to the line before it.
    fn ends_line_before(&self, at: TokenIdx) -> bool {
        let last = at.previous().and_then(|last| self.kind(last));
        let starts_element = last.is_some_and(|last| last == TokenKind::Comma || last.is_opener());
        self.tokens.newline_before(at) && !starts_element || at >= self.tokens.end_idx()
    }

    fn found(&self, token: TokenIdx) -> Found {
        match self.kind(token) {
            None => Found::EndOfFile,
            Some(kind) => Found::Token { kind, text: self.tokens.text(self.text, token).to_owned() },
        }
    }

    fn token_change(&self, edit: TokenEdit, place: Span) -> SyntaxError {
        let found = self.found(edit.at);
        let kind = match edit.change {
            Change::Delete => SyntaxErrorKind::Superfluous { found },
            Change::Insert(terminal) => {
                let incomplete = self.ends_line_before(edit.at);
                let found = if incomplete && found != Found::EndOfFile { Found::EndOfLine } else { found };
                SyntaxErrorKind::Expected { expected: tokens_of(terminal), found, incomplete }
            }
            Change::Replace(terminal) => {
                SyntaxErrorKind::Expected { expected: tokens_of(terminal), found, incomplete: false }
            }
        };
        SyntaxError::new(kind, place)
    }

    /// Returns the error for a bracket that is missing, superfluous, or in the place of another one.
    fn bracket_change(&self, edit: TokenEdit, first: TokenIdx) -> Option<SyntaxError> {
        let (at, old) = (edit.at, self.kind(edit.at));
        let new = edit.new_kind();
        match edit.change {
            Change::Insert(_) => {
                let closer = new.filter(|kind| kind.is_closer())?;
                let opener = self.open_bracket_before(first, at, closer)?;
                let kind = self.opener_kind(opener)?;
                Some(self.bracket_error(opener, |closed_by| BracketError::Unclosed { opener: kind, closed_by }, at))
            }
            Change::Delete => match old {
                Some(closer) if closer.is_closer() => {
                    Some(self.bracket_error(at, |_| BracketError::Unmatched { closer }, at))
                }
                Some(opener) => {
                    Some(self.bracket_error(at, |closed_by| BracketError::Unclosed { opener, closed_by }, at + 1))
                }
                None => None,
            },
            Change::Replace(_) => {
                let (expected, found) = (new.filter(|kind| kind.is_closer())?, old.filter(|kind| kind.is_closer())?);
                let opener = self.open_bracket_before(first, at, expected)?;
                let opener = self.tokens.span(self.builder.file, opener);
                Some(self.bracket_error(at, |_| BracketError::Mismatched { expected, found, opener }, at))
            }
        }
    }

    /// Returns the error for a brace that contradicts the indentation.
    pub(super) fn block_error(&self, found: &BlockEdit) -> SyntaxError {
        let at = found.edit.at;
        match found.error {
            BlockError::Unclosed(brace) => {
                let opener = TokenKind::OpenCurly;
                self.bracket_error(brace, |closed_by| BracketError::Unclosed { opener, closed_by }, at)
            }
            BlockError::Unmatched(brace) => {
                let closer = TokenKind::CloseCurly;
                self.bracket_error(brace, |_| BracketError::Unmatched { closer }, at)
            }
            BlockError::Replaced => self.token_change(found.edit, self.place(found.edit)),
        }
    }

    /// Creates an error at a bracket; `limit` is the token before which an unclosed one must be closed at the latest.
    pub(super) fn bracket_error(
        &self,
        bracket: TokenIdx,
        error: impl FnOnce(Span) -> BracketError,
        limit: TokenIdx,
    ) -> SyntaxError {
        let end = limit.previous().map_or(0, |last| self.tokens.end(last));
        let closed_by = Span::new(self.builder.file, end.saturating_sub(1), end);
        SyntaxError::new(error(closed_by), self.tokens.span(self.builder.file, bracket))
    }

    fn opener_kind(&self, opener: TokenIdx) -> Option<TokenKind> {
        let replaced = self.edits.get(&opener).and_then(|edit| edit.terminals.last());
        match replaced {
            Some(Terminal::Kind(kind)) if kind.is_opener() => Some(*kind),
            _ => self.kind(opener).filter(|kind| kind.is_opener()),
        }
    }

    /// Returns the innermost bracket that is open before `at` and has this closer: one of the statement at `first`, or the
    /// brace of the block around it.
    fn open_bracket_before(&self, first: TokenIdx, at: TokenIdx, closer: TokenKind) -> Option<TokenIdx> {
        let mut open = Vec::new();
        for token in first.until(at) {
            let replaced = self.edits.get(&token).filter(|edit| edit.resume > token);
            let kind = match replaced {
                Some(edit) => match edit.terminals.first() {
                    Some(Terminal::Kind(kind)) => Some(*kind),
                    _ => None,
                },
                None => self.kind(token),
            };
            match kind {
                Some(kind) if kind.is_opener() => open.push((token, kind)),
                Some(kind) if kind.is_closer() => {
                    open.pop();
                }
                _ => {}
            }
        }
        let inner = open.iter().rev().find(|(_, kind)| kind.closer() == Some(closer)).map(|(token, _)| *token);
        inner.or_else(|| self.builder.open.last()?.brace.filter(|_| closer == TokenKind::CloseCurly))
    }
}

/// Returns the tokens that a terminal stands for.
fn tokens_of(terminal: Terminal) -> TokenSet {
    match terminal {
        Terminal::Kind(kind) => TokenSet::new(&[kind]),
        Terminal::ErrorValue => EXPRESSION_ONLY_START,
        Terminal::Default | Terminal::ErrorItem => TokenSet::default(),
    }
}
