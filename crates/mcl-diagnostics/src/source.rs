//! Source files and spans.

use std::sync::{Arc, OnceLock};

use cranelift_entity::{PrimaryMap, entity_impl};
use serde::{Deserialize, Serialize};

/// Index into [`Files::files`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileId(u32);
entity_impl!(FileId);

impl FileId {
    /// The main file of a program, which is its first one.
    pub const MAIN: FileId = FileId(0);
}

/// A half-open range of bytes `start..end` in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates a span from its parts.
    #[must_use]
    pub const fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    /// Returns the smallest span that covers both. Both must be in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// The name, relative to the program's directory, or a URI for an embedded module; never absolute.
    pub name: Arc<str>,
    /// The content. Invalid UTF-8 was replaced by U+FFFD when the file was read (spec 01 §1.1).
    pub text: Arc<str>,
    #[serde(skip)]
    lines: LineIndex,
}

/// The byte offset of the start of each line, computed when the first position in the file is requested.
#[derive(Clone, Debug, Default)]
struct LineIndex(OnceLock<Vec<u32>>);

/// The index is derived from the content, so it never makes two files differ.
impl PartialEq for LineIndex {
    fn eq(&self, _: &LineIndex) -> bool {
        true
    }
}
impl Eq for LineIndex {}

impl SourceFile {
    /// Returns whether the file is embedded in the compiler, which gives it a URI as its name.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        self.name.contains("://")
    }

    /// Creates a file from its name and content.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> SourceFile {
        SourceFile { name: name.into(), text: text.into(), lines: LineIndex::default() }
    }

    /// Returns the byte offset of the start of each line; the first one is 0. A final newline is followed by an empty line.
    #[must_use]
    pub fn line_starts(&self) -> &[u32] {
        self.lines.0.get_or_init(|| {
            let newlines = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
        })
    }

    /// Returns the index, from 0, of the line that contains a byte offset.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|start| *start <= offset) - 1
    }

    /// Returns the byte range of a line, counted from 0, without its newline; empty past the end.
    #[must_use]
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let starts = self.line_starts();
        let end = self.text.len();
        let start = starts.get(line).map_or(end, |s| *s as usize);
        let next = starts.get(line + 1).map_or(end, |s| *s as usize - 1);
        start..next.max(start)
    }

    /// Returns the line and column of a byte offset. An offset past the end counts as the end, an offset inside a character as
    /// its start.
    #[must_use]
    pub fn line_col(&self, offset: u32) -> LineCol {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset as u32);
        let start = self.line_starts()[line] as usize;
        LineCol { line: line as u32 + 1, col: self.text[start..offset].chars().count() as u32 + 1 }
    }
}

/// All files of a program, indexed by [`FileId`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files {
    /// The files in the order in which they were found; the main file is first.
    #[serde(with = "crate::table")]
    pub files: PrimaryMap<FileId, SourceFile>,
}

/// A position for display: line and column from 1, the column in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub col: u32,
}

impl Files {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push(SourceFile::new(name, text))
    }

    /// Returns a file, if the id belongs to this set.
    #[must_use]
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id)
    }

    /// Returns the text of a span; empty if the span is outside its file, as in a malformed artifact.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// Returns the line and column of a byte offset. An offset past the end counts as the end.
    #[must_use]
    pub fn line_col(&self, file: FileId, offset: u32) -> LineCol {
        self.get(file).map_or(LineCol { line: 1, col: 1 }, |file| file.line_col(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: u32, line: u32, col: u32) {
        assert_eq!(SourceFile::new("a", text).line_col(offset), LineCol { line, col }, "{text:?} at {offset}");
    }

    #[test]
    fn columns_count_characters_and_lines_count_newlines() {
        check("", 0, 1, 1);
        check("ab\ncd", 2, 1, 3);
        check("ab\ncd", 3, 2, 1);
        check("ab\n", 3, 2, 1);
        check("ab", 99, 1, 3);
        check("äö x", 5, 1, 4);
        check("äö x", 1, 1, 1);
    }

    #[test]
    fn line_ranges_leave_the_newline_out() {
        let file = SourceFile::new("a", "ab\n\ncd");
        assert_eq!([file.line_range(0), file.line_range(1), file.line_range(2)], [0..2, 3..3, 4..6]);
        assert_eq!(file.line_range(9), 6..6);
    }

    #[test]
    fn a_span_outside_its_file_has_no_text() {
        let mut files = Files::default();
        let id = files.add("a", "abc");
        assert_eq!(files.text(Span::new(id, 1, 3)), "bc");
        assert_eq!(files.text(Span::new(id, 2, 9)), "");
        assert_eq!(files.text(Span::new(FileId::from_u32(7), 0, 1)), "");
    }
}
