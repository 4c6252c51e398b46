//! One workflow command per diagnostic, which GitHub shows as an annotation of the line
//! (<https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>).

use std::fmt::Write;

use crate::Severity;
use crate::render::program::Program;

pub(super) fn render(program: &Program<'_>) -> String {
    let mut out = String::new();
    for diagnostic in program.diagnostics {
        out.push_str(match diagnostic.severity {
            Severity::Error => "::error ",
            Severity::Warning => "::warning ",
            Severity::Note => "::notice ",
        });
        if let Some(path) = program.path_of(diagnostic) {
            let _ = write!(out, "file={},", property(&path));
        }
        if let Some(span) = diagnostic.span {
            let (start, end) = (program.start(span), program.end(span));
            let _ = write!(out, "line={},col={},endLine={},endColumn={},", start.line, start.col, end.line, end.col);
        }
        let help = diagnostic.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        let text = data(&format!("{}{help}", diagnostic.message));
        let _ = writeln!(out, "title={}::{text}", diagnostic.code.name());
    }
    out
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
