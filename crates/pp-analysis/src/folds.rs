//! What can be folded in a manifest: from its tokens, so that a broken text has it, too.

use std::ops::Range;

use pp_syntax::token_ranges;

/// A bracket is matched with one that at most this many unmatched ones follow.
const MAX_UNMATCHED: usize = 100;

/// Lines that can be folded into the first of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The bytes from inside of the first line to inside of the last.
    pub range: Range<u32>,
    /// Whether it is a comment, and not what is between brackets or quotes.
    pub is_comment: bool,
}

/// Returns the contents of brackets, the strings and the runs of comments that take several lines.
#[must_use]
pub fn folds(text: &str) -> Vec<Fold> {
    let tokens = token_ranges(text);
    let mut folds = Vec::new();
    let mut open: Vec<(char, u32)> = Vec::new();
    for token in &tokens {
        let written = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        match written {
            "{" => open.push(('}', token.end)),
            "[" => open.push((']', token.end)),
            "(" => open.push((')', token.end)),
            "}" | "]" | ")" => {
                let mut inner = open.iter().rev().take(MAX_UNMATCHED);
                if let Some(unmatched) = inner.position(|(closer, _)| written.starts_with(*closer)) {
                    let at = open.len() - 1 - unmatched;
                    let (_, start) = open[at];
                    open.truncate(at);
                    folds.push(Fold { range: start..token.start, is_comment: false });
                }
            }
            string if string.starts_with(['"', '\'']) => {
                folds.push(Fold { range: token.start..token.end, is_comment: false });
            }
            _ => {}
        }
    }
    folds.extend(comments(text, &tokens).into_iter().map(|range| Fold { range, is_comment: true }));
    folds.retain(|fold| {
        text.get(fold.range.start as usize..fold.range.end as usize).is_some_and(|of| of.contains('\n'))
    });
    folds.sort_by_key(|fold| (fold.range.start, fold.range.end));
    folds
}

/// Returns the runs of lines that are comments.
fn comments(text: &str, tokens: &[pp_ast::TextRange]) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    let mut start = 0;
    let mut before_is_comment = false;
    for line in text.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len()) as u32;
        let end = start + line.trim_end().len() as u32;
        // A line of a string can look like one.
        let covering = tokens.partition_point(|token| token.end <= at);
        let is_in_token = tokens.get(covering).is_some_and(|token| token.start < at);
        let is_comment = line.trim_start().starts_with('#') && !is_in_token;
        match runs.last_mut() {
            Some(run) if is_comment && before_is_comment => run.end = end,
            _ if is_comment => runs.push(at..end),
            _ => {}
        }
        before_is_comment = is_comment;
        start += line.len() as u32;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_strings_and_comments_of_several_lines_are_folded() {
        let text = "# A class,\n# documented.\nclass a(\n  $x = 1,\n) {\n  file { '/a': mode => '0644' }\n  $s = \"x\n# no comment\n# no comment\"\n";
        let folds: Vec<(&str, bool)> = folds(text)
            .iter()
            .map(|fold| (&text[fold.range.start as usize..fold.range.end as usize], fold.is_comment))
            .collect();
        let expected = [
            ("# A class,\n# documented.", true),
            ("\n  $x = 1,\n", false),
            ("\"x\n# no comment\n# no comment\"", false),
        ];
        assert_eq!(folds, expected);
    }
}
