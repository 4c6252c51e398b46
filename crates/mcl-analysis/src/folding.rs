//! What can be folded, and what can be selected step by step. Both need only tokens, so that broken texts have them, too.

use std::ops::Range;

use mcl_lexer::{TokenIdx, TokenKind, lex};

/// A bracket is matched with one that at most this many unmatched ones follow.
const MAX_UNMATCHED: usize = 100;

/// The kinds of what can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FoldKind {
    Block,
    Comment,
    Imports,
}

/// Lines that can be folded into the first of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The bytes from inside of the first line to inside of the last.
    pub range: Range<u32>,
    /// What they are.
    pub kind: FoldKind,
}

/// Returns what can be folded: blocks, lists, runs of comments, and the imports at the start.
#[must_use]
pub fn folds(text: &str) -> Vec<Fold> {
    let tokens = lex(text);
    let spans_lines =
        |range: &Range<u32>| text.get(range.start as usize..range.end as usize).is_some_and(|t| t.contains('\n'));
    let mut folds = Vec::new();
    let mut open: Vec<(TokenKind, u32)> = Vec::new();
    for token in tokens.indices() {
        let kind = tokens[token];
        if kind.is_opener() {
            open.push((kind, tokens.end(token)));
        } else if kind.is_closer()
            && let Some(unmatched) =
                open.iter().rev().take(MAX_UNMATCHED).position(|(opener, _)| opener.closer() == Some(kind))
        {
            let at = open.len() - 1 - unmatched;
            let (_, start) = open[at];
            open.truncate(at);
            folds.push(Fold { range: start..tokens.start(token), kind: FoldKind::Block });
        } else if kind == TokenKind::String {
            folds.push(Fold { range: tokens.start(token)..tokens.end(token), kind: FoldKind::Block });
        }
    }
    let mut run: Option<Range<u32>> = None;
    for comment in &tokens.comments {
        let line_start =
            text.get(..comment.start as usize).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1));
        let is_alone = text.get(line_start..comment.start as usize).is_some_and(|before| before.trim().is_empty());
        let joins = run.as_ref().is_some_and(|run| {
            let between = text.get(run.end as usize..comment.start as usize).unwrap_or("x");
            between.trim().is_empty() && between.matches('\n').count() == 1
        });
        match &mut run {
            Some(run) if is_alone && joins => run.end = comment.end,
            _ => {
                folds.extend(run.take().map(|range| Fold { range, kind: FoldKind::Comment }));
                run = is_alone.then_some(comment.start..comment.end);
            }
        }
    }
    folds.extend(run.map(|range| Fold { range, kind: FoldKind::Comment }));
    folds.extend(imports(&tokens).map(|range| Fold { range, kind: FoldKind::Imports }));
    folds.retain(|fold| spans_lines(&fold.range));
    folds.sort_by_key(|fold| (fold.range.start, fold.range.end));
    folds
}

/// Returns the imports at the start of a file.
fn imports(tokens: &mcl_lexer::Tokens) -> Option<Range<u32>> {
    let mut at = TokenIdx::FIRST;
    let mut end = None;
    while tokens.kind(at) == Some(TokenKind::Import) && tokens.kind(at + 1) == Some(TokenKind::String) {
        at = at + 2;
        if tokens.kind(at) == Some(TokenKind::As) {
            at = at + 2;
        }
        end = at.previous().map(|last| tokens.end(last));
    }
    end.map(|end| tokens.start(TokenIdx::FIRST)..end)
}

/// Returns the ranges around a byte offset, each inside of the next: the token, the contents of each bracket, the bracket
/// with what is before it on its line, the file.
#[must_use]
pub fn selection_ranges(text: &str, offset: u32) -> Vec<Range<u32>> {
    let tokens = lex(text);
    let mut ranges: Vec<Range<u32>> = Vec::new();
    let mut open: Vec<(TokenKind, u32, u32)> = Vec::new();
    for token in tokens.indices() {
        let (kind, start, end) = (tokens[token], tokens.start(token), tokens.end(token));
        if start <= offset && offset <= end {
            ranges.push(start..end);
            if kind == TokenKind::String && start < offset && offset < end {
                ranges.push(start + 1..end - 1);
            }
        }
        if kind.is_opener() {
            open.push((kind, start, end));
        } else if kind.is_closer()
            && let Some(unmatched) =
                open.iter().rev().take(MAX_UNMATCHED).position(|(opener, ..)| opener.closer() == Some(kind))
        {
            let at = open.len() - 1 - unmatched;
            let (_, outer, inner) = open[at];
            open.truncate(at);
            let line = text.get(..outer as usize).map_or(0, |before| before.rfind('\n').map_or(0, |at| at + 1)) as u32;
            let indent =
                text[line as usize..outer as usize].len() - text[line as usize..outer as usize].trim_start().len();
            ranges.extend([inner..start, outer..end, line + indent as u32..end]);
        }
    }
    ranges.push(0..text.len() as u32);
    ranges.retain(|range| range.start <= offset && offset <= range.end);
    ranges.sort_by_key(|range| (range.end - range.start, range.start));
    ranges.dedup();
    // Each contains the one before.
    let mut nested: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        if nested.last().is_none_or(|inner| range.start <= inner.start && inner.end <= range.end) {
            nested.push(range);
        }
    }
    nested
}
