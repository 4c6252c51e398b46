//! A text with its lines.

use std::sync::Arc;

use crate::line_index::LineIndex;

/// A text with its lines.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: Arc<LineIndex>,
}

impl Source {
    /// Finds the lines of a text.
    #[must_use]
    pub fn new(text: Arc<str>) -> Source {
        Source { lines: Arc::new(LineIndex::new(&text)), text }
    }
}
