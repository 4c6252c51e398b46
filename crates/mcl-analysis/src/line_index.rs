//! Lines and characters of a text, as clients count them (spec 11 §2.3).

use std::ops::Range;

use mcl_lexer::TextChange;

/// The unit in which a client counts the characters of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: characters outside of the basic plane count twice.
    Utf16,
}

/// A position as clients write it. Both parts count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub character: u32,
}

/// The lines of a text: `\n`, `\r\n` and a lone `\r` end one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    /// The byte offset of the start of each line; the first one is 0.
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the lines of a text.
    #[must_use]
    pub fn new(text: &str) -> LineIndex {
        LineIndex { starts: std::iter::once(0).chain(starts_in(text, 0..text.len())).collect() }
    }

    /// Returns the lines of a text after an edit of the one before.
    pub(crate) fn edited(&self, text: &str, change: TextChange) -> LineIndex {
        // The line before the change may end with a CR that belongs to a LF now.
        let first = self.starts.partition_point(|start| *start <= change.start).saturating_sub(2);
        let rest = &self.starts[self.starts.partition_point(|start| *start <= change.old_end)..];
        let end = rest.first().map_or(text.len(), |start| change.shift(*start) as usize - 1);
        let mut starts = Vec::with_capacity(self.starts.len() + 16);
        starts.extend_from_slice(&self.starts[..=first]);
        starts.extend(starts_in(text, self.starts[first] as usize..end));
        starts.extend(rest.iter().map(|start| change.shift(*start)));
        LineIndex { starts }
    }

    /// Returns the number of lines. A text that ends with the end of a line has an empty line after it.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the bytes of a line without its end; the end of the text for a line that does not exist.
    fn line<'t>(&self, text: &'t str, line: usize) -> (usize, &'t str) {
        let Some(start) = self.starts.get(line).map(|start| *start as usize) else { return (text.len(), "") };
        let end = self.starts.get(line + 1).map_or(text.len(), |next| *next as usize);
        (start, text.get(start..end).unwrap_or("").trim_end_matches(['\r', '\n']))
    }

    /// Returns the byte offset of a position. A position after the end of a line means its end, one after the last line the
    /// end of the text, and one inside of a character its start.
    #[must_use]
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> u32 {
        let (start, line) = self.line(text, position.line as usize);
        let wanted = position.character as usize;
        let inside = match encoding {
            Encoding::Utf8 => {
                let mut at = wanted.min(line.len());
                while !line.is_char_boundary(at) {
                    at -= 1;
                }
                at
            }
            Encoding::Utf16 => {
                let mut units = 0;
                let next = line.char_indices().find(|(_, c)| {
                    units += c.len_utf16();
                    units > wanted
                });
                next.map_or(line.len(), |(at, _)| at)
            }
        };
        (start + inside) as u32
    }

    /// Returns a cursor that finds the positions of offsets which only grow.
    #[must_use]
    pub fn cursor<'t>(&'t self, text: &'t str, encoding: Encoding) -> Cursor<'t> {
        Cursor { lines: self, text, encoding, line: 0, offset: 0, character: 0 }
    }

    /// Returns the position of a byte offset. An offset after the end of the text means its end.
    #[must_use]
    pub fn position(&self, text: &str, offset: u32, encoding: Encoding) -> Position {
        let offset = (offset as usize).min(text.len());
        let line = self.starts.partition_point(|start| *start as usize <= offset) - 1;
        let before = text.get(self.starts[line] as usize..offset).unwrap_or("");
        let character = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 => before.chars().map(char::len_utf16).sum(),
        };
        Position { line: line as u32, character: character as u32 }
    }
}

/// A place in a text that moves forward.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    lines: &'t LineIndex,
    text: &'t str,
    encoding: Encoding,
    line: usize,
    offset: u32,
    character: u32,
}

impl Cursor<'_> {
    /// Moves to an offset and returns its position.
    pub fn move_to(&mut self, offset: u32) -> Position {
        while let Some(start) = self.lines.starts.get(self.line + 1).filter(|start| **start <= offset) {
            (self.line, self.offset, self.character) = (self.line + 1, *start, 0);
        }
        let passed = self.text.get(self.offset as usize..offset as usize).unwrap_or("");
        self.character += match self.encoding {
            Encoding::Utf16 if !passed.is_ascii() => passed.chars().map(char::len_utf16).sum::<usize>() as u32,
            Encoding::Utf8 | Encoding::Utf16 => passed.len() as u32,
        };
        self.offset = self.offset.max(offset);
        Position { line: self.line as u32, character: self.character }
    }
}

/// Returns where lines start after the ends of lines in some bytes.
fn starts_in(text: &str, range: Range<usize>) -> impl Iterator<Item = u32> {
    let bytes = text.as_bytes();
    let ends_line = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(*at + 1) != Some(&b'\n'),
        _ => false,
    };
    range.filter(ends_line).map(|at| at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_give_the_lines_of_the_whole() {
        let texts = ["", "a", "a\n", "\r", "\r\n\r", "\n\n", "ab\r\ncd\re\n"];
        for text in texts {
            let before = LineIndex::new(text);
            for (start, end) in (0..=text.len()).flat_map(|start| (start..=text.len()).map(move |end| (start, end))) {
                for new in ["", "x", "\n", "\r", "\r\n", "x\ny"] {
                    let edited = format!("{}{new}{}", &text[..start], &text[end..]);
                    let (start, old_end, new_end) = (start as u32, end as u32, (start + new.len()) as u32);
                    let change = TextChange { start, old_end, new_end };
                    assert_eq!(before.edited(&edited, change), LineIndex::new(&edited), "{text:?} {change:?} {new:?}");
                }
            }
        }
    }

    fn check(text: &str, at: (u32, u32), encoding: Encoding, expected: u32) {
        let position = Position { line: at.0, character: at.1 };
        assert_eq!(LineIndex::new(text).offset(text, position, encoding), expected, "{text:?} {at:?} {encoding:?}");
    }

    #[test]
    fn positions_outside_of_the_text_are_moved_to_its_ends() {
        check("ab\ncd", (0, 9), Encoding::Utf16, 2);
        check("ab\r\ncd", (0, 9), Encoding::Utf16, 2);
        check("ab\rcd", (1, 1), Encoding::Utf16, 4);
        check("ab\ncd", (7, 0), Encoding::Utf16, 5);
        check("ab\n", (1, 5), Encoding::Utf8, 3);
        check("", (u32::MAX, u32::MAX), Encoding::Utf8, 0);
    }

    #[test]
    fn positions_inside_of_a_character_mean_its_start() {
        check("a😀b", (0, 2), Encoding::Utf16, 1);
        check("a😀b", (0, 3), Encoding::Utf16, 5);
        check("a😀b", (0, 4), Encoding::Utf8, 1);
        check("äb", (0, 1), Encoding::Utf8, 0);
    }

    #[test]
    fn offsets_and_positions_are_inverse() {
        for text in ["", "a", "a\n", "ä😀\r\nx\ry\n\nz😀", "\r\r\n\n"] {
            let index = LineIndex::new(text);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let mut cursor = index.cursor(text, encoding);
                for (offset, c) in text.char_indices() {
                    // The position between the two bytes of a line end does not exist.
                    if c == '\n' && text[..offset].ends_with('\r') {
                        continue;
                    }
                    let position = index.position(text, offset as u32, encoding);
                    assert_eq!(index.offset(text, position, encoding), offset as u32, "{text:?} {offset}");
                    assert_eq!(cursor.move_to(offset as u32), position, "{text:?} {offset}");
                }
            }
        }
    }
}
