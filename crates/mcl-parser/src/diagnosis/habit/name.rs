//! Names as other languages write them.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::error::{DoubleColon, HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::token_set::WORD;

/// `my-name`: words that are joined by minus signs without whitespace.
pub fn dash_in_name(f: &Failure<'_>) -> Option<SyntaxError> {
    // A keyword can be a part: `my-class`.
    let is_part = |token: TokenIdx| {
        let kind = f.tokens.kind(token);
        WORD.has(kind) || kind == Some(TokenKind::Minus) || kind.is_some_and(TokenKind::is_keyword)
    };
    let is_joined = |token: TokenIdx| f.tokens.is_adjacent_to_previous(token) && is_part(token);
    // The statement before ends in the name, and its last part is a keyword that starts another one: `include my-class`.
    let mut start = f.start;
    for _ in 0..4 {
        let can_continue = f.tokens.kind(start).is_some_and(|kind| kind.is_keyword() || kind == TokenKind::Minus);
        let before = start.previous().filter(|before| f.tokens.is_adjacent_to_previous(start) && is_part(*before));
        match before.filter(|_| can_continue) {
            Some(before) => start = before,
            None => break,
        }
    }
    // The last part of the name is at most this far before the failure: `$my-lib.y` fails after `y`.
    let mut minus = f.at;
    for _ in 0..4 {
        if f.tokens.kind(minus) == Some(TokenKind::Minus) && minus > start {
            break;
        }
        minus = minus.previous().filter(|token| *token >= start)?;
    }
    if f.tokens.kind(minus) != Some(TokenKind::Minus) {
        return None;
    }
    let mut first = minus;
    while first > start && f.tokens.is_adjacent_to_previous(first) && first.previous().is_some_and(is_part) {
        first = first.previous()?;
    }
    let mut last = minus;
    while is_joined(last + 1) {
        last = last + 1;
    }
    if first == minus || last == minus || f.tokens.kind(last) == Some(TokenKind::Minus) {
        return None;
    }
    let is_variable =
        first > f.start && first.previous().and_then(|token| f.tokens.kind(token)) == Some(TokenKind::Dollar);
    let first = if is_variable { first.previous()? } else { first };
    let found = f.text_over(first, last).to_owned();
    let is_bound = first == f.start && f.tokens.kind(last + 1) == Some(TokenKind::Equals);
    let suggestion = found.replace('-', "_");
    f.habit_over(first, last, HabitKind::DashInName { found, suggestion, is_variable: is_variable && !is_bound })
}

/// `class a inherits b {`, `class a::b {`, `include a::b`, `func f<T>(…)`, `return` in a function.
pub fn in_head(f: &Failure<'_>) -> Option<SyntaxError> {
    let first = f.tokens.kind(f.start)?;
    let second = f.start + 2;
    match first {
        TokenKind::Class if matches!(f.text_of(second.min(f.last().max(f.at))), "inherits" | "extends") => {
            let class = f.tokens.kind(second + 1).map_or("base", |_| f.text_of(second + 1)).to_owned();
            f.habit_over(second, second, HabitKind::Inherits { class })
        }
        TokenKind::Class | TokenKind::Include | TokenKind::Func | TokenKind::Identifier
            if f.found_kind() == Some(TokenKind::Colon)
                && f.context.is_none()
                && (f.before(1) == Some(TokenKind::Colon) || f.kind(f.at + 1) == Some(TokenKind::Colon))
                && dollar_of_name(f).is_none() =>
        {
            let mut first_word = f.at;
            while first_word > f.start
                && first_word
                    .previous()
                    .is_some_and(|token| matches!(f.tokens.kind(token), Some(TokenKind::Colon | TokenKind::Identifier)))
                && f.tokens.is_adjacent_to_previous(first_word)
            {
                first_word = first_word.previous()?;
            }
            let mut last = f.at;
            while f.tokens.is_adjacent_to_previous(last + 1)
                && matches!(f.tokens.kind(last + 1), Some(TokenKind::Colon | TokenKind::Identifier))
            {
                last = last + 1;
            }
            let found = f.text_over(first_word, last).to_owned();
            let joined = |separator| found.trim_matches(':').replace("::", separator);
            let role = match first {
                TokenKind::Include if !found.trim_matches(':').contains("::") => {
                    DoubleColon::Other { name: joined(":") }
                }
                TokenKind::Include => DoubleColon::Include { name: joined(".") },
                TokenKind::Func => DoubleColon::Definition { keyword: "func", name: joined("_") },
                TokenKind::Class => DoubleColon::Definition { keyword: "class", name: joined("_") },
                _ => DoubleColon::Other { name: joined(":") },
            };
            f.habit_over(first_word, last, HabitKind::DoubleColon { found, role })
        }
        TokenKind::Func if f.tokens.kind(second) == Some(TokenKind::Lt) => {
            f.habit_over(second, second, HabitKind::TypeParameters { name: f.owned_text(f.start + 1) })
        }
        _ => None,
    }
}

/// `$(…)`, `$::name`, `$a::name`, `a::name()`.
pub fn name(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.found_kind() == Some(TokenKind::Colon)
        && f.kind(f.at + 1) == Some(TokenKind::Colon)
        && f.before(1) == Some(TokenKind::Identifier)
        && f.before(2) != Some(TokenKind::Dollar)
        && f.expects(TokenKind::Dot)
    {
        let is_part = |token: TokenIdx| {
            f.tokens.is_adjacent_to_previous(token)
                && matches!(f.tokens.kind(token), Some(TokenKind::Colon | TokenKind::Identifier))
        };
        let mut last = f.at + 1;
        while is_part(last + 1) {
            last = last + 1;
        }
        let found = f.text_over(f.last(), last).trim_end_matches(':').to_owned();
        let role = DoubleColon::Other { name: found.replace("::", ".") };
        return f.habit_over(f.last(), last, HabitKind::DoubleColon { found, role });
    }
    if f.before(1) == Some(TokenKind::Dollar) {
        return match f.found_kind()? {
            TokenKind::OpenParen => f.habit_over(f.last(), f.at, HabitKind::CommandSubstitution),
            TokenKind::Colon if f.kind(f.at + 1) == Some(TokenKind::Colon) => top_scope_variable(f, f.last()),
            _ => None,
        };
    }
    if f.found_kind() == Some(TokenKind::Colon) && f.kind(f.at + 1) == Some(TokenKind::Colon) {
        return top_scope_variable(f, dollar_of_name(f)?);
    }
    None
}

/// Returns the dollar sign of the variable whose name the failing token would continue.
fn dollar_of_name(f: &Failure<'_>) -> Option<TokenIdx> {
    let mut token = f.at;
    while token > f.start && f.tokens.is_adjacent_to_previous(token) {
        token = token.previous()?;
        match f.tokens.kind(token)? {
            TokenKind::Dollar => return Some(token),
            TokenKind::Identifier | TokenKind::Colon => {}
            _ => return None,
        }
    }
    None
}

/// `$::name`, `$class::name`.
fn top_scope_variable(f: &Failure<'_>, dollar: TokenIdx) -> Option<SyntaxError> {
    let mut last = f.at + 1;
    while f.tokens.is_adjacent_to_previous(last + 1)
        && matches!(f.tokens.kind(last + 1), Some(TokenKind::Colon | TokenKind::Identifier))
    {
        last = last + 1;
    }
    let name = f.text_over(dollar + 1, last).trim_matches(':').to_owned();
    f.habit_over(dollar, last, HabitKind::TopScopeVariable { name })
}
