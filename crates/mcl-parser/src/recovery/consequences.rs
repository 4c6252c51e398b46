//! Errors that only follow from another one.

use mcl_diagnostics::Span;
use mcl_lexer::{TokenIdx, TokenKind};

use crate::ast::{Definition, DefinitionKind};
use crate::error::{
    BareWordError, ExpressionError, FunctionError, HabitError, HabitKind, NameError, StatementError, SyntaxError,
    SyntaxErrorKind,
};
use crate::recovery::state::RecoveringParser;

/// An unknown character is looked for among this many tokens on either side of an error.
const LINE_TOKENS: u32 = 40;

impl RecoveringParser<'_> {
    /// Whether the lexer has reported a character on the line of a span; that may be what is wrong there.
    pub(super) fn has_unknown_character(&self, span: Span) -> bool {
        self.has_on_line(span, &[TokenKind::Unrecognized, TokenKind::Underscore])
    }

    /// Whether a string on the line of a span lacks a quote.
    pub(super) fn has_unterminated_string(&self, span: Span) -> bool {
        self.has_on_line(span, &[TokenKind::UnterminatedString])
    }

    fn has_on_line(&self, span: Span, kinds: &[TokenKind]) -> bool {
        let after = self.tokens.first_from(span.start);
        let before = after.checked_sub(LINE_TOKENS).unwrap_or_default();
        let mut near = before.until((after + LINE_TOKENS).min(self.tokens.end_idx()));
        near.any(|token| {
            kinds.contains(&self.tokens[token]) && self.are_on_same_line(self.tokens.start(token), span.start)
        })
    }

    /// Drops the errors of brackets inside statements of other languages.
    pub(super) fn drop_explained_errors(&mut self) {
        // They do not overlap.
        let mut covers = std::mem::take(&mut self.covers);
        covers.sort_unstable();
        self.errors.retain(|error| {
            let next = covers.partition_point(|cover| cover.start <= error.span.start);
            let cover = next.checked_sub(1).map(|last| covers[last]);
            !(matches!(error.kind, SyntaxErrorKind::Bracket(_))
                && cover.is_some_and(|cover| error.span.end <= cover.end))
        });
    }

    /// Whether a comma after the `}` of a resource was meant to be before it, where the missing one was reported.
    pub(super) fn is_comma_of_last_entry(&self, error: &SyntaxError, at: TokenIdx) -> bool {
        let brace = at.previous().filter(|brace| self.kind(*brace) == Some(TokenKind::CloseCurly));
        let Some(last) = brace.and_then(TokenIdx::previous) else { return false };
        self.kind(at) == Some(TokenKind::Comma)
            && error.span.start == self.tokens.start(at)
            && self.errors.last().is_some_and(|earlier| {
                matches!(earlier.kind, SyntaxErrorKind::MissingComma(_)) && earlier.span.end == self.tokens.end(last)
            })
    }

    /// Whether two errors are about commas without an element before them, with something else between them.
    pub(super) fn are_separate_commas(&self, first: &SyntaxError, second: &SyntaxError) -> bool {
        let is_comma = |error: &SyntaxError| {
            matches!(
                error.kind,
                SyntaxErrorKind::Expression(
                    ExpressionError::NothingBetweenCommas | ExpressionError::NothingBeforeComma
                )
            )
        };
        let between = self.text.get(first.span.end as usize..second.span.start as usize).unwrap_or_default();
        is_comma(first) && is_comma(second) && between.contains(|c: char| c != ',' && !c.is_whitespace())
    }

    /// Whether an error repeats an earlier one about an invalid name, which is to be renamed everywhere.
    pub(super) fn is_known_name(&mut self, error: &SyntaxError) -> bool {
        let found = match &error.kind {
            SyntaxErrorKind::Name(NameError::ExpectedLowerCase { found, .. }) => found,
            SyntaxErrorKind::Habit(HabitError {
                kind: HabitKind::DashInName { found, .. } | HabitKind::DoubleColon { found, .. },
                ..
            }) => found,
            _ => return false,
        };
        if !self.invalid_names.insert(found.trim_start_matches('$').to_owned()) {
            return true;
        }
        // One error is reported per head: the other variables in it are to be renamed, too.
        let mut token = self.tokens.first_from(error.span.end);
        while self.kind(token).is_some() && !self.tokens.newline_before(token) {
            if self.kind(token) == Some(TokenKind::Dollar) && self.tokens.is_adjacent_to_previous(token + 1) {
                self.remember_capitals(token + 1);
            }
            token = token + 1;
        }
        false
    }

    /// Remembers the name that starts at a token if it has capitals.
    fn remember_capitals(&mut self, first: TokenIdx) {
        let is_part = |kind| matches!(kind, TokenKind::Capitalized | TokenKind::Identifier);
        let mut end = first;
        while self.kind(end).is_some_and(is_part) && (end == first || self.tokens.is_adjacent_to_previous(end)) {
            end = end + 1;
        }
        let span = self.builder.span(first, end);
        let name = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        if name.contains(|c: char| c.is_ascii_uppercase()) {
            self.invalid_names.insert(name.to_owned());
        }
    }

    /// Whether an error follows from a parameter without `$`, which was reported: other parameters, and uses of it.
    pub(super) fn follows_from_parameter(&self, error: &SyntaxError, first: TokenIdx) -> bool {
        let is_use = matches!(
            error.kind,
            SyntaxErrorKind::Function(FunctionError::ParameterWithoutDollar { .. }) | SyntaxErrorKind::BareWord(_)
        );
        let start = self.tokens.start(self.attempts.statement.unwrap_or(first));
        is_use
            && self.errors.iter().rev().take_while(|earlier| earlier.span.start >= start).any(|earlier| {
                matches!(earlier.kind, SyntaxErrorKind::Function(FunctionError::ParameterWithoutDollar { .. }))
            })
    }

    /// Remembers the variables that a statement of another language defines without a dollar sign.
    pub(super) fn remember_bare_names(&mut self, defines: &[Definition]) {
        for definition in defines.iter().filter(|definition| definition.kind == DefinitionKind::Variable) {
            if !self.text[..definition.span.start as usize].ends_with('$') {
                self.bare_names.insert(self.builder.ast.name(definition.name).to_string());
            }
        }
    }

    /// Whether an error follows from a variable that is bound without a dollar sign, which was reported.
    pub(super) fn follows_from_bare_name(&mut self, error: &SyntaxError) -> bool {
        match &error.kind {
            SyntaxErrorKind::Statement(StatementError::MissingDollar { name }) => {
                self.bare_names.insert(name.clone());
                false
            }
            SyntaxErrorKind::BareWord(BareWordError::Other { word, .. } | BareWordError::Value { word, .. }) => {
                self.bare_names.contains(word)
            }
            _ => false,
        }
    }

    /// Whether two offsets of the text are on the same line.
    pub(super) fn are_on_same_line(&self, a: u32, b: u32) -> bool {
        self.text.get(a.min(b) as usize..a.max(b) as usize).is_some_and(|between| !between.contains('\n'))
    }
}
