//! The errors and lints of programs, and the absence of consequential errors.

mod lints;
mod mistakes;
mod recovery;
mod validation;

use expect_test::Expect;
use mcl_diagnostics::{Diagnostic, FileId, Files, Severity};
use mcl_lexer::{lex, lex_diagnostics};

use crate::{check_ast, interpolate, parse};

/// Returns the diagnostics of the lexer, parser, init checks and interpolate stage.
pub fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let file = FileId::MAIN;
    let tokens = lex(text);
    let mut found = lex_diagnostics(file, text, &tokens);
    let parsed = parse(file, text, &tokens);
    found.extend(parsed.diagnostics);
    found.extend(check_ast(&parsed.ast));
    found.extend(interpolate(parsed.ast).1);
    found
}

/// Renders diagnostics as `line:column code message` lines.
fn show(text: &str, severity: Severity) -> String {
    let mut files = Files::default();
    let file = files.add("main.mcl", text);
    let line = |d: Diagnostic| {
        let at = files.line_col(file, d.span.map_or(0, |span| span.start));
        format!("{}:{} {} {}\n", at.line, at.col, d.code.name(), d.message)
    };
    diagnostics(text).into_iter().filter(|d| d.severity == severity).map(line).collect()
}

/// Removes the newline between the opening quote and the first line of a program.
fn program(text: &str) -> &str {
    text.strip_prefix('\n').unwrap_or(text)
}

/// Asserts the errors of a program.
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(program(text), Severity::Error));
}

/// Asserts the lints of a program.
fn check_lints(text: &str, expected: Expect) {
    expected.assert_eq(&show(program(text), Severity::Warning));
}
