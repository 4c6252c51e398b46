//! The start of `${…}`: a word there may be the name of a variable (spec 07 §5.2).

use logos::Logos;

use crate::lexer::Lexer;
use crate::lexer::word::bare_word;
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Turns a name, keyword or number after `${` into a variable, if nothing follows, or an index or a dot.
    pub fn start_of_interpolation(&mut self) {
        let bytes = &self.text.as_bytes()[..self.end];
        let start = self.skip_blanks(self.at);
        let mut automaton = TokenKind::lexer(&self.text[..self.end]);
        automaton.bump(start);
        let end = match automaton.next() {
            Some(Ok(TokenKind::Name)) => bare_word(bytes, start).0,
            Some(Ok(TokenKind::Number)) => automaton.span().end,
            _ => return,
        };
        let next = self.skip_blanks(end);
        if matches!(bytes.get(next), Some(b'}' | b'[' | b'.')) {
            self.at = end;
            self.push(TokenKind::Variable, start, end);
        }
    }

    /// Returns the position after blanks, and after newlines unless heredocs follow their tags.
    fn skip_blanks(&self, at: usize) -> usize {
        let skips = |c: &char| matches!(c, ' ' | '\t' | '\r') || *c == '\n' && self.heredocs_end.is_none();
        at + self.text[at..self.end].chars().take_while(skips).count()
    }
}
