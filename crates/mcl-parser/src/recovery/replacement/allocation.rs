//! Calls whose argument is a type, and `inherit` of Nix.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{HabitKind, Instead, SyntaxError};
use crate::failure::Failure;
use crate::recovery::replacement::{Replacement, TYPE_START};
use crate::recovery::state::{FailedStatement, RecoveringParser};
use crate::terminals::{Edit, Terminal};

impl RecoveringParser<'_> {
    /// `make(map[string]int)`, `make([]int, 3)`, `new(str)`.
    pub(super) fn allocation(&self, f: &Failure<'_>, failed: &FailedStatement) -> Option<Replacement> {
        let mut calls = self.open_brackets(f.start, failed.at).into_iter().rev();
        let paren = calls.find(|bracket| bracket.context == BracketContext::Arguments)?.opener;
        let callee = paren.previous()?;
        let before = callee.previous().filter(|before| *before >= f.start).and_then(|before| self.kind(before));
        let word = f.text_of(callee);
        let is_allocation = matches!(word, "make" | "new")
            && !matches!(before, Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow))
            && TYPE_START.has(self.kind(paren + 1));
        if !is_allocation {
            return None;
        }
        let end: TokenIdx = self.brackets.after_closer(paren)?;
        let error = SyntaxError::new(HabitKind::Allocation { word: word.to_owned() }, f.span_of(callee));
        let edit = Edit { terminals: vec![Terminal::ErrorValue], resume: end };
        Some(Replacement { error, edits: vec![(callee, edit)] })
    }

    /// `{ inherit (pkgs) a; }`, `{ inherit a b; }`: the braces are not a map.
    pub(super) fn inherited(&self, f: &Failure<'_>, failed: &FailedStatement) -> Option<Replacement> {
        let open = self.open_brackets(f.start, failed.at);
        let map = open.iter().rev().find(|bracket| bracket.context == BracketContext::Map)?.opener;
        let word = map + 1;
        let is_inherit = f.text_of(word.min(f.last())) == "inherit"
            && matches!(self.kind(word + 1), Some(TokenKind::OpenParen | TokenKind::Identifier));
        let closer = self.brackets.after_closer(map)?.previous()?;
        if !is_inherit || self.kind(closer) != Some(TokenKind::CloseCurly) {
            return None;
        }
        let kind = HabitKind::Keyword { word: "inherit".to_owned(), instead: Instead::VisibleName };
        let edit = Edit { terminals: vec![Terminal::ErrorItem], resume: closer };
        Some(Replacement { error: f.error_at(kind, word), edits: vec![(word, edit)] })
    }
}
