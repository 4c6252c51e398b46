//! What other languages write between elements, and between a name and its value.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{EntryError, HabitError, HabitKind};
use crate::failure::Failure;
use crate::lookahead::starts_entry;
use crate::recovery::replacement::{Replacement, TYPE_START, by, deletion};
use crate::recovery::state::RecoveringParser;
use crate::terminals::{Edit, Terminal};
use crate::token_set::{OPERAND_END, STRING_LIKE};

impl RecoveringParser<'_> {
    /// `;` in place of a comma, or at the end of a statement.
    pub(super) fn separator(&self, f: &Failure<'_>) -> Option<Replacement> {
        if f.found_kind()? != TokenKind::Semicolon {
            return None;
        }
        let Some(context) = f.context else {
            let next = f.at + 1;
            // `;` alone, or `; a comment`, is reported as such.
            let ends = next >= self.tokens.end_idx()
                || self.tokens.newline_before(next)
                || self.kind(next) == Some(TokenKind::CloseCurly);
            let is_complete = OPERAND_END.has(f.before(1));
            if !ends || !is_complete {
                return None;
            }
            let count = if self.has_reported_once {
                0
            } else {
                self.tokens.kinds().iter().filter(|kind| **kind == TokenKind::Semicolon).count()
            };
            let error = f.error_at(HabitKind::Semicolon { in_brackets: false, count }, f.at);
            return Some(Replacement { error, edits: vec![deletion(f.at, next)] });
        };
        let precedes_element = |token: TokenIdx| {
            context != BracketContext::Entries
                || starts_entry(self.tokens, token)
                || self.kind(token) == Some(TokenKind::CloseCurly)
        };
        let separates = |token: TokenIdx| {
            self.kind(token) == Some(TokenKind::Semicolon)
                && precedes_element(token + 1)
                && OPERAND_END.has(token.previous().and_then(|last| self.kind(last)))
        };
        if !context.has_elements() || !separates(f.at) || !f.expects(TokenKind::Comma) {
            return None;
        }
        let all = self.in_same_brackets(f, separates);
        let error = f.error_at(HabitKind::Semicolon { in_brackets: true, count: all.len() }, f.at);
        Some(Replacement { error, edits: all.into_iter().map(|at| by(at, TokenKind::Comma)).collect() })
    }

    /// `=`, `:` or `->` in place of `=>`, and `.` after `Meta`.
    pub(super) fn rocket(&self, f: &Failure<'_>) -> Option<Replacement> {
        let found = f.found_kind()?;
        let before = f.before(1)?;
        let context = f.context?;
        if context == BracketContext::Entries && found == TokenKind::Dot && f.text_of(f.last()) == "Meta" {
            let error = f.error_at(EntryError::DotAfterMeta { parameter: f.owned_text(f.at + 1) }, f.at);
            return Some(Replacement { error, edits: vec![by(f.at, TokenKind::Colon)] });
        }
        let is_separator =
            matches!(found, TokenKind::Equals | TokenKind::Colon | TokenKind::Arrow | TokenKind::Ge | TokenKind::Eq)
                || found == TokenKind::Semicolon && context != BracketContext::Type;
        let in_struct = context == BracketContext::Type
            && before == TokenKind::Identifier
            && f.before(2) == Some(TokenKind::OpenCurly)
            && f.before(3) == Some(TokenKind::Struct)
            && !TYPE_START.has(f.kind(f.at + 1));
        let after = match context {
            // `meta:noop` only lacks a capital.
            BracketContext::Entries if f.text_of(f.last()) == "meta" && found == TokenKind::Colon => return None,
            BracketContext::Entries if before == TokenKind::Identifier => BracketContext::Entries,
            BracketContext::Struct if before == TokenKind::Identifier => BracketContext::Struct,
            BracketContext::Map => BracketContext::Map,
            _ if in_struct => BracketContext::Struct,
            _ => return None,
        };
        if !is_separator || !(f.expects(TokenKind::Rocket) || in_struct) {
            return None;
        }
        // A nested name: `a:b => …`.
        let all = self.in_same_brackets(f, |token| self.kind(token) == Some(found) && self.separates(token, after));
        let mut all: Vec<TokenIdx> = all;
        if !all.contains(&f.at) {
            all.push(f.at);
        }
        let error = match self.yaml_blocks(&all).filter(|_| after == BracketContext::Entries) {
            Some(covers) => {
                let error = HabitError { kind: HabitKind::YamlBlock { has_colon: true }, covers: Some(covers) };
                f.error_at(error, f.at)
            }
            None => f.error_at(EntryError::ExpectedRocket { after, found: f.owned_text(f.at) }, f.at),
        };
        let rocket = |at: &TokenIdx| match self.yaml_value(*at + 1).filter(|_| after == BracketContext::Entries) {
            Some(end) => {
                let mut terminals = vec![Terminal::Kind(TokenKind::Rocket), Terminal::ErrorValue];
                // Before the other entries with this separator, commas are inserted below.
                if self.kind(end) == Some(TokenKind::Identifier) && !all.contains(&(end + 1)) {
                    terminals.push(Terminal::Kind(TokenKind::Comma));
                }
                (*at, Edit { terminals, resume: end })
            }
            None => by(*at, TokenKind::Rocket),
        };
        let mut edits: Vec<(TokenIdx, Edit)> = all.iter().map(rocket).collect();
        if after == BracketContext::Entries {
            edits.extend(self.missing_commas(f, &all));
        }
        Some(Replacement { error, edits })
    }

    /// Inserts the commas that entries with another separator lack, too.
    fn missing_commas(&self, f: &Failure<'_>, separators: &[TokenIdx]) -> Vec<(TokenIdx, Edit)> {
        let comma = |at: TokenIdx| (at, Edit { terminals: vec![Terminal::Kind(TokenKind::Comma)], resume: at });
        let lacks_comma = |at: &TokenIdx| {
            let before = at.previous().and_then(|last| self.kind(last));
            !matches!(before, Some(TokenKind::Comma | TokenKind::OpenCurly | TokenKind::Semicolon))
                && !self.edits.contains_key(at)
        };
        let closer = self.in_same_brackets(f, |_| true).last().map(|last| self.after(*last));
        let starts = separators.iter().filter(|at| **at > f.at).filter_map(|at| at.previous());
        starts
            .chain(closer.filter(|at| self.kind(*at) == Some(TokenKind::CloseCurly)))
            .filter(lacks_comma)
            .map(comma)
            .collect()
    }

    /// Whether a token separates a name or key from its value.
    fn separates(&self, token: TokenIdx, context: BracketContext) -> bool {
        let kind_before = |count: u32| token.checked_sub(count).and_then(|before| self.kind(before));
        let starts = |before: Option<TokenKind>, first: TokenIdx| {
            matches!(before, Some(TokenKind::Comma | TokenKind::OpenCurly)) || self.tokens.newline_before(first)
        };
        let Some(name) = token.previous() else { return false };
        match context {
            BracketContext::Map => {
                kind_before(1).is_some_and(|kind| STRING_LIKE.contains(kind)) && starts(kind_before(2), name)
            }
            _ => kind_before(1) == Some(TokenKind::Identifier) && starts(kind_before(2), name),
        }
    }
}
