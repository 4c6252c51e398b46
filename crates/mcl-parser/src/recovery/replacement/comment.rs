//! Comments of other languages.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::error::{HabitError, HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::recovery::replacement::{Replacement, deletion};
use crate::recovery::state::RecoveringParser;

impl RecoveringParser<'_> {
    /// `// …`, `/* … */`, and `-- …` at the start of a statement.
    pub(super) fn comment(&self, f: &Failure<'_>) -> Option<Replacement> {
        let tokens = self.tokens;
        let slash = match f.found_kind()? {
            TokenKind::Divide => f.at,
            // `1 /` of `1 /* one */` is the start of an expression.
            TokenKind::Multiply if f.before(1) == Some(TokenKind::Divide) => f.last(),
            _ => return None,
        };
        // `1 / /` of `1 // one` fails at the second slash.
        let first = match slash.previous() {
            Some(previous)
                if previous >= f.start
                    && tokens.kind(previous) == Some(TokenKind::Divide)
                    && tokens.is_adjacent_to_previous(slash) =>
            {
                previous
            }
            _ => slash,
        };
        let second = first + 1;
        if !tokens.is_adjacent_to_previous(second) {
            return None;
        }
        let end = match tokens.kind(second)? {
            TokenKind::Divide => self.line_end(second),
            TokenKind::Multiply => self.end_of_block_comment(second),
            _ => return None,
        };
        let opener = format!("/{}", f.text_of(second));
        let covers = Some(self.span_between(first, end));
        let error = HabitError { kind: HabitKind::Comment { opener }, covers };
        let error = SyntaxError::new(error, f.span_of(first).to(f.span_of(second)));
        Some(Replacement { error, edits: vec![deletion(first, end)] })
    }

    pub(super) fn line_end(&self, token: TokenIdx) -> TokenIdx {
        let mut end = token + 1;
        while self.kind(end).is_some() && !self.tokens.newline_before(end) {
            end = end + 1;
        }
        end
    }

    fn end_of_block_comment(&self, opener: TokenIdx) -> TokenIdx {
        let mut token = opener + 1;
        while self.kind(token).is_some() {
            if self.kind(token) == Some(TokenKind::Multiply)
                && self.kind(token + 1) == Some(TokenKind::Divide)
                && self.tokens.is_adjacent_to_previous(token + 1)
            {
                return token + 2;
            }
            token = token + 1;
        }
        self.line_end(opener)
    }
}
