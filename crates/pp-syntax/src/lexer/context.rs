//! Strings and heredocs that are being read.

use std::borrow::Cow;

use crate::lexer::escape::Escapes;

/// A string that is being read: where its text ends, and what its escape sequences are.
pub struct StringContext<'t> {
    /// Where the quote or the tag of the heredoc is.
    pub start: usize,
    /// Whether a token for the start was added, because there is an interpolation.
    pub opened: bool,
    /// The heredoc; `None` for a string in quotes.
    pub heredoc: Option<Box<HeredocText<'t>>>,
}

/// The text of a heredoc that is being read, and how to continue after it.
pub struct HeredocText<'t> {
    /// The escape sequences.
    pub escapes: Escapes,
    /// The blanks that are removed from the start of each line that has them.
    pub margin: &'t str,
    /// Where the text starts.
    pub(super) start: usize,
    /// Whether the last newline is left out.
    pub(super) trims: bool,
    /// The state of the lexer at the tag.
    pub(super) outer: Outer,
}

/// What reading the text of a heredoc changes in the lexer, as it was before.
#[derive(Clone, Copy)]
pub(super) struct Outer {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) in_heredoc: bool,
    pub(super) heredocs_end: Option<usize>,
}

impl HeredocText<'_> {
    /// Removes the margin from the lines of a part of the text. `from` is where the part starts.
    pub fn without_margin<'p>(&self, part: &'p str, from: usize) -> Cow<'p, str> {
        if self.margin.is_empty() {
            return Cow::Borrowed(part);
        }
        let mut out = String::with_capacity(part.len());
        for (index, line) in part.split_inclusive('\n').enumerate() {
            // The first line of a part after an interpolation does not start there.
            let is_start = index > 0 || from == self.start;
            let line = if is_start { line.strip_prefix(self.margin).unwrap_or(line) } else { line };
            out.push_str(line);
        }
        Cow::Owned(out)
    }
}
