//! Where something is declared.

use std::fmt;
use std::sync::Arc;

use mcl_diagnostics::Span;

/// The location of a declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The name of the file as messages and the catalog show it; `None` for code without a file.
    pub file: Option<Arc<str>>,
    /// The line from 1; 0 if it is unknown.
    pub line: u32,
    /// The place in the sources, for diagnostics.
    pub span: Option<Span>,
}

impl Location {
    /// Returns the location as messages have it, with a space before: ` at (file: /a.pp, line: 3)`; nothing if it is unknown.
    pub(crate) fn at(&self) -> String {
        let place = self.to_string();
        if place.is_empty() { place } else { format!(" at {place}") }
    }
}

/// `(file: /a.pp, line: 3)`, `(line: 3)`, or nothing.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (None, 0) => Ok(()),
            (None, line) => write!(f, "(line: {line})"),
            (Some(file), 0) => write!(f, "(file: {file})"),
            (Some(file), line) => write!(f, "(file: {file}, line: {line})"),
        }
    }
}
