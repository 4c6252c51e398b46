//! Which bytes of a file are literals, comments, or code.
//!
//! The tree says where the literals are; outside of them `#` and `/*` start comments.

use pp_ast::{Expr, TextRange, Tree};

/// Returns a range of bytes.
pub(crate) fn range(start: usize, end: usize) -> TextRange {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    TextRange { start: offset(start), end: offset(end) }
}

/// The literals and comments of a file.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    /// Strings, heredocs and regexps, sorted and disjoint.
    literals: Vec<TextRange>,
    /// Comments with their marks, sorted.
    pub(crate) comments: Vec<TextRange>,
    /// The file is an EPP template.
    pub(crate) is_template: bool,
}

impl SourceMap {
    pub(crate) fn new(tree: &Tree, text: &str) -> SourceMap {
        let is_template = tree.root.is_some_and(|root| matches!(tree.exprs[root], Expr::Epp { .. }));
        let literals = literals(tree);
        let comments = if is_template { Vec::new() } else { comments(text, &literals) };
        SourceMap { literals, comments, is_template }
    }

    /// Whether a byte is inside a literal, its quotes included.
    pub(crate) fn is_literal(&self, at: u32) -> bool {
        contains(&self.literals, at)
    }

    /// Whether a byte is inside a comment, its mark included.
    pub(crate) fn is_comment(&self, at: u32) -> bool {
        contains(&self.comments, at)
    }

    /// Returns the offset of the first `what` in code between two offsets.
    pub(crate) fn find_code(&self, text: &str, between: TextRange, what: &str) -> Option<u32> {
        let slice = text.get(between.start as usize..between.end as usize)?;
        let offsets = slice.match_indices(what).filter_map(|(at, _)| u32::try_from(at).ok());
        offsets.map(|at| between.start + at).find(|at| !self.is_comment(*at) && !self.is_literal(*at))
    }
}

fn contains(ranges: &[TextRange], at: u32) -> bool {
    let next = ranges.partition_point(|range| range.start <= at);
    next > 0 && at < ranges[next - 1].end
}

/// Returns the ranges of all literals. Those inside others, as in an interpolated string, become part of them.
fn literals(tree: &Tree) -> Vec<TextRange> {
    let is_literal = |expr: &Expr| {
        matches!(
            expr,
            Expr::String(_) | Expr::Interpolation(_) | Expr::Heredoc { .. } | Expr::Regexp(_) | Expr::RenderString(_)
        )
    };
    let mut ranges: Vec<TextRange> =
        tree.exprs.iter().filter(|(_, expr)| is_literal(expr)).map(|(id, _)| tree.ranges[id]).collect();
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<TextRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

fn comments(text: &str, literals: &[TextRange]) -> Vec<TextRange> {
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    let mut literals = literals.iter().peekable();
    let mut at = 0;
    while at < bytes.len() {
        while literals.next_if(|literal| (literal.end as usize) <= at).is_some() {}
        if let Some(literal) = literals.peek().filter(|literal| literal.start as usize <= at) {
            at = literal.end as usize;
            continue;
        }
        let rest = &bytes[at..];
        let length = match rest {
            [b'#', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', body @ ..] => body.windows(2).position(|end| end == b"*/").map_or(rest.len(), |end| end + 4),
            _ => {
                at += 1;
                continue;
            }
        };
        comments.push(range(at, at + length));
        at += length;
    }
    comments
}
