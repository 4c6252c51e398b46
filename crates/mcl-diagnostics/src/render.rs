//! The output formats, one module each: `human`, `short`, `json`, `sarif`.
//!
//! A renderer reads diagnostics and the files they point into, and returns text; the caller writes it.

use std::fmt;
use std::str::FromStr;

use crate::{Diagnostic, FileId, Files, LineCol, Severity, Span};

mod explanation;
mod human;
mod json;
mod sarif;
mod short;

pub use explanation::explain;

/// How diagnostics are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Excerpts of the source with the places marked: for people.
    Human,
    /// `file:line:col: error[E0601]: message`, one line each: for editors and `grep`.
    Short,
    /// One JSON object a line (the contract of the command-line tools).
    Json,
    /// One SARIF 2.1.0 log: for code scanning services.
    Sarif,
}

impl Format {
    /// All of them, by the names used on the command line.
    pub const NAMES: [(&'static str, Format); 4] =
        [("human", Format::Human), ("short", Format::Short), ("json", Format::Json), ("sarif", Format::Sarif)];
}

impl FromStr for Format {
    type Err = ();
    fn from_str(name: &str) -> Result<Format, ()> {
        Format::NAMES.iter().find(|(n, _)| *n == name).map(|(_, format)| *format).ok_or(())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Format::NAMES.iter().find(|(_, format)| format == self).map_or("", |(name, _)| name))
    }
}

/// What the terminal can show. Only the human form looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colours.
    pub color: bool,
    /// Whether to draw with box characters (else plain ASCII).
    pub unicode: bool,
    /// Columns of the terminal; messages wrap there.
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
    /// The files that the spans point into; the first is the main file.
    pub files: &'a Files,
    /// What leads from the working directory to the program's directory (`site/`), for the forms that people click on
    /// (human, short, sarif). The JSON form names files relative to the program.
    pub prefix: &'a str,
    /// The diagnostics, sorted.
    pub diagnostics: &'a [Diagnostic],
}

/// Sorts diagnostics as they are printed: by stage, earliest first, then by place (diagnostics without one last), so that
/// the first error is the primary one. Exact repetitions are dropped.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    fn key(d: &Diagnostic) -> impl Ord + '_ {
        (d.stage, d.span.is_none(), d.span, d.severity, d.code.name(), d.message.as_str())
    }
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)));
    diagnostics.dedup();
}

/// How many errors and how many warnings there are.
#[must_use]
pub fn counts(diagnostics: &[Diagnostic]) -> (usize, usize) {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    (errors, diagnostics.len() - errors)
}

/// The text of all diagnostics of all programs in one form; ends in a newline unless it is empty.
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
    /// The file of a diagnostic: that of its span, else the main file.
    fn file_of(&self, span: Option<Span>) -> Option<FileId> {
        let id = span.map_or(FileId(0), |span| span.file);
        self.files.get(id).map(|_| id)
    }

    /// The name as messages for people spell it.
    fn shown_name(&self, id: FileId) -> String {
        let name = self.files.get(id).map_or("", |file| &file.name);
        if name.contains("://") || name.starts_with('<') { name.to_owned() } else { join(self.prefix, name) }
    }

    fn start(&self, span: Span) -> LineCol {
        self.files.line_col(span.file, span.start)
    }

    fn end(&self, span: Span) -> LineCol {
        self.files.line_col(span.file, span.end.max(span.start))
    }
}

/// `site/` and `../lib/a.mcl` give `lib/a.mcl`.
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

/// One line of text that cannot disturb a terminal: control characters are written as escapes.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if harmful(c) || c == '\n' || c == '\t' { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Whether printing the character could move the cursor, change colours, reorder text, or show nothing at all.
fn harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests;
