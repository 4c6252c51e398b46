//! The structure of explanations: a small part of Markdown, and the example programs in it.
//!
//! An explanation consists of paragraphs, list items (`- …`), tables and fenced code blocks. The info string of a fence
//! says how the block is tested:
//!
//! | info string | meaning |
//! | --- | --- |
//! | `mcl` | a program without errors and warnings |
//! | `mcl,fails` | a program whose diagnostics all have the code that is explained, at least one |
//! | `mcl,ignore: REASON`, `mcl,fails,ignore: REASON` | the same, but not tested |
//! | `json` | a Puppet catalog that is translated without errors and warnings |
//! | `json,fails` | a Puppet catalog whose diagnostics all have the code that is explained, at least one |
//! | `puppet` | a Puppet manifest without errors and warnings |
//! | `puppet,fails` | a Puppet manifest whose diagnostics all have the code that is explained, at least one |
//! | `puppet,ignore: REASON` | the same, but not tested |
//! | `console`, `text`, `yaml` | neither |
//!
//! `fails` may be followed by `,crlf` (lines end in CR LF) or `,no-final-newline`. A program may have several files, each
//! under a header `-- NAME --`; lines before the first header belong to `main.mcl`
//! or `site.pp`.

/// A block of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block<'a> {
    /// Consecutive lines of text.
    Paragraph(&'a str),
    /// An item of a list, without its marker.
    Item(&'a str),
    /// A table with all its lines.
    Table(&'a str),
    /// A fenced code block.
    Code(CodeBlock<'a>),
}

/// A fenced code block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    /// The info string, e.g. `mcl,fails`.
    pub info: &'a str,
    /// The lines between the fences.
    pub text: &'a str,
}

/// What a tested code block contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// An mcl program.
    Mcl,
    /// A Puppet catalog in JSON.
    Catalog,
    /// Puppet manifests.
    Manifest,
}

/// The result that a program in an explanation must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// No errors and no warnings.
    Passes,
    /// Diagnostics of the explained code and no others.
    Fails,
}

/// Splits the Markdown text of an explanation into blocks.
#[must_use]
pub fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = markdown.trim_start_matches('\n');
    while !rest.is_empty() {
        let (block, after) = first_block(rest);
        blocks.push(block);
        rest = after.trim_start_matches('\n');
    }
    blocks
}

/// Splits off the block at the start of a text that does not start with an empty line.
fn first_block(text: &str) -> (Block<'_>, &str) {
    if let Some(fenced) = text.strip_prefix("```") {
        let (info, body) = fenced.split_once('\n').unwrap_or((fenced, ""));
        let (code, after) = body.split_at(find_first(body, &["```"]));
        let after = after.split_once('\n').map_or("", |(_, after)| after);
        return (Block::Code(CodeBlock { info, text: code }), after);
    }
    if let Some(item) = text.strip_prefix("- ") {
        let (item, after) = item.split_at(find_first(item, &["\n", "- ", "```"]));
        return (Block::Item(item.trim_end()), after);
    }
    let (lines, after) = text.split_at(find_first(text, &["\n", "- ", "```"]));
    let lines = lines.trim_end();
    (if lines.starts_with('|') { Block::Table(lines) } else { Block::Paragraph(lines) }, after)
}

/// Returns the offset of the first line after the first one that starts with one of these, else the length.
fn find_first(text: &str, starts: &[&str]) -> usize {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if offset > 0 && starts.iter().any(|start| line.starts_with(start)) {
            return offset;
        }
        offset += line.len();
    }
    text.len()
}

impl<'a> CodeBlock<'a> {
    /// Returns the language and the expected result if the block is an mcl program or a Puppet catalog.
    #[must_use]
    pub fn tested(&self) -> Option<(Language, Expectation)> {
        match self.info.split([',', ':']).collect::<Vec<_>>()[..] {
            ["mcl", "fails", ..] => Some((Language::Mcl, Expectation::Fails)),
            ["mcl", ..] => Some((Language::Mcl, Expectation::Passes)),
            ["json", "fails"] => Some((Language::Catalog, Expectation::Fails)),
            ["json"] => Some((Language::Catalog, Expectation::Passes)),
            ["puppet", "fails", ..] => Some((Language::Manifest, Expectation::Fails)),
            ["puppet", ..] => Some((Language::Manifest, Expectation::Passes)),
            _ => None,
        }
    }

    /// Returns the expected result if the block is an mcl program.
    #[must_use]
    pub fn expectation(&self) -> Option<Expectation> {
        self.tested().filter(|(language, _)| *language == Language::Mcl).map(|(_, expectation)| expectation)
    }

    /// Returns why the program is not tested, if it is not.
    #[must_use]
    pub fn ignore_reason(&self) -> Option<&'a str> {
        self.info.split_once(",ignore: ").map(|(_, reason)| reason)
    }

    /// Returns the names and contents of the program's files.
    #[must_use]
    pub fn files(&self) -> Vec<(&'a str, String)> {
        let main = if self.info.starts_with("puppet") { "site.pp" } else { "main.mcl" };
        let mut files = vec![(main, String::new())];
        for line in self.text.lines() {
            match line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
                Some(name) => files.push((name, String::new())),
                None => {
                    let (_, text) = files.last_mut().expect("there is a first file");
                    text.push_str(line);
                    text.push_str(if self.info.ends_with(",crlf") { "\r\n" } else { "\n" });
                }
            }
        }
        // The first header replaces the implied one when nothing precedes it.
        files.retain(|(name, text)| *name != main || !text.is_empty());
        if self.info.ends_with(",no-final-newline")
            && let Some((_, text)) = files.last_mut()
        {
            text.truncate(text.trim_end().len());
        }
        files
    }
}

#[cfg(test)]
mod tests;
