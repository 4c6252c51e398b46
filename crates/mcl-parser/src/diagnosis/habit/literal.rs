//! Literals, types and collections as other languages write them.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::token_set::{SIMPLE_TYPE, TokenSet};

/// The types that are a keyword, and those that start with one.
const TYPE_KEYWORD: TokenSet = SIMPLE_TYPE.union(TokenSet::new(&[TokenKind::Map, TokenKind::Struct, TokenKind::Func]));

/// The loop of a comprehension is looked for among this many tokens.
const MAX_LOOP_DISTANCE: usize = 100;

/// `"""…"""`, `map[str]int`, `[]str{…}`, `struct(…)`, `point{…}`, `int("3")`, `{{ name }}`.
pub fn literal(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    let before = f.before(1);
    let next = f.kind(f.at + 1);
    let is_empty_string = |token: TokenIdx| f.text_of(token) == "\"\"";
    match found {
        TokenKind::String | TokenKind::UnterminatedString
            if before == Some(TokenKind::String)
                && f.tokens.is_adjacent_to_previous(f.at)
                && (is_empty_string(f.last()) || is_empty_string(f.at)) =>
        {
            f.habit_over(f.last(), f.at, HabitKind::TripleQuotes)
        }
        TokenKind::OpenBracket if before == Some(TokenKind::Map) => {
            f.habit_over(f.last(), f.at, HabitKind::BracketMapType)
        }
        TokenKind::OpenParen if before == Some(TokenKind::Struct) => {
            f.habit_over(f.last(), f.at, HabitKind::StructParentheses)
        }
        TokenKind::OpenCurly
            if before == Some(TokenKind::Map) && next.is_some_and(|next| TYPE_KEYWORD.contains(next)) =>
        {
            f.habit_over(f.last(), f.last(), HabitKind::TypedLiteral { opener: "{…}" })
        }
        kind if TYPE_KEYWORD.contains(kind)
            && before == Some(TokenKind::CloseBracket)
            && f.before(2) == Some(TokenKind::OpenBracket) =>
        {
            f.habit_over(f.at.checked_sub(2)?, f.at, HabitKind::TypedLiteral { opener: "[…]" })
        }
        kind if SIMPLE_TYPE.contains(kind) && next == Some(TokenKind::OpenParen) && f.expects(TokenKind::String) => {
            f.habit(HabitKind::Cast { ty: f.owned_text(f.at) })
        }
        TokenKind::OpenCurly | TokenKind::Rocket | TokenKind::Identifier | TokenKind::CloseCurly => {
            template_value(f).or_else(|| named_struct(f, found))
        }
        TokenKind::Dot | TokenKind::Divide | TokenKind::Minus => template_value(f),
        _ => None,
    }
}

/// `{{ name }}` in the position of a value.
fn template_value(f: &Failure<'_>) -> Option<SyntaxError> {
    let mut token = f.at;
    // The names in a template are few tokens.
    for _ in 0..6 {
        let is_open = f.tokens.kind(token) == Some(TokenKind::OpenCurly);
        let previous = token.previous().filter(|token| *token > f.start)?;
        if is_open && f.tokens.is_adjacent_to_previous(token) && f.tokens.kind(previous) == Some(TokenKind::OpenCurly) {
            let name = token + 1;
            let is_name = f.tokens.kind(name) == Some(TokenKind::Identifier);
            let name = is_name.then(|| f.owned_text(name));
            return f.habit_over(previous, token, HabitKind::TemplateValue { name });
        }
        token = previous;
    }
    None
}

/// `point{x => 1}`: a name directly before the braces of a value.
fn named_struct(f: &Failure<'_>, found: TokenKind) -> Option<SyntaxError> {
    let is_name = f.before(1) == Some(TokenKind::Identifier)
        && !matches!(f.before(2), Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow) | None)
        && f.at - f.start > 2;
    let is_struct = f.kind(f.at + 1) == Some(TokenKind::Identifier)
        && matches!(f.kind(f.at + 2), Some(TokenKind::Rocket | TokenKind::Colon));
    (found == TokenKind::OpenCurly && is_name && is_struct && f.tokens.is_adjacent_to_previous(f.at))
        .then(|| f.error_at(HabitKind::NamedStruct { name: f.owned_text(f.last()) }, f.last()))
}

/// `(1, 2)`, `{1, 2}`, `$l[0:1]`, `[… for …]`, `Meta => {noop => true}`.
pub fn list(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    match (f.context?, found) {
        (BracketContext::Parentheses, TokenKind::Comma) => f.habit(HabitKind::Tuple),
        (BracketContext::Map, TokenKind::Comma) if f.expects(TokenKind::Rocket) => f.habit(HabitKind::ListInBraces),
        (BracketContext::Index, TokenKind::Colon) => f.habit(HabitKind::Slice),
        (BracketContext::List | BracketContext::Map, TokenKind::For) => f.habit(HabitKind::Comprehension),
        (BracketContext::List, _) if f.before(1) == Some(TokenKind::Identifier) && loop_after(f).is_some() => {
            Some(f.error_at(HabitKind::Comprehension, loop_after(f)?))
        }
        (BracketContext::Map, TokenKind::Rocket | TokenKind::Equals | TokenKind::Colon)
            if f.before(1) == Some(TokenKind::Identifier)
                && f.before(2) == Some(TokenKind::OpenCurly)
                && f.before(3) == Some(TokenKind::Rocket)
                && f.before(4) == Some(TokenKind::Capitalized) =>
        {
            let parameter = f.owned_text(f.last());
            Some(f.error_at(HabitKind::MetaBlock { parameter }, f.last()))
        }
        _ => None,
    }
}

/// Returns the `for` of `[x * 2 for x in $list]`, which fails after the first word.
fn loop_after(f: &Failure<'_>) -> Option<TokenIdx> {
    let line =
        f.at.until(f.tokens.end_idx()).take(MAX_LOOP_DISTANCE).take_while(|token| !f.tokens.newline_before(*token));
    let mut rest = line.take_while(|token| f.kind(*token) != Some(TokenKind::CloseBracket));
    rest.find(|token| f.kind(*token) == Some(TokenKind::For))
}
