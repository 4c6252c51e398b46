//! Conditions and resources as other languages write them.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::token_set::{STRING_LIKE, TokenSet};

/// `if` without `else` as a value, `1 if c else 2`, `test "a" {} if c`, `if c test "a" {}`, `if` among entries.
pub fn condition(f: &Failure<'_>) -> Option<SyntaxError> {
    let is_if = f.tokens.kind(f.start) == Some(TokenKind::If);
    let is_after_statement = !f.tokens.newline_before(f.start)
        && f.start > TokenIdx::FIRST
        && f.context.is_none()
        && f.found_kind().is_none();
    if is_if
        && is_after_statement
        && f.start.previous().and_then(|last| f.tokens.kind(last)) == Some(TokenKind::CloseCurly)
    {
        return Some(f.error_at(HabitKind::ConditionAfterStatement, f.start));
    }
    if matches!(f.found_kind(), Some(TokenKind::If | TokenKind::For | TokenKind::ForKv))
        && f.context == Some(BracketContext::Entries)
        && matches!(f.before(1), Some(TokenKind::OpenCurly | TokenKind::Comma))
    {
        return f.habit(HabitKind::StatementAmongEntries { keyword: f.owned_text(f.at) });
    }
    if let Some(TokenKind::If | TokenKind::For | TokenKind::ForKv) = f.tokens.kind(f.start)
        && f.found_kind() == Some(TokenKind::Identifier)
        && f.text_of(f.at) != "then"
        && f.before(1) == Some(TokenKind::CloseParen)
        && f.context.is_none()
        && f.expects(TokenKind::OpenCurly)
    {
        return f.habit(HabitKind::BlockWithoutBraces { keyword: f.owned_text(f.start) });
    }
    if is_if
        && f.found_kind() == Some(TokenKind::Else)
        && !f.tokens.newline_before(f.start)
        && f.start > TokenIdx::FIRST
        && f.context.is_none()
    {
        return Some(f.error_at(HabitKind::TrailingCondition, f.start));
    }
    if f.found_kind() == Some(TokenKind::Identifier) && f.text_of(f.at) == "then" && f.expects(TokenKind::OpenCurly) {
        return f.habit(HabitKind::Then);
    }
    if f.expected() == TokenSet::new(&[TokenKind::Else]) && f.before(1) == Some(TokenKind::CloseCurly) {
        let keyword = f.start.until(f.at).rev().find(|token| f.tokens.kind(*token) == Some(TokenKind::If))?;
        return Some(f.error_at(HabitKind::MissingElseBranch, keyword));
    }
    if STRING_LIKE.has(f.before(1)) && f.found_kind() == Some(TokenKind::If) && f.text_of(f.start) == "if" {
        return Some(f.error(HabitKind::TrailingCondition));
    }
    None
}

/// `file("/tmp/a", state => "exists")`, `file "/tmp/a", "/tmp/b" {`, `file "/tmp/a" [`.
pub fn resource(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.tokens.kind(f.start)? != TokenKind::Identifier {
        return None;
    }
    let (kind, name) = (f.owned_text(f.start), f.start + 1);
    let is_call = f.tokens.kind(name) == Some(TokenKind::OpenParen)
        && STRING_LIKE.has(f.tokens.kind(name + 1))
        && f.at == name + 2
        && f.found_kind() == Some(TokenKind::Comma);
    if is_call {
        let name = f.text_of(name + 1).replace('\'', "\"");
        return f.habit_over(f.start, f.start, HabitKind::ResourceCall { kind, name });
    }
    if !STRING_LIKE.has(f.tokens.kind(name)) {
        return None;
    }
    if f.at == name + 1 && f.found_kind() == Some(TokenKind::Comma) {
        let mut last = name;
        while f.kind(last + 1) == Some(TokenKind::Comma) && STRING_LIKE.has(f.kind(last + 2)) {
            last = last + 2;
        }
        let names = f.text_over(name, last).replace('\'', "\"");
        return f.habit(HabitKind::SeveralNames { kind, names });
    }
    let is_entry = f.context == Some(BracketContext::Index)
        && f.at == name + 3
        && f.tokens.kind(name + 1) == Some(TokenKind::OpenBracket)
        && f.tokens.kind(name + 2) == Some(TokenKind::Identifier)
        && f.found_kind() == Some(TokenKind::Rocket);
    is_entry.then(|| f.error_at(HabitKind::EntriesInBrackets, name + 1))
}
