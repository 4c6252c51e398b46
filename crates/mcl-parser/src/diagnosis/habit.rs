//! Expressions, names and types as other languages write them.

mod function;
mod literal;
mod name;
mod operator;
mod statement;

pub use operator::spread_in_map;

use crate::error::SyntaxError;
use crate::failure::Failure;

/// Returns the error for a construct of another language, inside a statement.
pub fn construct(f: &Failure<'_>) -> Option<SyntaxError> {
    name::dash_in_name(f)
        .or_else(|| name::in_head(f))
        .or_else(|| name::name(f))
        .or_else(|| literal::literal(f))
        .or_else(|| function::function(f))
        .or_else(|| function::method(f))
        .or_else(|| operator::operator(f))
        .or_else(|| literal::list(f))
        .or_else(|| statement::condition(f))
        .or_else(|| statement::resource(f))
}
