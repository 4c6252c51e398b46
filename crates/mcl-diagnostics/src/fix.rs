//! Fixes as data: how the source can be changed so that a diagnostic is gone.
//!
//! A stage says what to change and not how the text then looks: where an import belongs, and how entries are indented, is
//! decided when a fix is asked for, from the text of the file (`mcl-analysis`). Most fixes are never asked for.

use crate::{FileId, Span};

/// A way to change the source so that a diagnostic is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an instruction: "remove the comma".
    pub title: String,
    /// Whether it can be applied without asking.
    pub applicability: Applicability,
    /// What it changes.
    pub changes: Vec<Change>,
}

/// Whether a fix can be applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Applicability {
    /// The program means the same, or there is only one thing that it can have meant.
    Safe,
    /// A guess, or a change of what the program does.
    Unsafe,
}

/// A change of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Replaces the text of a span.
    Replace {
        /// What is replaced; empty to insert something.
        span: Span,
        /// The new text.
        text: String,
    },
    /// Writes the statements or entries at a span in their one layout.
    Format(Span),
    /// Removes a statement or entry with the comment above it, and its line.
    Remove(Span),
    /// Removes a comment, and its line if there is nothing else on it.
    RemoveComment(Span),
    /// Adds an entry to a resource statement.
    AddEntry {
        /// The statement.
        resource: Span,
        /// The entry, without the comma after it.
        entry: String,
    },
    /// Binds a value to a variable before the statement, and interpolates the variable in place of a span.
    Bind {
        /// What the variable takes the place of.
        span: Span,
        /// The value; `None` for the text of the span.
        value: Option<String>,
        /// Whether the span is in a string already.
        is_in_string: bool,
    },
    /// Writes the ends of lines as LF alone, outside of strings.
    LineEnds(FileId),
    /// Imports a module.
    Import {
        /// The file that imports it.
        file: FileId,
        /// What is between the quotes.
        module: String,
    },
}

impl Fix {
    /// Creates a fix that can be applied without asking.
    #[must_use]
    pub fn safe(title: impl Into<String>, change: Change) -> Fix {
        Fix { title: title.into(), applicability: Applicability::Safe, changes: vec![change] }
    }

    /// Creates a fix that is a guess, or that changes what the program does.
    #[must_use]
    pub fn guess(title: impl Into<String>, change: Change) -> Fix {
        Fix { applicability: Applicability::Unsafe, ..Fix::safe(title, change) }
    }

    /// Creates a fix that replaces a word with what it may have meant.
    #[must_use]
    pub fn replace_with(span: Span, text: impl Into<String>) -> Fix {
        let text = text.into();
        Fix::guess(format!("replace with `{text}`"), Change::Replace { span, text })
    }

    /// Adds a change.
    #[must_use]
    pub fn and(mut self, change: Change) -> Fix {
        self.changes.push(change);
        self
    }
}

impl Change {
    /// Creates a change that inserts a text before a byte.
    #[must_use]
    pub fn insert(at: Span, text: impl Into<String>) -> Change {
        Change::Replace { span: Span { end: at.start, ..at }, text: text.into() }
    }

    /// Creates a change that removes the text of a span.
    #[must_use]
    pub fn delete(span: Span) -> Change {
        Change::Replace { span, text: String::new() }
    }

    /// Returns the file that changes.
    #[must_use]
    pub fn file(&self) -> FileId {
        match self {
            Change::Replace { span, .. }
            | Change::Bind { span, .. }
            | Change::Format(span)
            | Change::Remove(span)
            | Change::RemoveComment(span) => span.file,
            Change::AddEntry { resource, .. } => resource.file,
            Change::Import { file, .. } | Change::LineEnds(file) => *file,
        }
    }
}
