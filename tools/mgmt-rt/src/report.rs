//! What the commands share for their output: diagnostics on standard error, locations, counts.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use mcl_diagnostics::{Diagnostic, Files, Format, Program, Style, render, sort};
use resource_graph::Resource;

/// Prints diagnostics to standard error, sorted by stage and location.
pub fn print(mut diagnostics: Vec<Diagnostic>, files: &Files, format: Format) {
    sort(&mut diagnostics);
    let mut stderr = std::io::stderr().lock();
    let style = Style { color: stderr.is_terminal() && color_allowed(), ..Style::default() };
    let text = render(&[Program { files, prefix: "", diagnostics: &diagnostics }], format, style);
    // Standard error may be closed. That failure cannot be reported anywhere.
    let _ = stderr.write_all(text.as_bytes());
}

/// Returns whether the environment allows colors.
pub fn color_allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Returns the location at which a resource is declared, e.g. `main.mcl:3`.
pub fn location(resource: &Resource, files: &Files) -> Option<String> {
    let span = resource.span?;
    let name = &files.get(span.file)?.name;
    let line = files.line_col(span.file, span.start).line;
    Some(format!("{}:{line}", Path::new(&**name).display()))
}

/// Returns a count with its noun in the right number, e.g. `1 change` or `2 changes`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
