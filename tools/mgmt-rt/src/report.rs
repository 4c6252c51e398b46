//! What the commands share for their output: diagnostics on standard error, locations, counts.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use mcl_diagnostics::{Diagnostic, Files, Format, Program, Style, render, sort};
use resource_graph::Resource;

use crate::printable::printable_lines;

/// Prints diagnostics to standard error, sorted by stage and location.
pub fn print(diagnostics: Vec<Diagnostic>, files: &Files, format: Format) {
    let text = rendered(diagnostics, files, format);
    // Standard error may be closed. That failure cannot be reported anywhere.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints the result of a command to standard output; `what` says what it is.
pub fn print_result(what: &str, text: &str) -> ExitCode {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mgmt-rt: cannot write {what}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns diagnostics as they are printed to standard error, sorted by stage and location.
pub fn rendered(mut diagnostics: Vec<Diagnostic>, files: &Files, format: Format) -> String {
    sort(&mut diagnostics);
    let style = Style { color: std::io::stderr().is_terminal() && color_allowed(), ..Style::default() };
    if format != Format::Json {
        for diagnostic in &mut diagnostics {
            diagnostic.message = printable_lines(&diagnostic.message).into_owned();
        }
    }
    let text = render(&[Program { files, prefix: "", diagnostics: &diagnostics }], format, style);
    if style.color || format == Format::Json { text } else { printable_lines(&text).into_owned() }
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

/// Returns text in a color of a terminal, given by its escape code, if `color` is set.
pub fn paint(color: bool, code: &str, text: &str) -> String {
    if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}
