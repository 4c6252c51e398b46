//! Runs the generated parser.

use lalrpop_util::ParseError;

use crate::builder::Builder;
use crate::grammar::ProgramParser;
use crate::tokens::{TokenIdx, Tokens};

/// Runs the generated parser on the tokens from `from` up to `to`. Returns the first token that does not fit: `to` if the
/// tokens end too early.
///
/// # Errors
/// If the tokens do not follow the grammar.
pub fn parse_tokens(builder: &mut Builder<'_>, tokens: &Tokens, from: TokenIdx, to: TokenIdx) -> Result<(), TokenIdx> {
    let start = [tokens.list.first().map(|token| (TokenIdx::default(), token.kind, TokenIdx::default().next()))];
    let skip = from.as_u32().max(1) as usize;
    let rest = tokens.list.iter().enumerate().take(to.as_u32() as usize).skip(skip).map(|(index, token)| {
        let index = TokenIdx::from_u32(index as u32);
        (index, token.kind, index.next())
    });
    match ProgramParser::new().parse(builder, start.into_iter().flatten().chain(rest).map(Ok)) {
        Ok(()) => Ok(()),
        Err(ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token }) => Err(token.0),
        Err(ParseError::UnrecognizedEof { .. } | ParseError::InvalidToken { .. } | ParseError::User { .. }) => Err(to),
    }
}
