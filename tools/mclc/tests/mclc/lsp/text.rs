//! The text of a document as its editor has it, with positions that are counted the simplest way.

/// A position: a line, and characters in the units of the encoding.
pub type Position = (u32, u32);

/// Returns the lines with their ends, the last without one: LF, CR LF and CR end a line.
pub fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let Some(at) = rest.find(['\n', '\r']) else {
            lines.push(rest);
            return lines;
        };
        let length = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        let (line, after) = rest.split_at(at + length);
        lines.push(line);
        rest = after;
    }
}

fn units(character: char, is_utf8: bool) -> u32 {
    (if is_utf8 { character.len_utf8() } else { character.len_utf16() }) as u32
}

/// Returns the offset of a position. One past the end of a line is its end, one inside of a character its start.
pub fn offset(text: &str, (line, column): Position, is_utf8: bool) -> usize {
    let lines = lines(text);
    let Some(this) = lines.get(line as usize) else { return text.len() };
    let start: usize = lines[..line as usize].iter().map(|line| line.len()).sum();
    let (mut at, mut seen) = (start, 0);
    for character in this.trim_end_matches(['\n', '\r']).chars() {
        seen += units(character, is_utf8);
        if seen > column {
            break;
        }
        at += character.len_utf8();
    }
    at
}

/// Returns the position of an offset.
pub fn position(text: &str, offset: usize, is_utf8: bool) -> Position {
    let mut start = 0;
    let lines = lines(text);
    for (number, line) in lines.iter().enumerate() {
        let is_last = number + 1 == lines.len();
        if offset < start + line.len() || is_last {
            return (number as u32, text[start..offset].chars().map(|c| units(c, is_utf8)).sum());
        }
        start += line.len();
    }
    unreachable!("there is a last line")
}

/// Returns the position of a line and a column as `mclc check` counts them: from 1, in code points, lines by LF.
pub fn position_of_column(text: &str, line: u32, column: u32, is_utf8: bool) -> Position {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, rest) = lines.split_at((line as usize - 1).min(lines.len()));
    let start: usize = before.iter().map(|line| line.len()).sum();
    let of_line = rest.first().copied().unwrap_or_default().chars().take(column as usize - 1);
    position(text, start + of_line.map(char::len_utf8).sum::<usize>(), is_utf8)
}
