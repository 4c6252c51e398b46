//! Function values and methods of other languages.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::error::{HabitKind, SyntaxError};
use crate::failure::Failure;
use crate::method::call_for_method;
use crate::token_set::{VALUE_START, WORD};

/// `$x => $x + 1`, `fn($x) { … }`, `lambda x: …`.
pub fn function(f: &Failure<'_>) -> Option<SyntaxError> {
    let found = f.found_kind()?;
    let takes_value = !matches!(
        f.context,
        Some(BracketContext::Map | BracketContext::Struct | BracketContext::Entries | BracketContext::Type)
    );
    if found == TokenKind::Rocket && takes_value && f.at - f.start > 2 {
        return lambda(f);
    }
    let ends_parameters =
        f.before(1) == Some(TokenKind::CloseParen) && f.expects(TokenKind::Variant) && f.expects(TokenKind::OpenCurly);
    if ends_parameters && VALUE_START.contains(found) {
        return f.habit(HabitKind::UnbracedBody);
    }
    if takes_value && let Some(arrow) = arrow_after_words(f) {
        return f.habit_over(arrow, arrow, HabitKind::Lambda { sign: "=>", suggestion: None });
    }
    if takes_value && let Some(error) = lambda_with_colon(f) {
        return Some(error);
    }
    if let TokenKind::OpenCurly | TokenKind::Identifier | TokenKind::Dollar | TokenKind::Colon = found
        && let Some(word) = function_word(f)
    {
        return Some(f.error_at(HabitKind::FunctionWord { word: f.owned_text(word) }, word));
    }
    None
}

/// Returns the arrow of `(x, y) => …`, which fails after the first word.
fn arrow_after_words(f: &Failure<'_>) -> Option<TokenIdx> {
    let is_parenthesized = f.before(1) == Some(TokenKind::Identifier)
        && f.before(2) == Some(TokenKind::OpenParen)
        && f.before(3) != Some(TokenKind::Identifier);
    let mut token = f.at;
    while is_parenthesized && matches!(f.kind(token)?, TokenKind::Comma | TokenKind::Identifier) {
        token = token + 1;
    }
    let is_arrow = matches!(f.kind(token + 1), Some(TokenKind::Rocket | TokenKind::Arrow));
    (is_parenthesized && f.kind(token) == Some(TokenKind::CloseParen) && is_arrow).then_some(token + 1)
}

/// `x: x + 1` of Nix, at the colon: the word before it occurs in what follows.
fn lambda_with_colon(f: &Failure<'_>) -> Option<SyntaxError> {
    let starts_value = matches!(
        f.before(2)?,
        TokenKind::Equals | TokenKind::Comma | TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::Colon
    );
    let is_parameter = f.found_kind()? == TokenKind::Colon
        && f.before(1) == Some(TokenKind::Identifier)
        && f.tokens.is_adjacent_to_previous(f.at)
        && !f.tokens.is_adjacent_to_previous(f.at + 1);
    if !starts_value || !is_parameter {
        return None;
    }
    let name = f.text_of(f.last());
    let last = rest_of_element(f, f.at + 1)?;
    let is_used = (f.at + 1).until(last + 1).any(|token| f.text_of(token) == name);
    let suggestion = Some(format!("func(${name}) {{ … }}"));
    is_used.then(|| f.error(HabitKind::Lambda { sign: ":", suggestion }))
}

/// `$x => $x + 1`, `($x, $y) => …`, at the arrow.
fn lambda(f: &Failure<'_>) -> Option<SyntaxError> {
    let first = match f.before(1)? {
        kind if WORD.contains(kind) && f.before(2) == Some(TokenKind::Dollar) => f.at.checked_sub(2)?,
        TokenKind::CloseParen => {
            let mut token = f.last();
            while f.tokens.kind(token) != Some(TokenKind::OpenParen) {
                token = token.previous().filter(|token| *token >= f.start)?;
            }
            // A call is not a list of parameters.
            if token.previous().and_then(|before| f.tokens.kind(before)).is_some_and(|kind| WORD.contains(kind)) {
                return None;
            }
            token
        }
        _ => return None,
    };
    let params = f.text_over(first, f.last());
    let params = params.strip_prefix('(').and_then(|params| params.strip_suffix(')')).unwrap_or(params);
    let body = rest_of_element(f, f.at + 1).map(|last| f.text_over(f.at + 1, last));
    let suggestion = body
        .filter(|body| !body.is_empty() && !body.contains('\n') && !body.starts_with('{'))
        .map(|body| format!("func({params}) {{ {body} }}"));
    f.habit(HabitKind::Lambda { sign: "=>", suggestion })
}

/// Returns the last token of the element that starts at a token: before the next comma, closing bracket or line.
fn rest_of_element(f: &Failure<'_>, first: TokenIdx) -> Option<TokenIdx> {
    let mut depth = 0u32;
    let mut token = first;
    while let Some(kind) = f.tokens.kind(token) {
        let ends_line = token > first && f.tokens.newline_before(token);
        if depth == 0 && (kind.is_closer() || kind == TokenKind::Comma || ends_line) {
            break;
        }
        if kind.is_opener() {
            depth += 1;
        } else if kind.is_closer() {
            depth -= 1;
        }
        token = token + 1;
    }
    token.previous().filter(|last| *last >= first)
}

/// Returns the word of a function value of another language before the failure.
fn function_word(f: &Failure<'_>) -> Option<TokenIdx> {
    let is_word = |token: &TokenIdx| {
        matches!(f.text_of(*token), "fn" | "function" | "lambda" | "def" | "fun" | "proc")
            && !matches!(
                token.previous().and_then(|before| f.tokens.kind(before)),
                Some(TokenKind::Dollar | TokenKind::Dot | TokenKind::Arrow)
            )
    };
    (f.start + 1).until(f.at).rev().take(20).find(is_word)
}

/// `"a".upper()`, `$l[0].upper()`, `f(x).upper()`.
pub fn method(f: &Failure<'_>) -> Option<SyntaxError> {
    let is_receiver = matches!(
        f.before(1)?,
        TokenKind::String | TokenKind::CloseBracket | TokenKind::CloseParen | TokenKind::CloseCurly
    );
    let is_call = f.found_kind()? == TokenKind::Dot
        && WORD.has(f.kind(f.at + 1))
        && f.kind(f.at + 2) == Some(TokenKind::OpenParen)
        && f.tokens.is_adjacent_to_previous(f.at + 1);
    let through_arrow = f.found_kind()? == TokenKind::OpenParen && f.before(2) == Some(TokenKind::Arrow);
    if !(is_receiver && is_call || through_arrow) {
        return None;
    }
    let name = if through_arrow { f.last() } else { f.at + 1 };
    let method = f.owned_text(name);
    let receiver = match f.before(1) {
        Some(TokenKind::String) if f.text_of(f.last()).len() <= 30 => f.text_of(f.last()),
        _ => "…",
    };
    let suggestion = call_for_method(&method, receiver);
    Some(f.error_at(HabitKind::Method { method, suggestion }, name))
}
