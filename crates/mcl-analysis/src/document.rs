//! An open text.

use std::sync::{Arc, OnceLock};

use mcl_lexer::TextChange;

use crate::line_index::LineIndex;
use crate::source::Source;
use crate::syntax::Syntax;

/// An open text, with what is known of it alone.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) text: Arc<str>,
    pub(crate) lines: Arc<LineIndex>,
    /// Not every text is a program, so it is found when it is needed.
    syntax: OnceLock<Arc<Syntax>>,
}

impl Document {
    pub(crate) fn new(text: &str) -> Document {
        Document { text: text.into(), lines: Arc::new(LineIndex::new(text)), syntax: OnceLock::new() }
    }

    /// Returns the text after an edit.
    pub(crate) fn edited(&self, start: u32, old_end: u32, new: &str) -> Document {
        let (before, after) = (&self.text[..start as usize], &self.text[old_end as usize..]);
        let text: Arc<str> = [before, new, after].concat().into();
        let change = TextChange { start, old_end, new_end: start + new.len() as u32 };
        let syntax = OnceLock::new();
        if let Some(known) = self.syntax.get() {
            // It is empty.
            let _ = syntax.set(Arc::new(known.edited(&text, change)));
        }
        Document { lines: Arc::new(self.lines.edited(&text, change)), text, syntax }
    }

    pub(crate) fn source(&self) -> Source {
        Source { text: Arc::clone(&self.text), lines: Arc::clone(&self.lines) }
    }

    pub(crate) fn syntax(&self) -> &Arc<Syntax> {
        self.syntax.get_or_init(|| Arc::new(Syntax::new(&self.text)))
    }
}
