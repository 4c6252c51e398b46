//! Keywords with a wrong letter.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::error::{StatementError, SyntaxError};
use crate::failure::Failure;
use crate::foreign_keywords::distance;
use crate::recovery::replacement::{Replacement, by};
use crate::recovery::state::RecoveringParser;
use crate::token_set::WORD;

/// The keywords that start a statement.
const KEYWORDS: &[(&str, TokenKind)] = &[
    ("class", TokenKind::Class),
    ("include", TokenKind::Include),
    ("func", TokenKind::Func),
    ("for", TokenKind::For),
    ("forkv", TokenKind::ForKv),
];

impl RecoveringParser<'_> {
    /// `clas web {`, `inclde web`, `fucn f($x) {`, `fro $i, $x in $l {`: what follows the word is what
    /// follows the keyword, and cannot follow the kind of a resource.
    pub(super) fn misspelled_keyword(&self, f: &Failure<'_>) -> Option<Replacement> {
        if self.kind(f.start) != Some(TokenKind::Identifier) {
            return None;
        }
        let word = f.text_of(f.start);
        let candidates = KEYWORDS.iter().filter(|(_, kind)| self.may_follow(*kind, f.start + 1));
        let distances = candidates.filter_map(|(keyword, kind)| Some((distance(word, keyword)?, *keyword, *kind)));
        let (_, keyword, kind) = distances.min_by_key(|(distance, ..)| *distance)?;
        let error = StatementError::MisspelledKeyword { word: word.to_owned(), keyword };
        let error = SyntaxError::new(error, f.span_of(f.start));
        Some(Replacement { error, edits: vec![by(f.start, kind)] })
    }

    /// Whether the tokens from this one on continue a statement that starts with a keyword.
    fn may_follow(&self, keyword: TokenKind, next: TokenIdx) -> bool {
        if self.tokens.newline_before(next) {
            return false;
        }
        let (first, second) = (self.kind(next), self.kind(next + 1));
        let ends_line = self.kind(next + 1).is_none() || self.tokens.newline_before(next + 1);
        match keyword {
            TokenKind::Class => WORD.has(first) && matches!(second, Some(TokenKind::OpenCurly | TokenKind::OpenParen)),
            TokenKind::Include => {
                let continues = matches!(second, Some(TokenKind::Dot | TokenKind::OpenParen | TokenKind::As));
                WORD.has(first) && (ends_line || continues)
            }
            TokenKind::Func => WORD.has(first) && second == Some(TokenKind::OpenParen),
            TokenKind::For | TokenKind::ForKv => {
                first == Some(TokenKind::Dollar)
                    && WORD.has(second)
                    && matches!(self.kind(next + 2), Some(TokenKind::Comma | TokenKind::In))
            }
            _ => false,
        }
    }
}
