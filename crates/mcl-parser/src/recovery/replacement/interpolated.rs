//! Expressions and quotes inside strings.

use mcl_diagnostics::Span;
use mcl_lexer::{ExpressionInString, TokenKind};

use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::recovery::replacement::Replacement;
use crate::recovery::state::RecoveringParser;
use crate::terminals::{Edit, Terminal};
use crate::token_set::WORD;

/// The next string is looked for among this many tokens.
const MAX_TOKENS: usize = 40;

impl RecoveringParser<'_> {
    /// `"${upper("a")}"`: the quotes of the expression end the string.
    pub(super) fn expression_in_string(&self, f: &Failure<'_>) -> Option<Replacement> {
        // Where the statement may end, what follows the quote looks like the start of the next one.
        let next = if self.tokens.is_adjacent_to_previous(f.start) { f.start } else { f.at };
        let found = ExpressionInString::around(self.text, self.tokens, next)?;
        let expression = found.expression(self.text).to_owned();
        let span = Span::new(f.file, found.bytes.start, found.bytes.end);
        let error = SyntaxError::new(HabitKind::ExpressionInString { expression }, span);
        let edit = Edit { terminals: vec![Terminal::ErrorValue], resume: found.last + 1 };
        Some(Replacement { error, edits: vec![(found.first, edit)] })
    }

    /// `"say "hello" to all"`: a word that touches the strings on both sides.
    pub(super) fn quotes_in_string(&self, f: &Failure<'_>) -> Option<Replacement> {
        let next = if self.tokens.is_adjacent_to_previous(f.start) { f.start } else { f.at };
        let is_string = |token| self.kind(token) == Some(TokenKind::String);
        let first = next.previous().filter(|first| is_string(*first) && self.tokens.is_adjacent_to_previous(next))?;
        let on_line = (next + 1).until(self.tokens.end_idx()).take(MAX_TOKENS);
        let mut on_line = on_line.take_while(|token| !self.tokens.newline_before(*token));
        let last = on_line.find(|token| is_string(*token))?;
        if !self.tokens.is_adjacent_to_previous(last) || !WORD.has(self.kind(next)) {
            return None;
        }
        let span = f.span_of(first).to(f.span_of(last));
        let written = self.text.get(span.start as usize + 1..span.end as usize - 1)?;
        // Some of the quotes may be escaped already.
        let plain = written.replace("\\\"", "\"");
        let escaped = format!("\"{}\"", plain.replace('"', "\\\""));
        let error = SyntaxError::new(HabitKind::QuotesInString { escaped }, span);
        let edit = Edit { terminals: vec![Terminal::ErrorValue], resume: last + 1 };
        Some(Replacement { error, edits: vec![(first, edit)] })
    }
}
