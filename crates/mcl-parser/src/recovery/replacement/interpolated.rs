//! Expressions inside strings.

use mcl_diagnostics::Span;
use mcl_lexer::ExpressionInString;

use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::recovery::replacement::Replacement;
use crate::recovery::state::RecoveringParser;
use crate::terminals::{Edit, Terminal};

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
}
