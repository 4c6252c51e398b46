//! Literals of other languages that run over lines: heredocs (`<<END`, Puppet's `@(END)`) and strings in `'''`.
//!
//! They are errors, but what is in them is not code, so it must not be read as code.

/// The number of openers without an end in a file after which no end is searched.
const MAX_WITHOUT_END: u32 = 16;

/// Where the content of a heredoc is.
pub(crate) struct Content {
    /// The offset after the line of the opener, whose rest is code.
    pub(crate) start: usize,
    /// The offset after the line that ends the heredoc, without its newline.
    pub(crate) end: usize,
}

/// Finds the ends of the heredocs of a file.
#[derive(Default)]
pub(crate) struct Heredocs {
    without_end: u32,
}

impl Heredocs {
    /// Returns the content of a heredoc: the lines up to the one that ends it. `rest` is the text after its opener.
    pub(crate) fn content(&mut self, opener: &str, rest: &str) -> Option<Content> {
        if self.without_end >= MAX_WITHOUT_END {
            return None;
        }
        let content = content(opener, rest);
        self.without_end += u32::from(content.is_none());
        content
    }

    /// Returns the length of a string in `'''` after its opener, with the closing quotes.
    pub(crate) fn string_len(&mut self, rest: &str) -> Option<usize> {
        if self.without_end >= MAX_WITHOUT_END {
            return None;
        }
        let content = rest.find(TRIPLE_QUOTE);
        self.without_end += u32::from(content.is_none());
        content.map(|content| content + TRIPLE_QUOTE.len())
    }
}

fn content(opener: &str, rest: &str) -> Option<Content> {
    let start = rest.find('\n')?;
    let mut end = start + 1;
    for line in rest[end..].split_inclusive('\n') {
        end += line.len();
        if is_end(opener, line.trim()) {
            return Some(Content { start, end: end - usize::from(line.ends_with('\n')) });
        }
    }
    None
}

/// Three single quotes.
pub(crate) const TRIPLE_QUOTE: &str = "'''";

/// Whether a line ends the heredoc: `END` alone, in Puppet also `| END`, `|- END` and `- END`.
fn is_end(opener: &str, line: &str) -> bool {
    let (word, line) = match opener.strip_prefix("@(") {
        Some(tag) => {
            let tag = tag.split([':', '/', ')']).next().unwrap_or(tag);
            let line = line.trim_start_matches('|').trim_start_matches('-');
            (tag.trim().trim_matches('"'), line.trim_start_matches([' ', '\t']))
        }
        None => (opener.trim_start_matches(['<', '-', '~', '"', '\'']).trim_end_matches(['"', '\'']), line),
    };
    line == word
}
