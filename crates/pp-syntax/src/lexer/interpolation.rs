//! The start of `${…}`: a word there may be the name of a variable (spec 07 §5.2).

use logos::Logos;

use crate::lexer::Lexer;
use crate::token::TokenKind;

impl Lexer<'_> {
    /// Turns a name, keyword or number after `${` into a variable, if nothing follows, or an index or a dot.
    pub fn start_of_interpolation(&mut self) {
        let mut automaton = TokenKind::lexer(&self.text[..self.end]);
        automaton.bump(self.at);
        let mut first = None;
        // A newline is a blank here unless heredocs follow their tags.
        while let Some(kind) = automaton.next() {
            match kind {
                Ok(TokenKind::Blank | TokenKind::Comment) => {}
                Ok(TokenKind::Newline) if self.heredocs_end.is_none() => {}
                Ok(kind) if is_word(kind) && first.is_none() => first = Some((kind, automaton.span())),
                Ok(TokenKind::CloseBrace | TokenKind::OpenList | TokenKind::Dot) => {
                    if let Some((_, span)) = first {
                        self.at = span.end;
                        self.push(TokenKind::Variable, span.start, span.end);
                    }
                    return;
                }
                _ => return,
            }
        }
    }
}

fn is_word(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Name | TokenKind::Word | TokenKind::Number) || kind.is_keyword()
}
