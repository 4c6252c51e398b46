//! The parse stage.

mod parts;

use mcl_diagnostics::{Code, Diagnostic, FileId};
use mcl_lexer::{TokenIdx, Tokens};
use serde::{Deserialize, Serialize};

use crate::ast::{Ast, MAX_DEPTH};
use crate::bracket_recovery::bracket_depth;
use crate::builder::Builder;
use crate::error::SyntaxError;
use crate::lint::lint;
use crate::parse::parts::parse_in_parts;
use crate::recovery::parse_with_recovery;
use crate::segment::parse_segment;
use crate::terminals::{NO_EDITS, Position};

/// The result of the parse stage: always a tree, and what is wrong with the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The tree, with error nodes in place of what does not follow the grammar.
    pub ast: Ast,
    /// Errors in source order, then lints.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the tokens of one file. Lexical errors are not repeated.
///
/// A file without errors is one run of the generated parser; a file with errors is parsed again with recovery.
#[must_use]
pub fn parse(file: FileId, text: &str, tokens: &Tokens) -> Parsed {
    parse_valid(file, text, tokens).unwrap_or_else(|| {
        let (builder, errors) = parse_with_recovery(file, text, tokens);
        finish(builder, errors)
    })
}

/// Parses a file that follows the grammar. Returns `None` for any other file.
fn parse_valid(file: FileId, text: &str, tokens: &Tokens) -> Option<Parsed> {
    if tokens.kinds().iter().any(|kind| kind.is_error()) || bracket_depth(tokens) > MAX_DEPTH {
        return None;
    }
    if let Some((ast, diagnostics)) = parse_in_parts(file, text, tokens) {
        return Some(Parsed { ast, diagnostics });
    }
    let mut builder = Builder::new(file, text, tokens);
    builder.reserve(tokens.len());
    let end = parse_segment(&mut builder, NO_EDITS, Position::START, tokens.end_idx()).ok()?;
    // A segment also ends at an unmatched `}`.
    if end.token != tokens.end_idx() {
        return None;
    }
    let all = TokenIdx::FIRST..tokens.end_idx();
    let lints = if builder.errors.is_empty() { lint(&mut builder, all) } else { Vec::new() };
    let mut parsed = finish(builder, Vec::new());
    parsed.diagnostics.extend(lints);
    Some(parsed)
}

/// Closes the blocks that are still open, and renders all errors in source order.
fn finish(mut builder: Builder<'_>, errors: Vec<SyntaxError>) -> Parsed {
    while builder.open.len() > 1 {
        let end = builder.tokens.end_idx();
        builder.close_block(end);
    }
    let errors = errors.into_iter().chain(std::mem::take(&mut builder.errors));
    let mut diagnostics: Vec<Diagnostic> = errors.map(Diagnostic::from).collect();
    diagnostics.sort_by_key(|d| d.span.map(|s| s.start));
    // Nesting that is too deep is reported once per file.
    let mut is_too_deep = false;
    diagnostics.retain(|d| d.code != Code::E0210 || !std::mem::replace(&mut is_too_deep, true));
    Parsed { ast: builder.into_tree().0, diagnostics }
}
