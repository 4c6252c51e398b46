//! The likely mistake behind a syntax error, judged by the failing token and the tokens around it.
//!
//! Known mistakes come first, each with an error of its own; otherwise the error lists what the grammar accepts there.

mod entry;
mod expression;
mod habit;
mod name;
mod statement;

pub use habit::spread_in_map;
pub use statement::missing_comma;

use mcl_lexer::TokenKind;

use crate::error::{BindingError, ExpressionError, SyntaxError, SyntaxErrorKind, TypeError};
use crate::failure::Failure;
use crate::token_set::{OPERAND_END, SIMPLE_TYPE, TokenSet, VALUE_START};

/// Returns the error for a failed statement.
pub fn diagnose(f: &Failure<'_>) -> SyntaxError {
    statement::misplaced(f)
        .or_else(|| habit::construct(f))
        .or_else(|| expression::adjacent_tokens(f))
        .or_else(|| expression::second_in_body(f))
        .or_else(|| statement::at_start(f))
        .or_else(|| name::invalid(f))
        .or_else(|| statement::in_head(f))
        .or_else(|| expression::between_values(f))
        .or_else(|| entry::in_entries(f))
        .or_else(|| name::bare_word(f))
        .unwrap_or_else(|| unexpected(f))
}

fn unexpected(f: &Failure<'_>) -> SyntaxError {
    let expected = f.expected();
    let found = f.found_kind();
    let after_operand = OPERAND_END.has(f.before(1));
    if after_operand && VALUE_START.has(found) && expected.contains(TokenKind::Plus) {
        let (context, operand) = (f.context, f.span_of(f.last()));
        return f.error(SyntaxErrorKind::ExpectedOperator { context, found: f.found(), operand });
    }
    let wants_type = expected.contains_all(SIMPLE_TYPE) && !expected.contains(TokenKind::String);
    if found == Some(TokenKind::Identifier) && wants_type {
        return f.error(TypeError::unknown(f.text_of(f.at)));
    }
    let only_equals = expected == TokenSet::new(&[TokenKind::Equals]);
    if f.incomplete && only_equals && f.kind(f.start) == Some(TokenKind::Dollar) {
        let (name, head) = (f.owned_text(f.start + 1), f.text_over(f.start, f.last()).to_owned());
        return f.error(BindingError::MissingValue { name, head });
    }
    let only_dot = expected == TokenSet::new(&[TokenKind::Dot]);
    if f.incomplete && only_dot && f.before(1) == Some(TokenKind::CloseBracket) {
        return f.error(ExpressionError::MissingReceiveField);
    }
    f.error(SyntaxErrorKind::Expected { expected, found: f.found(), incomplete: f.incomplete })
}
