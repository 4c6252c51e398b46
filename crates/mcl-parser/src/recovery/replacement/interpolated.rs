//! Expressions inside strings.

use mcl_diagnostics::Span;
use mcl_lexer::TokenKind;

use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::recovery::replacement::Replacement;
use crate::recovery::state::RecoveringParser;
use crate::terminals::{Edit, Terminal};

/// The end of the string is looked for among this many tokens.
const MAX_TOKENS: usize = 40;

impl RecoveringParser<'_> {
    /// `"${upper("a")}"`: the quotes of the expression end the string.
    pub(super) fn expression_in_string(&self, f: &Failure<'_>) -> Option<Replacement> {
        // Where the statement may end, what follows the quote looks like the start of the next one.
        let next = if self.tokens.is_adjacent_to_previous(f.start) { f.start } else { f.at };
        if !self.tokens.is_adjacent_to_previous(next) {
            return None;
        }
        let first = next.previous().filter(|first| self.kind(*first) == Some(TokenKind::String))?;
        let opener = self.tokens.start(first) as usize + f.text_of(first).rfind("${")?;
        if self.text.get(opener..self.tokens.end(first) as usize)?.contains('}') {
            return None;
        }
        let on_line = next.until(self.tokens.end_idx()).take(MAX_TOKENS);
        let mut strings = on_line.take_while(|token| !self.tokens.newline_before(*token)).filter_map(|token| {
            let closer = f.text_of(token).find('}')?;
            (self.kind(token) == Some(TokenKind::String)).then_some((token, closer))
        });
        let (last, closer) = strings.next()?;
        let closer = self.tokens.start(last) as usize + closer;
        let expression = self.text.get(opener + 2..closer)?.to_owned();
        let span = Span::new(f.file, opener as u32, closer as u32 + 1);
        let error = SyntaxError::new(HabitKind::ExpressionInString { expression }, span);
        let edit = Edit { terminals: vec![Terminal::ErrorValue], resume: last + 1 };
        Some(Replacement { error, edits: vec![(first, edit)] })
    }
}
