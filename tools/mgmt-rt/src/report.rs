//! How errors leave the program: for people or as JSON lines, always on standard error.

use std::io::{IsTerminal as _, Write as _};

use mcl_diagnostics::{Diagnostic, Files, Format, Program, Style, render, sort};

/// Prints diagnostics on standard error, in the order of stages and places.
pub fn print(mut diagnostics: Vec<Diagnostic>, files: &Files, format: Format) {
    sort(&mut diagnostics);
    let mut stderr = std::io::stderr().lock();
    let style = Style { color: stderr.is_terminal() && color_allowed(), ..Style::default() };
    let text = render(&[Program { files, prefix: "", diagnostics: &diagnostics }], format, style);
    // Standard error may be closed; then there is nowhere left to say so.
    let _ = stderr.write_all(text.as_bytes());
}

/// Whether the environment allows colours.
pub fn color_allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
