//! Whether a text parses.

use mcl_diagnostics::{Diagnostic, FileId, Severity};
use mcl_lexer::{lex, lex_diagnostics};

/// Returns whether a text has no errors of syntax.
#[must_use]
pub fn parses(text: &str) -> bool {
    let tokens = lex(text);
    let parsed = mcl_parser::parse(FileId::MAIN, text, &tokens);
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    !lex_diagnostics(FileId::MAIN, text, &tokens).iter().any(is_error) && !parsed.diagnostics.iter().any(is_error)
}
