//! Mistakes in expressions.

use mcl_lexer::{TokenIdx, TokenKind};

use crate::bracket::BracketContext;
use crate::diagnosis::name::last_of_name;
use crate::error::{ExpressionError, NameError, StatementError, SyntaxError, SyntaxErrorKind};
use crate::failure::Failure;
use crate::snake_case::snake_case;
use crate::token_set::{COMPARISON, NUMBER, OPERAND_END, VALUE_START};

/// Two tokens without whitespace between them that were meant as one: `2.5e3`, `0x1f`, `$userName`, `$name{3}`.
pub fn adjacent_tokens(f: &Failure<'_>) -> Option<SyntaxError> {
    invalid_number(f).or_else(|| capitals_after_name(f)).or_else(|| adjacent_to_name(f))
}

/// `$myVar + 1`, where `$my` completes the statement before, so that `Var` looks like the start of an edge.
fn capitals_after_name(f: &Failure<'_>) -> Option<SyntaxError> {
    let head = f.start.previous()?;
    if f.tokens.kind(f.start) != Some(TokenKind::Capitalized)
        || f.tokens.kind(head) != Some(TokenKind::Identifier)
        || !f.tokens.is_adjacent_to_previous(f.start)
    {
        return None;
    }
    Some(mixed_case_name(f, head, f.start))
}

/// Returns the error for a name that starts in lower case at `head` and has capitals from `capitals` on.
fn mixed_case_name(f: &Failure<'_>, head: TokenIdx, capitals: TokenIdx) -> SyntaxError {
    let last = last_of_name(f, capitals);
    let found = f.text_over(head, last).to_owned();
    let suggestion = snake_case(&found);
    SyntaxError::new(NameError::ExpectedLowerCase { found, suggestion }, f.span_of(head).to(f.span_of(last)))
}

fn invalid_number(f: &Failure<'_>) -> Option<SyntaxError> {
    let has_no_integer = f.found_kind() == Some(TokenKind::Dot)
        && f.kind(f.at + 1) == Some(TokenKind::Integer)
        && f.tokens.is_adjacent_to_previous(f.at + 1)
        && f.expects(TokenKind::String);
    if has_no_integer {
        let text = f.text_over(f.at, f.at + 1).to_owned();
        let span = f.span_of(f.at).to(f.span_of(f.at + 1));
        return Some(SyntaxError::new(ExpressionError::InvalidNumber { text }, span));
    }
    let after_number = |token: TokenIdx| {
        f.tokens.is_adjacent_to_previous(token) && NUMBER.has(token.previous().and_then(|number| f.tokens.kind(number)))
    };
    // A number completes the statement before, so that the letters look like the start of the next statement.
    let letters = if after_number(f.start) { f.start } else { f.at };
    if f.tokens.kind(letters) != Some(TokenKind::Identifier) || !after_number(letters) {
        return None;
    }
    let number = letters.previous()?;
    let text = format!("{}{}", f.text_of(number), f.text_of(letters));
    let span = f.span_of(number).to(f.span_of(letters));
    Some(SyntaxError::new(ExpressionError::InvalidNumber { text }, span))
}

fn adjacent_to_name(f: &Failure<'_>) -> Option<SyntaxError> {
    if f.before(1) != Some(TokenKind::Identifier) || !f.tokens.is_adjacent_to_previous(f.at) {
        return None;
    }
    let head = f.text_of(f.last());
    match f.found_kind()? {
        TokenKind::Capitalized => Some(mixed_case_name(f, f.last(), f.at)),
        TokenKind::OpenCurly if f.before(2) == Some(TokenKind::Dollar) && f.at - f.start > 2 => {
            let is_past =
                f.kind(f.at + 1) == Some(TokenKind::Integer) && f.kind(f.at + 2) == Some(TokenKind::CloseCurly);
            let past = is_past.then(|| f.owned_text(f.at + 1));
            Some(f.error(NameError::BracesAfterVariable { name: head.to_owned(), past }))
        }
        _ => None,
    }
}

/// A second expression in the body of a function or branch, on a line of its own.
pub fn second_in_body(f: &Failure<'_>) -> Option<SyntaxError> {
    let is_second = f.context == Some(BracketContext::Body)
        && OPERAND_END.has(f.before(1))
        && f.expects(TokenKind::CloseCurly)
        && f.tokens.newline_before(f.at)
        && VALUE_START.has(f.tokens.kind(f.at));
    is_second.then(|| f.error_at(SyntaxErrorKind::Expression(ExpressionError::SecondInBody), f.at))
}

/// Two values without an operator, and operators without one of their operands.
pub fn between_values(f: &Failure<'_>) -> Option<SyntaxError> {
    let before = f.before(1)?;
    let found = f.found_kind()?;
    if found == TokenKind::If && before == TokenKind::Else {
        return Some(f.error(StatementError::ElseIf));
    }
    let error = comparison(f, before, found)
        .or_else(|| operator(f, before, found))
        .or_else(|| punctuation(f, before, found))
        .or_else(|| statement_keyword(f, found))?;
    Some(f.error(SyntaxErrorKind::Expression(error)))
}

fn comparison(f: &Failure<'_>, before: TokenKind, found: TokenKind) -> Option<ExpressionError> {
    if !COMPARISON.contains(found) || !OPERAND_END.contains(before) || f.expects(TokenKind::Eq) {
        None
    } else if f.expects(TokenKind::And) {
        Some(ExpressionError::ChainedComparison)
    } else if f.expects(TokenKind::Except) {
        Some(ExpressionError::ComparisonAfterDefault)
    } else {
        None
    }
}

fn operator(f: &Failure<'_>, before: TokenKind, found: TokenKind) -> Option<ExpressionError> {
    let after_operand = OPERAND_END.contains(before);
    match found {
        TokenKind::Integer | TokenKind::Float if after_operand && f.text_of(f.at).starts_with('-') => {
            Some(ExpressionError::NegativeNumberAfterValue { number: f.owned_text(f.at) })
        }
        TokenKind::Minus if !after_operand => Some(ExpressionError::UnaryMinus),
        TokenKind::Elvis if f.context != Some(BracketContext::Entries) => Some(ExpressionError::MisplacedElvis),
        TokenKind::Elvis => Some(ExpressionError::SecondCondition),
        TokenKind::Eq if before == TokenKind::Equals => Some(ExpressionError::TripleEquals),
        TokenKind::Equals if before == TokenKind::Eq => Some(ExpressionError::TripleEquals),
        TokenKind::Equals if after_operand && f.expects(TokenKind::Eq) => Some(ExpressionError::SingleEquals),
        TokenKind::Lt
            if before == TokenKind::CloseBracket
                && f.text_of(f.at + 1) == "-"
                && f.kind(f.start) == Some(TokenKind::Capitalized) =>
        {
            Some(ExpressionError::LeftArrow)
        }
        TokenKind::Arrow if before == TokenKind::Identifier && f.before(2) == Some(TokenKind::Dot) => {
            Some(ExpressionError::ChainOfSendReceive)
        }
        _ => None,
    }
}

fn punctuation(f: &Failure<'_>, before: TokenKind, found: TokenKind) -> Option<ExpressionError> {
    match found {
        TokenKind::OpenParen if matches!(before, TokenKind::CloseParen | TokenKind::CloseCurly) => {
            Some(ExpressionError::CallOfResult)
        }
        TokenKind::Dot
            if before == TokenKind::CloseBracket
                && f.kind(f.start) == Some(TokenKind::Capitalized)
                && f.context.is_none()
                && f.expects(TokenKind::Arrow) =>
        {
            Some(ExpressionError::ChainOfSendReceive)
        }
        TokenKind::Dot if before == TokenKind::CloseBracket || f.before(2) == Some(TokenKind::Arrow) => {
            Some(ExpressionError::DotBeforeField)
        }
        TokenKind::Dot if NUMBER.contains(before) => {
            Some(ExpressionError::MissingFraction { integer: f.owned_text(f.last()) })
        }
        TokenKind::Dot if before == TokenKind::String => Some(ExpressionError::DotBetweenStrings),
        TokenKind::Comma if before == TokenKind::Comma => Some(ExpressionError::NothingBetweenCommas),
        TokenKind::Comma if before.is_opener() => Some(ExpressionError::NothingBeforeComma),
        TokenKind::Semicolon => Some(ExpressionError::Semicolon),
        TokenKind::Integer if before == TokenKind::Dot && f.before(3) == Some(TokenKind::Dollar) => {
            let variable = f.owned_text(f.at.checked_sub(2)?);
            Some(ExpressionError::DotBeforeIndex { variable, index: f.owned_text(f.at) })
        }
        TokenKind::Dollar if before == TokenKind::Arrow => Some(ExpressionError::VariableAsField),
        _ => None,
    }
}

fn statement_keyword(f: &Failure<'_>, found: TokenKind) -> Option<ExpressionError> {
    match found {
        TokenKind::Panic => Some(ExpressionError::Panic),
        TokenKind::For | TokenKind::ForKv => Some(ExpressionError::Loop { keyword: f.owned_text(f.at) }),
        _ => None,
    }
}
