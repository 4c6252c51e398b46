//! What is rendered, and for which terminal.

use crate::{Diagnostic, FileId, Files, LineCol, Span};

/// The capabilities of the terminal. Only the human format and explanations use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colors.
    pub color: bool,
    /// Whether to use box-drawing characters instead of ASCII.
    pub unicode: bool,
    /// The number of columns at which text is wrapped.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { color: false, unicode: true, width: 100 }
    }
}

/// The diagnostics of one program.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The files that the spans refer to; the first is the main file.
    pub files: &'a Files,
    /// The path from the working directory to the program's directory, e.g. `site/`. The formats human, short and sarif prepend
    /// it to file names; in JSON, names are relative to the program.
    pub prefix: &'a str,
    /// The diagnostics, sorted.
    pub diagnostics: &'a [Diagnostic],
}

impl Program<'_> {
    /// Returns the path of the file of a diagnostic: the one of its span, else its own, else that of the main file.
    pub(super) fn path_of(&self, diagnostic: &Diagnostic) -> Option<String> {
        match (diagnostic.span, &diagnostic.path) {
            (None, Some(path)) => Some(path.clone()),
            (span, _) => {
                let id = span.map_or(FileId::MAIN, |span| span.file);
                self.files.get(id).map(|_| self.shown_name(id))
            }
        }
    }

    /// Returns the name of a file, relative to the working directory unless it is absolute.
    #[must_use]
    pub fn shown_name(&self, id: FileId) -> String {
        let name = self.files.get(id).map_or("", |file| &file.name);
        if name.contains("://") || name.starts_with(['<', '/']) { name.to_owned() } else { join(self.prefix, name) }
    }

    pub(super) fn start(&self, span: Span) -> LineCol {
        self.files.line_col(span.file, span.start)
    }

    pub(super) fn end(&self, span: Span) -> LineCol {
        self.files.line_col(span.file, span.end.max(span.start))
    }
}

/// Joins a directory and a relative path: `lib/a.mcl` for `site/` and `../lib/a.mcl`.
pub(super) fn join(prefix: &str, name: &str) -> String {
    let mut prefix = prefix;
    let mut name = name;
    while let Some(rest) = name.strip_prefix("../") {
        let Some(parent) = prefix.strip_suffix('/').filter(|p| !p.is_empty() && *p != ".." && !p.ends_with("/.."))
        else {
            break;
        };
        prefix = &parent[..parent.rfind('/').map_or(0, |at| at + 1)];
        name = rest;
    }
    format!("{prefix}{name}")
}
