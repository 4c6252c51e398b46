//! Runs of the generated parser.

use lalrpop_util::ParseError;
use mcl_lexer::{TokenIdx, TokenKind};

use crate::builder::Builder;
use crate::grammar::StatementsParser;
use crate::terminals::{Edits, Position, TerminalSource};
use crate::token_set::TokenSet;

/// The token at which a run of the generated parser failed.
#[derive(Clone, Copy, Debug)]
pub struct ParseFailure {
    /// The token.
    pub token: TokenIdx,
    /// The tokens that the grammar accepts there.
    pub expected: TokenSet,
}

/// Runs the generated parser over one segment: from `start` to the token `end`, or to the first unmatched `}` before it.
/// Returns the position at which the segment ended.
///
/// # Errors
/// The first token that the grammar does not accept.
pub fn parse_segment(
    builder: &mut Builder<'_>,
    edits: &Edits,
    start: Position,
    end: TokenIdx,
) -> Result<Position, ParseFailure> {
    let mut source = TerminalSource::new(builder.tokens, edits, start, end);
    let error = match StatementsParser::new().parse(builder, &mut source) {
        Ok(()) => return Ok(source.position()),
        Err(error) => error,
    };
    let (token, expected) = match error {
        ParseError::UnrecognizedToken { token, expected } => (token.0, expected),
        ParseError::UnrecognizedEof { expected, .. } => (source.position().token, expected),
        ParseError::ExtraToken { token } => (token.0, Vec::new()),
        ParseError::InvalidToken { location } => (location, Vec::new()),
        ParseError::User { .. } => (source.position().token, Vec::new()),
    };
    Err(ParseFailure { token, expected: token_set(&expected) })
}

/// Converts the terminals that a parse error expects, as the grammar spells them.
fn token_set(expected: &[String]) -> TokenSet {
    expected.iter().filter_map(|terminal| token_kind(terminal.trim_matches('"'))).collect()
}

/// Returns the kind of token of a terminal, unless only recovery makes this terminal.
fn token_kind(terminal: &str) -> Option<TokenKind> {
    match terminal {
        "IDENTIFIER" => Some(TokenKind::Identifier),
        "CAPITALIZED" => Some(TokenKind::Capitalized),
        "INTEGER" => Some(TokenKind::Integer),
        "FLOAT" => Some(TokenKind::Float),
        "STRING" => Some(TokenKind::String),
        fixed => TokenSet::of_grammar().find(|kind| kind.fixed_text() == Some(fixed)),
    }
}
