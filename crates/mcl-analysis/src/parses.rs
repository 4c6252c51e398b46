//! Whether a text parses.

use mcl_diagnostics::{FileId, Severity};
use mcl_lexer::{lex, lex_diagnostics};

/// Returns whether a text has no errors of syntax.
#[must_use]
pub fn parses(text: &str) -> bool {
    syntax_errors(text) == 0
}

/// Returns the number of errors of syntax.
#[must_use]
pub fn syntax_errors(text: &str) -> usize {
    let tokens = lex(text);
    let found = lex_diagnostics(FileId::MAIN, text, &tokens).into_iter();
    let found = found.chain(mcl_parser::parse(FileId::MAIN, text, &tokens).diagnostics);
    found.filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}
