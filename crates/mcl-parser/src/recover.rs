//! x

use lalrpop_util::ParseError;
use mcl_diagnostics::{Code, Diagnostic, FileId, Stage};
use mcl_lexer::Tokens;
use serde::{Deserialize, Serialize};

use crate::ast::Ast;
use crate::build::Builder;
use crate::feed::{Feeder, Patches, Position};
use crate::grammar::StatementsParser;

/// What the parse stage gives: a tree in any case, and what was wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The tree, without what is broken.
    pub ast: Ast,
    /// Errors and lints in source order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the tokens of one file. Errors of the lexer are not repeated here.
#[must_use]
pub fn parse(file: FileId, text: &str, tokens: &Tokens) -> Parsed {
    let mut builder = Builder::new(file, text, tokens);
    let patches = Patches::new();
    let mut feeder = Feeder::new(tokens, &patches, Position { token: 0, fed: 0 }, tokens.len() as u32);
    let result = StatementsParser::new().parse(&mut builder, &mut feeder);
    if let Err(error) = result {
        let at = match error {
            ParseError::InvalidToken { location } | ParseError::UnrecognizedEof { location, .. } => location,
            ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => token.0,
            ParseError::User { .. } => 0,
        };
        let span = builder.span(at, at + 1);
        builder.errors.push(Diagnostic::error(Code::E0201, Stage::Parse, "syntax error").at(span));
    }
    builder.ast.body = std::mem::take(&mut builder.open[0].body);
    Parsed { ast: builder.ast, diagnostics: builder.errors }
}
