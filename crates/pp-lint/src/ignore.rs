//! Comments that switch lints off: `# lint:ignore:NAME` for its line, or for the lines until `# lint:endignore` if nothing
//! else is on its line.

use mcl_diagnostics::{Code, SourceFile};

use crate::source_map::SourceMap;
use crate::table::LINTS;

/// Where which lints are switched off.
#[derive(Debug, Default)]
pub(crate) struct Ignored(Vec<Block>);

#[derive(Debug)]
struct Block {
    codes: Vec<Code>,
    /// The first and the last line, from 0.
    lines: std::ops::RangeInclusive<usize>,
}

impl Ignored {
    pub(crate) fn new(file: &SourceFile, map: &SourceMap) -> Ignored {
        let mut blocks = Vec::new();
        let mut open: Vec<(Vec<Code>, usize)> = Vec::new();
        for comment in &map.comments {
            let text = &file.text[comment.start as usize..comment.end as usize];
            let Some(words) = text.trim_start_matches(['#', '/', '*', ' ', '\t']).strip_prefix("lint:") else {
                continue;
            };
            let line = file.line_of(comment.start);
            let before = &file.text[file.line_range(line).start..comment.start as usize];
            let control = words.split_whitespace().next().unwrap_or_default();
            if control == "endignore" {
                blocks.extend(open.pop().map(|(codes, start)| Block { codes, lines: start..=line }));
                continue;
            }
            // Several lints are ignored by several words: `lint:ignore:a lint:ignore:b`.
            let named = text.split_whitespace().filter_map(|word| word.split("lint:ignore:").nth(1));
            let codes: Vec<Code> =
                named.filter_map(|name| LINTS.iter().find(|lint| lint.name == name).map(|lint| lint.code)).collect();
            if before.trim().is_empty() {
                open.push((codes, line));
            } else {
                blocks.push(Block { codes, lines: line..=line });
            }
        }
        let last = file.line_starts().len();
        blocks.extend(open.into_iter().map(|(codes, start)| Block { codes, lines: start..=last }));
        Ignored(blocks)
    }

    pub(crate) fn contains(&self, code: Code, line: usize) -> bool {
        self.0.iter().any(|block| block.lines.contains(&line) && block.codes.contains(&code))
    }
}
