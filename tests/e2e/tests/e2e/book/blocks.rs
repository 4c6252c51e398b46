//! The fenced blocks of a page.

use std::ops::Range;

/// A fenced block.
pub struct Block<'t> {
    /// The language, and what follows it after commas.
    pub info: Vec<&'t str>,
    /// What is between the fences.
    pub text: &'t str,
    /// Where that is in the page, in bytes.
    pub range: Range<usize>,
    /// The line of the opening fence, from 1.
    pub line: usize,
}

impl Block<'_> {
    /// Returns the value of `name=VALUE`.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.info.iter().find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
    }

    /// Returns the code of `fails(CODE)`.
    pub fn failure(&self) -> Option<&str> {
        self.info.iter().find_map(|part| part.strip_prefix("fails(")?.strip_suffix(')'))
    }
}

/// Returns the fenced blocks of a page. A block that is not closed ends with the page.
pub fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut open: Option<(usize, usize, Vec<&str>)> = None;
    let mut offset = 0;
    for (number, line) in page.split_inclusive('\n').enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            match open.take() {
                Some((start, line, info)) => {
                    blocks.push(Block { info, text: &page[start..offset], range: start..offset, line });
                }
                None => open = Some((offset + line.len(), number + 1, info.trim().split(',').collect())),
            }
        }
        offset += line.len();
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// Returns the page without the text of its fenced blocks and of code in lines.
pub fn prose(page: &str) -> String {
    let mut prose = String::new();
    let mut end = 0;
    for block in blocks(page) {
        prose.push_str(&page[end..block.range.start]);
        end = block.range.end;
    }
    prose.push_str(&page[end..]);
    let lines = prose.lines().filter(|line| !line.starts_with("    "));
    let code = regex::Regex::new("`[^`]*`").expect("a valid pattern");
    code.replace_all(&lines.collect::<Vec<_>>().join("\n"), "``").into_owned()
}
