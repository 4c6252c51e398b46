//! One line per diagnostic: `file:line:col: error[E0601]: message`.

use std::fmt::Write;

use crate::render::escape::one_line;
use crate::render::program::Program;
use crate::{Diagnostic, Severity};

pub(super) fn render(program: &Program<'_>) -> String {
    let mut out = String::new();
    for diagnostic in program.diagnostics {
        if let Some(path) = program.path_of(diagnostic) {
            out.push_str(&one_line(&path));
            if let Some(span) = diagnostic.span {
                let start = program.start(span);
                let _ = write!(out, ":{}:{}", start.line, start.col);
            }
            out.push_str(": ");
        }
        let _ = writeln!(out, "{}: {}", head(diagnostic), one_line(&diagnostic.message));
    }
    out
}

/// Returns the severity and code, e.g. `error[E0601]`.
pub(super) fn head(diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    format!("{severity}[{}]", diagnostic.code.name())
}
