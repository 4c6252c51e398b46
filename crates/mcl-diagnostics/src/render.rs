//! The output formats, one module each: `human`, `short`, `json`, `sarif`.
//!
//! A renderer reads diagnostics and the files that they refer to, and returns a string. The caller decides where to write it.

use crate::{Diagnostic, FileId, Files, LineCol, Severity, Span};

mod explanation;
mod human;
mod json;
mod sarif;
mod short;

pub use explanation::explain;

/// The output formats for diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Excerpts of the source with the spans marked, for people.
    Human,
    /// `file:line:col: error[E0601]: message`, one line per diagnostic, for editors and `grep`.
    Short,
    /// One JSON object per line, the contract of the command-line tools.
    Json,
    /// A SARIF 2.1.0 log, for code scanning services.
    Sarif,
}

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

/// Sorts diagnostics in output order: by stage, earliest first, then by span, with those without a span last. The first error
/// is thus the primary one. Duplicates are removed.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    fn key(d: &Diagnostic) -> impl Ord + '_ {
        (d.stage, d.span.is_none(), d.span, d.severity, d.code.name(), d.message.as_str())
    }
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)));
    diagnostics.dedup();
}

/// Returns the number of errors and the number of warnings.
#[must_use]
pub fn counts(diagnostics: &[Diagnostic]) -> (usize, usize) {
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    (count(Severity::Error), count(Severity::Warning))
}

/// Returns the diagnostics of all programs in one format; ends in a newline unless it is empty.
#[must_use]
pub fn render(programs: &[Program<'_>], format: Format, style: Style) -> String {
    match format {
        Format::Human => programs.iter().map(|p| human::render(p, style)).collect(),
        Format::Short => programs.iter().map(short::render).collect(),
        Format::Json => programs.iter().map(json::render).collect(),
        Format::Sarif => sarif::render(programs),
    }
}

impl Program<'_> {
    /// Returns the file of a diagnostic: the one of its span, else the main file.
    fn file_of(&self, span: Option<Span>) -> Option<FileId> {
        let id = span.map_or(FileId::MAIN, |span| span.file);
        self.files.get(id).map(|_| id)
    }

    /// Returns the name of a file, relative to the working directory unless it is absolute.
    fn shown_name(&self, id: FileId) -> String {
        let name = self.files.get(id).map_or("", |file| &file.name);
        match name.contains("://") || name.starts_with(['<', '/']) {
            true => name.to_owned(),
            false => join(self.prefix, name),
        }
    }

    fn start(&self, span: Span) -> LineCol {
        self.files.line_col(span.file, span.start)
    }

    fn end(&self, span: Span) -> LineCol {
        self.files.line_col(span.file, span.end.max(span.start))
    }
}

/// Joins a directory and a relative path: `lib/a.mcl` for `site/` and `../lib/a.mcl`.
fn join(prefix: &str, name: &str) -> String {
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

/// Escapes line breaks and the characters that could disturb a terminal.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if harmful(c) || c == '\n' || c == '\t' { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Returns whether printing the character could move the cursor, change colors, reorder text, or show nothing at all.
fn harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests;
